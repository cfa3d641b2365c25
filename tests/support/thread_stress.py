# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Threads that compile, launch, copy, record, capture, allocate and close on all devices: `thread_stress.py SECONDS`.

Each thread first runs every operation once, and then random ones until the time is over. Results are checked, and at
the end the memory in use. Prints the number of runs of each operation, or exits with the first failures.
"""

from __future__ import annotations

import collections
import ctypes
import gc
import queue
import random
import sys
import threading
import time
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np

from cuda.core import (
    ClosedError,
    CUDAError,
    Device,
    DeviceMemoryResource,
    EventOptions,
    LaunchConfig,
    LegacyPinnedMemoryResource,
    ObjectCode,
    Program,
    ProgramOptions,
    launch,
)
from cuda.core.graph import GraphDefinition
from cuda.core.utils import StridedMemoryView

THREADS, COUNT = 16, 256
# What a call may raise whose object another thread closes meanwhile.
LOST = "CUDA_ERROR_INVALID_HANDLE", "CUDA_ERROR_INVALID_VALUE", "CUDA_ERROR_CONTEXT_IS_DESTROYED"

PTX = """.version 8.0
.target sm_75
.address_size 64
.visible .entry add(.param .u64 p, .param .u32 n) {
    .reg .u64 %d<4>; .reg .u32 %r<4>;
    ld.param.u64 %d0, [p];
    ld.param.u32 %r0, [n];
    cvta.to.global.u64 %d0, %d0;
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %d1, %r1, 4;
    add.u64 %d0, %d0, %d1;
    ld.global.u32 %r2, [%d0];
    add.u32 %r2, %r2, %r0;
    add.u32 %r2, %r2, {constant};
    st.global.u32 [%d0], %r2;
    ret;
}
"""
ONE = LaunchConfig(grid=1, block=COUNT)


def code_of(constant: int) -> ObjectCode:
    return ObjectCode.from_ptx(PTX.replace("{constant}", str(constant)).encode())


class Shared:
    """What all threads of a device use."""

    def __init__(self, device: Device) -> None:
        device.set_current()
        self.code = code_of(0)
        self.stream = device.create_stream()
        self.event = device.create_event()
        self.pool = DeviceMemoryResource(device, {"max_size": 64 << 20})
        self.program = Program('extern "C" __global__ void f(int *x) { x[threadIdx.x] += 7; }', "c++", ProgramOptions())


class Worker:
    """One thread: its device, what it shares with others, and its operations."""

    def __init__(self, number: int, device: Device, shared: Shared, handed: queue.Queue) -> None:
        self.random = random.Random(number)
        self.device = device
        self.shared = shared
        self.handed = handed  # objects that any thread closes
        self.runs: collections.Counter[str] = collections.Counter()
        self.failures: list[str] = []

    def run(self, end: float) -> None:
        self.device = Device(self.device.device_id)  # this thread's object
        self.device.set_current()
        waiting = list(OPERATIONS)
        self.random.shuffle(waiting)
        while (waiting or time.monotonic() < end) and not self.failures:
            operation = waiting.pop() if waiting else self.random.choice(OPERATIONS)
            try:
                operation(self)
            except Exception:
                self.failures.append(f"{operation.__name__}: {traceback.format_exc()}")
            self.runs[operation.__name__] += 1

    # Operations.

    def compile_and_launch(self) -> None:
        constant = self.random.randrange(6)
        with self.device.create_stream() as stream:
            buffer = self.numbers(stream)
            kernel = code_of(constant).get_kernel("add")
            launch(stream, ONE, kernel, buffer, 1)
            self.check(buffer, stream, constant + 1)

    def compile_in_cxx(self) -> None:
        """Compile one Program that the threads share, or a new one."""
        if self.random.random() < 0.5:
            program = self.shared.program
        else:
            program = Program('extern "C" __global__ void f(int *x) { x[threadIdx.x] += 7; }', "c++")
        kernel = program.compile("ptx").get_kernel("f")
        with self.device.create_stream() as stream:
            buffer = self.numbers(stream)
            launch(stream, ONE, kernel, buffer)
            self.check(buffer, stream, 7)

    def launch_shared(self) -> None:
        """Launch one kernel object in one stream of all threads, with arguments of many types."""
        kernel, stream = self.shared.code.get_kernel("add"), self.shared.stream
        buffer = self.numbers(stream)
        step = kernel.prepare(ONE, stream)
        for value in (1, np.uint32(2), ctypes.c_uint32(3), np.int32(4), True, type("Own", (ctypes.c_uint32,), {})(5)):
            launch(stream, ONE, kernel, buffer, value)
        step(buffer, np.uint32(100))
        assert repr(kernel)
        assert kernel.num_arguments == 2
        self.check(buffer, stream, 116)

    def copy(self) -> None:
        with self.device.create_stream() as first, self.device.create_stream() as second:
            source = np.arange(COUNT, dtype=np.uint32)
            one, two = (self.device.allocate(4 * COUNT, stream=first) for _ in range(2))
            one.copy_from(source, stream=first)
            second.wait(first)
            two.copy_from(one, stream=second)
            back = np.zeros_like(source)
            two.copy_to(back, stream=second)
            second.sync()
            assert (back == source).all()
            first.wait(second)
            one.close()
            two.close(second)

    def events(self) -> None:
        timed = EventOptions(timing_enabled=True)
        with self.device.create_stream() as stream:
            start = stream.record(options=timed)
            stream.wait(self.shared.stream.record(self.shared.event))
            assert self.shared.event.is_done in (True, False)
            end = stream.record(options=timed)
            end.sync()
            assert end - start >= 0
            self.shared.stream.record().sync()

    def capture(self) -> None:
        with self.device.create_stream() as stream:
            buffer = self.numbers(stream)
            stream.sync()
            builder = self.device.create_graph_builder().begin_building()
            left, right = builder.split(2)
            launch(left, ONE, self.shared.code.get_kernel("add"), buffer, 2)
            builder = left.join(left, right)
            graph = builder.end_building().complete()
            for _ in range(3):
                graph.launch(stream)
            self.check(buffer, stream, 6)
            builder.close()
            self.handed.put(graph)

    def define_graph(self) -> None:
        with self.device.create_stream() as stream:
            buffer = self.numbers(stream)
            definition = GraphDefinition()
            kernel = self.shared.code.get_kernel("add")
            node = definition.launch(ONE, kernel, buffer, 1)
            node.launch(ONE, kernel, buffer, 2)
            graph = definition.instantiate()
            graph.launch(stream)
            graph[node].update(config=ONE, kernel=kernel, args=(buffer, 10))
            graph.launch(stream)
            self.check(buffer, stream, 15)
            graph.close()

    def pools(self) -> None:
        with self.device.create_stream() as stream, DeviceMemoryResource(self.device, {"max_size": 1 << 20}) as own:
            kept = [pool.allocate(1000, stream=stream) for pool in (own, self.shared.pool) for _ in range(4)]
            self.random.shuffle(kept)
            for buffer in kept:
                buffer.fill(self.random.randrange(256), stream=stream)
                buffer.close()
            stream.sync()

    def share_memory(self) -> None:
        """View pinned memory by DLPack and by the buffer protocol, and close it while the views are alive."""
        buffer = LegacyPinnedMemoryResource().allocate(64)
        viewed = np.from_dlpack(buffer)
        view = StridedMemoryView.from_any_interface(buffer, stream_ptr=-1)
        viewed[:] = 3
        self.handed.put(buffer)
        assert view.shape == (64,)
        assert set(np.from_dlpack(view).tolist()) == {3}
        assert set(viewed.tolist()) == {3}

    def hand_over(self) -> None:
        """Leave objects to other threads, which use and close them while this one does."""
        stream = self.device.create_stream()
        things = [self.device.allocate(100, stream=stream), stream.record(), stream]
        for thing in things:
            for _ in range(2):
                self.handed.put(thing)
        for use in (lambda: stream.is_done, lambda: stream.wait(things[1]), lambda: things[0].fill(1, stream=stream)):
            try:
                use()
            except ClosedError:
                pass
            except CUDAError as error:
                if error.name not in LOST:
                    raise

    def close_others(self) -> None:
        for _ in range(8):
            try:
                thing = self.handed.get_nowait()
            except queue.Empty:
                return
            assert repr(thing)
            thing.close()
            assert thing.is_closed

    # Helpers.

    def numbers(self, stream: Any) -> Any:
        """Return a buffer of zeros."""
        buffer = self.device.allocate(4 * COUNT, stream=stream)
        buffer.fill(0, stream=stream)
        return buffer

    def check(self, buffer: Any, stream: Any, expected: int) -> None:
        found = np.zeros(COUNT, np.uint32)
        buffer.copy_to(found, stream=stream)
        stream.sync()
        assert (found == expected).all(), (expected, found)
        buffer.close(stream)


OPERATIONS: list[Callable[[Worker], None]] = [
    Worker.compile_and_launch,
    Worker.compile_in_cxx,
    Worker.launch_shared,
    Worker.copy,
    Worker.events,
    Worker.capture,
    Worker.define_graph,
    Worker.pools,
    Worker.share_memory,
    Worker.hand_over,
    Worker.close_others,
]


def used(device: Device) -> int:
    device.set_current()
    device.sync()
    return device.memory_resource.attributes.used_mem_current


def main(seconds: float) -> None:
    sys.setswitchinterval(1e-4)
    devices = Device.get_all_devices()
    shared = [Shared(device) for device in devices]
    before = [used(device) for device in devices]
    handed = [queue.Queue() for _ in devices]  # objects are closed by threads of their own device
    chosen = [number % len(devices) for number in range(THREADS)]
    workers = [Worker(number, devices[at], shared[at], handed[at]) for number, at in enumerate(chosen)]
    end = time.monotonic() + seconds
    threads = [threading.Thread(target=worker.run, args=(end,)) for worker in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    failures = [failure for worker in workers for failure in worker.failures]
    if failures:
        sys.exit(f"{len(failures)} threads failed:\n" + "\n".join(failures[:3]))
    for device, waiting in zip(devices, handed, strict=True):
        device.set_current()
        while not waiting.empty():
            waiting.get().close()
    gc.collect()
    after = [used(device) for device in devices]
    assert after == before, f"memory in use: {before} before, {after} after"
    runs = sum((worker.runs for worker in workers), collections.Counter())
    print(f"{sum(runs.values())} operations of {THREADS} threads on {len(devices)} devices")
    for name, count in sorted(runs.items()):
        print(f"{count:8} {name}")


if __name__ == "__main__":
    main(float(sys.argv[1]))
