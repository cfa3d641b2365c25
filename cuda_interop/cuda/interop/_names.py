# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Names of kernels: the names of an operator's arguments in braces stand for their types or values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

_FIELD = re.compile(r"\{([^{}]*)\}")


class Spelling(NamedTuple):
    """How a framework's arrays and types are recognised, and how types are spelled."""

    array: type | tuple[type, ...]
    dtype: type
    short: Callable[[Any], str]  # as the framework spells a type: "float32"
    cuda: Callable[[Any], str]  # in CUDA C++: "float"


def check_fields(operator: str, template: str, known: Iterable[str]) -> None:
    """Raise if a kernel's name has something in braces that is neither `dtype` nor the name of an argument."""
    names = ["dtype", *known]
    for each in _FIELD.findall(template):
        if each not in names:
            raise ValueError(
                f"{operator}: kernel {template!r} has {{{each}}}, must be one of {', '.join(dict.fromkeys(names))}"
            )


def kernel_name(operator: str, template: str, arguments: Mapping[str, Any], spelling: Spelling) -> str:
    """Return the name of a kernel for these arguments.

    Between `<` and `>` an array stands for its type in CUDA C++, before them for the framework's name of it. `{dtype}`
    is the type of the first array. Numbers stand for themselves.
    """
    if not isinstance(template, str):
        raise TypeError(f"{operator}: kernel is {template!r:.60}, must be the name of a kernel")
    check_fields(operator, template, arguments)
    head, bracket, tail = template.partition("<")

    def filled(text: str, spell: Callable[[Any], str]) -> str:
        return _FIELD.sub(lambda found: _text(found[1], arguments, spelling, spell), text)

    try:
        return filled(head, spelling.short) + bracket + filled(tail, spelling.cuda)
    except TypeError as error:
        raise TypeError(f"{operator}: kernel {template!r}: {error}") from None


def _text(name: str, arguments: Mapping[str, Any], spelling: Spelling, spell: Callable[[Any], str]) -> str:
    if name == "dtype" and name not in arguments:
        value = next((each for each in arguments.values() if isinstance(each, spelling.array)), None)
    else:
        value = arguments[name]
    if isinstance(value, (list, tuple)) and value:
        arrays: list[Any] = [each for each in value if isinstance(each, spelling.array)]
        found = dict.fromkeys(spelling.short(each.dtype) for each in arrays)
        if len(found) > 1:
            raise TypeError(f"{name} has elements of {' and '.join(found)}, must be of one type")
        value = value[0]
    if isinstance(value, spelling.array):
        return spell(value.dtype)  # type: ignore[attr-defined]
    if isinstance(value, spelling.dtype):
        return spell(value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    raise TypeError(f"{name} is {value!r}, which stands for no type and no number of a template")
