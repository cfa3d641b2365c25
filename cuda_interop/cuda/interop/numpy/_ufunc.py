# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The decorator `ufunc`: an element-wise function of NumPy arrays from a CUDA C++ expression."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from cuda.core import ProgramOptions
from cuda.interop import _pickle
from cuda.interop._errors import compile_named
from cuda.interop._kernels import Kernels
from cuda.interop._options import kernels_of
from cuda.interop.numpy import _compute, _loops, _override
from cuda.interop.numpy._declaration import check_names, check_texts, inputs_of, names_of_outputs
from cuda.interop.numpy._source import flat_name, source_of

_Array = np.ndarray[Any, Any]
_KEPT = 1024
_KEYWORDS = ("out", "where", "casting", "order", "dtype", "signature")


class Ufunc:
    """An element-wise function of NumPy arrays that is computed by a CUDA kernel; `ufunc` makes it.

    It broadcasts and chooses types as NumPy's universal functions do, and passes itself to arguments that have
    ``__array_ufunc__``. It runs on the current device of the thread, and returns when the kernel is done.

    Attributes
    ----------
    name : str
        Its name in messages: that of the function.
    nin, nout, nargs, ntypes : int
        The number of inputs, outputs, both, and of loops.
    types : list of str
        The loops, as NumPy spells them.
    kernels : Kernels
        Its source and the kernels that are compiled.
    """

    identity = None
    signature = None  # it is element-wise

    def __init__(self, function: Callable[..., Any], kernels: Kernels, recipe: Mapping[str, Any]) -> None:
        functools.update_wrapper(self, function)
        self.name = function.__name__
        self._function, self._recipe, self.kernels = function, dict(recipe), kernels
        self.nin = len(recipe["inputs"])
        self.nout = len(recipe["outputs"] or ["result"])
        self.nargs = self.nin + self.nout
        self._loops: tuple[_loops.Loop, ...] = recipe["loops"]
        self.ntypes = len(self._loops)
        self._steps: dict[Any, Any] = {}  # what calls without keywords launched
        self.types = [str(each) for each in self._loops]

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        """Compute the function for each element.

        Parameters
        ----------
        *args : array
            The inputs, which broadcast; behind them possibly the outputs.
        **keywords : object
            As for NumPy's universal functions: `out` (an array, or a tuple with an array or None for each output),
            `where` (compute only where it is true; the other elements of new outputs are not set), `casting`
            ("same_kind" by default), `order` ("K", "C", "F" or "A" for new outputs), `dtype` (of the outputs) and
            `signature` (of the loop).

        Returns
        -------
        numpy.ndarray, scalar or tuple
            The output, or a tuple of outputs.
        """
        key = None
        if not keywords and len(args) == self.nin and (key := _compute.layout_key(args)) in self._steps:
            shape, loop, step = self._steps[key]
            outputs = [np.empty(shape, each) for each in loop.outputs]
            _compute.repeat(self.name, self.kernels, step, args, outputs)
            return outputs[0] if self.nout == 1 else tuple(outputs)
        if unknown := [each for each in keywords if each not in _KEYWORDS]:
            raise TypeError(f"{self.name}: unknown keyword {unknown[0]!r}, must be one of {', '.join(_KEYWORDS)}")
        inputs, out = self._split(args, keywords.pop("out", None))
        if (found := _override.result(self, "__call__", inputs, out, keywords)) is not _override.NONE:
            return found
        return self._compute(inputs, out, key=key, **keywords)

    def __repr__(self) -> str:
        return f"<Ufunc {self.name!r} of {', '.join(self.types)}>"

    def __reduce__(self) -> tuple[Any, ...]:
        known = {each: getattr(self, each) for each in ("__module__", "__name__", "__qualname__", "__doc__")}
        return _pickle.reduce(self, self._function, _restored, known, self.kernels, self._recipe)

    def outer(self, a: Any, b: Any, **keywords: Any) -> Any:
        """Compute the function for all pairs of an element of `a` and one of `b`.

        Parameters
        ----------
        a, b : array
            The inputs. The outputs have the axes of `a`, then those of `b`.
        **keywords : object
            As for a call.

        Returns
        -------
        numpy.ndarray, scalar or tuple
            The output, or a tuple of outputs.
        """
        if self.nin != 2:
            raise ValueError(f"{self.name}: outer is for functions of 2 inputs, not {self.nin}")
        left, right = np.asarray(a), np.asarray(b)
        return self(left.reshape(left.shape + (1,) * right.ndim), right, **keywords)

    def compile(self, arch: str | None = None) -> list[str]:
        """Compile ahead of time the kernels of all loops for contiguous arrays of one shape.

        Parameters
        ----------
        arch : str, optional
            The architecture, such as ``"90"``; by default that of device 0.

        Returns
        -------
        list of str
            The names of the kernels.
        """
        names = [flat_name(loop, 0, False) for loop in self._loops]
        return compile_named(self.name, self.kernels, names, arch)

    def reduce(self, *args: Any, **keywords: Any) -> NoReturn:
        """Refuse: a reduction needs a function that is associative, and its identity."""
        self._refuse("reduce")

    def accumulate(self, *args: Any, **keywords: Any) -> NoReturn:
        """Refuse, as `reduce`."""
        self._refuse("accumulate")

    def reduceat(self, *args: Any, **keywords: Any) -> NoReturn:
        """Refuse, as `reduce`."""
        self._refuse("reduceat")

    def at(self, *args: Any, **keywords: Any) -> NoReturn:
        """Refuse: elements that occur twice would need atomic operations."""
        self._refuse("at")

    def _refuse(self, method: str) -> NoReturn:
        raise NotImplementedError(
            f"{self.name}.{method} is not supported: write a kernel for it with cuda.interop.numpy.operator, or use "
            f"numpy.frompyfunc for small arrays"
        )

    def _split(self, args: Sequence[Any], out: Any) -> tuple[list[Any], tuple[Any, ...]]:
        """Return the inputs, and an array or None for each output."""
        if not self.nin <= len(args) <= self.nargs:
            raise TypeError(f"{self.name} takes {self.nin} to {self.nargs} arguments, but {len(args)} are given")
        behind = tuple(args[self.nin :])
        if behind and out is not None:
            raise TypeError(f"{self.name}: out is given twice, as an argument and as out=...")
        given = behind or (out if isinstance(out, tuple) else (out,) if out is not None else ())
        if len(given) > self.nout or (isinstance(out, tuple) and len(given) != self.nout):
            raise ValueError(f"{self.name}: out has {len(given)} arrays, must have {self.nout}")
        return list(args[: self.nin]), given + (None,) * (self.nout - len(given))

    def _compute(
        self,
        inputs: list[Any],
        out: tuple[Any, ...],
        where: Any = True,
        casting: str = "same_kind",
        order: str = "K",
        dtype: Any = None,
        signature: Any = None,
        key: Any = None,
    ) -> Any:
        values = [each if type(each) in (int, float, complex) else self._array(each) for each in inputs]
        types = _loops.input_types(values)
        loop = _loops.select(self.name, self._loops, types, casting, self._asked(dtype, signature))
        arrays = [
            _compute.converted(self.name, f"input {k}", np.asarray(value, types[k]), loop.inputs[k])
            for k, value in enumerate(values)
        ]
        mask = None if where is True else self._mask(where)
        self._check_outputs(out, loop, casting)
        shape = _compute.shape_of(self.name, arrays, mask, out)
        if order not in ("K", "C", "F", "A"):
            raise ValueError(f"{self.name}: order is {order!r}, must be K, C, F or A")
        if order == "A":
            order = "F" if all(each.flags.f_contiguous for each in arrays) else "C"
        written, results = [], []
        for given, wanted in zip(out, loop.outputs, strict=True):
            if given is not None:
                results.append(given)
            elif order == "K":
                results.append(_compute.new_output(shape, wanted, arrays))
            else:
                results.append(np.empty(shape, wanted, order))  # type: ignore[call-overload]
            written.append(_compute.target(results[-1], wanted))
        if any(each is not None for each in out):
            arrays = [_compute.apart(each, written) for each in arrays]
            mask = mask if mask is None else _compute.apart(mask, written)
        if 0 not in shape:
            step = _compute.compute(self.name, self.kernels, loop, _compute.Operands(arrays, written, mask, shape))
            if key is not None and all(a is b for a, b in zip(arrays, inputs, strict=True)):
                self._remember(key, (shape, loop, step))
        for result, each in zip(results, written, strict=True):
            if result is not each:
                np.copyto(result, each, casting=casting, where=True if mask is None else mask)  # type: ignore[arg-type]
        found = [a if b is not None or a.ndim else a[()] for a, b in zip(results, out, strict=True)]
        return found[0] if self.nout == 1 else tuple(found)

    def _remember(self, key: Any, found: Any) -> None:
        """Keep what a call without keywords launched, for contiguous arrays of the same types and shapes."""
        if len(self._steps) >= _KEPT:
            self._steps.clear()
        self._steps[key] = found

    def _array(self, value: Any) -> _Array:
        if isinstance(value, np.ma.MaskedArray):
            raise TypeError(
                f"{self.name}: an input is a masked array, whose mask would be lost: pass x.data and where="
            )
        return np.asarray(value)

    def _asked(self, dtype: Any, signature: Any) -> Any:
        """Return the loop, or the type of outputs, that a call asks for."""
        if dtype is not None and signature is not None:
            raise TypeError(f"{self.name}: dtype and signature are both given")
        if dtype is not None:
            try:
                return np.dtype(dtype)
            except TypeError as error:
                raise TypeError(f"{self.name}: dtype is {dtype!r:.60}, must be a type of elements: {error}") from None
        if signature is None:
            return None
        return _loops.read_loops(self.name, [signature], self.nin, self.nout)[0]

    def _mask(self, where: Any) -> _Array:
        mask = np.asarray(where)
        if mask.dtype != np.bool_:
            raise TypeError(f"{self.name}: where has elements of {mask.dtype}, must be of bool")
        return mask

    def _check_outputs(self, out: Sequence[Any], loop: _loops.Loop, casting: str) -> None:
        given = [each for each in out if each is not None]
        for each, wanted in zip(out, loop.outputs, strict=True):
            if each is None:
                continue
            if not isinstance(each, np.ndarray) or isinstance(each, np.ma.MaskedArray):
                raise TypeError(f"{self.name}: out is of {type(each).__name__}, must be a numpy.ndarray")
            if not each.flags.writeable:
                raise ValueError(f"{self.name}: out is read-only")
            if not np.can_cast(wanted, each.dtype, casting):  # type: ignore[arg-type]
                raise TypeError(f"{self.name}: {wanted} cannot be cast to out's {each.dtype} with casting {casting!r}")
        if any(np.may_share_memory(a, b) for k, a in enumerate(given) for b in given[k + 1 :]):
            raise ValueError(f"{self.name}: two of the arrays in out share memory")


