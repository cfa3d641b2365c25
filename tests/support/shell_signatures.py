# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Signatures, by the headers, of the Python functions that the C shells of libcuda and libcudart call."""

from __future__ import annotations

import builtins
import inspect
import keyword
import typing
from collections.abc import Callable

from codegen import apis, headers, roles, write_shell
from codegen.model import Function, Role

RETURNED = (Role.OUT, Role.OUT_VIEW)


class Signature(typing.NamedTuple):
    inputs: tuple[str, ...]  # parameter names of the header
    outputs: int  # number of returned values


def of_header(function: Function) -> Signature:
    inputs = tuple(param.name for param in function.params if param.role not in RETURNED)
    return Signature(inputs, len(function.params) - len(inputs))


def driver() -> dict[str, Signature]:
    """Return the signature of each function that the shell of libcuda calls, by its name in Python.

    Several symbols may share a function; its names are those of the public declaration.
    """
    every = roles.assign_forms(headers.read_every_version(apis.APIS["driver"]))
    public = roles.libraries()["driver"]
    found: dict[str, Signature] = {}
    for function in every.functions.values():
        name = write_shell.python_name(public, every, function)
        declared = public.functions.get(name)
        if name not in found or (declared and declared.symbol == function.symbol):
            found[name] = of_header(function)
    return found


def runtime() -> dict[str, Signature]:
    """Return the signature of each function that the shell of libcudart calls."""
    return {function.name: of_header(function) for function in roles.libraries()["runtime"].functions.values()}


def inputs(function: Callable[..., object]) -> tuple[str, ...]:
    """Return the parameter names of a Python function, in the header's spelling: `from_` and `type_` lose their `_`."""
    return tuple(map(header_spelling, inspect.signature(function).parameters))


def header_spelling(name: str) -> str:
    plain = name.removesuffix("_")
    return plain if keyword.iskeyword(plain) or hasattr(builtins, plain) else name


def outputs(function: Callable[..., object]) -> int:
    """Return the number of values that a Python function returns, by its annotation."""
    hint = typing.get_type_hints(function)["return"]
    if hint is type(None):
        return 0
    return len(typing.get_args(hint)) if typing.get_origin(hint) is tuple else 1
