# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Random control-flow graphs, compared with a lane-by-lane interpreter."""

from __future__ import annotations

import random

import numpy as np
import pytest
from masked_code import run

NAMES = {"add": "add.u32", "xor": "xor.b32", "mul": "mul.lo.u32", "and": "and.b32"}
STEPS = 60


def random_blocks(seed: int) -> list[tuple[list[tuple], tuple]]:
    """Return blocks: steps (operation, target, two sources, guard or None) and an end (register, bit, targets).

    Registers 0 and 1 initially differ between lanes, 2 and 3 do not, so that branches are uniform or divergent.
    """
    rng = random.Random(seed)
    count = rng.randint(2, 12)

    def source() -> int:
        return rng.randint(0, 5) if rng.random() < 0.7 else -rng.randint(1, 9)

    blocks = []
    for _ in range(count):
        steps = [
            (rng.choice(list(NAMES)), rng.randint(0, 5), source(), source(), rng.choice([None, None, None, 0, 2, 4]))
            for _ in range(rng.randint(0, 3))
        ]
        blocks.append((steps, (rng.randint(0, 5), rng.randint(0, 2), rng.randint(0, count), rng.randint(0, count))))
    return blocks


def ptx_of(blocks: list[tuple[list[tuple], tuple]]) -> str:
    def operand(source: int) -> str:
        return f"%r{10 + source}" if source >= 0 else str(-source)

    text = ["    mov.u32 %r10, %r2; mov.u32 %r11, %laneid; mov.u32 %r12, %ctaid.x; mov.u32 %r13, %ntid.x;"]
    text.append("    mov.u32 %r14, 1; mov.u32 %r15, 0; mov.u32 %r9, 0;")
    for number, (steps, (register, bit, taken, other)) in enumerate(blocks):
        text.append(f"B{number}: add.u32 %r9, %r9, 1; setp.ge.u32 %p9, %r9, {STEPS};\n    @%p9 bra DONE;")
        for operation, target, a, b, guard in steps:
            if guard is not None:
                text.append(f"    and.b32 %r4, %r{10 + guard}, 1; setp.ne.u32 %p2, %r4, 0;")
            prefix = "" if guard is None else "@%p2 "
            text.append(f"    {prefix}{NAMES[operation]} %r{10 + target}, {operand(a)}, {operand(b)};")
        text.append(f"    shr.u32 %r4, %r{10 + register}, {bit}; and.b32 %r4, %r4, 1; setp.ne.u32 %p1, %r4, 0;")
        text.append(f"    @%p1 bra B{taken};\n    bra B{other};")
    text.append(f"B{len(blocks)}: add.u32 %r10, %r10, 1000;")
    text.append("DONE: mov.u32 %r3, %r9;")
    text += [f"    mad.lo.u32 %r3, %r3, 31, %r{10 + register};" for register in range(6)]
    return "\n".join(text)


def interpret(blocks: list[tuple[list[tuple], tuple]], registers: list[int]) -> int:
    """Run one lane."""
    at = count = 0
    while at < len(blocks):
        count += 1
        if count >= STEPS:
            break
        steps, (register, bit, taken, other) = blocks[at]
        for operation, target, a, b, guard in steps:
            if guard is not None and not registers[guard] & 1:
                continue
            x, y = (registers[source] if source >= 0 else -source for source in (a, b))
            value = {"add": x + y, "xor": x ^ y, "mul": x * y, "and": x & y}[operation]
            registers[target] = value & 0xFFFFFFFF
        at = taken if registers[register] >> bit & 1 else other
    else:
        registers[0] += 1000
    total = count
    for value in registers:
        total = total * 31 + value
    return total & 0xFFFFFFFF


@pytest.mark.parametrize("seed", range(40))
def test_random_graphs(seed: int) -> None:
    blocks = random_blocks(seed)
    x = np.random.default_rng(seed).integers(0, 1000, 32)
    expected = [interpret(blocks, [int(value), lane, 0, 32, 1, 0]) for lane, value in enumerate(x)]
    np.testing.assert_array_equal(run(ptx_of(blocks), x), expected)
