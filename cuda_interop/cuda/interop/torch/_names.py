# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Names of kernels: the names of an operator's arguments in braces stand for their types or values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import torch

from cuda.interop.torch._types import cuda_name, short_name

_FIELD = re.compile(r"\{(\w*)\}")


def fields(template: str) -> list[str]:
    """Return the names in braces."""
    return _FIELD.findall(template)


def kernel_name(operator: str, template: str, arguments: Mapping[str, Any]) -> str:
    """Return the name of a kernel for these arguments.

    Between `<` and `>` a tensor stands for its type in CUDA C++, before them for PyTorch's name of it. `{dtype}` is
    the type of the first tensor. Numbers stand for themselves.
    """
    head, bracket, tail = template.partition("<")
    try:
        return _FIELD.sub(lambda found: _text(found[1], arguments, short_name), head) + bracket + _FIELD.sub(
            lambda found: _text(found[1], arguments, cuda_name), tail
        )  # fmt: skip
    except KeyError as error:
        names = ", ".join(["dtype", *arguments])
        raise ValueError(f"{operator}: kernel {template!r} has {{{error.args[0]}}}, must be one of {names}") from None
    except TypeError as error:
        raise TypeError(f"{operator}: kernel {template!r}: {error}") from None


def _text(name: str, arguments: Mapping[str, Any], spell: Any) -> str:
    if name == "dtype" and name not in arguments:
        value = next((each for each in arguments.values() if isinstance(each, torch.Tensor)), None)
    else:
        value = arguments[name]
    if isinstance(value, (list, tuple)) and value:
        value = value[0]
    if isinstance(value, torch.Tensor):
        return str(spell(value.dtype))
    if isinstance(value, torch.dtype):
        return str(spell(value))
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    raise TypeError(f"{name} is {value!r}, which stands for no type and no number of a template")
