# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Asking for checks: the variable, the command line, wrong names, leaks at a program's end."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

pytestmark = pytest.mark.cpu_only

PROGRAM = """
import ctypes, sys
driver = ctypes.CDLL("libcuda.so.1")
print(driver.cuInit(0))
context, pointer = ctypes.c_void_p(), ctypes.c_uint64()
driver.cuCtxCreate_v2(ctypes.byref(context), 0, 0)
driver.cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(4000))
driver.cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(512))
module, function = ctypes.c_void_p(), ctypes.c_void_p()
print(driver.cuModuleLoadData(ctypes.byref(module), b'''.version 8.0
.target sm_90
.address_size 64
.visible .global .u32 kept;
.visible .entry k(.param .u64 p) { .reg .b64 %d<2>;
 ld.param.u64 %d1, [p];
 st.global.u32 [%d1+512], 1;
 ret; }'''))
driver.cuModuleGetFunction(ctypes.byref(function), module, b"k")
values = (ctypes.c_void_p * 1)(ctypes.addressof(pointer))
driver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, None, values, None)
print(driver.cuCtxSynchronize())
driver.cuMemFree_v2(pointer)
if "destroy" in sys.argv:
    driver.cuCtxDestroy_v2(context)
"""


def start(tmp_path, *arguments: str, **variables: str):
    script = tmp_path / "script.py"
    script.write_text(PROGRAM)
    before, after = [], []
    for argument in arguments:
        (before if argument.startswith("--") else after).append(argument)
    command = [sys.executable, "-m", "cuda.cpu", "run", *before, str(script), *after]
    return subprocess.run(command, capture_output=True, text=True, env=os.environ | variables)


def test_by_the_command_line(tmp_path):
    done = start(tmp_path, "--check=memcheck")
    assert done.stdout.split() == ["0", "0", "700"], done.stderr
    line, *stacks = done.stderr.splitlines()
    assert line.startswith("cuda.cpu memcheck: kernel 'k'")
    assert "0 bytes after the allocation of 512 bytes" in line
    assert [stack.split()[:5] for stack in stacks] == [
        ["launched", "by", "<module>", "at", f"{tmp_path / 'script.py'}:20"],
        ["allocated", "by", "<module>", "at", f"{tmp_path / 'script.py'}:8"],
    ]


def test_the_command_line_comes_before_the_variable(tmp_path):
    done = start(tmp_path, "--check=synccheck", CUDA_CPU_CHECK="memcheck")
    assert done.stderr == ""


@pytest.mark.parametrize("way", ["destroy", "exit"])
def test_leaks_at_the_end(way, tmp_path):
    done = start(tmp_path, way, CUDA_CPU_CHECK="leakcheck")
    memory, module = [line for line in done.stderr.splitlines() if "leakcheck" in line]
    assert re.fullmatch(r"cuda.cpu leakcheck: 4000 bytes at 0x\w+ made by cuMemAlloc were never freed", memory)
    assert re.fullmatch(r"cuda.cpu leakcheck: module 0x\w+ was never unloaded", module)


def test_a_wrong_name_is_refused(tmp_path):
    done = start(tmp_path, "--check=memchek")
    assert done.returncode == 2
    assert "--check: 'memchek'; did you mean memcheck? it takes " in done.stderr
    done = start(tmp_path, "--check=")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--check: '', which names no check; it takes memcheck, " in done.stderr
    done = start(tmp_path, CUDA_CPU_CHECK="memchek")
    assert done.stdout.split()[0] == "1"  # CUDA_ERROR_INVALID_VALUE of cuInit


def test_initcheck_of_a_profiled_program_is_refused(tmp_path):
    """Profiles would drop the check, which does not see what profiled kernels write."""
    done = start(tmp_path, CUDA_CPU_CHECK="memcheck,initcheck", CUDA_CPU_PROFILE="1")
    assert done.stdout.split()[0] != "0"
    done = start(tmp_path, CUDA_CPU_CHECK="memcheck", CUDA_CPU_PROFILE="1")
    assert done.stdout.split()[0] == "0", done.stderr


def test_an_error_is_not_a_leak(tmp_path):
    """What could not be freed any more after an error is told all the same; what was freed before is not."""
    assert "512 bytes" not in start(tmp_path, "destroy", CUDA_CPU_CHECK="leakcheck").stderr


def test_all_contains_what_gives_no_false_alarm():
    from cuda.cpu import check

    assert check.parse("all") == (check.MEMCHECK | check.RACECHECK | check.SYNCCHECK, False)
    assert check.parse("all, initcheck,leakcheck") == (sum(check.NAMES.values()), True)
