# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Random PTX kernels with unstructured control flow: blocks end in jumps to any block, a limited number per lane."""

from __future__ import annotations

from random import Random

from support import random_synchronisation as synchronisation
from support import random_tiles as tiles
from support.random_case import BLOCKS, EVEN, Case
from support.random_frame import assemble
from support.random_lines import UNIFORM, VARIABLES
from support.random_ptx import Context, Writer, guarded, pattern

# Threads synchronise at barriers anywhere, and read what others wrote before the previous barrier.
MEET = """and.b32 %t7, %t9, 1; mul.lo.u32 %t7, %t7, 4096; add.u32 %t8, %t3, %t7; st.shared.u32 [%t8], %t9;
barrier.sync 0; add.u32 %t9, %t9, 1; add.u32 %t8, %t0, 33; rem.u32 %t8, %t8, %t1;
mad.lo.u32 %t7, %t8, 4, %t7; mov.u32 %t8, slots; add.u32 %t7, %t7, %t8; ld.shared.u32 %r3, [%t7];"""
# Which threads take the same branches: none (without synchronisation, or with barriers anywhere), the lanes of a
# warp (with warp operations), or the whole block (also with barriers).
KINDS = ["lanes", "lanes that meet", "warps", "blocks"]


def unstructured(random: Random) -> Case:
    """Return a kernel whose blocks end in jumps to any block."""
    kind, block, grid = (
        random.choice(KINDS),
        random.choice(random.choice([BLOCKS, EVEN])),
        random.choice([(1, 1, 1), (3, 1, 1)]),
    )
    writer = Writer(random, grid, block, barriers=kind == "blocks", warps=kind in ("warps", "blocks"), leaves=False)
    if kind == "lanes that meet":
        writer.operations = [operation for operation in writer.operations if "shared" not in operation]
    count = random.randrange(2, 9)
    text = "mov.u32 %t9, 0;\n"
    for number in range(count):
        text += f"N{number}: sub.u32 %t11, %t11, 1; setp.eq.u32 %p5, %t11, 0; @%p5 bra END;\n"
        text += "\n".join(writer.separate(_step(writer, kind)) for _ in range(random.randrange(3))) + "\n"
        if kind == "lanes that meet" and random.random() < 0.4:
            text += MEET + "\n"
        targets = [f"N{random.randrange(count)}" for _ in range(3)] + ["END"]
        text += writer.separate(_jump(writer, kind, number, targets))
    return Case(assemble(text + "END:", meets=kind == "blocks"), grid, block)


def _step(writer: Writer, kind: str) -> str:
    context = Context(depth=3, uniform=kind == "blocks")
    steps = [lambda writer, context: writer.compute()] * 3
    if kind != "lanes that meet":
        steps += [guarded, pattern]
    if kind in ("warps", "blocks"):
        steps += [synchronisation.warp_operation, synchronisation.exchange_in_warp]
    if kind == "blocks":
        steps += synchronisation.OF_BLOCKS + tiles.OF_TILES + synchronisation.APART * writer.apart
    return writer.random.choice(steps)(writer, context)


def _jump(writer: Writer, kind: str, number: int, targets: list[str]) -> str:
    random = writer.random
    conditions = {"lanes": [writer.condition, writer.uniform_condition], "warps": [writer.warp_condition],
                  "blocks": [writer.uniform_condition]}  # fmt: skip
    condition = random.choice(conditions.get(kind, conditions["lanes"]))("%p2")
    form = random.randrange(4)
    if form == 0:
        return f"{condition} @%p2 bra {targets[0]};\n"
    if form == 1:
        return f"{condition} @!%p2 bra {targets[0]};\n"
    if form == 2:
        register = random.choice(VARIABLES + UNIFORM if kind.startswith("lanes") else UNIFORM)
        of_warp = "shr.u32 %t8, %t0, 5; add.u32 %t7, %t7, %t8;" if kind == "warps" else ""
        return (
            f"B{number}: .branchtargets {', '.join(targets)};\nmov.u32 %t7, {register}; {of_warp} and.b32 %t7, %t7, 3;"
            f"\nbrx.idx %t7, B{number};\n"
        )
    return f"{condition} @%p2 bra {targets[0]};\nbra.uni {targets[1]};\n"
