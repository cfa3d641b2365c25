# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Bulk and tensor copies, matrix operands and multicast whose traffic is known in closed form.

As in `profile_cases`: %rd0 = p, %r0 = %tid.x; a tensor map is at p (`TENSOR` describes it), the tensor at p + 64 KiB.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from support.profile_cases import COLLISIONS, HEAD, TAIL, WAVEFRONTS, requests, sectors

from cuda.cpu import driver

AT = 65536  # of the tensor
MAP = 128  # bytes


def tma(unit: str, kind: str, space: str = "global") -> str:
    return f"ptx__{unit}_tma_mem_{space}_op_{kind}.sum"


class Tensor(NamedTuple):
    """Of 32-bit floats; dimension 0 first."""

    sizes: tuple[int, ...]
    box: tuple[int, ...]

    def encoded(self, address: int) -> bytes:
        room = np.zeros(2 * MAP, np.uint8)
        start = -room.ctypes.data % 64
        sizes, box = np.array(self.sizes, np.uint64), np.array(self.box, np.uint32)
        strides = np.cumprod(sizes)[:-1] * 4
        strides = np.ascontiguousarray(np.append(strides, 0), np.uint64)
        steps = np.ones(len(box), np.uint32)
        driver.cuTensorMapEncodeTiled(
            room.ctypes.data + start, 7, len(box), address, sizes.ctypes.data, strides.ctypes.data, box.ctypes.data,
            steps.ctypes.data, 0, 0, 0, 0,
        )  # fmt: skip
        return room[start : start + MAP].tobytes()


FIRST = "setp.eq.u32 %p7, %r0, 0;"  # guards of the thread that copies
INIT = f"{FIRST} mov.u32 %r30, bar; @%p7 mbarrier.init.shared.b64 [%r30], 1; bar.sync 0;"
TENSOR_LOAD = (
    "{INIT} @%p7 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
    "[s], [%rd0, {{{x}, {y}}}], [%r30];"
)
TENSOR_STORE = (
    "{FIRST} @%p7 cp.{reduce}async.bulk.tensor.2d.global.shared::cta{add}.tile.bulk_group [%rd0, {{{x}, {y}}}], [s];"
)


class CopyCase(NamedTuple):
    name: str
    body: str
    tensor: Tensor | None
    expected: dict[str, int]  # of the launch: one block of 64 threads


def loaded(name: str, tensor: Tensor, x: int, y: int, *, bytes_: int, touched: int, box: int) -> CopyCase:
    return CopyCase(name, TENSOR_LOAD.format(INIT=INIT, x=x, y=y), tensor, {
        tma("requests", "ld"): 1, tma("bytes", "ld"): bytes_, tma("sectors", "ld"): touched,
        tma("bytes", "st", "shared"): box, tma("wavefronts", "st", "shared"): -(-box // 128), requests("ld"): 0,
    })  # fmt: skip


def stored(name: str, kind: str, x: int, y: int, *, bytes_: int, touched: int) -> CopyCase:
    words = {"reduce": "reduce." if kind == "red" else "", "add": ".add" if kind == "red" else ""}
    body = TENSOR_STORE.format(FIRST=FIRST, x=x, y=y, **words)
    return CopyCase(name, body, SQUARE, {
        tma("requests", kind): 1, tma("bytes", kind): bytes_, tma("sectors", kind): touched,
        tma("bytes", "ld", "shared"): 16 * 8 * 4,
    })  # fmt: skip


SQUARE = Tensor((64, 64), (16, 8))
TENSORS = [
    loaded("box", SQUARE, 0, 0, bytes_=512, touched=8 * 2, box=512),
    loaded("box that is not aligned to a sector", SQUARE, 4, 3, bytes_=512, touched=8 * 3, box=512),
    loaded("corner outside", SQUARE, 56, 60, bytes_=4 * 32, touched=4, box=512),
    loaded("corner before", SQUARE, -8, -6, bytes_=2 * 32, touched=2, box=512),
    loaded("all outside", SQUARE, 64, 0, bytes_=0, touched=0, box=512),
    loaded("rows of half a sector", Tensor((4, 32), (4, 8)), 0, 0, bytes_=128, touched=4, box=128),
    loaded("second half of a sector first", Tensor((4, 32), (4, 8)), 0, 1, bytes_=128, touched=5, box=128),
    stored("store", "st", 16, 8, bytes_=512, touched=16),
    stored("store at the edge", "st", 56, 0, bytes_=8 * 32, touched=8),
    stored("reduction", "red", 0, 0, bytes_=512, touched=16),
]  # fmt: skip

BULK_LOAD = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r31], [%rd2], {size}, [%r30];"
BULK = [
    CopyCase("bulk load", f"{INIT} mov.u32 %r31, s; mov.u64 %rd2, %rd0; @%p7 {BULK_LOAD.format(size=1024)}", None,
             {tma("requests", "ld"): 1, tma("sectors", "ld"): 32, tma("bytes", "st", "shared"): 1024,
              tma("wavefronts", "st", "shared"): 8, requests("ld"): 0, COLLISIONS: 0, WAVEFRONTS: 1}),
    CopyCase("bulk load of every thread", f"{INIT} mov.u32 %r31, s; mad.lo.u32 %r31, %r0, 48, %r31; "
             f"mad.wide.u32 %rd2, %r0, 48, %rd0; {BULK_LOAD.format(size=48)}", None,
             {tma("requests", "ld"): 64, tma("sectors", "ld"): 64 * 2, tma("bytes", "ld"): 64 * 48}),
    CopyCase("bulk store", f"{FIRST} mov.u32 %r31, s; @%p7 cp.async.bulk.global.shared::cta.bulk_group [%rd0+16], "
             "[%r31], 64;", None,
             {tma("requests", "st"): 1, tma("sectors", "st"): 3, tma("bytes", "ld", "shared"): 64}),
    CopyCase("bulk reduction", f"{FIRST} mov.u32 %r31, s; @%p7 "
             "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd0], [%r31], 64;", None,
             {tma("requests", "red"): 1, tma("sectors", "red"): 2, tma("requests", "st"): 0}),
]  # fmt: skip

