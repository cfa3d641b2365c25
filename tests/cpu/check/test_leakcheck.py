# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""leakcheck: memory, streams, events and modules that a context still has at its end; and those that were released.

What belongs to no context is reported at the end of the program: memory of kernels, physical memory, address ranges.
"""

from __future__ import annotations

import ctypes
import os
import re
import subprocess
import sys

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


PROGRAM = """\
import ctypes, sys
from cuda.cpu import abi, driver

PTX = b'''.version 8.0
.target sm_90
.address_size 64
.extern .func (.param .b64 r) malloc (.param .b64 n);
.extern .func free (.param .b64 p);
.visible .entry make(.param .u64 p) { .reg .b64 %d<4>; .reg .b32 %r<2>;
 { .param .b64 n; .param .b64 r;
 st.param.b64 [n], 24;
 call (r), malloc, (n);
 ld.param.b64 %d1, [r]; }
 ld.param.u64 %d2, [p];
 mov.u32 %r1, %tid.x;
 mad.wide.u32 %d2, %r1, 8, %d2;
 st.global.u64 [%d2], %d1;
 ret; }
.visible .entry drop(.param .u64 p) { .reg .b64 %d<4>;
 ld.param.u64 %d2, [p];
 ld.global.u64 %d1, [%d2];
 { .param .b64 q; st.param.b64 [q], %d1; call free, (q); }
 ret; }
'''
driver.cuInit(0)
context = driver.cuCtxCreate_v2(0, 0)
image = ctypes.create_string_buffer(PTX)
module = driver.cuModuleLoadData(ctypes.addressof(image))
pointers = driver.cuMemAlloc(64)

def launch(name, threads):
    value = ctypes.c_uint64(pointers)
    values = (ctypes.c_void_p * 1)(ctypes.addressof(value))
    function = driver.cuModuleGetFunction(module, name)
    driver.cuLaunchKernel(function, 1, 1, 1, threads, 1, 1, 0, 0, ctypes.addressof(values), 0)

def physical():
    prop = abi.CUmemAllocationProp(type=abi.CU_MEM_ALLOCATION_TYPE_PINNED)
    prop.location.type = abi.CU_MEM_LOCATION_TYPE_DEVICE
    return driver.cuMemCreate(2 << 20, ctypes.addressof(prop), 0)

launch(b"make", 3)
if "free" in sys.argv:
    launch(b"drop", 1)
memory, start = physical(), driver.cuMemAddressReserve(4 << 20, 0, 0, 0)
other = physical()
driver.cuMemRelease(other)
if "release" in sys.argv:
    driver.cuMemRelease(memory)
    driver.cuMemAddressFree(start, 4 << 20)
driver.cuCtxSynchronize()
driver.cuMemFree(pointers)
if "destroy" in sys.argv:
    driver.cuModuleUnload(module)
    driver.cuCtxDestroy(context)
"""


def run(tmp_path, *arguments, checks="leakcheck"):
    (tmp_path / "script.py").write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, "script.py", *arguments], capture_output=True, text=True, cwd=tmp_path, timeout=100,
        env=os.environ | {"CUDA_CPU_CHECK": checks},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stderr


def told(stderr):
    """Return the messages without addresses, and the functions of the stack of each."""
    found = re.findall(r"^cuda.cpu leakcheck: (.*)\n((?:    .*\n)*)", stderr, re.MULTILINE)
    return {
        re.sub(r"0x[0-9a-f]+", "0x", message): re.findall(r"(\S+) at \S*script.py:\d+", stack)
        for message, stack in found
    }


@pytest.mark.parametrize("end", ["destroy", "exit"])
def test_what_no_context_owns(tmp_path, end):
    found = told(run(tmp_path, end))
    found.pop("module 0x was never unloaded", None)  # at the exit only
    assert found == {
        "72 bytes of 3 malloc() in kernel 'make', launch 1, were never freed": ["launch", "<module>"],
        "physical memory 0x was never released": ["physical", "<module>"],
        "address range 0x was never freed": ["<module>"],
    }


def test_what_is_released_is_no_leak(tmp_path):
    assert told(run(tmp_path, "release", "free", "destroy")) == {
        "48 bytes of 2 malloc() in kernel 'make', launch 1, were never freed": ["launch", "<module>"]
    }


def test_nothing_is_told_without_leakcheck(tmp_path):
    assert run(tmp_path, checks="memcheck") == ""
