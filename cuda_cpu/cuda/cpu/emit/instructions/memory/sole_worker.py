# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Atomic operations without locked instructions, for the only worker that executes blocks (exec/sole_worker.c).

A locked instruction takes as long as several loads and stores, a float sum even a loop of them. While no other worker
executes blocks, a load and a store are atomic for all threads of the device. A worker that begins meanwhile waits until
the SIMD group's operation is complete, and this one uses locked instructions from then on. An operation calls
nothing of the runtime, which may switch to another fiber.
"""

from __future__ import annotations

from collections.abc import Callable

from cuda.cpu.emit.access.lanes import for_each_lane
from cuda.cpu.emit.instructions.memory.conflicts import FEWEST, MANY
from cuda.cpu.emit.llvm.slot import Slot
from cuda.cpu.emit.llvm.values import Shape, Value, constant
from cuda.cpu.emit.simt.frame import Frame
from cuda.cpu.ptx.instructions import Form
from cuda.cpu.runtime.abi import WARP

SCOPES = {None, "cta", "cluster", "gpu"}  # of threads of the device, but not of the host
BUSY = 4  # offset in struct cpu_sole


def modify(
    frame: Frame,
    form: Form,
    name: str,
    element: str,
    body: str,
    where: tuple[Value, ...],
    *args: Value,
    wanted: bool,
    combined: bool,
    locked: Callable[[], Value | None],
) -> Value | None:
    """Emit an operation with a path for the only worker; return the old values if they are wanted.

    Parameters
    ----------
    name : str
        Name of the operation, for `for_each_lane`.
    body : str
        The operation, not atomic, on the word at %x0, or at an address that it computes from %x0 and %x1.
    where : tuple of Value
        The pointers, or a base and the indices: the last one is the same for lanes with the same address.
    *args : Value
        The operands.
    combined : bool
        Whether `locked` combines the values of lanes with one address, which is faster if there are many of them.
    locked : callable
        Emits the operation for all other cases, and returns its result.
    """
    module, builder = frame.module, frame.builder
    relaxed = form.sem in (None, "relaxed") and form.scope in SCOPES
    if not relaxed or module.settings.quick or frame.width < FEWEST:
        return locked()
    old = builder.slot(element, Shape.VECTOR) if wanted else None
    sole, (only, few, begun, ended, others, after) = frame.warp_field("sole", "ptr"), map(builder.new_label, LABELS)
    builder.branch(builder.compare("icmp eq", sole, Value("null", "ptr")), others, only)
    builder.label(only)
    if combined:
        builder.branch(few_share_one(frame, where[-1]), few, others, likely=True)
        builder.label(few)
    builder.branch(_begin(frame, sole), ended, begun, likely=False)
    builder.label(begun)
    _keep(old, for_each_lane(frame, f"plain.{name}", element, body, *where, *args, wanted=wanted, straight=True))
    _end(frame, sole)
    builder.jump(after)
    builder.label(ended)
    _end(frame, sole)
    builder.jump(others)
    builder.label(others)
    builder.store(constant(1, "i32"), builder.offset("%warp", WARP["scattered"]), align=4)
    _keep(old, locked())
    builder.jump(after)
    builder.label(after)
    return old.load() if old else None


LABELS = ("only", "few", "begun", "ended", "others", "modified")


def _keep(slot: Slot | None, result: Value | None) -> None:
    if slot is not None and result is not None:
        slot.store(result)


def few_share_one(frame: Frame, addresses: Value) -> Value:
    """Return whether few of the lanes that run have the address, or the index, of the first lane."""
    builder = frame.builder
    same = builder.lane_bits(builder.compare("icmp eq", addresses, builder.extract(addresses, "0")))
    count = builder.intrinsic("ctpop", builder.mask_type, builder.binary("and", same, frame.mask))
    return builder.compare("icmp ult", count, constant(MANY, builder.mask_type))


def _begin(frame: Frame, sole: Value) -> Value:
    """Announce the operation, then look whether this is the only worker; true if it is not.

    The fences are for the compiler alone: another worker makes them fences of the CPU before it looks whether an
    operation was announced.
    """
    builder = frame.builder
    builder.store(constant(1, "i32"), builder.offset(sole.ref, BUSY), align=4, order="monotonic")
    builder.fence("seq_cst", "singlethread")
    valid = builder.load("i32", sole.ref, align=4, order="monotonic")
    builder.fence("seq_cst", "singlethread")
    return builder.is_zero(valid)


def _end(frame: Frame, sole: Value) -> None:
    frame.builder.store(constant(0, "i32"), frame.builder.offset(sole.ref, BUSY), align=4, order="release")
