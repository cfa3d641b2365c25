# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Small PTX kernels, and calling the Python half with them: what the tests of this folder share."""

from __future__ import annotations

import contextlib
import ctypes

from cuda.cpu import driver

HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n"

# y[i] = a * x[i] + y[i]
SAXPY = """
.visible .entry saxpy(.param .u64 y, .param .u64 x, .param .f32 a, .param .u32 n)
{
 .reg .pred %p<2>; .reg .f32 %f<5>; .reg .b32 %r<6>; .reg .b64 %rd<9>;
 ld.param.u64 %rd1, [y]; ld.param.u64 %rd2, [x]; ld.param.f32 %f1, [a]; ld.param.u32 %r1, [n];
 mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.s32 %r5, %r2, %r3, %r4;
 setp.ge.s32 %p1, %r5, %r1; @%p1 bra DONE;
 mul.wide.s32 %rd5, %r5, 4; add.s64 %rd6, %rd2, %rd5; add.s64 %rd7, %rd1, %rd5;
 ld.global.f32 %f2, [%rd6]; ld.global.f32 %f3, [%rd7]; fma.rn.f32 %f4, %f1, %f2, %f3; st.global.f32 [%rd7], %f4;
DONE: ret;
}
"""

# *place = value, by the first thread
STORE = """
.visible .entry store(.param .u64 place, .param .u32 value)
{
 .reg .b64 %rd<2>; .reg .b32 %r<2>;
 ld.param.u64 %rd1, [place]; ld.param.u32 %r1, [value]; st.global.u32 [%rd1], %r1; ret;
}
"""

# Waits until *flag is not 0.
SPIN = """
.visible .entry spin(.param .u64 flag)
{
 .reg .b64 %rd<2>; .reg .b32 %r<2>; .reg .pred %p<2>;
 ld.param.u64 %rd1, [flag];
AGAIN: ld.volatile.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra AGAIN;
 ret;
}
"""

TRAP = ".visible .entry stop() { trap; }\n"


def text(*kernels: str) -> bytes:
    return (HEAD + "".join(kernels)).encode() + b"\0"


@contextlib.contextmanager
def loaded(*kernels: str):
    """A module of these kernels, unloaded at the end even if its context broke."""
    image = text(*kernels)
    module = driver.cuModuleLoadData(address_of(image))
    try:
        yield module
    finally:
        with contextlib.suppress(driver.error.CudaError):
            driver.cuModuleUnload(module)


_kept: dict[int, object] = {}


def address_of(data: bytes) -> int:
    """Return the address of a copy of `data` that lives as long as the tests."""
    buffer = ctypes.create_string_buffer(data, len(data))
    _kept[ctypes.addressof(buffer)] = buffer
    return ctypes.addressof(buffer)


def packed(*values) -> tuple[int, list]:
    """Return the address of a kernelParams array for ctypes values, and what must live until the launch."""
    array = (ctypes.c_void_p * max(len(values), 1))(*[ctypes.addressof(value) for value in values])
    return ctypes.addressof(array), [array, *values]


def run(module: int, name: str, *values, grid=(1, 1, 1), block=(1, 1, 1), shared=0, stream=0) -> None:
    function = driver.cuModuleGetFunction(module, name.encode())
    places, _kept_alive = packed(*values)
    driver.cuLaunchKernel(function, *grid, *block, shared, stream, places, 0)


def read(address: int, kind=ctypes.c_uint32):
    value = kind()
    driver.cuMemcpyDtoH(ctypes.addressof(value), address, ctypes.sizeof(value))
    return value.value


class Flag:
    """Pinned host memory that a spinning kernel watches."""

    def __init__(self) -> None:
        self.address = driver.cuMemHostAlloc(4, 0)
        self.value = ctypes.c_uint32.from_address(self.address)
        self.value.value = 0

    def argument(self) -> ctypes.c_uint64:
        return ctypes.c_uint64(self.address)

    def raise_(self) -> None:
        self.value.value = 1

    def close(self) -> None:
        with contextlib.suppress(driver.error.CudaError):
            driver.cuMemFreeHost(self.address)
