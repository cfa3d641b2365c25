# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Instructions of PTX 8.6 to 9.3, mostly for sm_100 and later; those on bytes are in test_every_number.py."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.lanewise import apply
from support.loaded import Loaded
from support.warps import compiled

from cuda.cpu.ptx.error import PtxError

random = np.random.default_rng(23)
HALVES = st.lists(st.integers(0, 2**32 - 1), min_size=32, max_size=32)


def product(a: int, b: int) -> int:
    """Return the product of polynomials over two elements."""
    total = 0
    for index in range(64):
        if a >> index & 1:
            total ^= b << index
    return total


def test_carry_less_products():
    a, b, c = ([int(each) for each in row] for row in random.integers(0, 2**64, (3, 32), dtype=np.uint64))
    for mode, shift in (("lo", 0), ("hi", 64)):
        found = apply(f"clmad.{mode}.u64 $d, $a, $b, $c", "u64", ("u64", a), ("u64", b), ("u64", c))
        wanted = [(product(x, y) >> shift & 2**64 - 1) ^ z for x, y, z in zip(a, b, c, strict=True)]
        np.testing.assert_array_equal(found, np.array(wanted, np.uint64))


@given(HALVES, HALVES)
def test_saturating_sums(a, b):
    x, y = np.array(a, np.uint32), np.array(b, np.uint32)
    for type_, kind in (("u32", np.uint32), ("u16x2", np.uint16), ("s16x2", np.int16)):
        found = apply(f"add.sat.{type_} $d, $a, $b", "b32", ("b32", x), ("b32", y)).view(kind)
        info = np.iinfo(kind)
        wanted = np.clip(x.view(kind).astype(np.int64) + y.view(kind), info.min, info.max)
        np.testing.assert_array_equal(found, wanted.astype(kind))


def test_st_bulk_clears_memory():
    text = """
    .visible .entry k(.param .u64 out)
    {
        .shared .align 16 .b8 room[512]; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<3>;
        ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, room; mad.lo.u32 %r3, %r1, 16, %r2; mov.b32 %r4, -1;
        st.shared.v4.b32 [%r3], {%r4, %r4, %r4, %r4}; bar.warp.sync -1; mov.u64 %rd2, 64; cvt.u64.u32 %rd3, %r2;
        cvta.shared.u64 %rd3, %rd3; setp.eq.u32 %p1, %r1, 0;
        @%p1 st.bulk.weak.shared::cta [%r2+16], %rd2, 0; @%p1 st.bulk [%rd3+256], 128, 0; bar.warp.sync -1;
        ld.shared.v4.b32 {%r5, %r6, %r7, %r8}, [%r3]; mad.wide.u32 %rd4, %r1, 16, %rd1;
        membar.proxy.alias; membar.proxy.async; membar.proxy.async.shared::cta;
        st.global.v4.b32 [%rd4], {%r5, %r6, %r7, %r8}; ret;
    }
    """
    out = np.zeros(512, np.uint8)
    compiled(text)(out)
    wanted = np.full(512, 255, np.uint8)
    wanted[16:80] = wanted[256:384] = 0
    np.testing.assert_array_equal(out, wanted)
    with pytest.raises(PtxError, match="the value must be 0"):
        compiled(text.replace("128, 0;", "128, 1;"))


def test_device_memory_ordering():
    text = """
    .visible .entry k(.param .u64 p)
    {
        .reg .b32 %r<3>; .reg .b64 %rd<3>; ld.param.u64 %rd1, [p];
        ld.mmio.acquire.sys.global.u32 %r1, [%rd1];
        add.u32 %r1, %r1, 5; st.mmio.release.sys.global.u32 [%rd1], %r1; ret;
    }
    """
    data = np.array([37], np.uint32)
    compiled(text)(data, threads=1)
    assert data[0] == 42


QUERY = """
.version 9.0
.target sm_100
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .b64 %rd<9>; .reg .b128 %q; .reg .b32 %r<9>; .reg .pred %p;
    ld.param.u64 %rd1, [out]; mov.b64 %rd2, 0x700000001; mov.b64 %rd3, 0x900000008; mov.b128 %q, {%rd2, %rd3};
    clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p, %q; selp.b32 %r1, 1, 0, %p; st.global.b32 [%rd1], %r1;
    clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r2, %r3, %r4, _}, %q;
    st.global.b32 [%rd1+4], %r2; st.global.b32 [%rd1+8], %r3; st.global.b32 [%rd1+12], %r4;
    clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r5, %q; st.global.b32 [%rd1+16], %r5;
    clusterlaunchcontrol.query_cancel.get_first_ctaid::y.b32.b128 %r5, %q; st.global.b32 [%rd1+20], %r5;
    clusterlaunchcontrol.query_cancel.get_first_ctaid::z.b32.b128 %r5, %q; st.global.b32 [%rd1+24], %r5; ret;
}
"""


def test_cluster_launch_control_query():
    out = np.zeros(7, np.uint32)
    compiled(QUERY)(out, threads=1)
    assert out.tolist() == [1, 7, 8, 9, 7, 8, 9]


