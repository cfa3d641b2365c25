# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Functions of the device runtime (cuda_device_runtime_api.h): their signatures, and the PTX of some of them.

NVIDIA provides them in libcudadevrt, of which a linked cubin contains machine code only. The functions that cooperative
groups call, such as those of Numba, are written in PTX here; the native runtime implements the others.
"""

from __future__ import annotations

import re

from cuda.cpu.ptx.parser import parse
from cuda.cpu.ptx.syntax import Module

# Kernels of the library itself: static names of its source file.
KERNEL = re.compile(r"__nv_static_\d+__[0-9a-f]+_\d+_cuda_device_runtime_cu_")

_INT, _POINTER, _DIM3 = (4,), (8,), (4, 4, 4)
_PITCHED, _EXTENT = (8, 8, 8, 8), (8, 8, 8)
_COPY_2D = (_POINTER,) * 6 + (_INT, _POINTER)
_CONFIGURATION = (_DIM3, _DIM3, _INT)

# Name without its prefix: bytes of each field of each parameter, and bytes of the result. The order is that of
# runtime/device_runtime/device.h.
FUNCTIONS = {
    "GetParameterBuffer": ((_POINTER, _POINTER), 8),
    "GetParameterBufferV2": ((_POINTER, *_CONFIGURATION), 8),
    "LaunchDevice": ((_POINTER, _POINTER, *_CONFIGURATION, _POINTER), 4),
    "LaunchDeviceV2": ((_POINTER, _POINTER), 4),
    "StreamCreateWithFlags": ((_POINTER, _INT), 4),
    "StreamDestroy": ((_POINTER,), 4),
    "StreamWaitEvent": ((_POINTER, _POINTER, _INT), 4),
    "EventCreateWithFlags": ((_POINTER, _INT), 4),
    "EventRecord": ((_POINTER, _POINTER), 4),
    "EventRecordWithFlags": ((_POINTER, _POINTER, _INT), 4),
    "EventDestroy": ((_POINTER,), 4),
    "MemcpyAsync": ((_POINTER, _POINTER, _POINTER, _INT, _POINTER), 4),
    "Memcpy2DAsync": (_COPY_2D, 4),
    "Memcpy3DAsync": ((_POINTER, _POINTER), 4),
    "MemsetAsync": ((_POINTER, _INT, _POINTER, _POINTER), 4),
    "Memset2DAsync": ((_POINTER, _POINTER, _INT, _POINTER, _POINTER, _POINTER), 4),
    "Memset3DAsync": ((_PITCHED, _INT, _EXTENT, _POINTER), 4),
    "Malloc": ((_POINTER, _POINTER), 4),
    "Free": ((_POINTER,), 4),
    "GetLastError": ((), 4),
    "PeekAtLastError": ((), 4),
    "GetErrorString": ((_INT,), 8),
    "GetErrorName": ((_INT,), 8),
    "GetDeviceCount": ((_POINTER,), 4),
    "GetDevice": ((_POINTER,), 4),
    "DeviceGetAttribute": ((_POINTER, _INT, _INT), 4),
    "DeviceGetLimit": ((_POINTER, _INT), 4),
    "DeviceGetCacheConfig": ((_POINTER,), 4),
    "DeviceGetSharedMemConfig": ((_POINTER,), 4),
    "RuntimeGetVersion": ((_POINTER,), 4),
    "FuncGetAttributes": ((_POINTER, _POINTER), 4),
    "OccupancyMaxActiveBlocksPerMultiprocessor": ((_POINTER, _POINTER, _INT, _POINTER), 4),
    "OccupancyMaxActiveBlocksPerMultiprocessorWithFlags": ((_POINTER, _POINTER, _INT, _POINTER, _INT), 4),
}
# Functions with a variant for -DCUDA_API_PER_THREAD_DEFAULT_STREAM; it is the same, a block has one default stream.
PER_THREAD = frozenset(name for name in FUNCTIONS if name.startswith(("LaunchDevice", "EventRecord", "Mem"))) | {
    "StreamWaitEvent"
}


def names_of(name: str) -> list[str]:
    """Return the names in PTX of a function of FUNCTIONS."""
    suffixes = ("", "_ptsz") if name in PER_THREAD else ("",)
    return [prefix + name + suffix for prefix in ("__cudaCDP2", "cuda") for suffix in suffixes]


NATIVE = frozenset(alias for name in FUNCTIONS for alias in names_of(name))

# The handle of a grid is the workspace of a cooperative launch, 0 for other launches. Its second word is the barrier:
# each block adds 1, and the first one as much as makes the sum of all 2^31, so that the highest bit flips when all have
# arrived.
TEXT = """
.version 7.0
.target sm_70
.address_size 64

