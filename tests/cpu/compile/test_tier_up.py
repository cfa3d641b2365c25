# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Kernels that run long get better code while they run; what they compute does not change."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import time
import zlib

import numpy as np
import pytest

pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")
pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from support.loaded import Loaded

from cuda.cpu.compile import cache, jit, tier_up
from cuda.cpu.runtime import _runtime as runtime
from cuda.cpu.runtime.kernel_abi import Path

pytestmark = pytest.mark.cpu_only
STEPS = """.version 8.5
.target sm_90
.address_size 64
.visible .entry steps(.param .u64 p, .param .u32 n) {
    .reg .b64 %d<4>; .reg .b32 %r<9>; .reg .pred %p1;
    ld.param.u64 %d1, [p]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x;
    mad.lo.u32 %r2, %r3, %r4, %r2; mul.wide.u32 %d2, %r2, 4; add.s64 %d3, %d1, %d2;
    mov.u32 %r5, 0; ld.global.u32 %r6, [%d3];
L:  mad.lo.u32 %r6, %r6, 1664525, 1013904223; add.u32 %r5, %r5, 1;
    setp.lt.u32 %p1, %r5, %r1;
    @%p1 bra L;
    st.global.u32 [%d3], %r6;
    ret;
}
"""


def expected(start: np.ndarray, steps: int) -> np.ndarray:
    for _ in range(steps):
        start = start * np.uint32(1664525) + np.uint32(1013904223)
    return start


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("CUDA_CPU_CACHE", str(tmp_path / "kernels"))
    monkeypatch.delenv("CUDA_CPU_LEVEL", raising=False)
    return tmp_path / "kernels"


def test_a_hot_kernel_goes_on_with_better_code(monkeypatch, folder):
    monkeypatch.setattr(tier_up, "ENOUGH", 1_000_000)
    loaded = Loaded(STEPS.encode())
    machine = loaded.code.compile("steps")
    assert "steps" in machine.translate()
    quick = machine.address
    start = np.arange(64 * 128, dtype=np.uint32)
    found = start.copy()
    loaded.launch("steps", 64, 128, found, np.uint32(100))
    tier_up.watch(loaded.grid("steps"), machine, "steps")
    end, launches = time.monotonic() + 60, 1
    while machine.address == quick and time.monotonic() < end:
        loaded.launch("steps", 64, 128, found, np.uint32(100))
        launches += 1
    assert machine.address != quick
    loaded.launch("steps", 64, 128, found, np.uint32(100))
    launches += 1
    np.testing.assert_array_equal(found, expected(start, 100 * launches))
    # The next process starts with the better code.
    assert machine.translate is None
    again = Loaded(STEPS.encode()).code.compile("steps")
    assert again.translate is None
    assert len(list(folder.iterdir())) == 1


@pytest.mark.parametrize("check", ["", "memcheck", "racecheck"])
def test_the_driver_watches_what_it_launches(tmp_path, check):
    """In a process of its own: long launches make the kernel hot; the process then ends as usual.

    Better code checks, too: a block too many accesses memory behind the allocation.
    """
    script = f"""
import ctypes, sys, time
from cuda.cpu.compile import tier_up
tier_up.ENOUGH = 1_000_000
from cuda.bindings import driver as d
def ok(result):
    assert result[0] == 0, result
    return result[1] if len(result) == 2 else result[1:]
ok(d.cuInit(0)); context = ok(d.cuDevicePrimaryCtxRetain(ok(d.cuDeviceGet(0)))); ok(d.cuCtxSetCurrent(context))
function = ok(d.cuModuleGetFunction(ok(d.cuModuleLoadData({STEPS.encode()!r})), b"steps"))
memory = ok(d.cuMemAlloc(4096)); ok(d.cuMemsetD32(memory, 1, 1024))
end = time.monotonic() + 60
watched = []
watch = tier_up.watch
tier_up.watch = lambda grid, machine, name: (watched.append(machine), watch(grid, machine, name))
while time.monotonic() < end and not (watched and watched[0].image.__class__ is tuple):
    ok(d.cuLaunchKernel(function, 8, 1, 1, 128, 1, 1, 0, 0, ((memory, 1000), (ctypes.c_void_p, ctypes.c_uint32)), 0))
    ok(d.cuCtxSynchronize())
print(watched[0].image.__class__.__name__, len(tier_up._watched))
if {check!r} == "memcheck":
    ok(d.cuLaunchKernel(function, 9, 1, 1, 128, 1, 1, 0, 0, ((memory, 1000), (ctypes.c_void_p, ctypes.c_uint32)), 0))
    print(int(d.cuCtxSynchronize()[0]))
"""
    environment = os.environ | {"CUDA_PYTHON_DRIVER": "cpu", "CUDA_CPU_CHECK": check}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment, timeout=120)
    if check == "memcheck":
        assert (done.returncode, done.stdout) == (0, "tuple 0\n700\n"), done.stderr
        assert "block (8, 0, 0), thread (0, 0, 0), PTX line 8 " in done.stderr
    else:
        assert (done.returncode, done.stdout, done.stderr) == (0, "tuple 0\n", "")


