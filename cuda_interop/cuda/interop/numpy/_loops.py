# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Which of a universal function's loops a call uses, by NumPy's rules: the first to which the inputs cast safely."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from cuda.interop.arrays._types import cuda_name

CASTINGS = ("no", "equiv", "safe", "same_kind", "unsafe")
_WEAK = (int, float, complex)  # numbers of Python, whose type follows that of the arrays


class Loop(NamedTuple):
    """The types of one loop, and how `ufunc.types` spells it."""

    inputs: tuple[np.dtype[Any], ...]
    outputs: tuple[np.dtype[Any], ...]

    def __str__(self) -> str:
        return "".join(each.char for each in self.inputs) + "->" + "".join(each.char for each in self.outputs)


def collected(types: Any) -> Any:
    """Return a table as a list; what is none stays for `read_loops`."""
    return list(types) if isinstance(types, Iterable) and not isinstance(types, str) else types


def read_loops(name: str, types: Iterable[Any], inputs: int, outputs: int) -> tuple[Loop, ...]:
    """Return the loops of a table: texts such as "ff->f", or tuples of types, those of the outputs last."""
    if isinstance(types, str):
        raise TypeError(f"{name}: types is {types!r}, must be a list such as [{types!r}]")
    if not isinstance(types, Iterable):
        raise TypeError(f"{name}: types is {types!r:.60}, must be a list such as ['{'f' * inputs}->{'f' * outputs}']")
    loops = tuple(_loop(name, each, inputs, outputs) for each in types)
    if not loops:
        raise ValueError(f"{name}: types is empty, must have a signature such as {'f' * inputs + '->' + 'f' * outputs}")
    return loops


def _loop(name: str, given: Any, inputs: int, outputs: int) -> Loop:
    wanted = f"{inputs} inputs and {outputs} outputs, as {'f' * inputs + '->' + 'f' * outputs!r} has"
    label = f"{name}: signature {given!r}"
    if not isinstance(given, (str, tuple, list)):
        raise TypeError(f"{label} must be a text or a tuple of types, with {wanted}")
    parts: Sequence[Any] = [*given.partition("->")[0], *given.partition("->")[2]] if isinstance(given, str) else given
    if len(parts) != inputs + outputs or (isinstance(given, str) and len(given.partition("->")[0]) != inputs):
        raise ValueError(f"{label} must have {wanted}")
    try:
        dtypes = [np.dtype(each) for each in parts]
        for each in dtypes:
            cuda_name(each)
    except TypeError as error:
        raise TypeError(f"{label}: {error}") from None
    return Loop(tuple(dtypes[:inputs]), tuple(dtypes[inputs:]))


def input_types(values: Sequence[Any]) -> list[np.dtype[Any]]:
    """Return the types of inputs; numbers of Python take the type that NumPy would give them beside the arrays."""
    strong = [each.dtype for each in values if type(each) not in _WEAK]
    return [_beside(each, strong) if type(each) in _WEAK else each.dtype for each in values]


def _beside(number: Any, strong: Sequence[np.dtype[Any]]) -> np.dtype[Any]:
    """Return the type of a number of Python beside arrays of these types."""
    try:
        return np.result_type(number, *strong)
    except TypeError:  # texts, dates or records, for which there is no loop
        return np.result_type(number)


def select(name: str, loops: Sequence[Loop], found: Sequence[np.dtype[Any]], casting: str, asked: Any) -> Loop:
    """Return the loop for inputs of these types.

    Parameters
    ----------
    name : str
        The function.
    loops : sequence of Loop
        Its table.
    found : sequence of numpy.dtype
        The types of the inputs.
    casting : str
        Which casts of inputs are allowed; at most safe ones if no loop is asked for.
    asked : Loop, numpy.dtype or None
        The loop that the call asks for, or the type of the outputs.
    """
    if casting not in CASTINGS:
        raise ValueError(f"{name}: casting is {casting!r}, must be one of {', '.join(CASTINGS)}")
    allowed = casting
    if asked is None and casting in ("same_kind", "unsafe"):
        allowed = "safe"
    for loop in loops:
        if isinstance(asked, Loop) and loop != asked:
            continue
        if isinstance(asked, np.dtype) and any(each != asked for each in loop.outputs):
            continue
        if all(np.can_cast(a, b, allowed) for a, b in zip(found, loop.inputs, strict=True)):  # type: ignore[arg-type]
            return loop
    types = ", ".join(map(str, found))
    wish = "" if asked is None else f" and {'signature' if isinstance(asked, Loop) else 'dtype'} {asked}"
    raise TypeError(
        f"{name}: no loop for inputs of {types}{wish} with casting {allowed!r}; it has {', '.join(map(str, loops))}"
    )
