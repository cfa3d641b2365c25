# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Arguments and results of calls: .param variables, or scalars in registers."""

from __future__ import annotations

from cuda.cpu.emit.llvm.values import Value
from cuda.cpu.emit.simt.frame import Frame
from cuda.cpu.emit.simt.parameters import Storage, is_scalar, words_of
from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.syntax import Operand, Symbol, Variable


def argument(frame: Frame, operand: Operand, parameter: Variable) -> Value:
    """Return an argument of a call: the value of a scalar, the address of anything else."""
    storage = frame.variables.get(operand.name) if isinstance(operand, Symbol) else None
    if storage is not None:
        if is_scalar(parameter):
            return storage.read(0, words_of(parameter)[0], frame.line)
        return Value(storage.pointer, "ptr")
    if not is_scalar(parameter):
        raise PtxError(f"argument {operand!r} must be a .param variable", frame.line)
    return frame.builder.broadcast(frame.read(operand, f"b{8 * parameter.size}"))


def storage_of(frame: Frame, operand: Operand) -> Storage:
    """Return the .param variable that takes a result."""
    storage = frame.variables.get(operand.name) if isinstance(operand, Symbol) else None
    if storage is None:
        raise PtxError(f"result {operand!r} of a call must be a register or a .param variable", frame.line)
    return storage


def put_result(frame: Frame, operand: Operand, value: Value) -> None:
    """Write a scalar result to the .param variable or register that the call names."""
    if isinstance(operand, Symbol):
        storage_of(frame, operand).write(0, value, frame.line)
    else:
        frame.write(operand, value)


def field(frame: Frame, operand: Operand, offset: int, width: int) -> Value:
    """Return a field of an argument: `width` bytes at `offset` of a .param variable, or the scalar in a register."""
    if isinstance(operand, Symbol) and operand.name in frame.variables:
        return frame.variables[operand.name].read(offset, f"i{8 * width}", frame.line)
    return frame.read(operand, f"b{8 * width}")
