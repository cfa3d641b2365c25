# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Asynchronous copies, ISA manual 9.7.9.26, performed synchronously, so that there is nothing to wait for."""

from __future__ import annotations

from cuda.cpu.emit.access.addresses import advanced, pointers, space_name
from cuda.cpu.emit.access.lanes import for_each_lane
from cuda.cpu.emit.instructions.memory import bulk
from cuda.cpu.emit.instructions.memory.mbarrier import complete_bytes, update
from cuda.cpu.emit.llvm.registry import emits
from cuda.cpu.emit.llvm.values import Value, constant
from cuda.cpu.emit.simt.frame import Frame
from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.instructions import Form
from cuda.cpu.ptx.syntax import Immediate, Instruction, Negated, Operand, Register


@emits("cp")
def emit_copy(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Dispatch on the kind of copy; commits of groups and waits emit nothing."""
    if "mbarrier" in form.modifiers:
        _arrive_after_copies(frame, instruction, form)
    elif "prefetch" in form.modifiers:
        return
    elif "tensor" in form.modifiers:
        bulk.copy_tensor(frame, instruction, form)
    elif "reduce" in form.modifiers:
        bulk.reduce(frame, instruction, form)
        if not form.bulk_group:
            complete_bytes(frame, instruction.address(3), form.dst, frame.read(instruction.operands[2], "u32"))
    elif form.multicast_cluster:
        bulk.copy_to_blocks(frame, instruction, form)
    elif form.cp_mask:
        bulk.copy_some_bytes(frame, instruction, form)
    elif "bulk" in form.modifiers and instruction.operands[1:]:
        _copy_bulk(frame, instruction, form)
    elif "global" in form.modifiers:
        _copy(frame, instruction, form)


def _copy(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Copy 4, 8 or 16 bytes from global to shared memory; bytes beyond the source's size become zero."""
    size, rest = instruction.immediate(2), instruction.operands[3 : -1 if form.hint else None]
    to, from_ = pointers(frame, instruction.address(0), "shared"), pointers(frame, instruction.address(1), "global")
    wide = f"i{8 * size}"
    whole = f"%word = load {wide}, ptr %x1, align {size}\n  store {wide} %word, ptr %x0, align {size}\n"
    if not rest:
        for_each_lane(frame, f"copy.{wide}", "i8", f"{whole}  %r = add i8 0, 0", to, from_)
        return
    body = (  # mostly all bytes are known, which needs no call
        f"%whole = icmp eq i32 %x2, {size}\n  br i1 %whole, label %all, label %part\n"
        f"all:\n  {whole}  br label %copied\npart:\n  store {wide} 0, ptr %x0, align {size}\n"
        f"  {_copy_bytes(frame)}\n  br label %copied\n"
        "copied:\n  %r = add i8 0, 0"
    )
    known = source_size(frame, rest[0], constant(size, "i32"))
    for_each_lane(frame, f"copy.some.{wide}", "i8", body, to, from_, known)


def source_size(frame: Frame, operand: Operand, size: Value) -> Value:
    """Return the number of bytes to read: the operand, at most `size`, or 0 where an ignore-src predicate is true."""
    register = operand.operand if isinstance(operand, Negated) else operand
    if isinstance(register, Register) and frame.facts.function.registers.get(register.name) == "pred":
        return frame.builder.select(frame.read(operand, "pred"), constant(0, "i32"), size)
    return frame.builder.intrinsic("umin", "i32", frame.read(operand, "u32"), size)


def _copy_bytes(frame: Frame) -> str:
    """Return the call that copies the bytes of one lane."""
    frame.module.declare("llvm.memcpy.p0.p0.i32", "void", ["ptr", "ptr", "i32", "i1"])
    return "call void @llvm.memcpy.p0.p0.i32(ptr %x0, ptr %x1, i32 %x2, i1 false)"


def _copy_bulk(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Copy any number of bytes and, if there is an mbarrier, complete its transaction."""
    to, from_ = (
        pointers(frame, instruction.address(index), space_name(space))
        for index, space in enumerate((form.dst, form.src))
    )
    amount = inside = frame.read(instruction.operands[2], "u32")
    if form.ignore_oob:  # up to 15 bytes at either end may be out of bounds; the barrier counts them, too
        left, right = instruction.operands[3:5]
        skipped = frame.read(left, "u32")
        to, from_ = (advanced(frame, address, skipped) for address in (to, from_))
        for ignored in (skipped, frame.read(right, "u32")):
            inside = frame.builder.intrinsic("usub.sat", "i32", inside, ignored)
    for_each_lane(frame, "copy.bulk", "i8", f"{_copy_bytes(frame)}\n  %r = add i8 0, 0", to, from_, inside)
    if not form.bulk_group:
        complete_bytes(frame, instruction.address(5 if form.ignore_oob else 3), form.dst, amount)


def _arrive_after_copies(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Arrive on an mbarrier; without .noinc the pending count is first incremented, so that nothing changes."""
    if form.noinc:
        zero, one = constant(0, "i64"), constant(1, "i64")
        update(frame, pointers(frame, instruction.address(0), "shared"), one, zero, zero)


def clear(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Fill memory with zeros: no other value is allowed (9.7.9.14)."""
    _, size, value = instruction.operands
    if not isinstance(value, Immediate) or value.value:
        raise PtxError(f"{form}: the value must be 0", instruction.line)
    frame.module.declare("llvm.memset.p0.i64", "void", ["ptr", "i8", "i64", "i1"])
    body = "call void @llvm.memset.p0.i64(ptr %x0, i8 0, i64 %x1, i1 false)\n  %r = add i8 0, 0"
    address = pointers(frame, instruction.address(0), space_name(form.space))
    for_each_lane(frame, "clear", "i8", body, address, frame.read(size, "u64"))
