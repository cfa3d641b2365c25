# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Accesses to multicast memory, of several devices at once (multimem): ISA manual 9.7.9.15, and its bulk copies.

The runtime performs them (multimem.c). All accesses have acquire and release order.
"""

from __future__ import annotations

from cuda.cpu.emit.instructions.memory import bulk
from cuda.cpu.emit.llvm.registry import emits
from cuda.cpu.emit.llvm.values import ELEMENTS, constant, integer_of
from cuda.cpu.emit.simt.frame import Frame
from cuda.cpu.ptx.instructions import Form
from cuda.cpu.ptx.syntax import Instruction

WIDE = 1 << 12
PARTS = {"f16x2": ("f16", 1), "bf16x2": ("bf16", 1)}  # element type, log2 of the elements of a register
WORK = {"ld_reduce": bulk.MULTIMEM_LOAD, "st": bulk.MULTIMEM_STORE, "red": bulk.MULTIMEM_REDUCE}


@emits("multimem")
def emit_multimem(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Dispatch on the kind of access."""
    if form.modifiers[0] == "cp":
        _copy(frame, instruction, form)
        return
    request = bulk.Request(frame)
    loads = form.modifiers[0] == "ld_reduce"
    registers = instruction.elements(0 if loads else 1)
    part, parts = PARTS.get(form.type, (form.type, 0))
    request.point(bulk.TO, instruction.address(1 if loads else 0), "global")
    if not loads:
        for number, register in enumerate(registers):
            request.put(bulk.COORDINATE + number, frame.builder.bits(frame.read(register, form.type)))
    what = WORK[form.modifiers[0]] | (len(registers) - 1) << 8 | bulk.TYPES[part] << 16 | parts << 21
    if form.op:
        what |= bulk.OPERATIONS.index(form.op) << 4
    request.call(what | (WIDE if form.acc_f32 else 0))
    if loads:
        for number, register in enumerate(registers):
            frame.write(register, request.get(bulk.COORDINATE + number, integer_of(ELEMENTS[form.type])))


def _copy(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Copy from shared memory, or reduce into the destination."""
    _, _, size, *mask = instruction.operands
    request = bulk.Request(frame)
    request.point(bulk.TO, instruction.address(0), form.dst)
    request.point(bulk.FROM, instruction.address(1), form.src)
    request.set(bulk.COORDINATE, size)
    if form.reduce:
        what = bulk.MULTIMEM_REDUCE_BULK | bulk.OPERATIONS.index(str(form.redop)) << 4 | bulk.TYPES[form.type] << 16
    else:
        what = bulk.MULTIMEM_COPY
        request.put(bulk.OFFSET, frame.read(mask[0], "b16") if mask else constant(0xFFFF, "i64"))
    request.call(what)
