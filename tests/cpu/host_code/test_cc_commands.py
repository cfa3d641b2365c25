# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Command lines of `python -m cuda.cpu cc`: those of nvcc, CMake and make."""

from __future__ import annotations

import re

import pytest
from whole_programs import call, run

pytestmark = [pytest.mark.cpu_only, pytest.mark.timeout(300), pytest.mark.usefixtures("installed")]


@pytest.mark.parametrize(
    ("options", "target"),
    [
        (["-gencode", "arch=compute_70,code=sm_70", "-gencode=arch=compute_86,code=[sm_86,compute_86]"], "sm_86"),
        (["-gencode", "arch=compute_80,code=sm_80", "-gencode", "arch=compute_120,code=sm_120"], "sm_80"),
        (["--generate-code", "arch=compute_100,code=sm_100"], "sm_100"),
        (["-arch=native"], "sm_90"),
        (["-arch=compute_80", "-code=sm_80", "-m64", "-Xptxas", "-v", "-t", "2", "--diag-suppress=177"], "sm_80"),
    ],
)
def test_architectures_and_options_without_effect(tmp_path, options, target):
    (tmp_path / "file.cu").write_text("__global__ void f() {}")
    done = call("-ptx", "-Wno-deprecated-gpu-targets", "file.cu", *options, folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert f".target {target}\n" in (tmp_path / "file.ptx").read_text()


REGISTERS = """
    #include <cstdio>
    __global__ void many(const float *x, float *y) {
        float v[40];
        for (int i = 0; i < 40; i++) v[i] = x[i * 33 + threadIdx.x];
        for (int i = 0; i < 40; i++) y[i * 3 + threadIdx.x] = v[i] * v[39 - i];
    }
    __global__ void __launch_bounds__(256) bounded(float *y) { *y = 1; }
    int main() {
        cudaFuncAttributes of;
        cudaFuncGetAttributes(&of, many);
        std::printf("%d\\n", of.numRegs);
    }
"""


@pytest.mark.parametrize("limit", [("-maxrregcount", "32"), ("-maxrregcount=32",), ("--maxrregcount", "0x20")])
def test_a_limit_of_registers(tmp_path, limit):
    (tmp_path / "file.cu").write_text(REGISTERS)
    done = call("-ptx", "file.cu", *limit, folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    many, bounded = re.findall(r"\.entry \w+\([^)]*\)([^{]*)", (tmp_path / "file.ptx").read_text())
    assert ".maxnreg 32\n" in many
    assert ".maxntid 256" in bounded
    assert ".maxnreg" not in bounded


def test_a_program_with_a_limit_of_registers(build, tmp_path):
    (tmp_path / "file.cu").write_text(REGISTERS)
    free, limited = (int(run(build("file.cu", f"-maxrregcount={limit}"))) for limit in (0, 32))
    assert limited <= 32 < free


def test_the_command_line_of_cmake(build, tmp_path):
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "value.h").write_text("#define VALUE 4")
    (tmp_path / "includes.rsp").write_text('-Iinc "-DTEXT=\\"a,b\\""\n')
    (tmp_path / "main.cu").write_text("""
        #include <cstdio>
        #include "value.h"
        __global__ void print() { printf("%d\\n", VALUE); }
        int main() { std::puts(TEXT); print<<<1, 1>>>(); return cudaDeviceSynchronize(); }
    """)
    options = [
        "-forward-unknown-to-host-compiler", "-DNDEBUG", "--options-file", "includes.rsp", "-O3", "-std=c++17",
        "--generate-code=arch=compute_80,code=[compute_80,sm_80]", "-Xcompiler=-fPIC", "-march=native", "-pipe",
        "-Werror", "all-warnings", "-MD", "-MT", "main.o", "-MF", "main.d",
    ]  # fmt: skip
    done = call(*options, "-x", "cu", "-rdc=true", "-c", "main.cu", "-o", "main.o", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "inc/value.h" in (tmp_path / "main.d").read_text()
    assert run(build("main.o", "-Xcompiler", "-rdynamic")) == "a,b\n4\n"


def test_a_folder_for_outputs(tmp_path):
    (tmp_path / "objects").mkdir()
    (tmp_path / "file.cu").write_text("__global__ void f() {}")
    assert call("-c", "-MD", "file.cu", "-odir", "objects", folder=tmp_path).returncode == 0
    assert {path.name for path in (tmp_path / "objects").iterdir()} == {"file.o", "file.d"}
    assert (tmp_path / "objects" / "file.d").read_text().startswith("objects/file.o: file.cu")
    assert call("-MM", "file.cu", "--output-directory=objects", folder=tmp_path).stdout.startswith("objects/file.o:")


def test_a_language_for_all_files(build, tmp_path):
    (tmp_path / "kernel.cpp").write_text("""
        #include <cstdio>
        __global__ void f() { printf("in a kernel\\n"); }
        int main() { f<<<1, 1>>>(); return cudaDeviceSynchronize(); }
    """)
    assert run(build("-x", "cu", "kernel.cpp")) == "in a kernel\n"


def test_rules_for_make(tmp_path):
    for name, text in {
        "kernel.cu": '#include "part.h"\n__global__ void f() { g(); }',
        "part.h": "inline __device__ void g() {}",
        "host.cpp": '#include "more.h"',
        "plain.c": '#include "more.h"',
        "more.h": "extern int more;",
    }.items():
        (tmp_path / name).write_text(text)
    printed = call("-MM", "kernel.cu", folder=tmp_path)
    assert printed.returncode == 0, printed.stderr
    assert "kernel.o: kernel.cu" in printed.stdout
    assert "part.h" in printed.stdout
    assert "extern int more;" in call("-E", "host.cpp", folder=tmp_path).stdout
    assert call("-MD", "-c", "kernel.cu", "-o", "other.o", folder=tmp_path).returncode == 0
    assert "part.h" in (tmp_path / "other.d").read_text()
    assert (tmp_path / "other.d").read_text().startswith("other.o: kernel.cu")
    for name in ("host.cpp", "plain.c"):
        assert call("-MMD", "-MF", "rule", "-MT", "it", "-c", name, folder=tmp_path).returncode == 0
        assert (tmp_path / "rule").read_text() == f"it: {name} more.h\n"
