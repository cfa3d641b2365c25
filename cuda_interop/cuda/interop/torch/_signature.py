# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The signature of a PyTorch operator, with its schema."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any

import torch

from cuda.interop import _signature
from cuda.interop._signature import Signature

_NAME = re.compile(r"[A-Za-z_]\w*::[A-Za-z_]\w*", re.ASCII)
_RESERVED = ("aten", "prim", "prims")


def check_name(name: Any) -> tuple[str, str]:
    """Return the namespace and the rest of an operator's name."""
    if not isinstance(name, str):
        raise TypeError(f"name is {name!r:.60}, must be a text of the form 'mylib::rms_norm'")
    if not _NAME.fullmatch(name):
        raise ValueError(f"name is {name!r}, must be of the form 'mylib::rms_norm', of ASCII letters, digits and _")
    namespace, _, short = name.partition("::")
    if namespace in _RESERVED:
        raise ValueError(
            f"name is {name!r}, but {namespace!r} is for PyTorch's own operators: choose another namespace"
        )
    try:
        torch._C.parse_schema(f"{name}() -> ()")
    except RuntimeError:
        raise ValueError(f"name is {name!r}, which has a keyword of PyTorch's schemas: choose another") from None
    return namespace, short


def read(name: str, function: Callable[..., Any], mutates: Any, contiguous: Any, align: Any, dtypes: Any) -> Signature:
    """Return the signature of a function; errors name the operator and the parameter."""
    found = _signature.read(name, function, torch.Tensor, _dtype, mutates, contiguous, align, dtypes)
    mutated = {each.name for each in found.parameters if each.mutated}
    return dataclasses.replace(found, schema=_schema(name, function, found.hints, mutated))


def check_autocast(name: str, given: Any) -> None:
    """Raise unless the option `autocast` is a type of floating-point numbers, or None."""
    if given is None:
        return
    if not isinstance(given, torch.dtype):
        raise TypeError(f"{name}: autocast is {given!r:.60}, must be a torch.dtype, such as torch.bfloat16")
    if not given.is_floating_point:
        raise ValueError(f"{name}: autocast is {given}, must be of floating-point numbers, such as torch.bfloat16")


def _dtype(given: Any) -> torch.dtype:
    if not isinstance(given, torch.dtype):
        raise TypeError("must be a torch.dtype, such as torch.float32")
    return given


def _schema(name: str, function: Callable[..., Any], hints: Mapping[str, Any], mutated: set[str]) -> str:
    """Return the schema by PyTorch's own rules, from resolved annotations."""

    def prototype() -> None: ...

    signature = inspect.signature(function)
    parameters = [each.replace(annotation=hints[each.name]) for each in signature.parameters.values()]
    returned = None if hints.get("return") is type(None) else hints.get("return")
    prototype.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=parameters, return_annotation=returned
    )
    try:
        schema = torch.library.infer_schema(prototype, mutates_args=mutated)
    except ValueError as error:
        raise TypeError(f"{name}: {error}") from None
    try:
        torch._C.parse_schema(f"{name}{schema}")
    except (RuntimeError, UnicodeError):
        raise ValueError(
            f"{name}: PyTorch cannot read the schema {schema}: give the parameters names of ASCII letters that are no "
            "keywords there"
        ) from None
    return schema
