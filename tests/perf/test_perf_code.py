# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Counts of what the CPU device's compiler makes of kernels."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")
pytest.importorskip("scipy", reason="the extra `perf` is not installed")

from cuda.perf import __main__, code_counters, comparing, files
from cuda.perf.comparing import Options

pytestmark = pytest.mark.cpu_only

PTX = """
.version 8.0
.target sm_80
.address_size 64
.file 1 "axpy.cu"
.visible .entry axpy(.param .u64 p, .param .f32 a)
{
    .reg .b64 %rd<5>; .reg .b32 %r<3>; .reg .f32 %f<3>;
    .loc 1 3 1
    ld.param.u64 %rd1, [p];
    ld.param.f32 %f1, [a];
    mov.u32 %r1, %tid.x;
    shl.b32 %r2, %r1, 2;
    .loc 1 4 1
    cvt.u64.u32 %rd2, %r2;
    add.s64 %rd3, %rd1, %rd2;
    ld.global.f32 %f2, [%rd3];
    mul.f32 %f2, %f2, %f1;
    st.global.f32 [%rd3], %f2;
    ret;
}
.visible .entry empty() { ret; }
"""
SOURCE = """extern "C" __global__ void axpy(float *p, float a)
{
    int i = threadIdx.x;
    p[i] *= a;
}
"""


@pytest.fixture
def ptx(tmp_path):
    (tmp_path / "axpy.cu").write_text(SOURCE)
    (tmp_path / "axpy.ptx").write_text(PTX)
    return tmp_path / "axpy.ptx"


def test_counts_of_a_kernel(ptx):
    assert code_counters.kernels(PTX) == ["axpy", "empty"]
    found = code_counters.count(ptx, "axpy")
    assert found.metrics["code__accesses_row"] == 2
    assert found.metrics["code__accesses_lane_by_lane"] == 0
    assert found.metrics["code__regions"] == 1
    (line,) = found.lines
    assert (line.file, line.line, line.text, line.counts) == ("axpy.cu", 4, "p[i] *= a;", {"accesses_row": 2})
    assert code_counters.count(ptx, "empty").lines == []


def test_machine_code_is_counted_on_demand(ptx):
    found = code_counters.count(ptx, "axpy", machine=True).metrics
    assert found["code__machine_instructions"] > found["code__stack_accesses"] > 0
    assert found["code__ir_instructions"] > 50


def test_lines_without_line_information(ptx):
    ptx.write_text("\n".join(line for line in PTX.splitlines() if ".loc" not in line))
    assert [line.text for line in code_counters.count(ptx, "axpy").lines] == [
        "ld.global.f32 %f2, [%rd3];",
        "st.global.f32 [%rd3], %f2;",
    ]


def test_registers_and_spills_of_ptxas():
    log = """ptxas info    : Compiling entry function 'a' for 'sm_90'
ptxas         .     16 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 132 bytes smem
ptxas info    : Compiling entry function 'b' for 'sm_90'
ptxas info    : Used 10 registers
"""
    assert list(code_counters.of_ptxas(log, "a").values()) == [32, 16, 8, 4, 132]
    assert code_counters.of_ptxas(log, "b") == {"ptxas__registers": 10}
    assert code_counters.of_ptxas("", "a") == {}


@pytest.mark.needs_nvrtc
def test_cuda_sources(ptx, capsys):
    output = ptx.with_name("code.json")
    assert __main__.main(["code", str(ptx.with_name("axpy.cu")), "--json", str(output)]) == 0
    (result,) = files.read(output).results
    assert result.counters.metrics["code__accesses_row"] == 2
    assert result.counters.metrics["ptxas__registers"] > 4
    assert result.counters.metrics["ptxas__spill_load_bytes"] == 0
    assert result.counters.lines[0].text == "p[i] *= a;"
    ptx.with_name("axpy.cu").write_text("no C++")
    assert __main__.main(["code", str(ptx.with_name("axpy.cu")), "--json", str(output)]) == 2
    assert "axpy.cu does not compile" in capsys.readouterr().err


def test_wrong_arguments(ptx, capsys):
    output = str(ptx.with_name("code.json"))
    assert __main__.main(["code", str(ptx), "--kernel", "gemm*", "--json", output]) == 2
    assert "no kernel of" in capsys.readouterr().err
    assert __main__.main(["code", "absent.ptx", "--json", output]) == 2
    assert "absent.ptx cannot be read" in capsys.readouterr().err
    ptx.write_text(PTX.replace("shl.b32", "shl.nothing"))
    assert __main__.main(["code", str(ptx), "--json", output]) == 2
    assert "axpy.ptx: kernel axpy" in capsys.readouterr().err


def test_a_fault_of_the_code_generator_is_detected(ptx, tmp_path):
    """In a copy of the package, addresses that are computed by shifts are no longer followed."""
    import cuda.cpu

    package = pathlib.Path(cuda.cpu.__file__).parent
    copy = tmp_path / "package/cuda/cpu"
    shutil.copytree(package, copy, ignore=shutil.ignore_patterns("__pycache__", "*.c", "*.h"))
    passes = copy / "passes/find_affine.py"
    text = passes.read_text()
    assert text.count('    "shl",\n') == 1
    runs = []
    for name in ("base", "new"):
        output = tmp_path / f"{name}.json"
        search = os.pathsep.join([str(tmp_path / "package"), *filter(None, [os.environ.get("PYTHONPATH")])])
        command = [sys.executable, "-m", "cuda.perf", "code", str(ptx), "--json", str(output)]
        done = subprocess.run(command, env=os.environ | {"PYTHONPATH": search}, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        runs.append(files.read(output))
        passes.write_text(text.replace('    "shl",\n', ""))
    report = comparing.compare(*runs, Options(counters_only=True))
    assert [each.key for each in report.regressions] == ["axpy"]
    changes = {each.name: (each.base, each.new) for each in report.regressions[0].counters if not each.location}
    assert changes["code__accesses_row"] == (2, 0)
    assert changes["code__accesses_lane_by_lane"] == (0, 2)
