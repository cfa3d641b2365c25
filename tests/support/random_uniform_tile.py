# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Random two-dimensional kernels with barriers, whose SIMD groups sometimes leave the loops for uniform tiles.

The effects of a SIMD group before it leaves must not be repeated, and live values must be preserved.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from support import random_lines as lines
from support import random_synchronisation as synchronisation
from support import random_tiles as tiles
from support.random_atomics import ordered, tally
from support.random_case import GRIDS, Case
from support.random_edges import gather_near_edge, near_edge
from support.random_frame import assemble
from support.random_ptx import (
    Context,
    Writer,
    calculate,
    change_uniform,
    guarded,
    loop,
    pattern,
    recall,
    remember,
    switch,
)

if TYPE_CHECKING:
    from collections.abc import Callable

EVEN = [(32, 2, 1), (32, 4, 1), (32, 4, 1), (32, 8, 1), (16, 4, 1), (16, 6, 1), (16, 8, 1), (16, 16, 1)]
# Blocks as wide as a lane run but without uniform tiles: three-dimensional, one row, or with partial warps.
OTHERS = [(32, 2, 2), (16, 2, 3), (16, 4, 2), (32, 1, 3), (16, 3, 1), (64, 2, 1), (8, 8, 1)]
# Effects that must not be repeated, by single threads.
ONCE = [
    "red.shared.add.u32 [cells], $a;",
    "ld.shared.u32 %t7, [%t3]; add.u32 %t7, %t7, $a; st.shared.u32 [%t3], %t7;",
    "ld.global.u32 %t7, [%d6]; mad.lo.u32 %t7, %t7, 3, $a; st.global.u32 [%d6], %t7;",
    "red.global.add.u32 [%d4+4], $b;",
    "atom.shared.add.u32 $d, [%t3+4096], $a;",
]


def once(writer: Writer, context: Context) -> str:
    return writer.fill(writer.random.choice(ONCE)) if writer.chance(0.7) else tally(writer, context)


def diverge(writer: Writer, context: Context) -> str:
    """Let lanes take branches that are too long for predication: one with a loop, or a call."""
    number, inside = writer.name(), context.inside(same=False)
    long = loop(writer, inside, 0) if writer.chance(0.6) else writer.fill(writer.random.choice(lines.CALLS))
    condition = writer.condition("%p2")
    if writer.chance(0.5):  # perhaps within one SIMD group
        comparison, at = writer.random.choice(["eq", "ne", "lt", "ge"]), writer.random.randrange(writer.threads)
        condition = f"setp.{comparison}.u32 %p2, %t0, {at};"
    text = f"{condition}\n@%p2 bra S{number};\n{calculate(writer, inside)}\n{long}\n"
    if writer.chance(0.4):
        return f"{text}bra.uni T{number};\nS{number}:\n{calculate(writer, inside)}\nT{number}:"
    return f"{text}S{number}:"


def leave_by_warps(writer: Writer, context: Context) -> str:
    """Let all threads of some warps return, or some threads of all warps, with no barrier in between."""
    if writer.chance(0.5):
        return f"{writer.condition('%p5')} @%p5 {writer.random.choice(['ret', 'exit'])};"
    warps = -(-writer.threads // 32)
    return f"shr.u32 %t7, %t0, 5; setp.eq.u32 %p5, %t7, {writer.random.randrange(warps)}; @%p5 ret;"


def meet(writer: Writer, context: Context) -> str:
    kinds = [synchronisation.exchange] * 3 + synchronisation.OF_BLOCKS + tiles.OF_TILES + [ordered] * 2
    return writer.random.choice(kinds)(writer, context)


def tiled(random: Random) -> Case:
    """Return a kernel in which effects, divergent branches and barriers follow each other."""
    grid, block = random.choice(GRIDS[:4]), random.choice(random.choice([EVEN, EVEN, OTHERS]))
    leaves = random.random() < 0.5
    writer = Writer(random, grid, block, barriers=True, warps=False, leaves=leaves)
    writer.apart = False
    others: list[Callable] = [gather_near_edge, calculate, change_uniform, switch, guarded, pattern, step_row,
                              read_index, remember, once]  # fmt: skip
    body: list[str] = []
    for _ in range(random.randrange(2, 4)):
        between = [remember] * (not writer.remembered) + [once] * (random.random() < 0.7)
        between += random.choices(others, k=random.randrange(2))
        between += random.choices([diverge, diverge, near_edge], k=random.choice([0, 1, 1, 2]))
        between += random.choices([recall, read_index, *others], k=random.randrange(2))
        between += [leave_by_warps] * (leaves and random.random() < 0.5)
        body += [writer.separate(statement(writer, Context())) for statement in (*between, meet)]
    return Case(assemble("\n".join(body), meets=True), grid, block)


def read_index(writer: Writer, context: Context) -> str:
    """Use the thread index from special registers, which are computed per SIMD group."""
    return writer.fill(
        "mov.u32 %t7, %tid.z; mad.lo.u32 $d, %t7, 77, $d; mov.u32 %t8, %tid.y; mad.lo.u32 $d, %t8, 5, $d;"
        " mov.u32 %t12, %tid.x; xor.b32 $d, $d, %t12;"
    )


def step_row(writer: Writer, context: Context) -> str:
    """Advance an affine register that lives to the end of the kernel."""
    return writer.fill(writer.random.choice(lines.WALKS))
