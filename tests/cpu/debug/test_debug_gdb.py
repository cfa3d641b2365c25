# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""python -m cuda.cpu debug: breakpoints on lines and kernels, the call stack, variables of lanes, commands."""

import re
import shutil
import subprocess
import sys

import pytest
from support.gdb_programs import program

pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

pytestmark = pytest.mark.cpu_only

SOURCE = """
struct Pair { int first; float second[2]; };
__device__ int limit = 70;

__device__ int twice(int value, Pair *pair)
{
    int result = 2 * value;
    pair->first = result;
    return result;
}

extern "C" __global__ void sums(int *out, int n)
{
    __shared__ int row[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Pair pair = {};
    if (i < n) {
        int sum = twice(i, &pair);
        row[threadIdx.x] = sum;
    }
    __syncthreads();
    if (i < n)
        out[i] = row[threadIdx.x] + pair.first;
}
"""
SHAPE = {"grid": 2, "block": 40, "arguments": "np.int32(70)"}
CUDA = program(SOURCE, **SHAPE)
BODY, CALL, STORE = 8, 18, 23  # lines of the program


def values(text):
    """Return what `print` printed: `$1 = ...`."""
    return re.findall(r"^\$\d+ = (.*)$", text, re.MULTILINE)


@pytest.mark.needs_nvrtc
def test_call_stack_and_variables_of_a_lane(debug):
    out = debug(
        CUDA,
        f"break program.py:{BODY}", "run", "cuda backtrace", "cuda thread (5,0,0)", "print value", "print *pair", "up",
        "print i", "print threadIdx", "print n", "print limit", "print ptx->p1",
    )  # fmt: skip
    assert re.search(
        rf"hit Breakpoint 1, twice\(?.*value=0, pair=0x\w+\) at .*program.py:{BODY}\n{BODY}\s+pair->first", out
    )
    assert re.search(rf"#0  twice.*\n#1 .* sums.*n=70\) at .*program.py:{CALL}\n", out)
    found = values(out)
    assert found[:6] == ["5", "{first = 0, second = {0, 0}}", "5", "{x = 5, y = 0, z = 0}", "70", "70"]
    assert found[6].startswith("{true <repeats 32 times>}")


@pytest.mark.needs_nvrtc
def test_values_of_all_lanes(debug):
    """In the last warp, lanes 0 to 7 exist, and `i < n` for those of block 1 up to thread 29."""
    out = debug(
        CUDA,
        f'break program.py:{STORE} if $cuda_any("i == 64")', "run", "cuda", "cuda print i / 32", "info cuda lanes",
        "info cuda threads", "info cuda kernels",
    )  # fmt: skip
    assert "focus is CUDA kernel sums, grid (2,1,1), block (1,0,0), thread (24,0,0), warp 0, lane 24]" in out
    assert re.search(r"^lanes 0-23 +1\nlanes 24-29 +2\nlanes 30-31 +2  \(inactive\)$", out, re.MULTILINE)
    assert re.search(r"^\* 24 +\(24,0,0\) +active$", out, re.MULTILINE)
    assert re.search(r"^  30 +\(30,0,0\) +inactive$", out, re.MULTILINE)
    assert re.search(rf"^\* \(1,0,0\) +\(0,0,0\) +\(29,0,0\) +30 +active +program.py:{STORE}$", out, re.MULTILINE)
    assert re.search(r"^\* sums +\(2,1,1\) +\(40,1,1\) +\(1,0,0\)$", out, re.MULTILINE)


@pytest.mark.needs_nvrtc
def test_stepping_and_writing(debug):
    """A variable that the debugger has changed is what the kernel goes on with."""
    out = debug(
        CUDA,
        f"break program.py:{CALL}", "run", "cuda lane 1", "set var i = 500", "delete", "next", "print sum",
        "cuda lane 2", "print sum", "continue",
    )  # fmt: skip
    assert values(out) == ["1000", "4"]
    assert re.search(rf"^{CALL + 1}\s+row\[threadIdx.x\] = sum;", out, re.MULTILINE)


@pytest.mark.needs_nvrtc
def test_inlined_functions_of_optimised_code(debug):
    """With lineinfo alone, the call stack has inlined functions, and the variables are registers."""
    text = program(SOURCE, options="ProgramOptions(lineinfo=True)", **SHAPE)
    line = BODY - 1
    out = debug(text, f"break program.py:{line}", "run", "cuda backtrace", "info cuda kernels", "print threadIdx")
    assert re.search(rf"#0 .*twice.*program.py:{line}\n#1 .*sums .*program.py:{CALL}\n", out)
    assert re.search(r"^\* sums ", out, re.MULTILINE)
    assert values(out) == ["{x = 0, y = 0, z = 0}"]


