# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""racecheck of asynchronous copies, of warps without synchronisation, of atomic operations and of narrow scopes."""

from __future__ import annotations

from ctypes import c_uint64

import pytest

from cuda.cpu import abi, driver

pytestmark = [pytest.mark.cpu_only, pytest.mark.parametrize("checked", ["racecheck", "all"], indirect=True)]

# %r1: thread, %r2: block, %r3: 4 * thread; %r5: the thread's word in shared memory, %r6: that of its neighbour;
# %d1: global memory, %d2: the thread's word there, %d3: that of its neighbour; %p1: thread 0, %p2: block 0.
HEAD = """.visible .entry k(.param .u64 p) {
 .reg .b32 %r<20>; .reg .pred %p<9>; .reg .b64 %d<9>;
 .shared .align 16 .b8 room[512]; .shared .align 8 .b64 bar;
 ld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; shl.b32 %r3, %r1, 2;
 mov.u32 %r4, room; add.u32 %r5, %r4, %r3; xor.b32 %r6, %r3, 4; cvt.u64.u32 %d3, %r6; add.u32 %r6, %r4, %r6;
 cvt.u64.u32 %d2, %r3; add.s64 %d2, %d1, %d2; add.s64 %d3, %d1, %d3;
 setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r2, 0;
 """
TAIL = "\n ret; }"


def found(checked, body: str, **launch) -> list[str]:
    handle = driver.cuCtxCreate_v2(0, 0)
    try:
        memory = driver.cuMemAlloc(8192)
        driver.cuMemsetD32(memory, 0, 2048)
        checked.launch(HEAD + body + TAIL, c_uint64(memory), **({"block": 64} | launch))
        return [line for line in checked.lines(abi.CUDA_ERROR_LAUNCH_FAILED) if line.startswith("racecheck")]
    finally:
        driver.cuCtxDestroy(handle)


COPY = "cp.async.ca.shared.global [%r5], [%d2], 4;\n "
OWN = "\n ld.shared.u32 %r7, [%r5];"
NEXT = "\n ld.shared.u32 %r7, [%r6];"
TWO = COPY + "cp.async.commit_group;\n cp.async.ca.shared.global [%r5+256], [%d2], 4;\n cp.async.commit_group;\n "
INIT = "@%p1 mbarrier.init.shared.b64 [bar], {};\n bar.sync 0;\n "
WAIT = "WAIT: mbarrier.test_wait.parity.shared.b64 %p3, [bar], 0;\n @!%p3 bra WAIT;"
BULK = (
    INIT.format(1) + "@!%p1 bra HERE;\n mbarrier.arrive.expect_tx.shared.b64 %d4, [bar], 256;\n "
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r4], [%d1], 256, [bar];\nHERE: "
)
STORE = ("st.shared.u32 [%r5], %r1;\n bar.sync 0;\n @!%p1 bra HERE;\n cp.async.bulk.global.shared::cta.bulk_group "
         "[%d1], [%r4], 256;\n cp.async.bulk.commit_group;\n ")  # fmt: skip

COPIES = {  # the program, and whether it is correct
    "wait_all": (COPY + "cp.async.wait_all;" + OWN, True),
    "wait_all and a barrier": (COPY + "cp.async.wait_all;\n bar.sync 0;" + NEXT, True),
    "wait_group": (COPY + "cp.async.commit_group;\n cp.async.wait_group 0;\n bar.sync 0;" + NEXT, True),
    "no wait": (COPY + OWN, False),
    "a barrier, but no wait": (COPY + "bar.sync 0;" + NEXT, False),
    "a wait, but no barrier": (COPY + "cp.async.wait_all;" + NEXT, False),
    "a wait behind the barrier": (COPY + "bar.sync 0;\n cp.async.wait_all;" + NEXT, False),
    "the group is not committed": (COPY + "cp.async.wait_group 0;\n bar.sync 0;" + NEXT, False),
    "the first of two groups": (TWO + "cp.async.wait_group 1;" + OWN, True),
    "the second of two groups": (TWO + "cp.async.wait_group 1;\n ld.shared.u32 %r7, [%r5+256];", False),
    "both groups": (TWO + "cp.async.wait_group 0;\n ld.shared.u32 %r7, [%r5+256];", True),
    "the source is overwritten": (COPY + "st.global.u32 [%d2], 7;", False),
    "the source is overwritten later": (COPY + "cp.async.wait_all;\n st.global.u32 [%d2], 7;", True),
    "overwritten by the thread": (COPY + "st.shared.u32 [%r5], 9;", False),
    "cleared before": ("st.shared.u32 [%r5], 0;\n " + COPY + "cp.async.wait_all;\n bar.sync 0;" + NEXT, True),
    "an mbarrier": (INIT.format(64) + COPY + "cp.async.mbarrier.arrive.noinc.shared.b64 [bar];\n " + WAIT + NEXT, True),
    "arrives twice": (INIT.format(64) + COPY + "cp.async.mbarrier.arrive.shared.b64 [bar];\n "
                      "mbarrier.arrive.shared.b64 %d4, [bar];\n " + WAIT + NEXT, True),
    "the mbarrier without copies": (INIT.format(64) + COPY + "mbarrier.arrive.shared.b64 %d4, [bar];\n " + WAIT + NEXT,
                                    False),
    "bulk": (BULK + WAIT + NEXT, True),
    "bulk, no wait": (BULK + NEXT, False),
    "bulk, a barrier, but no wait": (BULK + "bar.sync 0;" + NEXT, False),
    "bulk store": (STORE + "cp.async.bulk.wait_group 0;\n st.shared.u32 [%r4], 77;\n ld.global.u32 %r7, [%d1];\nHERE:",
                   True),
    "bulk store, no wait": (STORE + "st.shared.u32 [%r4], 77;\nHERE:", False),
    "bulk store, source read": (STORE + "cp.async.bulk.wait_group.read 0;\n st.shared.u32 [%r4], 77;\nHERE:", True),
    "bulk store, only read": (STORE + "cp.async.bulk.wait_group.read 0;\n ld.global.u32 %r7, [%d1+4];\nHERE:", False),
}  # fmt: skip


