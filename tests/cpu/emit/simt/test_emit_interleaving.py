# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Interleaved SIMD groups resume where they were suspended, with the same results as a loop that is not interleaved."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from support.warps import HEAD, compiled

from cuda.cpu.emit import Settings, emit_kernel
from cuda.cpu.ptx import program as ptx_program

# Thread t goes through x[t], x[t + step], ... as long as that is below n; BODY has what it loads in %r6, END is behind.
LOOP = """
.shared .align 4 .b8 room[4096];
.visible .entry k(.param .u64 x, .param .u64 out, .param .s32 n, .param .s32 step)
{
    .reg .pred %p<4>; .reg .b32 %r<30>; .reg .f32 %f<4>; .reg .b64 %d<20>;
    ld.param.u64 %d1, [x]; ld.param.u64 %d2, [out]; ld.param.s32 %r10, [n]; ld.param.s32 %r11, [step];
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.y; mad.lo.s32 %r4, %r3, %r2, %r1;
    mov.u32 %r12, %ctaid.x; mul.lo.s32 %r13, %r12, 1000; add.s32 %r7, %r4, %r13;
    mov.u32 %r14, %ntid.y; mul.lo.s32 %r15, %r2, %r14; mad.lo.s32 %r16, %r12, %r15, %r4;
    mul.wide.u32 %d5, %r16, 4; add.s64 %d5, %d2, %d5; mov.u32 %r5, 0; mul.lo.u32 %r20, %r4, 77;
    shl.b32 %r8, %r4, 2; mov.u32 %r9, room; add.s32 %r8, %r8, %r9; st.shared.u32 [%r8], 0; bar.sync 0;
    setp.ge.s32 %p1, %r7, %r10;
    @%p1 bra END;
LOOP:
    mul.wide.s32 %d4, %r7, 4; add.s64 %d7, %d1, %d4;
    ld.global.u32 %r6, [%d7];
    BODY
    add.s32 %r7, %r7, %r11;
    setp.lt.s32 %p2, %r7, %r10;
    @%p2 bra LOOP;
END:
    BEHIND
    ret;
}
"""
HASH = "mad.lo.u32 %r5, %r5, 3, %r6; mad.lo.s32 %r5, %r5, 5, %r7;"
LAST = HASH.replace("%r6", "%r22")
STORE = "bar.sync 0; add.u32 %r5, %r5, %r20; st.global.u32 [%d5], %r5;"
BLOCKS = [(32,), (96,), (40,), (256,), (64, 4), (16, 6), (7,)]
SIZES = [(40000, 1024), (40000, 1500), (9000, 1024), (8192, 1024), (500, 1024), (0, 1024), (3000, 64), (70000, 4099)]


def kernel(body: str, behind: str, **options: object):
    return compiled(LOOP.replace("BODY", body).replace("BEHIND", behind), **options)


def hashes(x: np.ndarray, threads: int, blocks: int, n: int, step: int) -> np.ndarray:
    """Return the expected results of HASH and STORE."""
    thread = np.tile(np.arange(threads, dtype=np.uint32), blocks)
    at = thread.astype(np.int64) + 1000 * np.repeat(np.arange(blocks), threads)
    found = np.zeros(threads * blocks, np.uint32)
    while (runs := at < n).any():
        here = np.where(runs, at, 0)
        found = np.where(runs, (found * np.uint32(3) + x[here]) * np.uint32(5) + here.astype(np.uint32), found)
        at += step
    return found + thread * np.uint32(77)


@pytest.mark.parametrize("block", BLOCKS)
def test_interleaved_hashes_match_the_reference(block: tuple[int, ...]) -> None:
    """Iteration counts around multiples of a slice, and SIMD groups and lanes with one iteration more than others."""
    x = np.random.default_rng(seed=1).integers(0, 2**32, 80000, dtype=np.uint32)
    threads, blocks = int(np.prod(block)), 3
    for n, step in SIZES:
        out = np.zeros(threads * blocks, np.uint32)
        kernel(HASH, STORE)(x, out, np.int32(n), np.int32(step), threads=block, blocks=blocks)
        np.testing.assert_array_equal(out, hashes(x, threads, blocks, n, step), err_msg=f"{n} by {step}")


