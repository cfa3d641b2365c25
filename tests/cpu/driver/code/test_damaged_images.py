# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Damaged images, archives and pointers passed to the loader and linker: the status of each, and its log message."""

from __future__ import annotations

import ctypes
import struct

import kernels
import pytest
from support.guarded import Guarded

from cuda.cpu import abi, driver
from cuda.cpu.driver.base.error import CudaError
from cuda.cpu.driver.code import image, link
from cuda.cpu.ptx import error

MAXIMUM = 2**64 - 1
CUBIN = link.pack([kernels.text(kernels.STORE)[:-1].decode()])
HEADERS = struct.unpack_from("<Q", CUBIN, 0x28)[0]
FATBIN_MAGIC, WRAPPER_MAGIC = 0xBA55ED50, 0x466243B1


def _library(address: int) -> int:
    return driver.cuLibraryLoadData(address, 0, 0, 0, 0, 0, 0)


LOADS = [driver.cuModuleLoadData, driver.cuModuleLoadFatBinary, _library]


def kernel(body: str, head: str = kernels.HEAD) -> bytes:
    return f"{head}.visible .entry k() {{ {body} ret; }}\n".encode() + b"\0"


def section(field: int, value: int) -> bytes:
    at = HEADERS + 64 + field
    return CUBIN[:at] + struct.pack("<Q", value) + CUBIN[at + 8 :]


def made_for(architecture: int) -> bytes:
    data = bytearray(CUBIN)
    data[8], data[0x31] = 8, architecture
    return bytes(data)


DIGITS = "9" * 100_000
CASES = {
    "a section of all memory": (section(0x20, MAXIMUM), "INVALID_IMAGE", "bytes"),
    "a section far away": (section(0x18, 1 << 46), "INVALID_IMAGE", "bytes"),
    "a table far away": (CUBIN[:0x28] + struct.pack("<Q", 1 << 46) + CUBIN[0x30:], "INVALID_IMAGE", "the table of"),
    "a short file": (CUBIN[:100], "INVALID_IMAGE", "can be read from memory"),
    "a short header": (CUBIN[:20], "INVALID_IMAGE", "can be read from memory"),
    "a fatbin of all memory": (struct.pack("<IHHQ", FATBIN_MAGIC, 1, 16, MAXIMUM), "INVALID_IMAGE", "supported"),
    "a wild wrapper": (struct.pack("<IIQQ", WRAPPER_MAGIC, 1, 1 << 46, 0), "INVALID_IMAGE", "0 can be read"),
    "an empty wrapper": (struct.pack("<IIQQ", WRAPPER_MAGIC, 1, 0, 0), "INVALID_IMAGE", "null pointer"),
    "endless text": (kernel("")[:-1], "INVALID_IMAGE", "does not end in NUL"),
    "a late version": (kernel("", kernels.HEAD.replace("9.0", "99.9")), "UNSUPPORTED_PTX_VERSION", "version 99.9"),
    "a late target": (kernel("", kernels.HEAD.replace("sm_90", "sm_120")), "INVALID_PTX", "12.0 or later; this"),
    "another's target": (kernel("", kernels.HEAD.replace("sm_90", "sm_80a")), "INVALID_PTX", "8.0 alone"),
    "a late cubin": (made_for(120), "NO_BINARY_FOR_GPU", "the cubin is for sm_120"),
    "an early cubin": (made_for(80), "NO_BINARY_FOR_GPU", "the cubin is for sm_80"),
    "a long number": (kernel(f".reg .b64 %r<2>; mov.b64 %r1, {DIGITS};"), "INVALID_PTX", "line 4: the integer 999"),
    "a long list": (kernel(f".reg .b32 %r<2>; mov.v2.b32 {{{DIGITS}, 1}};"), "INVALID_PTX", "line 4: the integer"),
    "much .local": (kernel(".local .b8 x[100000000000];"), "INVALID_PTX", "k declares 100000000000 bytes of"),
    "many .local": (kernel("".join(f".local .b8 x{i}[400000];" for i in range(9))), "INVALID_PTX", "of local memory"),
    "much .shared": (kernel(".shared .b8 x[9999999]; .reg .b64 %r<2>; mov.b64 %r1, x;"), "INVALID_PTX", "of shared"),
    "much .param": (kernel("").replace(b"k()", b"k(.param .b8 x[99999])"), "INVALID_PTX", "bytes of parameters"),
    "much .global": (kernel("", kernels.HEAD + ".global .b8 x[1000000000000000];\n"), "OUT_OF_MEMORY", "variable x"),
    "much .align": (kernel("", kernels.HEAD + ".global .align 1099511627776 .b8 x;\n"), "INVALID_PTX", "at most 4096"),
    "many registers": (kernel(".reg .b32 %r<4000000000>;"), "INVALID_PTX", "registers"),
    "deep braces": (kernel("{" * 50_000), "INVALID_PTX", "brace"),
    "deep brackets": (kernel("", f"{kernels.HEAD}.global .u32 x = {'(' * 50_000};\n"), "INVALID_PTX", "nested too"),
    "an open attribute": (kernel("", kernels.HEAD + ".global .attribute(.managed")[:60] + b"\0", "INVALID_PTX", ""),
}  # fmt: skip


