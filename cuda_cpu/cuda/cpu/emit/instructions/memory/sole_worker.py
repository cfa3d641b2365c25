# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Atomic operations without locked instructions, for the only worker that executes blocks (exec/sole_worker.c).

A locked instruction takes as long as several loads and stores, a float sum even a loop of them. While no other worker
executes blocks, a load and a store are atomic for all threads of the device. A worker that begins meanwhile waits until
the SIMD group's operation is complete, and this one uses locked instructions from then on.
"""

from __future__ import annotations

from cuda.cpu.emit.access.lanes import for_each_lane
from cuda.cpu.emit.instructions.memory.conflicts import FEWEST, MANY
from cuda.cpu.emit.llvm.values import Value, constant
from cuda.cpu.emit.simt.frame import Frame
from cuda.cpu.ptx.instructions import Form
from cuda.cpu.runtime.abi import WARP

SCOPES = {None, "cta", "cluster", "gpu"}  # of threads of the device, but not of the host
BUSY = 4  # offset in struct cpu_sole


def modify_alone(frame: Frame, form: Form, name: str, element: str, body: str, pointer: Value, value: Value) -> str:
    """Emit a path for the only worker, taken if few lanes have the address of the first one.

    Parameters
    ----------
    name : str
        Name of the operation in LLVM's atomicrmw.
    body : str
        The operation on the word at %x0 with %x1, not atomic.

    Returns
    -------
    str
        The label after the code for all other cases; "" if this path is not emitted.
    """
    module, builder = frame.module, frame.builder
    relaxed = form.sem in (None, "relaxed") and form.scope in SCOPES
    if not relaxed or module.settings.quick or frame.width < FEWEST:
        return ""
    sole, (locked, only, few, begun, ended, after) = frame.warp_field("sole", "ptr"), map(builder.new_label, LABELS)
    builder.branch(builder.compare("icmp eq", sole, Value("null", "ptr")), locked, only)
    builder.label(only)
    same = builder.lane_bits(builder.compare("icmp eq", pointer, builder.extract(pointer, "0")))
    count = builder.intrinsic("ctpop", builder.mask_type, builder.binary("and", same, frame.mask))
    builder.branch(builder.compare("icmp ult", count, constant(MANY, builder.mask_type)), few, locked, likely=True)
    builder.label(few)
    builder.branch(_begin(frame, sole), ended, begun, likely=False)
    builder.label(begun)
    for_each_lane(frame, f"plain.{name}.{element}", element, body, pointer, value, wanted=False, straight=True)
    _end(frame, sole)
    builder.jump(after)
    builder.label(ended)
    _end(frame, sole)
    builder.jump(locked)
    builder.label(locked)
    builder.store(constant(1, "i32"), builder.offset("%warp", WARP["scattered"]), align=4)
    return after


LABELS = ("locked", "only", "few", "begun", "ended", "modified")


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
