# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The decorator `operator`, which makes a PyTorch operator of a function and a CUDA C++ source."""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import torch
from torch.compiler import is_dynamo_compiling

from cuda.core import Kernel, ProgramOptions
from cuda.interop import _options
from cuda.interop._errors import FAILURES, compile_named, raise_named
from cuda.interop._kernels import Kernels
from cuda.interop._record import Launch, call, record
from cuda.interop._signature import Outputs, bind
from cuda.interop.torch import _autograd, _debug, _gradient, _pickle, _plan, _run, _signature, _vmap
from cuda.interop.torch._arguments import Arguments
from cuda.interop.torch._types import SPELLING

_OUTPUTS = Outputs(torch.Tensor, "tensor", "a Tensor", lambda tensor: tensor.untyped_storage()._cdata)
_TAGS = (torch.Tag.pt2_compliant_tag, torch.Tag.needs_exact_strides)

_declaring = threading.RLock()  # another declaration of the same operator destroys its library
_libraries: dict[str, torch.library.Library] = {}  # by the name of the operator that each defines


class Operator:
    """A PyTorch operator whose kernels are CUDA C++; `operator` makes it. Call it with tensors.

    Attributes
    ----------
    name : str
        Its qualified name, such as ``"mylib::rms_norm"``.
    schema : str
        Its schema, as `torch.library` spells it.
    kernels : Kernels
        Its source and the kernels that are compiled.
    overload : torch._ops.OpOverload
        What PyTorch's dispatcher knows it by: `torch.ops.mylib.rms_norm.default`.
    """

    def __init__(
        self,
        name: str,
        function: Callable[..., Any],
        kernels: Kernels,
        signature: _signature.Signature,
        kernel: str | None,
        deterministic: bool,
        autocast: bool,
    ) -> None:
        functools.update_wrapper(self, function)
        self.name, self.kernels, self.signature = name, kernels, signature
        self.schema = signature.schema
        self._function, self._kernel, self._deterministic = function, kernel, deterministic
        self._arguments = Arguments(name, signature)
        namespace, _, short = name.partition("::")
        if (before := _libraries.pop(name, None)) is not None:
            before._destroy()  # a cell of a notebook that runs again, for example
        self._library = _libraries[name] = torch.library.Library(namespace, "FRAGMENT")
        self._library.define(short + self.schema, tags=_TAGS)
        self.overload = getattr(getattr(torch.ops, namespace), short).default
        for key in ("CPU", "CUDA"):
            self._library.impl(short, self._run, key)
        torch.library.register_fake(name, self._abstract, lib=self._library)
        self._gradient: _gradient.Gradient | None = None
        self.recipe: dict[str, Any] = {}  # the arguments of `operator`
        recorded = _autograd.recorded(self)
        fast = _plan.fast_path(self, recorded) if deterministic else None
        self._record = _autograd.recorder(self, fast.forward if fast else recorded)
        if fast:
            fast.record = self._record
        self._plans = fast
        self._fast = (fast and not autocast and fast.call) or None
        self._below: Callable[[tuple[Any, ...]], Any] = fast.below if fast else self._compute
        if any(each.mutated for each in signature.parameters):
            _autograd.refuse(self, self._library, short)
        else:
            _autograd.register(self, self._library, short)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the operator."""
        if is_dynamo_compiling():
            return self.overload(*args, **kwargs)
        try:
            if kwargs or (fast := self._fast) is None:
                return self.overload(*args, **kwargs)
            return fast(args)
        except NotImplementedError:  # the dispatcher has no kernel for the arguments
            self._arguments.check_dispatched(self._bound(args, kwargs))
            raise
        except RuntimeError:
            self._arguments.check_changed(args, kwargs)
            raise

    def __repr__(self) -> str:
        return f"<Operator {self.name}{self.schema}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _pickle.reduce(self, _restored)

    def __setstate__(self, state: tuple[Callable[..., Any], Sequence[str]]) -> None:
        if self._gradient is None:
            self.gradient(state[0], wrt=state[1])

    def gradient(
        self, function: Callable[..., Any] | None = None, *, wrt: Sequence[str] | None = None
    ) -> Callable[..., Any]:
        """Declare the gradient: an operator, or a function of PyTorch operations; also as a decorator.

        Parameters
        ----------
        function : callable
            Its parameters are matched by name: parameters of the operator, its outputs `out` (`out_0`, `out_1` and
            so on if it returns a tuple), and their gradients `grad` (`grad_0` and so on). It returns a gradient for
            each parameter in `wrt`; None where there is none. If it is differentiable itself, so are the gradients.
        wrt : sequence of str, optional
            The parameters that have a gradient; by default all tensors.

        Returns
        -------
        callable
            The function.

        Raises
        ------
        TypeError
            If the function has a parameter of another name, or the operator changes its arguments.
        """
        if function is None:
            return functools.partial(self.gradient, wrt=wrt)
        if changed := [each.name for each in self.signature.parameters if each.mutated]:
            raise TypeError(f"{self.name} changes {changed[0]}: an operator that changes its arguments has no gradient")
        self._gradient = made = _gradient.Gradient(self.name, self.signature, function, wrt)
        if self._plans is not None:
            self._plans.save(made.saved, made.kept, tuple(made.defaults))
        return function

    def compile(self, *args: Any, arch: str | None = None, **kwargs: Any) -> list[str]:
        """Compile ahead of time what a call with such arguments needs; tensors may be on the device ``"meta"``.

        Parameters
        ----------
        *args, **kwargs : object
            Arguments of the operator. Only shapes, types and numbers matter.
        arch : str, optional
            The architecture, such as ``"90"``; by default that of device 0.

        Returns
        -------
        list of str
            The names of the kernels.
        """
        arguments = self._bound(args, kwargs)
        self._arguments.prepare([_without_memory(each) for each in arguments])
        _, _, names = self._planned(arguments)
        return compile_named(self.name, self.kernels, names, arch)

    def checked(self, *args: Any, **kwargs: Any) -> Any:
        """Call the operator on tensors of the CPU with memcheck, to find errors of the kernels and of the function.

        Each tensor is copied to an allocation of exactly its size, and the kernels run twice.

        Parameters
        ----------
        *args, **kwargs : object
            Arguments of the operator.

        Returns
        -------
        object
            The outputs, without gradients.

        Raises
        ------
        OperatorError
            If a kernel accesses memory outside of the tensors that it gets, does not write an element of an output, or
            changes an argument that `mutates` does not name.
        """
        with torch.no_grad():
            arguments, device = self._arguments.prepare(self._bound(args, kwargs))
            if device is None:
                raise ValueError(f"{self.name}: no argument is a tensor, so there is nothing to check")
            if device.type != "cpu":
                raise ValueError(f"{self.name}: checked calls take tensors on the CPU, not on {device}")
            given = [
                (parameter, value)
                for parameter, value in zip(self.signature.parameters, arguments, strict=True)
                for value in (value if isinstance(value, (list, tuple)) else [value])
                if isinstance(value, torch.Tensor)
            ]

            def run(take: Callable[[Launch, Kernel], None]) -> Any:
                def carry_out(each: Launch) -> None:
                    name = self._name_of(each, arguments)
                    try:
                        take(each, self.kernels.get(name))
                    except FAILURES as error:
                        raise_named(error, self.name, name)

                outputs = call(self._function, arguments, carry_out)
                self._check_outputs(outputs, arguments)
                return outputs

            return _debug.check(self.name, run, given)

    def _bound(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
        """Return the arguments in the order of the parameters, with defaults."""
        return bind(self.name, inspect.signature(self._function), args, kwargs)

    def _planned(self, arguments: Sequence[Any]) -> tuple[Any, list[Launch], list[str]]:
        """Return the outputs, the launches, and the kernels' names."""
        outputs, launches = record(self._function, arguments)
        self._check_outputs(outputs, arguments)
        return outputs, launches, [self._name_of(each, arguments) for each in launches]

    def _name_of(self, each: Launch, arguments: Sequence[Any]) -> str:
        """Return the name of a launch's kernel."""
        named = dict(zip((each.name for each in self.signature.parameters), arguments, strict=True))
        return each.kernel_name(self.name, self._kernel, named, SPELLING)

    def _run(self, *args: Any) -> Any:
        """Run on tensors of a CPU or a GPU."""
        return self._below(args)

    def _compute(self, args: Sequence[Any]) -> Any:
        """Run the function, with the launches that it asks for."""
        arguments, device = self._arguments.prepare(args)
        if device is None:
            raise ValueError(f"{self.name}: no argument is a tensor, so there is no device to run on")
        if not self._deterministic and torch.are_deterministic_algorithms_enabled():
            _refuse_nondeterministic(self.name)

        # At once: the function may compute with what its kernels write.
        def run(each: Launch) -> None:
            _run.run(self.name, self.kernels, each, self._name_of(each, arguments), device)

        outputs = call(self._function, arguments, run)
        self._check_outputs(outputs, arguments)
        for parameter, value in zip(self.signature.parameters, arguments, strict=True):
            for each in value if isinstance(value, list) else [value]:
                if parameter.mutated and isinstance(each, torch.Tensor) and not each.is_inference():
                    torch.autograd.graph.increment_version(each)
        return outputs

    def _abstract(self, *args: Any) -> Any:
        """Return tensors without memory, as the function describes them: the launches are dropped."""
        arguments, _ = self._arguments.prepare(args)
        outputs, _ = record(self._function, arguments)
        self._check_outputs(outputs, arguments)
        return outputs

    def _check_outputs(self, outputs: Any, arguments: Sequence[Any]) -> None:
        """Raise if the function returns something other than its annotation says, or an argument."""
        _OUTPUTS.check(self.name, self.signature.returned, outputs, arguments)


