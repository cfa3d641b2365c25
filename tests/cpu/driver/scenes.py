# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Scenes for two calls at once: a context with an object that both use, and a count of what leaks."""

from __future__ import annotations

import contextlib
import ctypes
import os
from ctypes import addressof

import kernels
import live_handles
from support import open_files

from cuda.cpu import driver
from cuda.cpu.driver.base import address, capture_state
from cuda.cpu.driver.base.error import CudaError
from cuda.cpu.driver.code import module
from cuda.cpu.driver.device import device
from cuda.cpu.driver.memory import memory, pool
from cuda.cpu.driver.stream import event, stream

HERE = os.path.dirname(driver.__file__)
HOST = ctypes.create_string_buffer(1 << 16)
ANSWER = ctypes.create_string_buffer(1 << 12)
ROOM = addressof(ANSWER)
CALLBACK = ctypes.cast(live_handles.NOTHING, ctypes.c_void_p).value
SIZE = 4096
PTX = kernels.text(kernels.STORE, kernels.VARIABLES, ".visible .global .attribute(.managed) .align 4 .b8 all[8192];\n")


class Scene:
    """A context with memory, an event and a kernel; `thing` is the object that two threads use."""

    def __init__(self, context: int = 0) -> None:
        self.context = context or driver.cuCtxCreate(0, 0, 0)
        driver.cuCtxSetCurrent(self.context)
        self.memory = driver.cuMemAlloc(SIZE)
        self.event = driver.cuEventCreate(0)
        self.module = driver.cuModuleLoadData(kernels.address_of(PTX))
        self.thing: int = 0
        self.kept: list[object] = []  # memory that the calls point to

    def launch(self, kernel: int, where: int = 0, address: int = 0) -> None:
        values = ctypes.c_uint64(address or self.memory), ctypes.c_uint32(7)
        pointers = (ctypes.c_void_p * 2)(*map(addressof, values))
        self.kept.append((values, pointers))
        driver.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, where, addressof(pointers), 0)

    def run_module(self, handle: int) -> None:
        self.launch(driver.cuModuleGetFunction(handle, b"store"))

    def run_library(self, handle: int) -> None:
        self.launch(driver.cuLibraryGetKernel(handle, b"store"))


@contextlib.contextmanager
def scene(make, end, held, other):
    """Yield the calls on a new object in a new context, then destroy both and check that nothing leaks."""
    before = left()
    here = Scene()
    here.thing = make(here)
    yield lambda: driver.cuCtxSetCurrent(here.context), lambda: held(here), lambda: other(here)
    for each in (lambda: end(here), lambda: driver.cuCtxDestroy(here.context)):
        driver.cuCtxSetCurrent(here.context) if here.context in driver.context.contexts else None
        with contextlib.suppress(CudaError):  # perhaps it has ended
            each()
    driver.context.stack().clear()
    driver.cuMemPoolTrimTo(driver.cuDeviceGetDefaultMemPool(0), 0)
    assert left() == before


def left() -> tuple[int, ...]:
    """Return the memory in use and the number of live objects of each kind."""
    used = device.find(0).arena.used, memory.host_arena().used, device.find(0).mapped
    used += tuple(sorted(each.used for each in pool.pools.values()))
    tables = address._records, stream.streams, event.events, module.modules, pool.pools, capture_state.active
    return (*used, *map(len, tables), open_files.count())
