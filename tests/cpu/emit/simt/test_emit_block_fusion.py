# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Block fusion: blocks that run a loop together have the same results and faults as blocks that run alone."""

from __future__ import annotations

import ctypes
import mmap

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from support.loaded import Loaded
from support.warps import HEAD, compiled

from cuda.cpu.emit import Settings, emit_kernel
from cuda.cpu.ptx import program as ptx_program
from cuda.cpu.runtime import _runtime

# Thread t of block b goes through x[t + 700 b + step], ... as long as that is below n + more * b (block 5: + far); what
# it finds goes to the thread opposite through shared memory. FIRST is before the loop, MIDDLE in it.
LOOP = """
.shared .align 4 .b8 room[4096];
.visible .entry k(.param .u64 x, .param .u64 out, .param .s32 n, .param .s32 more, .param .s32 step, .param .s32 far)
{
    .reg .pred %p<6>; .reg .b32 %r<30>; .reg .b64 %d<20>;
    ld.param.u64 %d1, [x]; ld.param.u64 %d2, [out]; ld.param.s32 %r10, [n]; ld.param.s32 %r11, [step];
    ld.param.s32 %r21, [more]; ld.param.s32 %r24, [far];
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.z; mad.lo.s32 %r4, %r3, %r2, %r1;
    mov.u32 %r12, %ctaid.x; mov.u32 %r22, %ctaid.y; mov.u32 %r23, %nctaid.x; mad.lo.s32 %r12, %r22, %r23, %r12;
    mad.lo.s32 %r10, %r21, %r12, %r10;
    setp.eq.s32 %p3, %r12, 5; selp.b32 %r24, %r24, 0, %p3; add.s32 %r10, %r10, %r24;
    mul.lo.s32 %r13, %r12, 700; add.s32 %r7, %r4, %r13;
    mov.u32 %r14, %ntid.z; mul.lo.s32 %r15, %r2, %r14; mad.lo.s32 %r16, %r12, %r15, %r4;
    mul.wide.u32 %d5, %r16, 4; add.s64 %d5, %d2, %d5; mov.u32 %r5, 0;
    shl.b32 %r8, %r4, 2; mov.u32 %r9, room; add.s32 %r8, %r8, %r9;
    FIRST
    setp.ge.s32 %p1, %r7, %r10;
    @%p1 bra END;
LOOP:
    mul.wide.s32 %d4, %r7, 4; add.s64 %d7, %d1, %d4;
    ld.global.u32 %r6, [%d7]; mad.lo.u32 %r5, %r5, 3, %r6; mad.lo.s32 %r5, %r5, 5, %r7;
    MIDDLE
    add.s32 %r7, %r7, %r11;
    setp.lt.s32 %p2, %r7, %r10;
    @%p2 bra LOOP;
END:
    st.shared.u32 [%r8], %r5; bar.sync 0;
    sub.s32 %r17, %r15, 1; sub.s32 %r17, %r17, %r4; shl.b32 %r17, %r17, 2; add.s32 %r17, %r17, %r9;
    ld.shared.u32 %r18, [%r17]; st.global.u32 [%d5], %r18;
    ret;
}
"""
X = np.random.default_rng(seed=1).integers(0, 2**32, 120000, dtype=np.uint32)


def text_of(first: str = "", middle: str = "") -> str:
    return LOOP.replace("FIRST", first).replace("MIDDLE", middle)


def expected(threads: int, blocks: int, n: int, more: int, step: int) -> np.ndarray:
    block, thread = np.divmod(np.arange(threads * blocks), threads)
    at, end = thread + 700 * block, n + more * block
    found = np.zeros(threads * blocks, np.uint32)
    while (runs := at < end).any():
        here = np.where(runs, at, 0)
        found = np.where(runs, (found * np.uint32(3) + X[here]) * np.uint32(5) + here.astype(np.uint32), found)
        at = at + step
    return found.reshape(blocks, threads)[:, ::-1].ravel()


def check(block: tuple[int, ...], grid: tuple[int, ...], n: int, more: int, step: int, text: str = "") -> None:
    threads, blocks = int(np.prod(block)), int(np.prod(grid))
    out = np.zeros(threads * blocks, np.uint32)
    numbers = [np.int32(n), np.int32(more), np.int32(step), np.int32(0)]
    compiled(text or text_of())(X, out, *numbers, threads=block, blocks=grid)
    np.testing.assert_array_equal(out, expected(threads, blocks, n, more, step), err_msg=f"{block} {grid} {n} {more}")


