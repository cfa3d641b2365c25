# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""mbarrier instructions, and asynchronous copies that arrive at them, within one warp."""

from __future__ import annotations

import numpy as np
from support.warps import compiled

KERNEL = """
.visible .entry k(.param .u64 out, .param .u64 from)
{{
    .shared .align 8 .b64 bar; .shared .align 16 .b8 room[64];
    .reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .pred %p<9>;
    ld.param.u64 %rd1, [out]; ld.param.u64 %rd9, [from]; mov.u32 %r1, %tid.x; mov.u32 %r2, bar; mov.u32 %r9, room;
    setp.eq.u32 %p8, %r1, 0;
    {code}
    mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r3;
    ret;
}}
"""
INIT = "@%p8 mbarrier.init.shared.b64 [%r2], {}; "
TEST = "mbarrier.test_wait.shared.b64 %p1, [%r2], %rd5; selp.u32 {0}, 1, 0, %p1; "
PARITY = "mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2], {1}; selp.u32 {0}, 1, 0, %p2; "
JOIN = (
    "shl.b32 %r5, %r5, 1; shl.b32 %r6, %r6, 2; shl.b32 %r7, %r7, 3; or.b32 %r4, %r4, %r5; or.b32 %r6, %r6, %r7;"
    "or.b32 %r3, %r4, %r6;"
)


def run(code: str, data: np.ndarray | None = None) -> np.ndarray:
    """Run code that computes %r3 with a barrier at %r2; `data` is at %rd9, a 64-byte buffer at %r9; %p8 is lane 0."""
    out = np.zeros(32, np.uint32)
    compiled(KERNEL.format(code=code))(out, np.zeros(64, np.uint8) if data is None else data)
    return out


def test_a_phase_completes_when_all_threads_have_arrived():
    """Bits of the result: complete before the last arrival, after it, parity 0 complete, parity 1 complete."""
    code = (
        INIT.format(33) + "mbarrier.arrive.shared.b64 %rd5, [%r2]; " + TEST.format("%r4")
        + "@%p8 mbarrier.arrive.shared.b64 _, [%r2]; " + TEST.format("%r5")
        + PARITY.format("%r6", 0) + PARITY.format("%r7", 1) + JOIN
    )  # fmt: skip
    assert set(run(code)) == {0b0110}


def test_a_new_barrier_has_the_parity_of_a_completed_phase():
    code = (
        INIT.format(2)
        + PARITY.format("%r4", 0)
        + PARITY.format("%r5", 1)
        + "shl.b32 %r5, %r5, 1; or.b32 %r3, %r4, %r5;"
    )
    assert set(run(code)) == {0b10}


def test_pending_arrival_count(on_gpu):
    """A GPU applies the arrivals of a warp at once; the CPU device, lane by lane."""
    code = INIT.format(100) + "@%p8 mbarrier.arrive.shared.b64 %rd5, [%r2], 60; mbarrier.arrive.shared.b64 %rd5, [%r2];"
    pending = run(code + "mbarrier.pending_count.b64 %r3, %rd5;")
    assert sorted(pending) == ([40] * 32 if on_gpu else list(range(9, 41)))


def test_arrive_drop_lowers_the_expected_count():
    code = (
        INIT.format(40) + "@%p8 mbarrier.arrive_drop.shared.b64 _, [%r2], 8; mbarrier.arrive.shared.b64 %rd5, [%r2];"
        + TEST.format("%r4") + "mbarrier.arrive.shared.b64 %rd5, [%r2]; " + TEST.format("%r5")
        + "shl.b32 %r5, %r5, 1; or.b32 %r3, %r4, %r5;"
    )  # fmt: skip
    assert set(run(code)) == {0b11}


def test_a_phase_waits_for_the_bytes_of_a_bulk_copy():
    data = np.arange(100, 164).astype(np.uint8)
    copy = "@%p8 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r9], [%rd9], 48, [%r2]; "
    code = (
        INIT.format(32) + "@%p8 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r2], 48; "
        "mbarrier.arrive.shared.b64 %rd5, [%r2]; " + TEST.format("%r4") + copy
        + "WAIT: " + TEST.format("%r5") + "@!%p1 bra WAIT; "
        + "shl.b32 %r5, %r5, 1; or.b32 %r4, %r4, %r5; add.u32 %r10, %r9, %r1; ld.shared.u8 %r11, [%r10+20];"
        "shl.b32 %r11, %r11, 8; or.b32 %r3, %r4, %r11;"
    )  # fmt: skip
    out = run(code, data)
    assert set(out & 0xFF) == {0b10}
    np.testing.assert_array_equal(out >> 8, np.where(np.arange(32) < 28, data[20:52], 0))


def test_ignored_out_of_bounds_bytes_complete_the_transaction():
    data = np.arange(100, 164).astype(np.uint8)
    code = (
        INIT.format(1) + "@%p8 mbarrier.arrive.expect_tx.shared.b64 %rd5, [%r2], 48; "
        "@%p8 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.ignore_oob [%r9], [%rd9], 48, 3, 15, [%r2];"
        + PARITY.format("%r4", 0) + "add.u32 %r10, %r9, %r1; ld.shared.u8 %r11, [%r10]; ld.shared.u8 %r12, [%r10+32];"
        "shl.b32 %r11, %r11, 8; shl.b32 %r12, %r12, 16; or.b32 %r4, %r4, %r11; or.b32 %r3, %r4, %r12;"
    )  # fmt: skip
    done, *halves = run(code, data).view(np.uint8).reshape(32, 4).T[:3]
    assert done.all()
    np.testing.assert_array_equal(np.concatenate(halves)[3:33], data[3:33])  # an H100 also copies the others


def test_arrive_expect_tx():
    code = (
        INIT.format(1) + "@!%p8 bra L; mbarrier.arrive.expect_tx.shared.b64 %rd5, [%r2], 16; " + TEST.format("%r4")
        + "mbarrier.complete_tx.shared.b64 [%r2], 16; " + TEST.format("%r5")
        + "shl.b32 %r5, %r5, 1; or.b32 %r3, %r4, %r5; L: "
    )  # fmt: skip
    assert run(code)[0] == 0b10


def test_asynchronous_copies_arrive_at_the_barrier():
    code = INIT.format(32) + "mbarrier.try_wait.parity.shared.b64 %p1, [%r2], 1; mov.u32 %r3, 9; @!%p1 bra END;"
    code += "cp.async.mbarrier.arrive.shared.b64 [%r2]; " + PARITY.format("%r4", 0)
    code += "cp.async.mbarrier.arrive.noinc.shared.b64 [%r2]; " + PARITY.format("%r5", 0)  # a GPU arrives later: waits
    code += "shl.b32 %r5, %r5, 1; or.b32 %r3, %r4, %r5; bar.warp.sync -1; mbarrier.inval.shared.b64 [%r2]; END:"
    assert set(run(code)) == {0b10}


def test_bulk_copies_to_global_memory():
    code = (
        "add.u32 %r10, %r9, %r1; mov.u32 %r3, 7; add.u32 %r11, %r1, 3; st.shared.u8 [%r10], %r11;"
        "@%p8 cp.async.bulk.global.shared::cta.bulk_group [%rd9], [%r9], 32; cp.async.bulk.commit_group;"
        "cp.async.bulk.wait_group.read 0;"
    )
    data = np.zeros(64, np.uint8)
    run(code, data)
    np.testing.assert_array_equal(data, np.r_[3:35, [0] * 32])
