# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The signature of a PyTorch operator, with its schema."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import torch

from cuda.interop import _signature
from cuda.interop._signature import Signature


def read(
    name: str,
    function: Callable[..., Any],
    mutates: Iterable[str],
    contiguous: str | Mapping[str, str],
    align: int | Mapping[str, int],
    dtypes: Sequence[torch.dtype] | Mapping[str, Any] | None,
) -> Signature:
    """Return the signature of a function; errors name the operator and the parameter."""
    found = _signature.read(name, function, torch.Tensor, mutates, contiguous, align, dtypes)
    mutated = {each.name for each in found.parameters if each.mutated}
    return dataclasses.replace(found, schema=_schema(name, function, found.hints, mutated))


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
        return torch.library.infer_schema(prototype, mutates_args=mutated)
    except ValueError as error:
        raise TypeError(f"{name}: {error}") from None