def ufunc(
    body: str,
    types: Iterable[Any],
    *,
    outputs: Sequence[str] | None = None,
    source: str = "",
    options: ProgramOptions | None = None,
) -> Callable[[Callable[..., Any]], Ufunc]:
    """Make an element-wise function of NumPy arrays: the decorated function has its name, inputs and docstring.

    The function's code never runs. In CUDA C++, an input `x` is a variable of the type ``x_t``.

    Parameters
    ----------
    body : str
        A CUDA C++ expression of the inputs, such as ``"fma(x, y, z)"``, whose type is ``result_t``; with `outputs`,
        statements that assign them.
    types : iterable
        The loops, in NumPy's notation (``"ff->f"``), or as tuples of types, those of the outputs last. A call uses the
        first one to which its inputs cast safely.
    outputs : sequence of str, optional
        The names of the outputs, if there are several, or `body` has statements.
    source : str
        CUDA C++ in front: `__device__` functions that `body` calls, and headers.
    options : ProgramOptions, optional
        Options of the compilation; without, NVRTC's own headers are found. As always in CUDA, products and sums are
        fused unless `fma` is False.

    Returns
    -------
    callable
        The decorator, which returns a `Ufunc`.

    Raises
    ------
    TypeError, ValueError
        If the function has parameters other than plain ones, or `types` does not fit it.

    Examples
    --------
    >>> @ufunc("hypot(x, y)", ["ff->f", "dd->d"])
    ... def length(x, y):
    ...     '''Length of a vector.'''
    >>> length(np.float32(3), [4, 4])
    array([5., 5.])
    """
    types, outputs = _loops.collected(types), _loops.collected(outputs)

    def decorate(function: Callable[..., Any]) -> Ufunc:
        inputs, name = inputs_of(function), function.__name__
        check_texts(name, body, source)
        named = names_of_outputs(name, outputs)
        check_names(name, inputs, named)
        loops = _loops.read_loops(name, types, len(inputs), len(named or ["result"]))
        recipe = {"inputs": inputs, "outputs": named, "loops": loops}
        text = source_of(body, named, inputs, loops, source)
        return Ufunc(function, kernels_of(name, text, options), recipe)

    return decorate


def _restored(known: Mapping[str, Any], kernels: Kernels, recipe: Mapping[str, Any]) -> Ufunc:
    """Return a universal function from a pickle, with compiled code."""

    def function() -> None: ...

    for name, value in known.items():
        setattr(function, name, value)
    return Ufunc(function, _pickle.loaded(kernels), recipe)