@pytest.mark.parametrize("load", LOADS, ids=["module", "fatbin", "library"])
@pytest.mark.parametrize("case", CASES)
def test_a_damaged_image_returns_an_error(context, refused, load, case):
    data, status, says = CASES[case]
    with Guarded(data) as memory, refused(status, says):
        handle = load(memory.address)
        driver.cuLibraryGetModule(handle)  # a library takes memory at its first use


@pytest.mark.parametrize("address", [1, 4096, 1 << 46, 1 << 63, MAXIMUM])
@pytest.mark.parametrize("load", LOADS, ids=["module", "fatbin", "library"])
def test_an_unmapped_pointer_returns_an_error(context, refused, load, address):
    with refused("INVALID_IMAGE", "can be read from memory"):
        load(address)


def test_a_wrapper_that_points_to_itself_returns_an_error(context, refused):
    buffer = ctypes.create_string_buffer(24)
    buffer.raw = struct.pack("<IIQQ", WRAPPER_MAGIC, 1, ctypes.addressof(buffer), 0)
    with refused("INVALID_IMAGE", "where no fatbin begins"):
        driver.cuModuleLoadData(ctypes.addressof(buffer))


@pytest.mark.parametrize(("address", "size"), [(1 << 46, 100), (MAXIMUM, 2), (None, 1 << 40), (None, 5000)])
def test_an_unmapped_link_input_returns_an_error(context, refused, address, size):
    handle = driver.cuLinkCreate(0, 0, 0)
    with Guarded(CUBIN) as memory, refused("INVALID_IMAGE", "the input of cuLinkAddData"):
        driver.cuLinkAddData(handle, abi.CU_JIT_INPUT_CUBIN, address or memory.address, size, b"x", 0, 0, 0)
    driver.cuLinkDestroy(handle)


def test_the_jit_log_describes_the_damage(context):
    buffer = ctypes.create_string_buffer(500)
    options = (ctypes.c_int * 2)(abi.CU_JIT_ERROR_LOG_BUFFER, abi.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
    values = (ctypes.c_uint64 * 2)(ctypes.addressof(buffer), 500)
    with Guarded(section(0x20, 1 << 40)) as memory, pytest.raises(CudaError):
        driver.cuModuleLoadDataEx(memory.address, 2, ctypes.addressof(options), ctypes.addressof(values))
    assert b"the image is to have" in buffer.value


@pytest.mark.parametrize(
    ("raised", "status"),
    [
        (RecursionError("deep"), "INVALID_PTX"), (IndexError("far"), "INVALID_PTX"),
        (OverflowError("large"), "INVALID_PTX"),
        (struct.error("short"), "INVALID_PTX"), (KeyError("none"), "INVALID_PTX"), (MemoryError(), "OUT_OF_MEMORY"),
        (error.PtxError("wrong"), "INVALID_PTX"), (error.NoPtxError("none"), "NO_BINARY_FOR_GPU"),
        (error.VersionError("late"), "UNSUPPORTED_PTX_VERSION"),
    ],
)  # fmt: skip
def test_every_exception_of_a_reader_becomes_a_status(raised, status):
    reader = {  # a module of the driver: exceptions of the program leave as they are
        "__name__": image.__name__, "errors": image.ptx_errors(abi.CUDA_ERROR_INVALID_PTX), "raised": raised,
    }  # fmt: skip
    with pytest.raises(CudaError) as caught:
        exec("with errors:\n    raise raised", reader)
    assert caught.value.status == getattr(abi, f"CUDA_ERROR_{status}")
    assert type(raised).__name__ in caught.value.args[1] or str(raised) in caught.value.args[1]


def test_keyboard_interrupt_is_not_converted_to_a_status():
    with pytest.raises(KeyboardInterrupt), image.ptx_errors(abi.CUDA_ERROR_INVALID_PTX):
        raise KeyboardInterrupt