@pytest.mark.parametrize("block", [(256,), (64,), (96,), (40,), (1024,), (64, 1, 4), (16, 1, 6), (512,)])
def test_fused_blocks_match_the_reference(block: tuple[int, ...]) -> None:
    """Exactly one fused set of blocks, one block more, and fewer; loops that are short or empty in some blocks."""
    for grid in ((9,), (2,), (23,), (5, 3)):
        for n, more, step in ((100000, 0, 1024), (100000, -3000, 1500), (30000, 1100, 4099), (1000, 700, 1024)):
            check(block, grid, n, more, step)


@pytest.mark.parametrize("width", ["1", "8", "16"])
def test_fused_blocks_with_smaller_simd_widths(width: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_CPU_WIDTH", width)
    text = text_of() + f"// {width}\n"
    for block in ((128,), (40,), (32, 1, 3)):
        for n, more in ((100000, 0), (60000, -3000)):
            check(block, (13,), n, more, 2048, text)


@pytest.mark.parametrize("grid", [1, 4, 10])
def test_fused_blocks_poll_the_runtime(grid: int) -> None:
    polls, out = [], np.zeros(128 * grid, np.uint32)
    numbers = [np.int32(100000), np.int32(0), np.int32(1024), np.int32(0)]
    compiled(text_of())(
        X, out, *numbers, threads=128, blocks=grid, budget=100, services={"poll": lambda warp: polls.append(1)}
    )
    assert len(polls) >= grid * 4 * 90 // 120


def test_lanes_that_exit_before_the_loop() -> None:
    first = "setp.lt.u32 %p1, %r4, 50; @%p1 ret;"
    out = np.zeros(128 * 9, np.uint32)
    numbers = [np.int32(100000), np.int32(0), np.int32(1024), np.int32(0)]
    compiled(text_of(first))(X, out, *numbers, threads=128, blocks=9)
    there = np.tile(np.arange(128) >= 50, 9) & np.tile(np.arange(128)[::-1] >= 50, 9)
    np.testing.assert_array_equal(out[there], expected(128, 9, 100000, 0, 1024)[there])


OTHERS = {
    "a store before the loop": ("st.shared.u32 [%r8], 1;", ""),
    "a ticket before the loop": ("atom.global.add.u32 %r19, [%d2], 0;", ""),
    "a store in the loop": ("", "st.shared.u32 [%r8], %r5;"),
    "a count in the loop": ("", "red.shared.add.u32 [%r8], 1;"),
    "a strong load in the loop": ("", "ld.relaxed.gpu.global.u32 %r19, [%d1];"),
    "a volatile load before it": ("ld.volatile.global.u32 %r19, [%d1];", ""),
}


@pytest.mark.parametrize("what", OTHERS)
def test_kernels_with_observable_effects_are_not_fused(what: str) -> None:
    """Blocks are not fused if they could observe each other's progress."""
    assert "\nfusion:" not in emit_kernel(ptx_program.build([HEAD + text_of(*OTHERS[what])]), "k").text
    check((256,), (9,), 100000, 0, 1024, text_of(*OTHERS[what]))


def test_which_kernels_are_fused() -> None:
    program = ptx_program.build([HEAD + text_of()])
    assert "\nfusion:" in emit_kernel(program, "k").text
    assert "\nfusion:" not in emit_kernel(program, "k", Settings(quick=True)).text
    assert "\nfusion:" not in emit_kernel(program, "k", Settings(fibers=True)).text


@pytest.mark.cpu_only
def test_a_fault_in_a_fused_block_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Block 5 accesses memory out of bounds while it is fused with blocks 4, 6 and 7."""
    monkeypatch.setenv("CUDA_CPU_LEVEL", "3")
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    room, size = mmap.mmap(-1, 2 << 20), 1 << 20
    x = np.frombuffer(room, np.uint32, X.size)
    x[:] = X
    assert libc.mprotect(x.ctypes.data + size, size, 0) == 0
    out = np.zeros(256 * 128, np.uint32)
    numbers = [np.int32(100000), np.int32(0), np.int32(1024), np.int32(300000)]
    workers = _runtime.workers()
    _runtime.set_workers(1)
    try:
        fault = Loaded((HEAD + text_of()).encode()).run("k", 128, 256, x, out, *numbers)
    finally:
        _runtime.set_workers(workers)
    assert (fault.block, fault.address - x.ctypes.data - size < 4096) == ((5, 0, 0), True)
    assert not out[4 * 256 :].any()
    np.testing.assert_array_equal(out[: 4 * 256], expected(256, 4, 100000, 0, 1024))
