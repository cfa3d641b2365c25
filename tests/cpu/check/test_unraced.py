# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""What racecheck leaves out of a kernel: reads that nothing in the launch can race with, and no others."""

from __future__ import annotations

from ctypes import c_uint32, c_uint64

import pytest

from cuda.cpu import abi, driver
from cuda.cpu.check.unraced import Unraced
from cuda.cpu.emit.simt.function_facts import FunctionFacts
from cuda.cpu.passes import analyse
from cuda.cpu.ptx import program as ptx_program

pytestmark = pytest.mark.cpu_only

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
KERNEL = """.visible .entry k(.param .u64 p, .param .u64 q, .param .u32 n) {{
 .reg .b64 %d<12>; .reg .b32 %r<20>; .reg .pred %p<5>; .shared .align 16 .b8 room[1024];
 ld.param.u64 %d1, [p]; ld.param.u64 %d2, [q]; ld.param.u32 %r9, [n];
 mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mul.wide.u32 %d3, %r1, 4; add.s64 %d4, %d1, %d3; add.s64 %d5, %d2, %d3;
 mov.u32 %r3, room; add.u32 %r4, %r3, %r2; sub.u32 %r5, %r4, 4; setp.ne.u32 %p1, %r1, 0;
{body}
 ret; }}"""


def facts_of(body: str) -> Unraced:
    program = ptx_program.build([HEAD + KERNEL.format(body=body)]).laid_out("k")
    return Unraced(FunctionFacts(program, analyse(program.functions["k"]), quick=True))


@pytest.mark.parametrize(("body", "parameters"), [
    ("ld.global.u32 %r6, [%d4];", ()),
    ("ld.global.u32 %r6, [%d4]; st.global.u32 [%d5], %r6;", (8,)),
    ("st.global.u32 [%d4], %r1; red.global.add.u32 [%d5], %r1;", (0, 8)),
    ("selp.b64 %d6, %d4, %d5, %p1; st.global.u32 [%d6], %r1;", (0, 8)),
    ("ld.global.u32 %r6, [%d4]; mul.wide.u32 %d6, %r6, 4; add.s64 %d7, %d2, %d6; st.global.u32 [%d7], %r1;", (8,)),
    ("ld.global.u64 %d6, [%d4]; st.global.u32 [%d6], %r1;", None),  # a pointer from memory
    ("mov.b64 {%r6, %r7}, %d4; mov.b64 %d6, {%r6, %r7}; st.global.u32 [%d6], %r1;", None),
    ("ld.global.v2.u32 {%r6, %r7}, [%d4]; cvt.u64.u32 %d6, %r6; cvt.u64.u32 %d7, %r7; shl.b64 %d7, %d7, 32; "
     "or.b64 %d6, %d6, %d7; st.global.u32 [%d6], %r1;", None),
    ("cvt.u64.u32 %d6, %r1; st.global.u32 [%d6], %r1;", None),  # a number
    ("mov.u64 %d6, room; cvta.shared.u64 %d6, %d6; st.u32 [%d6], %r1;", ()),
])  # fmt: skip
def test_parameters_that_a_kernel_writes_through(body, parameters):
    assert facts_of(body).parameters == parameters


READ = "ld.shared.u32 %r6, [%r5];"


@pytest.mark.parametrize(("body", "is_ordered"), [
    (f"st.shared.u32 [%r4], %r1; bar.sync 0; {READ}", True),
    (f"st.shared.u32 [%r4], %r1; bar.sync 0; {READ} st.global.u32 [%d4], %r6;", True),
    (f"st.shared.u32 [%r4], %r1; bar.sync 0; {READ} st.u32 [%d4], %r6;", True),  # generic, by a parameter
    (f"st.shared.u32 [%r4], %r1; {READ}", False),
    (f"st.shared.u32 [%r4], %r1; bar.sync 0; {READ} st.shared.u32 [%r4], %r6;", False),
    (f"st.shared.u32 [%r4], %r1; bar.sync 0; {READ} red.shared.add.u32 [%r4], %r6;", False),
    (f"st.shared.u32 [%r4], %r1; bar.sync 0; {READ} cvt.u64.u32 %d6, %r3; cvta.shared.u64 %d6, %d6; "
     "st.u32 [%d6], %r6;", False),
    (f"st.shared.u32 [%r4], %r1; bar.sync 0, 64; {READ}", False),  # a barrier of some threads
    (f"cp.async.ca.shared.global [%r4], [%d4], 4; cp.async.wait_all; bar.sync 0; {READ}", False),
    (f"st.shared.u32 [%r4], %r1; bar.sync 0; @%p1 bra AGAIN; AGAIN: {READ} setp.ne.u32 %p2, %r9, %r6; "
     "@%p2 bra AGAIN;", True),
])  # fmt: skip
def test_reads_that_barriers_order(body, is_ordered):
    facts = facts_of(body)
    reads = [step for block in facts._facts.graph.blocks for step in block.steps if READ.startswith(
        f"{step.instruction.opcode}.shared") and "shared" in step.instruction.modifiers]  # fmt: skip
    assert reads
    assert all(facts.is_ordered(step) == is_ordered for step in reads)
    assert not facts._facts.graph.regions


ADD = "red.shared.add.u32 [%r4], %r1;"


@pytest.mark.parametrize(("body", "is_ordered"), [
    (f"st.shared.u32 [%r4], %r1; bar.sync 0; {ADD} bar.sync 0; {READ}", True),
    (f"st.shared.u32 [%r4], %r1; bar.sync 0; {ADD} ld.u32 %r6, [%d4];", True),  # generic, by a parameter
    (f"st.shared.u32 [%r4], %r1; {ADD}", False),
    (f"{ADD} {READ}", False),
    (f"{ADD} cvt.u64.u32 %d6, %r3; cvta.shared.u64 %d6, %d6; ld.u32 %r6, [%d6];", False),
    (f"{ADD} bar.sync 0; membar.cta; st.shared.u32 [%r4], %r1;", False),
    ("red.release.cta.shared.add.u32 [%r4], %r1;", False),
])  # fmt: skip
def test_atomic_operations_that_barriers_order(body, is_ordered):
    facts = facts_of(body)
    added = [step for block in facts._facts.graph.blocks for step in block.steps if step.instruction.opcode == "red"]
    assert [facts.is_ordered(step) for step in added] == [is_ordered]


@pytest.mark.parametrize("checked", ["racecheck"], indirect=True)
@pytest.mark.parametrize(("offset", "found"), [(0, 0), (4, 1)])
def test_a_buffer_that_is_also_written_through_another_parameter(checked, offset, found):
    """Each thread writes its word of q and reads its word of p: the same memory, or that of the next thread."""
    text = KERNEL.format(body="ld.global.u32 %r6, [%d4]; add.u32 %r6, %r6, 1; st.global.u32 [%d5], %r6;")
    handle = driver.cuCtxCreate_v2(0, 0)
    try:
        pointer = driver.cuMemAlloc(4096)
        driver.cuMemsetD32(pointer, 0, 1024)
        checked.launch(text, c_uint64(pointer + offset), c_uint64(pointer), c_uint32(0), block=64)
        status = abi.CUDA_ERROR_LAUNCH_FAILED if found else abi.CUDA_SUCCESS
        lines = checked.lines(status) if found else driver.cuCtxSynchronize()
        assert not found or any("race" in line for line in lines)
    finally:
        driver.cuCtxDestroy(handle)