def test_without_a_compiler_the_kernel_stays_as_it_is(monkeypatch):
    monkeypatch.setattr(tier_up.sys, "executable", "/nonexistent/python3")
    assert tier_up._Compiler().compile(b"x") is None


def test_a_kernel_that_takes_too_long_is_given_up(monkeypatch):
    machine = Loaded(STEPS.encode()).code.compile("steps")
    ir = zlib.compress(machine.translate().encode())
    compiler = tier_up._Compiler()
    monkeypatch.setattr(tier_up, "PATIENCE", 0.0)
    assert compiler.compile(ir) is None
    monkeypatch.setattr(tier_up, "PATIENCE", 60.0)
    assert compiler.compile(ir).startswith(b"\x7fELF")
    with compiler._process as process:
        process.kill()


def test_a_program_with_python_inside_is_not_started(monkeypatch):
    monkeypatch.setattr(tier_up.sys, "executable", "/usr/bin/editor")
    loaded = Loaded(STEPS.encode())
    machine = loaded.code.compile("steps")
    tier_up.watch(None, machine, "steps")
    assert machine not in [item[1] for item in tier_up._watched]


def test_messages_that_end_early_are_none():
    pipe = io.BytesIO()
    tier_up.write(pipe, b"12345")
    assert tier_up.read(io.BytesIO(pipe.getvalue())) == b"12345"
    assert tier_up.read(io.BytesIO(pipe.getvalue()[:-1])) is None
    assert tier_up.read(io.BytesIO(b"123")) is None


@pytest.mark.parametrize("level", ["0", "1", "2", "3"])
def test_the_level_can_be_fixed(monkeypatch, level):
    monkeypatch.setenv("CUDA_CPU_LEVEL", level)
    loaded = Loaded(STEPS.encode())
    assert loaded.code.compile("steps").translate is None
    found = np.arange(64, dtype=np.uint32)
    loaded.launch("steps", 1, 64, found, np.uint32(9))
    np.testing.assert_array_equal(found, expected(np.arange(64, dtype=np.uint32), 9))


def test_a_wrong_level_is_named(monkeypatch):
    monkeypatch.setenv("CUDA_CPU_LEVEL", "fast")
    with pytest.raises(ValueError, match="CUDA_CPU_LEVEL is 'fast'; it must be one of 0, 1, 2, 3"):
        jit.setting()


def test_entries_keep_all_their_parts():
    for quick in (True, False):
        entry = jit.pack(b"object", Path.BLOCKS, 70000, 9 << 20, quick=quick)
        assert jit.unpack(entry) == (Path.BLOCKS, 70000, 9 << 20, b"object", quick)
    assert cache.find("absent") is None


def test_a_grid_cannot_go_on_with_nothing():
    loaded = Loaded(STEPS.encode())
    loaded.launch("steps", 1, 32, np.zeros(32, np.uint32), np.uint32(1))
    grid = loaded.grid("steps")
    assert not grid.is_hot()
    with pytest.raises(ValueError, match="not 0"):
        grid.replace(0)
    seen = runtime.wait_hot(0xFFFFFFFF)
    grid.watch(1)
    loaded.launch("steps", 1, 32, np.zeros(32, np.uint32), np.uint32(1))
    assert runtime.wait_hot(seen) != seen
    assert grid.is_hot()
