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
    """A kernel whose warps call a Python function with the address of struct cpu_sole, or None.

    The warps in `asking` ask to be executed by the only worker.
    """

    def __init__(self, function, path=Path.WARPS, asking=(0,), warps=1):
        def entry(warp):
            if ctypes.c_uint32.from_address(warp + WARP["warp_id"]).value in asking:
                ctypes.c_uint32.from_address(warp + WARP["scattered"]).value = 1
            address = ctypes.c_uint64.from_address(warp + WARP["sole"]).value
            function(Sole.from_address(address) if address else None)

        self._entry = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(entry)
        self._parameters = np.zeros(16, np.uint8)
        self.threads = 32 * warps
        self.queue = runtime.Queue()
        address = ctypes.cast(self._entry, ctypes.c_void_p).value
        self.compiled = runtime.CompiledKernel(address, "k", 0, 0, 0, 0, path, self)

    def launch(self) -> None:
        one = (1, 1, 1)
        self.queue.launch(self.compiled, one, (self.threads, 1, 1), one, 0, self._parameters.ctypes.data, False, 1)
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
    for path in (Path.WARPS, Path.FIBERS):
        seen: list = []
        kernel = Kernel(lambda sole, seen=seen: seen.append(sole and (sole.valid, sole.busy)), path)
        kernel.launch()
        assert seen == [None]  # the kernel has not asked for it yet
        launches_until_sole(kernel, seen)
        assert seen == [(1, 0)]


def kernel_gets_it_if_one_of_its_warps_asks():
    for path in (Path.WARPS, Path.FIBERS):
        seen: list = []
        kernel = Kernel(seen.append, path, asking=[2], warps=3)
        kernel.launch()
        launches_until_sole(kernel, seen)
        assert None not in seen
        assert len(seen) == 3
        seen.clear()
        other = Kernel(seen.append, path, asking=(), warps=3)
        other.queue = kernel.queue  # its warps are at the same addresses
        for _ in range(3):
            other.launch()
        assert seen == [None] * 9


def other_workers_wait_for_the_operation_in_progress():
    for path in (Path.WARPS, Path.FIBERS):
        _others_wait(path)


