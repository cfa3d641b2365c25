# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The instruction table: rows by opcode, a file per group of sections of the PTX ISA manual, chapter 9."""

from __future__ import annotations

from functools import cache

from cuda.cpu.ptx.row import NO_TRAITS, Row, Traits

_REJECTED = {  # opcodes without any row
    "tcgen05": Traits(reason="needs the tensor memory of sm_100a"),
    "fabric": Traits(reason="needs the fabric between machines with NVLink (sm_100)"),
}


@cache
def table() -> dict[str, list[Row]]:
    """Return all rows by opcode, in the manual's order, with their traits."""
    from cuda.cpu.ptx.rows import (
        arithmetic,
        atomics,
        control,
        copies,
        matrix,
        memory,
        moves,
        multimem,
        texture,
        video,
        warpgroup,
    )  # fmt: skip

    by_opcode: dict[str, list[Row]] = {}
    chapters = (arithmetic, moves, memory, copies, atomics, multimem, texture, control, matrix, warpgroup, video)
    for chapter in chapters:
        for row in chapter.ROWS:
            by_opcode.setdefault(row.opcode, []).append(row)
    for chapter in chapters:
        for opcode, traits in chapter.TRAITS.items():
            for row in by_opcode[opcode]:
                row.traits = traits
    return by_opcode


def traits_of(opcode: str) -> Traits:
    """Return the traits of an opcode; an unknown opcode has none."""
    rows = table().get(opcode)
    return rows[0].traits if rows else _REJECTED.get(opcode, NO_TRAITS)


def opcodes_with(trait: str) -> frozenset[str]:
    """Return the opcodes that have a trait, such as "pure"."""
    return frozenset(opcode for opcode, rows in table().items() if getattr(rows[0].traits, trait))
