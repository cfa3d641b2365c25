# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Many threads, streams, launches and processes at once."""

from __future__ import annotations

import contextlib
import ctypes
import threading
from ctypes import c_uint32, c_uint64

import graph_calls as calls
import kernels
from support.other_process import OtherProcess
from support.scripts import run_checked

from cuda.cpu import abi, driver

THREADS, LAUNCHES, ROUNDS = 8, 10_000, 12


def in_threads(work, count=THREADS) -> None:
    """Run `work(number)` in threads that start together, and raise what any of them raised."""
    failures, together = [], threading.Barrier(count)

    def run(number: int) -> None:
        try:
            together.wait(20)
            work(number)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not any(thread.is_alive() for thread in threads)
    if failures:
        raise failures[0]


def test_threads_streams_and_allocations(context):
    """Each thread allocates, fills, computes and checks in streams of its own, and waits for its neighbour's events."""
    marks = [driver.cuEventCreate(2) for _ in range(THREADS)]
    with kernels.loaded(kernels.SAXPY) as module:

        def work(number: int) -> None:
            driver.cuCtxSetCurrent(context)
            streams = [driver.cuStreamCreate(abi.CU_STREAM_NON_BLOCKING) for _ in range(2)]
            for turn in range(ROUNDS):
                stream, count = streams[turn % 2], 100 + 977 * ((number + turn) % 5)
                x, y = (driver.cuMemAllocAsync(4 * count, stream) for _ in range(2))
                driver.cuMemsetD32Async(x, 0x3F800000, count, stream)  # 1.0
                driver.cuMemsetD32Async(y, 0x40000000, count, stream)  # 2.0
                arguments = c_uint64(y), c_uint64(x), ctypes.c_float(number), c_uint32(count)
                kernels.run(
                    module, "saxpy", *arguments, grid=(-(-count // 128), 1, 1), block=(128, 1, 1), stream=stream
                )
                driver.cuEventRecord(marks[number], stream)
                driver.cuStreamWaitEvent(streams[(turn + 1) % 2], marks[(number + 1) % THREADS], 0)
                back = (ctypes.c_float * count)()
                driver.cuMemcpyDtoHAsync(ctypes.addressof(back), y, 4 * count, stream)
                driver.cuStreamSynchronize(stream)
                assert set(back) == {number + 2}
                driver.cuMemFreeAsync(x, stream)
                driver.cuMemFreeAsync(y, stream)
                kept = driver.cuMemAlloc(1 + 4096 * (turn % 3))
                driver.cuMemFree(kept)
            for stream in streams:
                driver.cuStreamDestroy(stream)

        in_threads(work)
    for mark in marks:
        driver.cuEventDestroy(mark)


COUNT_UP = """
.visible .entry count_up(.param .u64 out_ptr)
{
 .reg .b64 %rd<2>; ld.param.u64 %rd1, [out_ptr]; red.global.add.u32 [%rd1], 1; ret;
}
"""


def test_ten_thousand_launches(context):
    with kernels.loaded(COUNT_UP) as module, calls.memory() as pointer:
        function = driver.cuModuleGetFunction(module, b"count_up")

        def work(number: int) -> None:
            driver.cuCtxSetCurrent(context)
            stream = driver.cuStreamCreate(abi.CU_STREAM_NON_BLOCKING)
            kernel_params, _kept = kernels.packed(c_uint64(pointer))
            for _ in range(LAUNCHES // THREADS):
                driver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, kernel_params, 0)
            driver.cuStreamSynchronize(stream)
            driver.cuStreamDestroy(stream)

        in_threads(work)
        assert kernels.read(pointer) == LAUNCHES


def test_concurrently_spawned_processes():
    with contextlib.ExitStack() as stack:
        others = [stack.enter_context(OtherProcess(CUDA_CPU_WORKERS="1")) for _ in range(4)]
        for number, other in enumerate(others):
            other.start(f"""
import ctypes
from cuda.cpu import driver
driver.cuInit(0)
driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0))
pointers = [driver.cuMemAlloc(5000) for _ in range(50)]
for pointer in pointers:
    driver.cuMemsetD8(pointer, {number}, 5000)
driver.cuCtxSynchronize()
found = (ctypes.c_uint8 * 5000)()
driver.cuMemcpyDtoH(ctypes.addressof(found), pointers[17], 5000)
""")
        for number, other in enumerate(others):
            assert other.answer()[0]
            assert other.run("set(found)") == {number}


def test_processes_forked_while_threads_launch():
    """The children are refused in words, whatever the parent's threads were doing; the parent goes on."""
    said = run_checked("""
        import os, sys, threading
        sys.path.insert(0, "tests/cpu/driver")
        from cuda.cpu import driver
        from cuda.cpu.driver.base.error import CudaError
        driver.cuInit(0)
        context = driver.cuDevicePrimaryCtxRetain(0)
        driver.cuCtxSetCurrent(context)
        pointer, over = driver.cuMemAlloc(4096), threading.Event()
        def busy():
            driver.cuCtxSetCurrent(context)
            line = driver.cuStreamCreate(1)
            while not over.is_set():
                driver.cuMemsetD8Async(pointer, 1, 4096, line)
                driver.cuStreamSynchronize(line)
        threads = [threading.Thread(target=busy) for _ in range(3)]
        for thread in threads:
            thread.start()
        for _ in range(8):
            child = os.fork()
            if not child:
                try:
                    driver.cuInit(0)
                except CudaError as error:
                    os._exit(error.status)
                os._exit(0)
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        over.set()
        for thread in threads:
            thread.join()
        driver.cuCtxSynchronize()
        print("fine")
    """)
    assert said.split() == ["3"] * 8 + ["fine"]  # CUDA_ERROR_NOT_INITIALIZED