def _without_memory(value: Any) -> Any:
    """Return a tensor on the device `meta` for a tensor, also of a list."""
    if isinstance(value, (list, tuple)):
        return [_without_memory(each) for each in value]
    return value.to("meta") if isinstance(value, torch.Tensor) else value


def _refuse_nondeterministic(name: str) -> None:
    message = f"{name} is declared as not deterministic, but torch.use_deterministic_algorithms(True) is set"
    if torch.is_deterministic_algorithms_warn_only_enabled():
        import warnings

        warnings.warn(message, UserWarning, stacklevel=3)
        return
    raise RuntimeError(message)


def operator(
    name: str,
    source: str | Kernels,
    *,
    kernel: str | None = None,
    options: ProgramOptions | None = None,
    mutates: Iterable[str] = (),
    contiguous: str | Mapping[str, str] = "copy",
    align: int | Mapping[str, int] = 1,
    dtypes: Sequence[torch.dtype] | Mapping[str, Any] | None = None,
    leading: Collection[str] = (),
    autocast: torch.dtype | None = None,
    deterministic: bool = True,
) -> Callable[[Callable[..., Any]], Operator]:
    """Make a PyTorch operator of the decorated function, which describes a call: it creates the outputs and launches.

    The function gets the arguments, creates outputs and workspace by PyTorch's functions (`torch.empty_like` and the
    like), calls `launch_kernel` for each kernel, and returns the outputs. It also serves as the fake implementation,
    for which the launches are dropped: it must not look at the elements of tensors. Its annotations are the
    schema: Tensor, ``Tensor | None``, ``list[Tensor]``, int, float, bool and str.

    Parameters
    ----------
    name : str
        The qualified name, such as ``"mylib::rms_norm"``.
    source : str or Kernels
        CUDA C++.
    kernel : str, optional
        The name of the kernel, for launches that name none; see `launch_kernel`.
    options : ProgramOptions, optional
        Options of the compilation.
    mutates : iterable of str
        The parameters whose tensors the kernels write to.
    contiguous : str or mapping
        For all parameters or by name: "copy" (tensors that are not contiguous are copied first), "check" (they are
        refused) or "any" (the kernel gets them as they are).
    align : int or mapping
        The alignment in bytes, for all parameters or by name. Other tensors are copied or refused, as above.
    dtypes : sequence or mapping
        The types of elements that are accepted, for all parameters or by name; a name as the value means: the type of
        that parameter.
    leading : collection of str
        Parameters that may have any number of leading axes, which the outputs have, too: `torch.vmap` is one call then.
    autocast : torch.dtype, optional
        The type to which `torch.autocast` casts floating-point tensors.
    deterministic : bool
        Whether the result is the same in every run; `torch.use_deterministic_algorithms` refuses other operators.

    Returns
    -------
    callable
        The decorator, which returns an `Operator`. It replaces one of the same name.

    Raises
    ------
    TypeError, ValueError
        If an annotation is missing or not supported, or an option names an unknown parameter.

    Examples
    --------
    >>> @operator("mylib::twice", source, kernel="twice<{x}>")
    ... def twice(x: Tensor) -> Tensor:
    ...     y = torch.empty_like(x)
    ...     launch_kernel((x.numel() + 255) // 256, 256, x, y, x.numel())
    ...     return y
    """
    _signature.check_name(name)
    _signature.check_autocast(name, autocast)
    if not isinstance(deterministic, bool):
        raise TypeError(f"{name}: deterministic is {deterministic!r:.60}, must be True or False")
    kernels = _options.kernels_of(name, source, options)
    mutates, leading = _options.collected(mutates), _options.collected(leading)
    recipe = {
        "kernel": kernel,
        "mutates": mutates,
        "contiguous": contiguous,
        "align": align,
        "dtypes": dtypes,
        "leading": leading,
        "autocast": autocast,
        "deterministic": deterministic,
    }

    def decorate(function: Callable[..., Any]) -> Operator:
        signature = _signature.read(name, function, mutates, contiguous, align, dtypes)
        signature.options.names("leading", leading)
        _options.check_kernel(name, kernel, [each.name for each in signature.parameters])
        with _declaring:
            made = Operator(name, function, kernels, signature, kernel, deterministic, autocast is not None)
            torch.library.register_vmap(name, _vmap.rule(name, made.overload, signature, leading), lib=made._library)
            for device in ("cpu", "cuda") if autocast is not None else ():
                torch.library.register_autocast(name, device, autocast, lib=made._library)
            made.recipe = recipe
            _pickle.known[name] = made
        return made

    return decorate


def _restored(name: str, function: Callable[..., Any], kernels: Kernels, recipe: Mapping[str, Any]) -> Operator:
    """Return the operator of a name from a pickle, with compiled code; it is made if this process has none."""
    if (found := _pickle.known.get(name)) is None:
        return operator(name, kernels, **recipe)(function)
    _pickle.share(found, kernels)
    return found
