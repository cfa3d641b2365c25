# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Statements of random kernels that synchronise threads: block barriers and warp operations.

Each function takes the writer of the kernel and the context of the statement, and returns its lines.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from support.random_lines import REDUCTIONS, UNIFORM, VARIABLES, call

if TYPE_CHECKING:
    from support.random_ptx import Context, Writer

# %t7 = the shared address of the thread $n further on, modulo the block.
NEIGHBOUR = "add.u32 %t7, %t0, $n; rem.u32 %t7, %t7, %t1; mov.u32 %t8, slots; mad.lo.u32 %t7, %t7, 4, %t8;"
DISTANCES = [1, 2, 16, 31, 33]


def exchange(writer: Writer, context: Context) -> str:
    """Write shared memory, synchronise, read another thread's word, and synchronise again before the next write."""
    near = NEIGHBOUR.replace("$n", str(writer.random.choice(DISTANCES)))
    barrier = writer.random.choice(["bar.sync 0;", "barrier.sync 0;", "barrier.sync.aligned 0;", "bar.sync 0;"])
    return writer.fill(f"st.shared.u32 [%t3], $a; {barrier} {near} ld.shared.u32 $d, [%t7]; bar.sync 0;")


def exchange_by_rows(writer: Writer, context: Context) -> str:
    """Do the same through global memory."""
    distance = writer.random.choice(DISTANCES)
    return writer.fill(
        f"st.global.u32 [%d7], $a; bar.sync 0; add.u32 %t7, %t0, {distance}; rem.u32 %t7, %t7, %t1;"
        " sub.u32 %t7, %t7, %t0; mul.wide.s32 %d5, %t7, 4; add.s64 %d5, %d5, %d7; ld.global.u32 $d, [%d5]; bar.sync 0;"
    )


def tell_all(writer: Writer, context: Context) -> str:
    """Broadcast a number from one thread to the block, for a uniform decision."""
    return writer.fill(
        f"setp.eq.u32 %p4, %t0, {writer.random.randrange(writer.threads)}; @%p4 st.shared.u32 [cells+16], $a;"
        " bar.sync 0; ld.shared.u32 $u, [cells+16]; bar.sync 0;"
    )


def read_cells(writer: Writer, context: Context) -> str:
    """Read the results of atomics of all threads."""
    return writer.fill("bar.sync 0; ld.shared.v2.u32 {$d, %t7}, [cells]; bar.sync 0;")


def barrier_reduction(writer: Writer, context: Context) -> str:
    to, barrier = writer.random.choice(VARIABLES), writer.random.choice([0, 0, 9])
    condition = writer.condition("%p5")
    if writer.chance(0.5):
        return f"{condition} bar.red.popc.u32 {to}, {barrier}, %p5;"
    operation = f"bar.red.{writer.random.choice(['and', 'or'])}.pred %p5, {barrier}, !%p5;"
    return f"{condition} {operation} selp.u32 {to}, 1, {to}, %p5;"


def guarded_barrier(writer: Writer, context: Context) -> str:
    """Emit a barrier that all threads of the block reach, or none."""
    number = writer.name()
    condition, meet = writer.uniform_condition("%p2"), exchange(writer, context)
    if writer.chance(0.5):
        return f"{condition} @%p2 bar.sync 0;"
    return f"{condition}\n@!%p2 bra S{number};\n{meet}\nS{number}:"


def named_barrier(writer: Writer, context: Context) -> str:
    """Emit barriers other than 0, with the number in a register or with a thread count."""
    near = NEIGHBOUR.replace("$n", str(writer.random.choice(DISTANCES)))
    forms = ["bar.sync 3;", "mov.u32 %t7, 5; bar.sync %t7;"]
    forms += ["bar.sync 7, %t1;", f"bar.sync 7, {writer.threads};"] if writer.counts else []
    barrier = writer.random.choice(forms)
    return writer.fill(f"st.shared.u32 [%t3], $a; {barrier} {near} ld.shared.u32 $d, [%t7]; bar.sync 0;")


def halves(writer: Writer, context: Context) -> str:
    """Pass values from even warps (which arrive) to odd ones (which wait), or synchronise each half on its own."""
    if not writer.counts or writer.threads % 64:
        return exchange(writer, context)
    number, half = writer.name(), writer.threads // 2
    split = "shr.u32 %t7, %t0, 5; and.b32 %t7, %t7, 1; setp.eq.u32 %p2, %t7, 1;"
    near = "add.u32 %t7, %t0, $n; rem.u32 %t7, %t7, %t1; mov.u32 %t8, slots; mad.lo.u32 %t7, %t7, 4, %t8;"
    if writer.chance(0.5):  # warps an even number away belong to the same half
        near = near.replace("$n", "64")
        meet = f"st.shared.u32 [%t3], $a; add.u32 %t7, %t7, 2; bar.sync %t7, {half};"
        return writer.fill(f"{split} {meet} {near} ld.shared.u32 $d, [%t7]; bar.sync 0;")
    near = near.replace("$n", "32")
    give = f"st.shared.u32 [%t3], $a; bar.arrive 1, {writer.threads}; add.u32 %r0, %r0, 1;"
    take = f"bar.sync 1, {writer.threads}; {near} ld.shared.u32 $d, [%t7];"
    return writer.fill(
        f"{split}\n@%p2 bra S{number};\n{give}\nbra.uni T{number};\nS{number}: {take}\nT{number}: bar.sync 0;"
    )


