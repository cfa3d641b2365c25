# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Loads from indices that lanes choose become loads from addresses that they choose."""

from __future__ import annotations

import pytest
from support.warps import HEAD

from cuda.cpu.passes import analyse
from cuda.cpu.passes.find_affine import stride_of
from cuda.cpu.passes.graph import Graph, Step
from cuda.cpu.passes.sink_choices import is_chosen
from cuda.cpu.ptx.program import build
from cuda.cpu.ptx.syntax import Register

# %r1 grows by one from lane to lane.
KERNEL = """
.visible .{kind} k(.param .u64 out, .param .u32 any)
{{
    .reg .b32 %r<40>; .reg .b64 %d<9>; .reg .b16 %h<3>; .reg .pred %p<9>; .shared .align 8 .b8 room[4096];
    mov.u32 %r1, %tid.x; ld.param.u32 %r3, [any]; ld.param.u64 %d1, [out]; mov.u32 %r2, room;
    add.s32 %r4, %r1, -1; setp.gt.s32 %p1, %r1, 0; setp.lt.s32 %p2, %r1, %r3; setp.ne.s32 %p5, %r1, 7;
    {body}
    ret;
}}
"""
LEFT = "selp.b32 %r5, %r4, %r1, %p1;"
LOAD = "mul.wide.s32 %d2, %r5, 4; add.s64 %d3, %d1, %d2; ld.global.u32 %r9, [%d3];"
BEHIND = "mul.wide.s32 %d2, %r5, 4; add.s64 %d3, %d1, %d2; bar.sync 0; ld.global.u32 %r9, [%d3];"
# The strides of the addresses that the load's is chosen from, in order; none if the load is as it was.
SUNK = {
    LEFT + LOAD: (4, 4),
    LEFT + BEHIND: (4, 4),
    "selp.s16 %h1, -1, 0, %p1; mul.wide.s16 %r5, %h1, 4; shl.b32 %r6, %r1, 2; add.s32 %r7, %r6, %r2;"
    "add.s32 %r8, %r7, %r5; bar.sync 0; ld.shared.u32 %r9, [%r8+8];": (4, 4),
    "selp.u16 %h1, 1, 0, %p1; mul.wide.u16 %r5, %h1, 4; mad.lo.s32 %r8, %r1, 4, %r5;ld.shared.u32 %r9, [%r8+8];": (
        4,
        4,
    ),
    "max.s32 %r5, %r4, 0;" + LOAD: (4, 0),
    "min.s32 %r5, 9, %r1;" + LOAD: (0, 4),
    "min.u32 %r5, %r4, %r3;" + BEHIND: (4, 0),
    "max.s32 %r6, %r4, 0; min.s32 %r5, %r6, %r3;" + BEHIND: (4, 0, 0),
    "selp.b32 %r6, %r1, 0, %p1; selp.b32 %r7, %r4, 9, %p2; selp.b32 %r5, %r6, %r7, %p5;" + BEHIND: (4, 0, 4, 0),
    "max.s32 %r6, %r4, 0; add.s32 %r5, %r6, 5; mul.wide.s32 %d2, %r5, 8; cvt.s64.s32 %d4, %r3; add.s64 %d5, %d2, %d4;"
    "add.s64 %d3, %d1, %d5; ld.global.u64 %d6, [%d3];": (8, 0),
    LEFT + "shl.b32 %r6, %r5, 2; add.s32 %r7, %r6, %r2; ld.shared.u32 %r9, [%r7]; ld.shared.u32 %r10, [%r7+4];": (4, 4),
    # Whether all lanes choose alike is known in the block.
    "max.s32 %r6, %r4, 0; min.s32 %r5, %r6, %r3;" + LOAD: (),
    # Nothing is chosen, or it is affine anyway.
    "mov.u32 %r5, %r4;" + LOAD: (),
    "selp.b32 %r5, %r4, %r1, %p3; setp.eq.u32 %p3, %r3, 0; selp.b32 %r5, %r4, %r1, %p3;" + LOAD: (),
    # The index has another definition, or depends on itself.
    LEFT + "mov.u32 %r5, 0;" + LOAD: (),
    LEFT + "@%p2 mov.u32 %r5, 0;" + LOAD: (),
    "mov.u32 %r6, %r1; AGAIN: max.s32 %r6, %r6, 3;" + LOAD.replace("%r5", "%r6") + "@%p1 bra AGAIN;": (),
    # Unsigned, the first index may wrap around in a lane that does not choose it.
    LEFT + LOAD.replace("wide.s32", "wide.u32"): (),
    # No rows: every second element, bytes, vectors; five addresses; what is chosen twice.
    LEFT + LOAD.replace("%r5, 4", "%r5, 8"): (),
    LEFT + "cvt.s64.s32 %d2, %r5; add.s64 %d3, %d1, %d2; ld.global.u8 %h1, [%d3];": (),
    LEFT + "mul.wide.s32 %d2, %r5, 8; add.s64 %d3, %d1, %d2; ld.global.v2.u32 {%r9, %r10}, [%d3];": (),
    "max.s32 %r6, %r4, 0; min.s32 %r7, %r6, %r3; max.s32 %r8, %r7, 4; min.s32 %r5, %r8, 20;" + BEHIND: (),
    LEFT + "add.s32 %r6, %r5, %r5;" + LOAD.replace("%r5", "%r6"): (),
    LEFT + "mul.lo.s32 %r6, %r5, %r3;" + LOAD.replace("%r5", "%r6"): (),
    LEFT + "xor.b32 %r6, %r5, 1;" + LOAD.replace("%r5", "%r6"): (),
    # Ordered, and stores.
    LEFT + LOAD.replace("ld.global", "ld.volatile.global"): (),
    LEFT + "mul.wide.s32 %d2, %r5, 4; add.s64 %d3, %d1, %d2; st.global.u32 [%d3], %r1;": (),
}