REQUEST = """
.version 9.0
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 out)
{
    .shared .align 16 .b8 response[16]; .shared .align 8 .b64 barrier;
    .reg .b64 %rd<9>; .reg .b128 %q; .reg .b32 %r<9>; .reg .pred %p<3>;
    ld.param.u64 %rd1, [out]; mov.u32 %r1, barrier; mov.u32 %r2, response; mov.b32 %r3, -1;
    st.shared.b32 [%r2], %r3; mbarrier.init.shared::cta.b64 [%r1], 1;
    barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 16; mov.u32 %r4, %cluster_ctarank; setp.eq.u32 %p1, %r4, 0;
    {guard} clusterlaunchcontrol.try_cancel.async{words}.b128 [{response}], [{barrier}];
WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r1], 0; @!%p2 bra WAIT;
    ld.shared.b128 %q, [%r2]; clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p2, %q;
    selp.b32 %r5, 1, 2, %p2; mad.wide.u32 %rd2, %r4, 4, %rd1; st.global.b32 [%rd2], %r5;
    barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; ret;
}
"""


@pytest.mark.parametrize("multicast", [False, True])
def test_cluster_launch_control_try_cancel_is_declined(multicast):
    words = ".mbarrier::complete_tx::bytes"
    parts = {"guard": "", "words": ".shared::cta" + words, "response": "%r2", "barrier": "%r1"}
    if multicast:
        parts |= {"guard": "@%p1", "words": words + ".multicast::cluster::all", "response": "%rd4", "barrier": "%rd3"}
    text = REQUEST
    for name, value in parts.items():
        text = text.replace("{" + name + "}", value)
    head = "cvt.u64.u32 %rd3, %r1; cvta.shared.u64 %rd3, %rd3; cvt.u64.u32 %rd4, %r2; cvta.shared.u64 %rd4, %rd4;"
    text = text.replace("    barrier.cluster.arrive", f"    {head} barrier.cluster.arrive", 1)
    out = np.zeros(2, np.uint32)
    Loaded(text.encode()).launch("k", 2, 1, out, cluster=(2, 1, 1))
    assert out.tolist() == [2, 2]


def test_reserved_shared_memory_follows_that_of_the_kernel():
    """%reserved_smem_offset_... are shared memory offsets, also if only a called function reads one."""
    text = """
    .func (.param .b32 out_ptr) reserved() {
        .reg .b32 %r<2>; mov.u32 %r1, %reserved_smem_offset_1; st.param.b32 [out_ptr], %r1; ret; }
    .extern .shared .align 8 .b8 more[];
    .visible .entry k(.param .u64 out)
    {
        .shared .align 4 .b8 mine[100]; .reg .b32 %r<19>; .reg .b64 %rd<9>;
        ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2;
        { .param .b32 out_ptr; call (out_ptr), reserved; ld.param.b32 %r2, [out_ptr]; }
        shl.b32 %r3, %r1, 2; add.u32 %r4, %r2, %r3; st.shared.u32 [%r4], %r1; cvt.u64.u32 %rd3, %r2;
        cvta.shared.u64 %rd4, %rd3; bar.sync 0; sub.u32 %r5, 31, %r1; mad.wide.u32 %rd5, %r5, 4, %rd4;
        ld.u32 %r6, [%rd5]; st.global.u32 [%rd1], %r6; mov.u32 %r7, mine; mov.u32 %r8, more;
        mov.u32 %r9, %reserved_smem_offset_begin; mov.u32 %r10, %reserved_smem_offset_end;
        mov.u32 %r11, %reserved_smem_offset_cap; mov.u32 %r12, %aggr_smem_size; mov.u32 %r13, %total_smem_size;
        st.global.u32 [%rd1+128], %r7; st.global.u32 [%rd1+256], %r8; st.global.u32 [%rd1+384], %r9;
        st.global.u32 [%rd1+512], %r10; st.global.u32 [%rd1+640], %r11; st.global.u32 [%rd1+768], %r12;
        st.global.u32 [%rd1+896], %r13; ret;
    }
    """
    out = np.zeros((8, 32), np.uint32)
    compiled(text)(out, shared=64)
    np.testing.assert_array_equal(out[0], np.arange(32)[::-1])
    mine, more, begin, end, cap, with_reserved, without = (int(each) for each in out[1:, 0])
    assert end - begin == cap == with_reserved - without >= 288  # the bytes that cooperative groups need
    assert max(mine + 100, end) <= more
    assert mine + 100 <= begin or end <= mine


def test_vector_moves():
    """Elements are moved as if simultaneously; a special register may stand for all of its components."""
    text = """
    .visible .entry k(.param .u64 out)
    {
        .reg .b32 %r<9>; .reg .b64 %rd<9>; ld.param.u64 %rd1, [out]; mov.v4.u32 {%r1, %r2, %r3, %r4}, %tid;
        mov.v2.b32 {%r2, %r3}, {%r1, %r4}; add.u32 %r5, %r2, 7; mov.v2.u32 {%r2, %r5}, {%r5, %r2};
        mad.wide.u32 %rd2, %r1, 16, %rd1; st.global.v4.b32 [%rd2], {%r2, %r3, %r4, %r5}; ret;
    }
    """
    out = np.zeros((32, 4), np.uint32)
    compiled(text)(out)
    lanes = np.arange(32)
    np.testing.assert_array_equal(out, np.stack([lanes + 7, lanes * 0, lanes * 0, lanes], 1))
    with pytest.raises(PtxError, match=r"operand 2 \(a\) must be a vector of 2 elements"):
        compiled(text.replace("{%r1, %r4}", "{%r1, %r4, %r4}"))