@pytest.mark.parametrize("name", COPIES)
def test_waits_for_copies(checked, name):
    body, correct = COPIES[name]
    lines = found(checked, body)
    assert (lines == []) == correct
    if not correct and "a wait, but no barrier" not in name:
        assert any("`" in line and "cp.async" in line for line in lines)


FOLD = "st.volatile.shared.u32 [%r5], %r1;{}\n ld.volatile.shared.u32 %r7, [%r6];"
FLAG = ("@%p1 bra SET;\nSPIN: ld.volatile.shared.u32 %r7, [room];\n setp.eq.u32 %p3, %r7, 0;\n @%p3 bra SPIN;\n"
        " bra END;\nSET: st.volatile.shared.u32 [room], 1;\nEND:")  # fmt: skip
ZERO = "@%p1 st.global.u32 [%d1], 0;\n "
ATOMIC = "atom.{0}.add.u32 %r7, [{1}], 1;\n "
THREADS = {
    "volatile alone": (FOLD.format(""), {"block": 32}, False),
    "volatile and __syncwarp": (FOLD.format("\n bar.warp.sync -1;"), {"block": 32}, True),
    "a flag of a lane": ("@%p1 st.volatile.shared.u32 [room], 0;\n bar.sync 0;\n " + FLAG, {"block": 32}, True),
    "a flag of a warp": ("@%p1 st.volatile.shared.u32 [room], 0;\n bar.sync 0;\n " + FLAG, {"block": 64}, True),
    "atomic and plain read": (ATOMIC.format("shared", "room") + "ld.shared.u32 %r7, [room];", {}, False),
    "atomic, then a barrier": (ATOMIC.format("shared", "room") + "bar.sync 0;\n ld.shared.u32 %r7, [room];", {}, True),
    "atomic and volatile read": (ATOMIC.format("shared", "room") + "ld.volatile.shared.u32 %r7, [room];", {}, True),
    "atomic and plain write": (ZERO + ATOMIC.format("global", "%d1"), {}, False),
    "atomic behind a barrier": (ZERO + "bar.sync 0;\n " + ATOMIC.format("global", "%d1"), {}, True),
    "atomic, plain read of blocks": (ATOMIC.format("global", "%d1") + "ld.global.u32 %r7, [%d1];", {"grid": 2}, False),
    "atomic, relaxed read of blocks": (ATOMIC.format("global", "%d1") + "ld.relaxed.gpu.global.u32 %r7, [%d1];",
                                       {"grid": 2}, True),
    "atomics of the block": (ATOMIC.format("global.cta", "%d1"), {"grid": 1}, True),
    "atomics of the block between blocks": (ATOMIC.format("global.cta", "%d1"), {"grid": 2}, False),
    "atomics of the device": (ATOMIC.format("global.gpu", "%d1"), {"grid": 2}, True),
    "a relaxed store of the block": ("@%p2 st.relaxed.cta.global.u32 [%d1], 1;\n"
                                     " @!%p2 ld.relaxed.cta.global.u32 %r7, [%d1];", {"grid": 2}, False),
}  # fmt: skip


@pytest.mark.parametrize("name", THREADS)
def test_atomic_volatile_and_narrow_accesses(checked, name):
    body, shape, correct = THREADS[name]
    assert (found(checked, body, **shape) == []) == correct


HAND_OVER = """@!%p1 bra END;
 @%p2 bra GIVE;
TAKE: ld.relaxed.gpu.global.u32 %r7, [%d1]; setp.eq.u32 %p3, %r7, 0;
 @%p3 bra TAKE;
 fence.acq_rel.gpu;
 ld.global.u32 %r8, [%d1+64];
 bra END;
GIVE: st.global.u32 [%d1+64], 9;
 {}
END:"""


@pytest.mark.parametrize(
    ("give", "correct"),
    [
        ("fence.acq_rel.gpu; st.relaxed.gpu.global.u32 [%d1], 1;", True),
        ("membar.gl; st.volatile.global.u32 [%d1], 1;", True),
        ("membar.cta; st.volatile.global.u32 [%d1], 1;", False),
        ("fence.acq_rel.cta; st.relaxed.gpu.global.u32 [%d1], 1;", False),
        ("st.release.gpu.global.u32 [%d1], 1;", True),
        ("st.release.cta.global.u32 [%d1], 1;", False),
        ("atom.release.gpu.global.exch.b32 %r9, [%d1], 1;", True),
        ("atom.release.cta.global.exch.b32 %r9, [%d1], 1;", False),
    ],
)
def test_scopes_of_releases_between_blocks(checked, give, correct):
    assert (found(checked, HAND_OVER.format(give), grid=2) == []) == correct


def test_scopes_of_releases_in_a_block(checked):
    """A fence of scope .cta is enough between threads of one block."""
    first = "setp.ne.u32 %p4, %r1, 32;\n @%p1 bra GIVE;\n @%p4 bra END;\n bra TAKE;"
    body = HAND_OVER.replace("@!%p1 bra END;\n @%p2 bra GIVE;", first)
    assert found(checked, body.format("membar.cta; st.volatile.global.u32 [%d1], 1;")) == []
    assert found(checked, body.format("st.volatile.global.u32 [%d1], 1;")) != []
