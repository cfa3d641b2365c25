# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Very many errors of one launch: they are counted and the launch runs on, unless a warp would never end."""

from __future__ import annotations

import ctypes
import re
from ctypes import c_uint64

import pytest

from cuda.cpu import abi, driver

pytestmark = pytest.mark.cpu_only


def kernel(body: str) -> str:
    """Return a kernel with %d1: p, %r1: thread, %d2: p + 4 * thread; loops of {AGAIN} are executed 4000 times."""
    return f""".visible .entry k(.param .u64 p) {{
 .reg .b64 %d<4>; .reg .b32 %r<9>; .reg .pred %p<3>;
 ld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x; mov.u32 %r2, 4000; mul.wide.u32 %d2, %r1, 4; add.u64 %d2, %d1, %d2;
{body}
 ret; }}"""


AGAIN = "\n sub.u32 %r2, %r2, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra AGAIN;"
# For each check an error that every thread makes, blocks, threads of a block, and the number of errors.
ERRORS = {
    "memcheck": (" st.global.u32 [%d2+65536], %r1;", 200, 1024, 200 * 1024),
    "racecheck": (" atom.global.add.u32 %r3, [%d1], 1;\n ld.global.u32 %r4, [%d1];", 200, 1024, 200 * 1024),
    "synccheck": ("AGAIN:\n bar.warp.sync 2;" + AGAIN, 30, 1, 30 * 4000),
    "initcheck": (" ld.global.u32 %r3, [%d2];", 200, 1024, 200 * 1024),
}


@pytest.mark.parametrize(("checked", "check"), [(name, name) for name in ERRORS], indirect=["checked"])
def test_all_errors_of_one_instruction_are_counted(checked, check):
    body, grid, block, errors = ERRORS[check]
    checked.launch(kernel(body), c_uint64(driver.cuMemAlloc(4096)), grid=grid, block=block)
    counts = [int(re.search(r"\(and (\d+) more by this", line)[1]) + 1 for line in checked.lines()]
    assert errors in counts  # racecheck also reports the atomic operations


@pytest.mark.parametrize("checked", ["memcheck"], indirect=True)
@pytest.mark.parametrize(("instructions", "more"), [(64, 0), (65, 1), (70, 6)])
def test_errors_of_many_instructions(checked, instructions, more):
    checked.launch(kernel(" st.global.u32 [%d2], 1;\n" * instructions), c_uint64(0), block=2)
    lines = checked.lines(abi.CUDA_ERROR_ILLEGAL_ADDRESS)
    numbers = [int(re.search(r"PTX line (\d+)", line)[1]) for line in lines[:64]]
    assert numbers == list(range(numbers[0], numbers[0] + 64))
    assert all("(and 1 more by this instruction)" in line for line in lines[:64])
    end = "more errors, unlike the 64 findings that are recorded of a launch at most"
    assert lines[64:] == ([f"memcheck: kernel 'k': {2 * more} {end}"] if more else [])


@pytest.mark.parametrize("checked", ["memcheck"], indirect=True)
@pytest.mark.parametrize("threads", [1, 1024])
def test_errors_without_end_end(checked, threads):
    """A loop that waits for what no access can bring is stopped, and the message says so."""
    body = "AGAIN: ld.volatile.global.u32 %r3, [%d1]; setp.eq.u32 %p1, %r3, 0; @%p1 bra AGAIN;"
    checked.launch(kernel(body), c_uint64(64), block=threads)
    (line,) = checked.lines(abi.CUDA_ERROR_ILLEGAL_ADDRESS)
    assert "a null pointer (and" in line
    assert "; this launch was ended, since one warp had made so many illegal accesses" in line


@pytest.mark.parametrize("checked", ["memcheck"], indirect=True)
@pytest.mark.parametrize(("grid", "block"), [(1, 32), (400, 1)])
def test_the_illegal_accesses_of_a_warp_are_counted_by_block_and_instruction(checked, grid, block):
    """Not by lane, and the records of warps are used again."""
    checked.launch(kernel("AGAIN:\n st.global.u32 [%d2], %r1;" + AGAIN), c_uint64(0), grid=grid, block=block)
    (line,) = checked.lines()
    assert line.endswith(f"(and {grid * block * 4000 - 1} more by this instruction)")


@pytest.mark.parametrize("checked", ["memcheck"], indirect=True)
def test_memory_that_the_host_can_read_is_told_from_other(checked):
    """Of each access, though the system is not asked for every one."""
    address = ctypes.addressof(ctypes.c_int.in_dll(ctypes.pythonapi, "Py_OptimizeFlag"))
    body = " st.global.u32 [%d1], 1;\n mov.u64 %d3, 64;\n st.global.u32 [%d3], 1;\n"
    checked.launch(kernel(body * 2), c_uint64(address))
    assert [line.endswith("a null pointer") for line in checked.lines()] == [False, True, False, True]
