# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Small PTX kernels, and helpers to launch them through the driver's Python functions."""

from __future__ import annotations

import contextlib
import ctypes

from cuda.cpu import driver

HEAD = ".version 9.0\n.target sm_90\n.address_size 64\n"

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
.visible .entry store(.param .u64 out_ptr, .param .u32 value)
{
 .reg .b64 %rd<2>; .reg .b32 %r<2>;
 ld.param.u64 %rd1, [out_ptr]; ld.param.u32 %r1, [value]; st.global.u32 [%rd1], %r1; ret;
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
    """Return the address of a kernelParams array for ctypes values, and the objects that must live until the launch."""
    array = (ctypes.c_void_p * max(len(values), 1))(*[ctypes.addressof(value) for value in values])
    return ctypes.addressof(array), [array, *values]


def run(module: int, name: str, *values, grid=(1, 1, 1), block=(1, 1, 1), shared=0, stream=0) -> None:
    function = driver.cuModuleGetFunction(module, name.encode())
    kernel_params, _kept_alive = packed(*values)
    driver.cuLaunchKernel(function, *grid, *block, shared, stream, kernel_params, 0)


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


# A kernel that reads a variable through a table of pointers, and what such a table looks like.
VARIABLES = """
.visible .global .align 4 .u32 counter = 7;
.visible .const .align 4 .b8 limits[8] = {1, 2, 3, 4, 5, 6, 7, 8};
.visible .global .align 8 .u64 table[2] = {counter, generic(limits)};
.visible .entry follow(.param .u64 out, .param .u32 which)
{
 .reg .b64 %rd<6>; .reg .b32 %r<3>;
 ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [which];
 mov.u64 %rd2, table; mul.wide.u32 %rd3, %r1, 8; add.s64 %rd4, %rd2, %rd3;
 ld.global.u64 %rd5, [%rd4]; ld.u32 %r2, [%rd5]; st.global.u32 [%rd1], %r2; ret;
}
"""

# out[i] = sum of shared[j] for j <= i, where thread i stores i: needs dynamic shared memory and a barrier.
SHARED = """
.extern .shared .align 4 .b8 room[];
.visible .entry scan(.param .u64 out) .maxntid 128
{
 .reg .b64 %rd<4>; .reg .b32 %r<8>; .reg .pred %p<2>;
 ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, room; add.u32 %r4, %r3, %r2;
 st.shared.u32 [%r4], %r1; bar.sync 0;
 mov.u32 %r5, 0;
AGAIN: ld.shared.u32 %r6, [%r3]; add.u32 %r5, %r5, %r6; add.u32 %r3, %r3, 4;
 setp.le.u32 %p1, %r3, %r4; @%p1 bra AGAIN;
 mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r5; ret;
}
"""

# Parameters of many sizes, copied out as they lie in the parameter buffer.
MIXED = """
.visible .entry mixed(
 .param .u64 out, .param .u8 small, .param .u16 middle, .param .align 8 .b8 pair[12], .param .u32 last)
{
 .reg .b64 %rd<4>; .reg .b32 %r<8>; .reg .b16 %h<3>;
 ld.param.u64 %rd1, [out];
 ld.param.u8 %h1, [small]; cvt.u32.u16 %r1, %h1; st.global.u32 [%rd1], %r1;
 ld.param.u16 %h2, [middle]; cvt.u32.u16 %r2, %h2; st.global.u32 [%rd1+4], %r2;
 ld.param.u32 %r3, [pair]; st.global.u32 [%rd1+8], %r3;
 ld.param.u32 %r4, [pair+8]; st.global.u32 [%rd1+12], %r4;
 ld.param.u32 %r5, [last]; st.global.u32 [%rd1+16], %r5; ret;
}
"""
