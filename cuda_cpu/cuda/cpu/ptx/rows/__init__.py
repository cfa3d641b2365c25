# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The instruction table, a file per chapter of the PTX ISA manual (9.x numbering of sections)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cuda.cpu.ptx.row import Row


def all_rows() -> Iterator[Row]:
    """Yield every row, chapter by chapter."""
    from cuda.cpu.ptx.rows import arithmetic, control, matrix, memory, moves, multimem, texture, video, warpgroup

    for chapter in (arithmetic, moves, memory, multimem, texture, control, matrix, warpgroup, video):
        yield from chapter.ROWS
