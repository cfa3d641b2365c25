# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The only worker that executes blocks is told so, and others wait for its operation in progress before they begin."""

from __future__ import annotations

import ctypes
import os
import pathlib
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")
pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from support.loaded import Loaded

from cuda.cpu.runtime import _runtime as runtime
from cuda.cpu.runtime.abi import WARP
from cuda.cpu.runtime.kernel_abi import Path

pytestmark = pytest.mark.cpu_only
REFUSED = 256  # launches, see sole_worker.c
WAIT = 60.0


class Sole(ctypes.Structure):
    _fields_ = (("valid", ctypes.c_uint32), ("busy", ctypes.c_uint32))


class Kernel:
    """A kernel whose blocks call a Python function with the address of struct cpu_sole, or None."""

    def __init__(self, function):
        def entry(warp):
            ctypes.c_uint32.from_address(warp + WARP["scattered"]).value = 1
            address = ctypes.c_uint64.from_address(warp + WARP["sole"]).value
            function(Sole.from_address(address) if address else None)

        self._entry = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(entry)
        self._parameters = np.zeros(16, np.uint8)
        self.queue = runtime.Queue()
        address = ctypes.cast(self._entry, ctypes.c_void_p).value
        self.compiled = runtime.CompiledKernel(address, "k", 0, 0, 0, 0, Path.WARPS, self)

    def launch(self) -> None:
        one = (1, 1, 1)
        self.queue.launch(self.compiled, one, (32, 1, 1), one, 0, self._parameters.ctypes.data, False, 1)
        assert self.queue.wait(WAIT)
        assert self.queue.take_fault() is None


def launches_until_sole(kernel: Kernel, seen: list) -> int:
    """Launch until the worker is the only one; return how many launches that took."""
    for count in range(REFUSED + 2):
        seen.clear()
        kernel.launch()
        if seen[0] is not None:
            return count
    raise AssertionError("never the only worker")


def worker_of_a_kernel_that_asks_for_it_is_the_only_one():
    seen: list = []
    kernel = Kernel(lambda sole: seen.append(sole and (sole.valid, sole.busy)))
    kernel.launch()
    assert seen == [None]  # the kernel has not asked for it yet
    launches_until_sole(kernel, seen)
    assert seen == [(1, 0)]


def second_worker_waits_for_the_operation_in_progress():
    order, inside, leave = [], threading.Event(), threading.Event()

    def first(sole):
        seen.append(sole)
        if sole is None or not wanted:
            return
        sole.busy = 1
        inside.set()
        leave.wait(WAIT)
        order.append(("first", sole.valid))
        sole.busy = 0
        after.wait(WAIT)  # the second one runs while this launch goes on, with locks
        order.append(("locks", sole.valid))

    def second(sole):
        order.append(("second", sole))
        after.set()

    seen: list = []
    wanted, after = False, threading.Event()
    kernels = Kernel(first), Kernel(second)
    launches_until_sole(kernels[0], seen)
    wanted = True
    threads = [threading.Thread(target=kernel.launch) for kernel in kernels]
    threads[0].start()
    assert inside.wait(WAIT)
    threads[1].start()
    time.sleep(0.05)
    assert order == []  # it waits
    leave.set()
    for thread in threads:
        thread.join()
    assert order == [("first", 0), ("second", None), ("locks", 0)]
    seen.clear()
    for _ in range(REFUSED):
        kernels[1].launch()
    assert [result for _, result in order[3:]] == [None] * REFUSED  # its own first launch was no sole worker either


def memory_of_several_processes_needs_locks():
    seen: list = []
    kernel = Kernel(seen.append)
    launches_until_sole(kernel, seen)
    runtime.share_memory()
    seen.clear()
    for _ in range(2 * REFUSED):
        kernel.launch()
    assert seen == [None] * 2 * REFUSED


BLOCKS, THREADS, LAUNCHES, WORDS = 8, 128, 600, 256
TEXT = b"""
.version 8.5
.target sm_90
.address_size 64
.visible .entry k(.param .u64 words, .param .u64 index)
{
    .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .f32 %f<3>;
    ld.param.u64 %d1, [words]; ld.param.u64 %d2, [index];
    mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mad.lo.u32 %r5, %r3, %r4, %r2;
    mul.wide.u32 %d3, %r5, 4; add.u64 %d4, %d2, %d3; ld.global.u32 %r6, [%d4]; mul.wide.u32 %d5, %r6, 4;
    add.u64 %d6, %d1, %d5; mov.f32 %f1, 0f3F800000; red.global.add.f32 [%d6], %f1;
    ret;
}
"""


def every_operation_of_two_queues_counts_once():
    words, random = np.zeros(WORDS, np.float32), np.random.default_rng(1)
    index = random.integers(0, WORDS, BLOCKS * THREADS).astype(np.uint32)
    loaded = Loaded(TEXT), Loaded(TEXT)

    def launch(each: Loaded) -> None:
        for _ in range(LAUNCHES):
            each.launch("k", BLOCKS, THREADS, words, index)

    threads = [threading.Thread(target=launch, args=(each,)) for each in loaded]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    np.testing.assert_array_equal(words, 2 * LAUNCHES * np.bincount(index, minlength=WORDS))


CHECKS = [
    worker_of_a_kernel_that_asks_for_it_is_the_only_one,
    second_worker_waits_for_the_operation_in_progress,
    memory_of_several_processes_needs_locks,
    every_operation_of_two_queues_counts_once,
]
TESTS = pathlib.Path(__file__).parents[3]


@pytest.mark.parametrize("name", [check.__name__ for check in CHECKS])
def test_in_a_process_of_its_own(name):
    """Other tests share memory with other processes, which lasts as long as the process."""
    code = f"from cpu.runtime.exec import test_sole_worker as tests; tests.{name}()"
    environment = os.environ | {"CUDA_CPU_WORKERS": "1", "CUDA_CPU_LEVEL": "3", "PYTHONPATH": str(TESTS)}
    done = subprocess.run([sys.executable, "-c", code], cwd=TESTS, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
