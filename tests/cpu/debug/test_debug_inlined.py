# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""C++ variables of functions that are inlined in debug code, too: __forceinline__."""

import re

import pytest
from support.gdb_programs import program

pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

pytestmark = [pytest.mark.cpu_only, pytest.mark.needs_nvrtc]

PROGRAM = program("""
__device__ __forceinline__ int thrice(int value)
{
    int product = 3 * value;
    return product + 1;
}

__device__ __forceinline__ int twice(int value, int *to)
{
    int result = 2 * value;
    *to = result;
    return thrice(result);
}

extern "C" __global__ void k(int *out)
{
    int i = threadIdx.x;
    int sum = twice(i, out);
    sum += twice(i + 1, out);
    out[i] = sum;
}
""")
LINES = {line.strip(): number for number, line in enumerate(PROGRAM.splitlines(), 1)}
STORE, INNER = LINES["*to = result;"], LINES["return product + 1;"]
FIRST, SECOND, MIDDLE = (
    LINES["int sum = twice(i, out);"],
    LINES["sum += twice(i + 1, out);"],
    LINES["return thrice(result);"],
)


def test_frames_and_variables(debug):
    """Each call has its own variables, and the frame around it those of the caller."""
    out = debug(
        PROGRAM,
        f"break program.py:{INNER}", "run", "cuda thread (5,0,0)", "print product", "print value", "print threadIdx.x",
        "cuda backtrace", "up", "print result", "up", "print i", "continue", "print value", "cuda print product / 60",
        "print ptx->p1[0]",
    )  # fmt: skip
    assert re.findall(r"^\$\d+ = (.*)$", out, re.MULTILINE)[:6] == ["30", "10", "5", "10", "5", "12"], out
    assert re.search(
        rf"#0 .*thrice \(value=10\) at .*program.py:{INNER}\n"
        rf"#1 .*twice \(value=5, to=0x\w+\) at .*program.py:{MIDDLE}\n"
        rf"#2 .*k \(out=0x\w+\) at .*program.py:{FIRST}\n",
        out,
    ), out
    assert re.search(r"^lanes 0-8 +0\nlanes 9-18 +1\nlanes 19-28 +2\nlanes 29-31 +3$", out, re.MULTILINE), out


def test_breakpoints_at_all_calls(debug):
    out = debug(PROGRAM, f"break program.py:{STORE}", "run", "info cuda threads", "continue", "up", "continue")
    calls = re.findall(rf"hit Breakpoint 1\S* twice \(value=(\d), to=0x\w+\) at .*program.py:{STORE}", out)
    assert calls == ["0", "1"], out
    assert re.search(rf"active +program.py:{STORE}$", out, re.MULTILINE)
    assert re.search(rf"#1 .*k .*program.py:{SECOND}\n", out)