def graph_of(body: str, *, kind: str = "entry", **options: bool) -> Graph:
    program = build([HEAD + KERNEL.format(body=body, kind=kind)])
    return analyse(program.laid_out("k").functions["k"], **{"choices": True, "broadcasts": True, **options})


def choices_of(graph: Graph) -> list[tuple[int | None, ...]]:
    """Return the strides of the addresses that each such load chooses from."""
    steps = [step for block in graph.blocks for step in block.steps]
    writers: dict[str, Step] = {name: step for step in steps for name in step.writes}

    def strides(register: Register) -> tuple[int | None, ...]:
        step = writers[register.name]
        if step.instruction.opcode != "selp":
            return (stride_of(graph, register),)
        return strides(step.instruction.operands[1]) + strides(step.instruction.operands[2])

    loads = [step.instruction.address(1) for step in steps if step.form and step.form.opcode == "ld"]
    return [strides(load.base) for load in loads if isinstance(load.base, Register) and is_chosen(load.base)]


@pytest.mark.parametrize("body", SUNK)
def test_addresses_that_loads_choose_from(body):
    found = choices_of(graph_of(body))
    assert found == ([SUNK[body]] * max(body.count("ld.shared"), 1) if SUNK[body] else [])


def test_the_choice_is_in_the_block_of_the_load():
    graph = graph_of(LEFT + BEHIND)
    (block,) = (block for block in graph.blocks if any(step.form.opcode == "ld" for step in block.steps[1:]) and
                block.number)  # fmt: skip
    assert [step.instruction.opcode for step in block.steps] == ["selp", "ld"]
    assert block.steps[1].instruction.line == block.steps[0].instruction.line


def test_where_nothing_is_sunk():
    assert not choices_of(graph_of(LEFT + LOAD, choices=False))
    assert not choices_of(graph_of("max.s32 %r5, %r4, 0;" + LOAD, broadcasts=False))
    assert choices_of(graph_of(LEFT + LOAD, broadcasts=False)) == [(4, 4)]
    shared = LEFT + "shl.b32 %r6, %r5, 2; add.s32 %r7, %r6, %r2; ld.shared.u32 %r9, [%r7];"
    assert choices_of(graph_of(shared)) == [(4, 4)]
    assert not choices_of(graph_of(shared, kind="func"))  # it has no code for converged SIMD groups
