# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Objects that are created at first use, by two threads at once: exactly one is created."""

from __future__ import annotations

import contextlib
import ctypes
from ctypes import addressof

import live_handles
import pytest
from scenes import HERE, Scene, scene
from support.interleaving import everywhere

from cuda.cpu import driver
from cuda.cpu.driver.array import array
from cuda.cpu.driver.code import kernel as kernel_module
from cuda.cpu.driver.code import library as library_module
from cuda.cpu.driver.device import device
from cuda.cpu.driver.memory import memory, pool
from cuda.cpu.driver.stream import stream


@pytest.fixture(scope="module", autouse=True)
def begun(initialized):
    """Create what a process creates once, so that leaks of a test can be counted."""
    memory.host_arena()
    driver.cuDeviceGetDefaultMemPool(0)
    here = Scene()
    here.run_module(here.module)  # the cache keeps its folder open
    driver.cuCtxDestroy(here.context)


# --- first uses -------------------------------------------------------------------------------------------------------


def _ipc_handle(here: Scene) -> bytes:
    handle = ctypes.create_string_buffer(64)
    driver.cuIpcGetMemHandle(addressof(handle), here.memory)
    return handle.raw


FIRST_USES = {
    "the default stream": (lambda h: 0, lambda h: stream.find(0)),
    "a kernel of a library": (
        lambda h: live_handles._library(),
        lambda h: driver.cuLibraryGetKernel(h.thing, b"store"),
    ),
    "a library's module": (lambda h: live_handles._library(), lambda h: driver.cuLibraryGetModule(h.thing)),
    "a function of a library": (
        lambda h: driver.cuLibraryGetKernel(live_handles._library(), b"store"),
        lambda h: driver.cuKernelGetFunction(h.thing),
    ),
    "a function": (lambda h: 0, lambda h: driver.cuModuleGetFunction(h.module, b"store")),
    "a kernel's code": (
        lambda h: driver.cuModuleGetFunction(h.module, b"store"),
        lambda h: kernel_module.function_of(h.thing).load(),
    ),
    "a level of a mipmapped array": (
        lambda h: live_handles._mipmapped(),
        lambda h: driver.cuMipmappedArrayGetLevel(h.thing, 1),
    ),
    "a handle for other processes": (lambda h: 0, _ipc_handle),
}


def end_first_use(here: Scene) -> None:
    for table, end in (
        (library_module.libraries, driver.cuLibraryUnload),
        (array.mipmapped_arrays, driver.cuMipmappedArrayDestroy),
    ):
        for handle in list(table):
            end(handle)


@pytest.mark.parametrize("name", FIRST_USES)
def test_a_first_use_by_two_threads_creates_one_object(name):
    make, use = FIRST_USES[name]
    meetings = 0
    for held, other in everywhere(lambda: scene(make, end_first_use, use, use), HERE):
        assert (held.error, other.error) == (None, None), held.text + other.text
        assert held.value == other.value
        meetings += 1
    assert meetings > 2


@contextlib.contextmanager
def without(table, use):
    """Clear a process-wide table, so that two calls create its objects again."""
    kept = dict(table)
    table.clear()
    try:
        yield int, use, use
    finally:
        table.clear()
        table.update(kept)


@pytest.mark.parametrize(
    ("table", "use"),
    [
        pytest.param(memory._host_arena, memory.host_arena, id="the range of pinned memory"),
        pytest.param(pool._defaults, lambda: driver.cuDeviceGetDefaultMemPool(0), id="a default pool"),
    ],
)
def test_process_wide_objects_are_created_once(table, use):
    pools = set(pool.pools)
    for held, other in everywhere(lambda: without(table, use), HERE):
        assert held.error is None, held.text
        assert held.value == other.value, other.text
    for handle in set(pool.pools) - pools:
        del pool.pools[handle]


def test_two_threads_start_the_driver():
    """Both threads find the same devices, and the address range of a device's memory is reserved once."""

    @contextlib.contextmanager
    def stopped():
        kept = list(device._devices)
        device._started = False
        yield int, use, use
        device._devices[:] = kept

    def use():
        driver.cuInit(0)
        return device.find(0), device.find(0).arena

    for held, other in everywhere(stopped, HERE):
        assert held.error is None, held.text
        assert held.value == other.value, other.text
        if held.value[0].arena is not device.find(0).arena:
            held.value[0].arena.close()
