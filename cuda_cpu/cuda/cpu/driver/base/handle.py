# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Handles: the opaque values behind CUcontext, CUstream and the others."""

from __future__ import annotations

import itertools
from typing import Any

from cuda.cpu.abi import CUDA_ERROR_INVALID_HANDLE
from cuda.cpu.check import state
from cuda.cpu.driver.base.error import CudaError

_numbers = itertools.count(1)


class Table(dict[int, Any]):
    """The live objects of one kind by handle. A handle is never given twice, nor to two kinds.

    Handles look like addresses (16-byte aligned), with the kind in the bits above, so that those of two kinds
    and ordinary pointers cannot be taken for each other.
    """

    def __init__(self, kind: str, status: int = CUDA_ERROR_INVALID_HANDLE) -> None:
        super().__init__()
        self.kind = kind
        self.status = status
        base = next(_numbers) << 44
        self._next = itertools.count(base + 16, 16)

    def add(self, thing: Any) -> int:
        handle = next(self._next)
        self[handle] = thing
        if state.active:
            state.stacks().handles.note(handle)
        return handle

    def find(self, handle: int) -> Any:
        thing = self.get(handle)
        if thing is None:
            shown = "NULL" if not handle else f"0x{handle:x}, which names no live {self.kind}"
            raise CudaError(self.status, f"the {self.kind} handle is {shown}")
        return thing

    def take(self, handle: int) -> Any:
        """Remove what a handle names, and return it to the one thread that is to end it."""
        thing = self.find(handle)
        if self.pop(handle, None) is None:
            self.find(handle)  # raises: another thread was faster
        return thing