@pytest.mark.parametrize("width", ["1", "8", "16"])
def test_smaller_simd_widths(width: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_CPU_WIDTH", width)
    x = np.arange(80000, dtype=np.uint32)
    text = LOOP.replace("BODY", HASH).replace("BEHIND", STORE) + f"// {width}\n"
    for n, step in SIZES:
        out = np.zeros(200, np.uint32)
        compiled(text)(x, out, np.int32(n), np.int32(step), threads=100, blocks=2)
        np.testing.assert_array_equal(out, hashes(x, 100, 2, n, step))


# The SIMD group takes the next number, and writes its own at that index behind the results.
TRACE = """
    ld.shared.u32 %r23, [room]; add.u32 %r24, %r23, 1; st.shared.u32 [room], %r24;
    mul.wide.u32 %d20, %r23, 4; add.u64 %d20, %d2, %d20; shr.u32 %r25, %r4, 5; st.global.u32 [%d20+256], %r25;
"""


@pytest.mark.cpu_only
@pytest.mark.parametrize(("streams", "iterations"), [(1, 8), (2, 8), (3, 5), (8, 2), (16, 1), (20, 1)])
@pytest.mark.parametrize("step", [1024, 2048, 1040, 3000])
def test_slices_are_shorter_where_many_streams_are_in_one_cache_set(streams: int, iterations: int, step: int) -> None:
    """Steps of a multiple of 4 KB keep each of them in a set."""
    body = LAST.join(f"add.s64 %d{30 + k}, %d7, {4 * k}; ld.global.u32 %r22, [%d{30 + k}];" for k in range(streams))
    text = LOOP.replace("%d<20>", "%d<60>").replace("ld.global.u32 %r6, [%d7];", "")
    text = text.replace("BODY", body + LAST + TRACE).replace("BEHIND", STORE)
    x, rounds, threads = np.random.default_rng(seed=7).integers(0, 2**32, 90000, np.uint32), 26, 64
    n, out = np.int32(rounds * step - step + threads), np.zeros(threads + 2 * rounds, np.uint32)
    compiled(text)(x, out, n, np.int32(step), threads=threads)
    usual = 8 if step % 1024 else iterations
    slices = iter([iterations] + [usual] * 2 * rounds)  # the first slice measures the step
    left, order = [rounds, rounds], []
    while any(left):
        for group in (0, 1):
            length = min(next(slices), left[group]) if left[group] else 0
            order += [group] * length
            left[group] -= length
    assert out[threads:].tolist() == order
    thread = np.arange(threads, dtype=np.uint32)
    expected = np.zeros(threads, np.uint32)
    for at in (first + thread for first in range(0, rounds * step, step)):
        for k in range(streams):
            expected = (expected * np.uint32(3) + x[at + k]) * np.uint32(5) + at.astype(np.uint32)
    np.testing.assert_array_equal(out[:threads], expected + thread * np.uint32(77))


def test_loops_without_a_barrier() -> None:
    x = np.arange(80000, dtype=np.uint32)
    plain = LOOP.replace("bar.sync 0;", "").replace("BODY", HASH).replace("BEHIND", STORE.replace("bar.sync 0;", ""))
    for n, step in SIZES:
        out = np.zeros(512, np.uint32)
        compiled(plain)(x, out, np.int32(n), np.int32(step), threads=256, blocks=2)
        np.testing.assert_array_equal(out, hashes(x, 256, 2, n, step))


@pytest.mark.parametrize("step", [1024, 256])
def test_interleaved_loops_poll_the_runtime(step: int) -> None:
    """Slices poll the runtime as often as single iterations would, so that kernels can be interrupted."""
    polls = []
    x, out = np.ones(1 << 20, np.uint32), np.zeros(256, np.uint32)
    kernel(HASH, STORE)(
        x, out, np.int32(1 << 20), np.int32(step), threads=256, budget=1000,
        services={"poll": lambda warp: polls.append(1)},
    )  # fmt: skip
    assert len(polls) >= 7


def test_interleaved_atomics_in_shared_memory() -> None:
    """Atomic operations whose order does not matter."""
    count = "and.b32 %r17, %r6, 255; shl.b32 %r17, %r17, 2; add.s32 %r17, %r17, %r9; red.shared.add.u32 [%r17], 1;"
    behind = "bar.sync 0; ld.shared.u32 %r18, [%r8]; st.global.u32 [%d5], %r18;"
    x = np.random.default_rng(seed=2).integers(0, 2**32, 80000, dtype=np.uint32)
    out = np.zeros(256, np.uint32)
    kernel(count, behind)(x, out, np.int32(70000), np.int32(1024), threads=256)
    positions = np.arange(70000)[np.arange(70000) % 1024 < 256]
    np.testing.assert_array_equal(out, np.bincount(x[positions] & 255, minlength=256))


def test_nested_loops() -> None:
    """SIMD groups re-enter the inner loop in different iterations of the outer one."""
    inner = """
    mov.u32 %r21, %r7;
INNER:
    mul.wide.s32 %d8, %r21, 4; add.s64 %d9, %d1, %d8; ld.global.u32 %r22, [%d9]; mad.lo.u32 %r5, %r5, 3, %r22;
    add.s32 %r21, %r21, 2048; setp.lt.s32 %p3, %r21, %r10; @%p3 bra INNER;
    """
    x = np.random.default_rng(seed=3).integers(0, 2**32, 80000, dtype=np.uint32)
    n, step, threads = 50000, 7000, 96
    out = np.zeros(threads, np.uint32)
    kernel(inner, STORE)(x, out, np.int32(n), np.int32(step), threads=threads)
    found = np.zeros(threads, np.uint32)
    for thread in range(threads):
        total = 0
        for first in range(thread, n, step):
            for at in range(first, n, 2048):
                total = (total * 3 + int(x[at])) % 2**32
        found[thread] = (total + 77 * thread) % 2**32
    np.testing.assert_array_equal(out, found)


ORDERED = {
    "sums of floats": "cvt.rn.f32.u32 %f1, %r6; red.shared.add.f32 [room], %f1;",
    "old values": "atom.shared.exch.b32 %r5, [room], %r6;",
    "what comes last": "st.volatile.shared.u32 [room], %r6;",
}


@pytest.mark.cpu_only
@pytest.mark.parametrize("what", ORDERED)
def test_no_interleaving_where_order_is_observable(what: str) -> None:
    """The warps run their loops one after the other."""
    text = LOOP.replace("BODY", ORDERED[what]).replace("BEHIND", "bar.sync 0; ld.shared.u32 %r5, [room];" + STORE)
    x = np.random.default_rng(seed=4).integers(0, 2**32, 80000, dtype=np.uint32)
    out, n, step = np.zeros(256, np.uint32), 70000, 1024
    compiled(text)(x, out, np.int32(n), np.int32(step), threads=256)
    order = np.arange(256)[:, None] + np.arange(0, n + step, step)
    order = order.reshape(8, 32, -1).transpose(0, 2, 1).ravel()
    values = x[order[order < n]]
    last = values[-1]
    if what == "sums of floats":
        last = np.add.accumulate(values.astype(np.float32))[-1].view(np.uint32)
    np.testing.assert_array_equal(out - np.arange(256, dtype=np.uint32) * np.uint32(77), last)


def test_which_kernels_are_interleaved() -> None:
    def takes(body: str, **options: object) -> bool:
        text = HEAD + LOOP.replace("BODY", body).replace("BEHIND", STORE)
        return "resume_at." in emit_kernel(ptx_program.build([text]), "k", Settings(**options)).text

    assert takes(HASH)
    assert not takes(HASH, quick=True)
    assert not any(map(takes, ORDERED.values()))


@pytest.mark.parametrize("width", ["4", "16", "32"])
@pytest.mark.parametrize("stay", [0, 1, 40, 64, 99])
@pytest.mark.parametrize("from_start", [False, True])
def test_lanes_that_exit_after_the_loop(
    width: str, stay: int, monkeypatch: pytest.MonkeyPatch, *, from_start: bool
) -> None:
    """Others are still interleaved; lanes that have left do not come back."""
    monkeypatch.setenv("CUDA_CPU_WIDTH", width)
    behind = f"setp.ge.u32 %p3, %r4, {stay}; @%p3 ret; {STORE}"
    text = LOOP.replace("BODY", HASH).replace("BEHIND", behind) + f"// {width}\n"
    if from_start:
        text = text.replace("bar.sync 0;", "", 1)
    x = np.random.default_rng(seed=6).integers(0, 2**32, 80000, dtype=np.uint32)
    for n in (40000, 8200):
        out = np.zeros(200, np.uint32)
        compiled(text)(x, out, np.int32(n), np.int32(1024), threads=100, blocks=2)
        expected = hashes(x, 100, 2, n, 1024)
        expected[np.tile(np.arange(100) >= stay, 2)] = 0
        np.testing.assert_array_equal(out, expected)