def _others_wait(path: Path) -> None:
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
        for each in after:
            each.wait(WAIT)  # the others run while this launch goes on, with locks
        order.append(("locks", sole.valid))

    def other(number):
        def record(sole):
            order.append(("other", sole))
            after[number].set()

        return record

    seen: list = []
    wanted, after = False, [threading.Event(), threading.Event()]
    kernels = [Kernel(first, path), *(Kernel(other(number), path) for number in range(2))]
    launches_until_sole(kernels[0], seen)
    wanted = True
    threads = [threading.Thread(target=kernel.launch) for kernel in kernels]
    threads[0].start()
    assert inside.wait(WAIT)
    for thread in threads[1:]:
        thread.start()
        time.sleep(0.05)
        assert order == []  # it waits, even if another one has begun
    leave.set()
    for thread in threads:
        thread.join()
    assert order == [("first", 0), ("other", None), ("other", None), ("locks", 0)]
    order.clear()
    for _ in range(REFUSED):
        kernels[1].launch()
    # The first launches of the others were no sole workers either.
    assert order == [("other", None)] * REFUSED


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
HEAD = b".version 8.5\n.target sm_90\n.address_size 64\n"
ONE = b"""
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
# Each thread counts `turns` times: in a word by atom.cas (which may wait, so warps run on fibers), 1 and 2 KiB behind
# it by red.add and atom.inc. It adds up the old values.
MANY = b"""
.visible .entry k(.param .u64 words, .param .u64 sums, .param .u32 turns)
{
    .reg .b32 %r<16>; .reg .b64 %d<9>; .reg .pred %p<3>;
    ld.param.u64 %d1, [words]; ld.param.u64 %d2, [sums]; ld.param.u32 %r1, [turns];
    mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mad.lo.u32 %r5, %r3, %r4, %r2;
    mul.wide.u32 %d5, %r5, 4; add.u64 %d5, %d2, %d5; mov.u32 %r12, 0;
TURN:
    mad.lo.u32 %r6, %r1, 7, %r5; and.b32 %r6, %r6, 255; mul.wide.u32 %d3, %r6, 4; add.u64 %d4, %d1, %d3;
    ld.volatile.global.u32 %r7, [%d4]; mov.u32 %r9, %r7;
AGAIN:
    mov.u32 %r7, %r9; add.u32 %r8, %r7, 1; atom.global.cas.b32 %r9, [%d4], %r7, %r8;
    setp.ne.u32 %p1, %r9, %r7; @%p1 bra AGAIN;
    red.global.add.u32 [%d4+1024], 1; atom.global.inc.u32 %r10, [%d4+2048], 0xffffffff;
    add.u32 %r12, %r12, %r7; add.u32 %r12, %r12, %r10;
    sub.u32 %r1, %r1, 1; setp.ne.u32 %p2, %r1, 0; @%p2 bra TURN;
    red.global.add.u32 [%d5], %r12;
    ret;
}
"""
WAITING = b"""
.visible .entry wait(.param .u64 flag)
{
    .reg .b32 %r<3>; .reg .b64 %d<3>; .reg .pred %p<3>;
    ld.param.u64 %d1, [flag]; mov.u32 %r2, %tid.x; mul.wide.u32 %d2, %r2, 4; add.u64 %d1, %d1, %d2;
AGAIN:
    atom.global.cas.b32 %r1, [%d1], 1, 2; setp.ne.u32 %p1, %r1, 1; @%p1 bra AGAIN;
    ret;
}
.visible .entry set(.param .u64 flag)
{
    .reg .b32 %r<3>; .reg .b64 %d<3>;
    ld.param.u64 %d1, [flag]; mov.u32 %r2, %tid.x; mul.wide.u32 %d2, %r2, 4; add.u64 %d1, %d1, %d2;
    atom.global.exch.b32 %r1, [%d1], 1;
    ret;
}
"""


def every_operation_of_two_queues_counts_once():
    words, random = np.zeros(WORDS, np.float32), np.random.default_rng(1)
    index = random.integers(0, WORDS, BLOCKS * THREADS).astype(np.uint32)
    loaded = Loaded(HEAD + ONE), Loaded(HEAD + ONE)

    def launch(each: Loaded) -> None:
        for _ in range(LAUNCHES):
            each.launch("k", BLOCKS, THREADS, words, index)

    threads = [threading.Thread(target=launch, args=(each,)) for each in loaded]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    np.testing.assert_array_equal(words, 2 * LAUNCHES * np.bincount(index, minlength=WORDS))


def launch_that_begins_in_the_middle_of_another_one_counts_every_operation():
    words, sums, count = np.zeros((3, WORDS), np.uint32), np.zeros(BLOCKS * THREADS, np.uint32), 0
    random = np.random.default_rng(1)
    loaded, turns = (Loaded(HEAD + MANY), Loaded(HEAD + MANY)), 2000

    def launch(number: int, blocks: int, turns: int) -> None:
        loaded[number].launch("k", blocks, THREADS, words, sums, np.uint32(turns))

    for turn in range(40):
        runtime.set_workers(1 + turn % 2)  # with two, they join while the launch goes on
        for _ in range(REFUSED + 1):
            launch(0, 2, 1)
        thread = threading.Thread(target=launch, args=(0, BLOCKS, turns))
        thread.start()
        time.sleep(random.uniform(0, 0.01))
        launch(1, BLOCKS, turns)
        thread.join()
        count += (2 * THREADS * (REFUSED + 1) + 2 * BLOCKS * THREADS * turns) // WORDS
        np.testing.assert_array_equal(words, count)
        assert sums.sum(dtype=np.uint32) == WORDS * count * (count - 1) % 2**32  # each of 0 ... count - 1 is old, twice


def only_worker_may_wait_for_a_launch_of_another_queue():
    flags, loaded = np.ones(32, np.uint32), (Loaded(HEAD + WAITING), Loaded(HEAD + WAITING))
    for _ in range(REFUSED + 2):
        flags[:] = 1
        loaded[0].launch("wait", 1, 32, flags)
    flags[:] = 0
    thread = threading.Thread(target=loaded[0].launch, args=("wait", 1, 32, flags))
    thread.start()
    time.sleep(0.05)
    loaded[1].launch("set", 1, 32, flags)
    thread.join()
    np.testing.assert_array_equal(flags, 2)


CHECKS = [
    worker_of_a_kernel_that_asks_for_it_is_the_only_one,
    kernel_gets_it_if_one_of_its_warps_asks,
    other_workers_wait_for_the_operation_in_progress,
    memory_of_several_processes_needs_locks,
    every_operation_of_two_queues_counts_once,
    launch_that_begins_in_the_middle_of_another_one_counts_every_operation,
    only_worker_may_wait_for_a_launch_of_another_queue,
]
TESTS = pathlib.Path(__file__).parents[3]


@pytest.mark.parametrize("name", [check.__name__ for check in CHECKS])
def test_in_a_process_of_its_own(name):
    """Other tests share memory with other processes, which lasts as long as the process."""
    code = f"from cpu.runtime.exec import test_sole_worker as tests; tests.{name}()"
    paths = os.pathsep.join([str(TESTS), *filter(None, sys.path)])
    environment = os.environ | {"CUDA_CPU_WORKERS": "1", "CUDA_CPU_LEVEL": "3", "PYTHONPATH": paths}
    done = subprocess.run([sys.executable, "-c", code], cwd=TESTS, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
