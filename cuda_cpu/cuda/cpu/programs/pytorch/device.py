# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The functions of torch.cuda that programs beside Triton use, on device 0 of our driver.

Every launch has ended when it returns (driver.finish_launch), so streams and events have nothing to wait for.
"""

from __future__ import annotations

import contextlib
import ctypes
import threading
import time
import types
from typing import Any

import torch

from cuda.cpu.abi import (
    CU_DEVICE_ATTRIBUTE_CLOCK_RATE,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
    CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE,
    CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR,
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK,
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
    CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
    CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR,
    CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
    CU_DEVICE_ATTRIBUTE_WARP_SIZE,
)
from cuda.cpu.programs.driver_calls import call, returned
from cuda.cpu.programs.pytorch import driver, graphs

# Properties of the device by PyTorch's names.
PROPERTIES = {
    "major": CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
    "minor": CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
    "multi_processor_count": CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
    "warp_size": CU_DEVICE_ATTRIBUTE_WARP_SIZE,
    "clock_rate": CU_DEVICE_ATTRIBUTE_CLOCK_RATE,
    "L2_cache_size": CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE,
    "max_threads_per_block": CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
    "max_threads_per_multi_processor": CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR,
    "regs_per_multiprocessor": CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR,
    "shared_memory_per_block": CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK,
    "shared_memory_per_block_optin": CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
    "shared_memory_per_multiprocessor": CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
}
_current = threading.local()


class Event:
    """A moment on the host's clock."""

    def __init__(self, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False) -> None:
        self.timed = enable_timing
        self.moment: int | None = None

    def record(self, stream: Stream | None = None) -> None:
        self.moment = time.perf_counter_ns()

    def elapsed_time(self, end: Event) -> float:
        """Return the milliseconds until another event."""
        if not (self.timed and end.timed):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        if self.moment is None or end.moment is None:
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        return (end.moment - self.moment) / 1e6

    def query(self) -> bool:
        return True

    def synchronize(self) -> None:
        pass

    wait = record_event = lambda self, stream=None: None


class Stream:
    """A stream of the driver, the default one by its handle 0."""

    def __init__(self, device: Any = None, priority: int = 0, *, handle: int | None = None) -> None:
        driver.use_device()
        if handle is None:
            handle = returned(ctypes.c_void_p, "cuStreamCreateWithPriority", 1, priority)
        self.handle, self.device, self.priority = handle, torch.device("cuda", 0), priority

    @property
    def cuda_stream(self) -> int:
        """The driver's handle. While the thread captures a graph, its launches on all streams are part of it."""
        graph = graphs.capture()
        return self.handle if graph is None else graph.stream

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self.cuda_stream

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and self.handle == other.handle

    def __hash__(self) -> int:
        return hash(self.handle)

    def query(self) -> bool:
        return True

    def synchronize(self) -> None:
        graphs.refuse_in_capture("synchronisation")
        call("cuStreamSynchronize", ctypes.c_void_p(self.handle))

    def record_event(self, event: Event | None = None) -> Event:
        event = event or Event()
        event.record(self)
        return event

    def wait_event(self, event: Event) -> None:
        pass

    def wait_stream(self, stream: Stream) -> None:
        pass


def default_stream(device: Any = None) -> Stream:
    return Stream(handle=0)


def current_stream(device: Any = None) -> Stream:
    return getattr(_current, "stream", None) or default_stream()


def set_stream(stream: Stream) -> None:
    _current.stream = stream


@contextlib.contextmanager
def stream_context(stream: Stream | None) -> Any:
    before = current_stream()
    _current.stream = stream or before
    try:
        yield
    finally:
        _current.stream = before


def get_device_name(device: Any = None) -> str:
    name = ctypes.create_string_buffer(256)
    driver.use_device()
    call("cuDeviceGetName", name, 256, 0)
    return name.value.decode()


def get_device_properties(device: Any = None) -> types.SimpleNamespace:
    known = {name: driver.attribute(number) for name, number in PROPERTIES.items()}
    total = returned(ctypes.c_size_t, "cuDeviceTotalMem_v2", 0)
    return types.SimpleNamespace(name=get_device_name(), total_memory=total, **known)


def get_device_capability(device: Any = None) -> tuple[int, int]:
    return driver.attribute(PROPERTIES["major"]), driver.attribute(PROPERTIES["minor"])


def current_device() -> int:
    """Return the number of the device, with the driver initialised: Triton then calls it directly."""
    driver.use_device()
    return 0


def set_device(device: Any) -> None:
    """Accept the only device.

    Raises
    ------
    RuntimeError
        It is another one.
    """
    index = device if isinstance(device, int) else torch.device(device).index
    if index not in (None, 0, -1):
        raise RuntimeError(f"device {index}: run --torch has one device, cuda:0")


@contextlib.contextmanager
def device_context(device: Any) -> Any:
    set_device(device if device is not None else 0)
    yield


def synchronize(device: Any = None) -> None:
    graphs.refuse_in_capture("synchronisation")
    driver.use_device()
    call("cuCtxSynchronize")


FUNCTIONS = {
    "is_available": lambda: True,
    "is_initialized": lambda: True,
    "init": driver.use_device,
    "_lazy_init": driver.use_device,
    "device_count": lambda: 1,
    "current_device": current_device,
    "set_device": set_device,
    "device": device_context,
    "get_device_name": get_device_name,
    "get_device_properties": get_device_properties,
    "get_device_capability": get_device_capability,
    "synchronize": synchronize,
    "current_stream": current_stream,
    "default_stream": default_stream,
    "stream": stream_context,
    "set_stream": set_stream,
    "Stream": Stream,
    "Event": Event,
    "empty_cache": lambda: None,
    "manual_seed": torch.default_generator.manual_seed,
    "manual_seed_all": torch.default_generator.manual_seed,
}


def install() -> None:
    """Replace the functions of torch.cuda, and the one of torch._C that Triton imports."""
    for name, function in FUNCTIONS.items():
        setattr(torch.cuda, name, function)
    torch._C._cuda_getCurrentRawStream = lambda index: current_stream().cuda_stream
