# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Asynchronous copies, ISA manual 9.7.9.25.3: `cp.async` copies at once, so that there is nothing to wait for."""

from __future__ import annotations

from cuda.cpu.emit.frame import Frame
from cuda.cpu.emit.lanes import for_each_lane
from cuda.cpu.emit.memory import pointers
from cuda.cpu.emit.registry import emits
from cuda.cpu.emit.values import constant
from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.instructions import Form
from cuda.cpu.ptx.syntax import Immediate, Instruction


@emits("cp")
def emit_copy(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Copy 4, 8 or 16 bytes from global to shared memory; bytes behind the source's size become zero."""
    if "global" not in form.modifiers:
        return  # commit_group, wait_group, wait_all
    target, source, size, *rest = instruction.operands
    if not isinstance(size, Immediate) or size.value not in (4, 8, 16):
        raise PtxError(f"{form}: the size must be 4, 8 or 16", instruction.line)
    if form.hint:
        rest = rest[:-1]
    to, from_ = pointers(frame, target, "shared"), pointers(frame, source, "global")
    wide = f"i{8 * size.value}"
    if not rest:
        body = (
            f"%word = load {wide}, ptr %x1, align {size.value}\n  store {wide} %word, ptr %x0, align {size.value}\n"
            "  %r = add i8 0, 0"
        )
        for_each_lane(frame, f"copy.{wide}", "i8", body, to, from_)
        return
    known = frame.read(rest[0], "u32")
    known = frame.builder.intrinsic("umin", "i32", known, constant(size.value, "i32"))
    frame.module.declare("llvm.memcpy.p0.p0.i32", "void", ["ptr", "ptr", "i32", "i1"])
    body = (
        f"store {wide} 0, ptr %x0, align {size.value}\n"
        "  call void @llvm.memcpy.p0.p0.i32(ptr %x0, ptr %x1, i32 %x2, i1 false)\n  %r = add i8 0, 0"
    )
    for_each_lane(frame, f"copy.some.{wide}", "i8", body, to, from_, known)