.weak .func (.param .b64 handle) cudaCGGetIntrinsicHandle(.param .b32 scope)
{
    .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %d<2>;
    mov.u32 %r1, %envreg1; mov.u32 %r2, %envreg2; mov.b64 %d1, {%r2, %r1};
    ld.param.b32 %r3, [scope]; setp.eq.u32 %p1, %r3, 1; selp.b64 %d1, %d1, 0, %p1;
    st.param.b64 [handle], %d1; ret;
}

.weak .func (.param .b32 status) cudaCGSynchronize(.param .b64 handle, .param .b32 flags)
{
    .reg .pred %p<5>; .reg .b32 %r<16>; .reg .b64 %d<2>;
    ld.param.b64 %d1, [handle]; setp.eq.u64 %p1, %d1, 0; mov.u32 %r1, 1; @%p1 bra END;
    mov.u32 %r1, 0; barrier.sync 0;
    mov.u32 %r2, %tid.x; mov.u32 %r3, %tid.y; mov.u32 %r4, %tid.z; or.b32 %r2, %r2, %r3; or.b32 %r2, %r2, %r4;
    setp.ne.u32 %p2, %r2, 0; @%p2 bra ALL;
    mov.u32 %r5, %nctaid.x; mov.u32 %r6, %nctaid.y; mov.u32 %r7, %nctaid.z;
    mul.lo.u32 %r5, %r5, %r6; mul.lo.u32 %r5, %r5, %r7; sub.u32 %r5, 0x80000001, %r5;
    mov.u32 %r8, %ctaid.x; mov.u32 %r9, %ctaid.y; mov.u32 %r10, %ctaid.z; or.b32 %r8, %r8, %r9; or.b32 %r8, %r8, %r10;
    setp.eq.u32 %p3, %r8, 0; selp.b32 %r5, %r5, 1, %p3;
    membar.gl; atom.add.u32 %r11, [%d1+4], %r5;
WAIT:
    ld.volatile.u32 %r12, [%d1+4]; xor.b32 %r13, %r11, %r12; setp.ge.s32 %p4, %r13, 0; @%p4 bra WAIT;
    membar.gl;
ALL:
    barrier.sync 0;
END:
    st.param.b32 [status], %r1; ret;
}

.weak .func (.param .b32 status) cudaCGGetSize(.param .b64 threads, .param .b64 grids, .param .b64 handle)
{
    .reg .pred %p<3>; .reg .b32 %r<8>; .reg .b64 %d<3>;
    ld.param.b64 %d1, [threads]; ld.param.b64 %d2, [grids]; setp.ne.u64 %p1, %d1, 0; setp.ne.u64 %p2, %d2, 0;
    mov.u32 %r1, %nctaid.x; mov.u32 %r2, %nctaid.y; mov.u32 %r3, %nctaid.z;
    mov.u32 %r4, %ntid.x; mov.u32 %r5, %ntid.y; mov.u32 %r6, %ntid.z;
    mul.lo.u32 %r1, %r1, %r2; mul.lo.u32 %r1, %r1, %r3; mul.lo.u32 %r1, %r1, %r4; mul.lo.u32 %r1, %r1, %r5;
    mul.lo.u32 %r1, %r1, %r6; @%p1 st.u32 [%d1], %r1; mov.u32 %r7, 1; @%p2 st.u32 [%d2], %r7;
    mov.u32 %r7, 0; st.param.b32 [status], %r7; ret;
}

.weak .func (.param .b32 status) cudaCGGetRank(.param .b64 thread, .param .b64 grid, .param .b64 handle)
{
    .reg .pred %p<3>; .reg .b32 %r<8>; .reg .b64 %d<3>;
    ld.param.b64 %d1, [thread]; ld.param.b64 %d2, [grid]; setp.ne.u64 %p1, %d1, 0; setp.ne.u64 %p2, %d2, 0;
    mov.u32 %r1, %ctaid.z; mov.u32 %r2, %nctaid.y; mov.u32 %r3, %ctaid.y; mad.lo.u32 %r1, %r1, %r2, %r3;
    mov.u32 %r2, %nctaid.x; mov.u32 %r3, %ctaid.x; mad.lo.u32 %r1, %r1, %r2, %r3;
    mov.u32 %r2, %ntid.z; mov.u32 %r3, %tid.z; mad.lo.u32 %r1, %r1, %r2, %r3;
    mov.u32 %r2, %ntid.y; mov.u32 %r3, %tid.y; mad.lo.u32 %r1, %r1, %r2, %r3;
    mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r1, %r1, %r2, %r3;
    @%p1 st.u32 [%d1], %r1; mov.u32 %r7, 0; @%p2 st.u32 [%d2], %r7;
    st.param.b32 [status], %r7; ret;
}
"""
NAMES = frozenset(re.findall(r"\bcudaCG\w+", TEXT))


def needed_by(modules: list[Module]) -> list[Module]:
    """Return a list with the unit of these functions if any unit declares one of them, else an empty list."""
    declared = {name for module in modules for name, function in module.functions.items() if function.body is None}
    return [parse(TEXT, "<device runtime>")] if NAMES & declared else []