def meet_in_function(writer: Writer, context: Context) -> str:
    near = NEIGHBOUR.replace("$n", str(writer.random.choice(DISTANCES)))
    return writer.fill(f"{near} mov.u32 %t9, %t7; " + call("meets", "$d", "$a", "%t3", "%t9"))


OF_BLOCKS: list[Callable] = [exchange, exchange, exchange_by_rows, tell_all, read_cells, barrier_reduction,
                             guarded_barrier]  # fmt: skip
APART: list[Callable] = [named_barrier, halves, meet_in_function, meet_in_function]  # where warps get fibers

# --- operations of the warp ---------------------------------------------------------------------------


def _members(context: Context) -> int:
    fixed, value = context.lanes
    return sum(1 << lane for lane in range(32) if lane & fixed == value)


def exchange_in_warp(writer: Writer, context: Context) -> str:
    """Pass a value to the next lane through shared memory and a warp barrier."""
    free = [bit for bit in (1, 2, 4, 8, 16) if not context.lanes[0] & bit]
    if not writer.full or not free:
        return writer.compute()
    meet = f"bar.warp.sync {_members(context):#x};"
    return writer.fill(
        f"st.shared.u32 [%t3], $a; {meet} xor.b32 %t7, %t0, {writer.random.choice(free)};"
        f" mov.u32 %t8, slots; mad.lo.u32 %t7, %t7, 4, %t8; ld.shared.u32 $d, [%t7]; {meet}"
    )


def shrink(writer: Writer, context: Context) -> str:
    """Emit a loop that lanes leave one by one; the remaining lanes name each other in masks."""
    number, limit = writer.name(), f"%n{writer.names % 99}"
    inner = replace(context, depth=3, lanes=None, uniform=False)
    return (
        writer.fill(
            f"and.b32 %t13, %m, {_members(context):#x}; and.b32 {limit}, $a, 3;\n"
            f"L{number}: setp.ne.u32 %p6, {limit}, 0; vote.sync.ballot.b32 %t13, %p6, %t13;\n@!%p6 bra T{number};\n"
            f"sub.u32 {limit}, {limit}, 1; redux.sync.{writer.random.choice(REDUCTIONS)} $d, $b, %t13;\n"
            f"{writer.statement(inner)}\n"
        )
        + f"bra.uni L{number};\nT{number}:"
    )


def warp_operation(writer: Writer, context: Context) -> str:
    fixed, _ = context.lanes
    head = f"and.b32 %t9, %m, {_members(context):#x};"
    free = [lane for lane in range(32) if not lane & fixed]
    pick = writer.random.choice
    forms = [
        f"{writer.condition('%p5')} vote.sync.ballot.b32 $d, %p5, %t9;",
        f"{writer.condition('%p5')} vote.sync.{pick(['all', 'any', 'uni'])}.pred %p5, !%p5, %t9;"
        " selp.u32 $d, $d, 3, %p5;",
        "and.b32 %t7, $a, 3; match.any.sync.b32 $d, %t7, %t9;",
        "and.b32 %t7, $a, 1; match.all.sync.b32 $d|%p5, %t7, %t9; selp.u32 $d, $d, 9, %p5;",
        "and.b64 %d5, $L, 3; match.any.sync.b64 $d, %d5, %t9;",
        f"redux.sync.{pick(REDUCTIONS)} $d, $a, %t9;",
        "bar.warp.sync %t9;",
        call("asks", "$d", "$a", "%t9"),
        # Where the last warp is short, the lane that is read may not exist.
        "shfl.sync.idx.b32 $d|%p5, $a, %t10, 31, %t9; selp.u32 $d, $d, 1, %p5;",
    ]
    if writer.full:
        forms += [f"shfl.sync.bfly.b32 $d, $a, {pick(free)}, 31, %t9;"] * 2
        forms += [_of_tiles(writer, context)] * 2
    if writer.full and not fixed:
        mode = pick(["up", "down", "bfly", "idx"])
        clamp = {"up": [0, 0x1800, 0x1000], "down": [31, 0x181F, 0x101F, 15]}.get(mode, [31, 0x1C1F, 0x101F])
        amount = pick([str(writer.random.randrange(32)), pick(VARIABLES), pick(UNIFORM)])
        forms += [f"shfl.sync.{mode}.b32 $d|%p5, $a, {amount}, {pick(clamp)}, %t9; selp.u32 $d, $d, 4, %p5;"] * 3
    return writer.fill(head + " " + pick(forms))


def _of_tiles(writer: Writer, context: Context) -> str:
    """Emit a warp operation in which each lane names its tile of 8 lanes only, or the active ones of them."""
    forms = ["vote.sync.ballot.b32 $d, %p5, %t12;", "match.any.sync.b32 $d, %t7, %t12;",
             f"redux.sync.{writer.random.choice(REDUCTIONS)} $d, $a, %t12;",
             "shfl.sync.idx.b32 $d, $a, %t10, 0x181f, %t12;"]  # fmt: skip
    return (
        f"{writer.condition('%p5')} and.b32 %t7, %t10, 24; shl.b32 %t12, 255, %t7; and.b32 %t12, %t12, %t9;"
        f" and.b32 %t7, $b, 3; {writer.random.choice(forms)}"
    )
