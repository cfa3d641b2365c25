# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Bulk copies and reductions of arrays by kernels, within a cluster and to global memory."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")
pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from support.compilers import compile_cuda
from support.loaded import Loaded
from tensor_maps import PRELUDE, ROOM, program

random = np.random.default_rng(17)


def test_bulk_copies_between_blocks_and_bulk_reductions():
    source = (
        PRELUDE
        + """
    extern "C" __global__ void __cluster_dims__(3, 1, 1) bulk(const int *from, int *out, int *sums, int *some) {
        unsigned rank; asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank)); int *words = (int *)room;
        words[threadIdx.x] = threadIdx.x; words[32 + threadIdx.x] = 1000; words[64 + threadIdx.x] = 0;
        if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(at(&bar)));
        asm volatile("barrier.cluster.arrive; barrier.cluster.wait;");
        unsigned next, its; unsigned other = (rank + 1) % 3;
        asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(next) : "r"(at(words + 32)), "r"(other));
        asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(its) : "r"(at(&bar)), "r"(other));
        if (threadIdx.x == 0) {
            asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 384;" :: "r"(at(&bar)));
            asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 "
                "[%0], [%1], 128, [%2];" :: "r"(next), "r"(at(words)), "r"(its) : "memory");
            asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
                "[%0], [%1], 128, [%2];" :: "r"(next + 256), "r"(at(words)), "r"(its) : "memory");
            if (rank == 0) asm volatile("{ .reg .b16 m; mov.b16 m, 7; cp.async.bulk.shared::cluster.global."
                "mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], 128, [%2], m; }"
                :: "r"(at(words + 64)), "l"(from), "r"(at(&bar)) : "memory"); }
        await(at(&bar), 0);
        for (int i = 0; i < 3; i++) out[rank * 96 + 32 * i + threadIdx.x] = words[32 + 32 * i + threadIdx.x];
        if (threadIdx.x == 0) {
            asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.max.s32 [%0], [%1], 128;"
                :: "l"(sums), "r"(at(words + 32)) : "memory");
            if (rank == 0) asm volatile("{ .reg .b16 m; mov.b16 m, 0x0F00; "
                "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%0], [%1], 128, m; }"
                :: "l"(some), "r"(at(words)) : "memory"); }
        asm volatile("barrier.cluster.arrive; barrier.cluster.wait;"); }"""
    )
    lanes, given = np.arange(32), np.arange(500, 532, dtype=np.int32)
    out, sums = np.zeros((3, 3, 32), np.int32), np.where(lanes < 16, 0, 9999).astype(np.int32)
    some = np.full(32, -1, np.int32)
    loaded = Loaded(compile_cuda(source, "--gpu-architecture=sm_100", "-default-device"))
    loaded.launch("bulk", 3, 32, given, out, sums, some, shared=ROOM, cluster=(3, 1, 1))
    np.testing.assert_array_equal(out[:, 0], [1000 + lanes] * 3)
    np.testing.assert_array_equal(out[:, 1], [given] * 3)
    np.testing.assert_array_equal(out[:, 2], [lanes] * 3)
    np.testing.assert_array_equal(sums, np.where(lanes < 16, 1000 + lanes, 9999))
    np.testing.assert_array_equal(some, np.where(lanes % 4 == 2, lanes, -1))


REDUCE = (
    PRELUDE
    + """
extern "C" __global__ void __cluster_dims__(2, 1, 1) reduce(const unsigned char *from, unsigned char *global_,
        unsigned char *shared_) {
    unsigned rank, there, its; asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    for (int i = threadIdx.x; i < 128; i += 32) { room[i] = from[i]; room[128 + i] = shared_[i]; }
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(at(&bar)));
    __syncthreads(); asm volatile("barrier.cluster.arrive; barrier.cluster.wait;");
    asm("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(there) : "r"(at(room + 128)));
    asm("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(its) : "r"(at(&bar)));
    if (threadIdx.x == 0 && rank == 0) {
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.OPERATION [%0], [%1], 128;"
            :: "l"(global_), "r"(at(room)) : "memory");
        CLUSTER }
    if (rank == 1 && EXPECT) {
        if (threadIdx.x == 0)
            asm volatile("mbarrier.arrive_drop.expect_tx.shared.b64 _, [%0], %1;" :: "r"(at(&bar)), "r"(EXPECT));
        await(at(&bar), 0);
        for (int i = threadIdx.x; i < 128; i += 32) shared_[i] = room[128 + i]; }
    asm volatile("barrier.cluster.arrive; barrier.cluster.wait;"); }"""
)
IN_CLUSTER = """asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.OPERATION "
    "[%0], [%1], 128, [%2];" :: "r"(there), "r"(at(room)), "r"(its) : "memory");"""
ONE = """asm volatile("{ .reg .b32 v; ld.shared.b32 v, [%1]; "
    "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.OPERATION [%0], v, [%2]; }"
    :: "r"(there), "r"(at(room)), "r"(its) : "memory");"""
COMBINE = {
    "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor, "add": np.add, "min": np.minimum,
    "max": np.maximum, "inc": lambda old, limit: np.where(old >= limit, 0, old + 1),
    "dec": lambda old, limit: np.where((old == 0) | (old > limit), limit, old - 1),
}  # fmt: skip
KINDS = {
    "b32": "u4",
    "b64": "u8",
    "u32": "u4",
    "s32": "i4",
    "u64": "u8",
    "s64": "i8",
    "f16": "f2",
    "f32": "f4",
    "f64": "f8",
}


@pytest.mark.parametrize(
    "operation",
    ["and.b32", "or.b64", "xor.b32", "add.u32", "add.f32", "add.f64", "add.noftz.f16", "inc.u32", "dec.u32", "min.s32",
     "max.u64", "min.s64", "max.f16"],
)  # fmt: skip
def test_reductions_of_arrays(operation):
    """Reductions into global memory and, where PTX has them, into another block's shared memory."""
    name, _, type_ = operation.replace(".noftz", "").partition(".")
    kind = np.dtype(KINDS[type_])
    given, before = (random.integers(0, 40, 128 // kind.itemsize).astype(kind) for _ in range(2))
    wanted = COMBINE[name](before, given).astype(kind)
    forms = [("", 0)]
    if operation in ("and.b32", "xor.b32", "add.u32", "inc.u32", "dec.u32", "min.s32"):
        forms = [(IN_CLUSTER, 128), (ONE, 4)]
    for cluster, expect in forms:
        source = REDUCE.replace("CLUSTER", cluster).replace("OPERATION", operation).replace("EXPECT", str(expect))
        global_, shared = before.copy(), before.copy()
        arguments = (given.view(np.uint8), global_.view(np.uint8), shared.view(np.uint8))
        program(source, "", 0).launch("reduce", 2, 32, *arguments, shared=ROOM, cluster=(2, 1, 1))
        np.testing.assert_array_equal(global_, wanted)
        changed = expect // kind.itemsize
        np.testing.assert_array_equal(shared, np.concatenate([wanted[:changed], before[changed:]]))
