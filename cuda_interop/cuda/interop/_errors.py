# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""What the modules of all frameworks raise."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NoReturn

from cuda.core import CUDAError
from cuda.interop._kernels import Kernels

# What compilations and launches raise, for `raise_named`.
FAILURES = (TypeError, ValueError, OverflowError, CUDAError)


class OperatorError(RuntimeError):
    """A kernel of an operator failed; the message names both."""


def raise_named(error: BaseException, operator: str, kernel: str) -> NoReturn:
    """Raise an error of a compilation or launch again, with the names of the operator and, if it failed, the kernel."""
    if isinstance(error, CUDAError):
        raise OperatorError(f"{operator}: kernel {kernel}: {error}") from error
    kind = next(each for each in FAILURES if isinstance(error, each))
    raise kind(f"{operator}: {error}") from None


def compile_named(operator: str, kernels: Kernels, names: Iterable[str], arch: str | None) -> list[str]:
    """Compile kernels of an operator for an architecture, and return their names."""
    names = list(names)
    for each in names:
        try:
            kernels.compile([each], arch)
        except FAILURES as error:
            raise_named(error, operator, each)
    return names