HALF_LOAD = "wmma.load.a.sync.aligned.row.m16n16k16.{space}.f16 {{{registers}}}, {address}, {pitch};"
REGISTERS = ", ".join(f"%r{number}" for number in range(20, 28))


def matrix(name: str, pitch: int, touched: int) -> CopyCase:
    body = HALF_LOAD.format(space="global", registers=REGISTERS, address="[%rd0]", pitch=pitch)
    return CopyCase(name, body, None, {requests("ld"): 2, sectors("ld"): 2 * touched})


def descriptor(start: str) -> str:
    """Return code that makes %rd5 describe a matrix at `start` in shared memory, without swizzling."""
    return (f"mov.u32 %r31, {start}; shr.u32 %r31, %r31, 4; cvt.u64.u32 %rd5, %r31; "
            f"or.b64 %rd5, %rd5, {128 // 16 << 16 | 256 // 16 << 32};")  # fmt: skip


def wgmma(name: str, columns: int, a: str, expected: int) -> CopyCase:
    registers = ", ".join(f"%w{number}" for number in range(columns // 2))
    body = (
        f".reg .f32 %w<{columns // 2}>; mov.b64 %rd6, 0; mov.u32 %r20, 0; setp.eq.u32 %p1, %r20, 1; {descriptor('s')}"
        "wgmma.fence.sync.aligned; "
        f"wgmma.mma_async.sync.aligned.m64n{columns}k16.f32.f16.f16 {{{registers}}}, {a}, %rd5, "
        f"%p1, 1, 1{', 0' if a.startswith('{') else ', 0, 0'}; "
        "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;"
    )
    return CopyCase(name, body, None, {
        "ptx__bytes_requested_mem_shared_op_wgmma.sum": expected, "ptx__requests_mem_shared.sum": 0,
        "ptx__flops_matrix.sum": 2 * 64 * columns * 16,
    })  # fmt: skip


MATRICES = [
    matrix("contiguous rows", 16, 16),
    matrix("rows of 128 bytes", 64, 16),
    matrix("rows of 48 bytes", 24, 16 + 8),
    wgmma("both operands in shared memory", 16, "%rd5", 64 * 32 + 16 * 32),
    wgmma("A in registers", 64, "{%r20, %r20, %r20, %r20}", 64 * 32),
]


def text_of(case: CopyCase) -> str:
    barrier = ".shared .align 8 .b64 bar;\n"
    return HEAD.replace(".target sm_90", ".target sm_90a") + barrier + case.body + TAIL