@pytest.mark.needs_nvrtc
def test_kernel_as_breakpoint_and_wrong_commands(debug):
    out = debug(
        CUDA,
        "break sums", "run", "info cuda blocks", "cuda lane 32", "python print('next')",
    )  # fmt: skip
    assert re.search(r"hit Breakpoint 1, sums \(out=0x\w+, n=70\)", out)
    assert re.search(r"^\* \(0,0,0\) +0 +0xffffffff +sums +program.py:15$", out, re.MULTILINE)
    assert "the warp has no lane 32" in out


PTX = """.version 8.5
.target sm_90
.address_size 64
.visible .entry sums(.param .u64 out, .param .u32 n)
{
    .local .align 8 .b8 depot[16];
    .reg .pred %p<2>;
    .reg .b32 %r<4>;
    .reg .f32 %f<2>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    cvt.rn.f32.u32 %f1, %r1;
    setp.lt.u32 %p1, %r1, 8;
    st.local.u32 [depot+4], %r1;
    @%p1 bra SMALL;
    mov.u32 %r2, 7;
    bra END;
SMALL:
    add.u32 %r2, %r1, 100;
END:
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r2;
    ret;
}
"""


def test_ptx_has_its_own_lines_and_registers(debug):
    out = debug(
        program(PTX, **SHAPE),
        "break kernel.ptx:20", "break kernel.ptx:22", "run", "cuda lane 5", "print r1", "print f1", "print depot",
        "print/x cuda_lanes", "cuda print %r1", "continue", "cuda print %r2",
    )  # fmt: skip
    assert re.search(r"^20\s+add.u32 %r2, %r1, 100;", out, re.MULTILINE)
    assert values(out) == ["5", "5", "{0, 5, 0, 0}", "0xff"]
    assert re.search(r"^lane 31 +31  \(inactive\)$", out, re.MULTILINE)
    assert re.search(r"^lane 7 +107\nlanes 8-31 +7$", out, re.MULTILINE)


def test_without_a_debugger_there_is_advice(monkeypatch, capsys, tmp_path):
    from cuda.cpu import __main__ as command

    (tmp_path / "program.py").write_text("")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert command.main(["debug", str(tmp_path / "program.py")]) == 2
    assert "gdb is not installed: apt-get install gdb" in capsys.readouterr().err


@pytest.mark.needs_nvrtc
def test_illegal_access_stops_at_its_line(debug):
    text = CUDA.replace("row[threadIdx.x] + pair.first", "*(int *)(i == 33 ? nullptr : out)")
    out = debug(text, "run", "cuda print i == 33", "up 0", "print i == 33", "continue")
    assert "received signal SIGSEGV" in out
    assert re.search(rf"sums .*\) at .*program.py:{STORE}\n", out)
    assert re.search(r"^lane 1 +true\nlanes 2-7 +false$", out, re.MULTILINE)
    assert "CUDA_ERROR_ILLEGAL_ADDRESS" in out


@pytest.mark.needs_nvrtc
def test_lldb(tmp_path):
    if shutil.which("lldb") is None:
        pytest.skip("lldb is not installed: apt-get install lldb")
    (tmp_path / "program.py").write_text(CUDA)
    commands = (
        f"breakpoint set -f program.py -l {BODY}",
        "run",
        "bt 2",
        "expression cuda_lane = 5",
        "frame variable value",
    )
    words = [word for each in commands for word in ("-ex", each)]
    out = subprocess.run(
        [sys.executable, "-m", "cuda.cpu", "debug", "--lldb", "--batch", *words, str(tmp_path / "program.py")],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300,
    ).stdout  # fmt: skip
    if "stop reason = breakpoint" not in out and "Operation not permitted" in out:
        pytest.skip("lldb cannot start programs here")
    assert re.search(rf"frame #1: .*sums\(out=0x\w+, n=70\) at program.py:{CALL}", out)
    assert "(int) value = 5" in out


def test_options_of_the_device_reach_the_program(gdb, tmp_path):
    text = "import os; print(os.environ['CUDA_CPU_CAPABILITY'], os.environ['CUDA_CPU_TORCH'])"
    (tmp_path / "program.py").write_text(text)
    words = ["debug", "--batch", "-ex", "run", "--capability", "8.6", "--torch", str(tmp_path / "program.py")]
    done = subprocess.run([sys.executable, "-m", "cuda.cpu", *words], capture_output=True, text=True, timeout=100)
    assert "8.6 1" in done.stdout
