# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""leakcheck: memory, streams, events and modules that a context still has at its end; and those that were released."""

from __future__ import annotations

import ctypes

import pytest

from cuda.cpu import driver

pytestmark = pytest.mark.cpu_only

IMAGE = b".version 8.0\n.target sm_80\n.address_size 64\n.visible .global .u32 v;\n.visible .entry k() { ret; }"


def load() -> int:
    image = ctypes.create_string_buffer(IMAGE)
    return driver.cuModuleLoadData(ctypes.addressof(image))


# What makes an object, what ends it, and the message.
OBJECTS = {
    "memory": (
        lambda: driver.cuMemAlloc(100),
        driver.cuMemFree,
        "100 bytes at 0x{:x} made by cuMemAlloc were never freed",
    ),
    "stream": (lambda: driver.cuStreamCreate(1), driver.cuStreamDestroy, "stream 0x{:x} was never destroyed"),
    "event": (lambda: driver.cuEventCreate(0), driver.cuEventDestroy, "event 0x{:x} was never destroyed"),
    "module": (load, driver.cuModuleUnload, "module 0x{:x} was never unloaded"),
}


def leaks(capfd, monkeypatch, use) -> list[str]:
    """Return what is printed at the end of a context in which `use` is called."""
    driver.cuInit(0)
    monkeypatch.setenv("CUDA_CPU_CHECK", "leakcheck")
    handle = driver.cuCtxCreate_v2(0, 0)
    use()
    driver.cuCtxSynchronize()
    capfd.readouterr()
    driver.cuCtxDestroy(handle)
    return [line.removeprefix("cuda.cpu leakcheck: ") for line in capfd.readouterr().err.splitlines()]


@pytest.mark.parametrize("kind", OBJECTS)
def test_an_object_that_is_left(capfd, monkeypatch, kind):
    make, _, said = OBJECTS[kind]
    made = []
    assert leaks(capfd, monkeypatch, lambda: made.extend((make(), make()))) == [
        said.format(handle) for handle in sorted(made)
    ]


@pytest.mark.parametrize("kind", OBJECTS)
def test_an_object_that_was_ended(capfd, monkeypatch, kind):
    make, end, _ = OBJECTS[kind]
    assert leaks(capfd, monkeypatch, lambda: end(make())) == []


def test_what_the_driver_makes_is_no_leak(capfd, monkeypatch):
    """Default streams, and the module of a library."""

    def use() -> None:
        image = ctypes.create_string_buffer(IMAGE)
        library = driver.cuLibraryLoadData(ctypes.addressof(image), 0, 0, 0, 0, 0, 0)
        driver.cuLibraryGetModule(library)
        start = driver.cuMemAlloc(64)
        driver.cuMemsetD8Async(start, 0, 64, 1)
        driver.cuMemsetD8Async(start, 0, 64, 2)
        driver.cuMemFree(start)

    assert leaks(capfd, monkeypatch, use) == []
