# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Exceptions of the Tile IR compiler."""

from __future__ import annotations

from cuda.cpu.ptx.error import PtxError


class TileError(PtxError):
    """Tile IR that is damaged or wrong.

    Parameters
    ----------
    message : str
        What is wrong.
    offset : int, optional
        Byte of the bytecode; -1 if unknown.
    operation : str, optional
        Name of the operation.
    """

    def __init__(self, message: str, offset: int = -1, operation: str = "") -> None:
        at = f" at byte {offset}" if offset >= 0 else ""
        super().__init__(f"Tile IR{at}: {f'{operation}: ' if operation else ''}{message}")
        self.offset = offset
        self.operation = operation


class UnsupportedTileError(TileError):
    """Tile IR that may be right, but that this compiler does not support."""
