# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Shared memory of a cluster's other blocks: mapa and getctarank, ISA manual 9.7.9."""

from __future__ import annotations

from cuda.cpu.emit.frame import Frame
from cuda.cpu.emit.memory import CLUSTER_STRIDE, cluster_start, shared_start, space_of
from cuda.cpu.emit.registry import emits
from cuda.cpu.emit.values import ELEMENTS, Value, constant
from cuda.cpu.ptx.instructions import Form
from cuda.cpu.ptx.syntax import Instruction, Operand

_SHIFT = CLUSTER_STRIDE.bit_length() - 1


def _split(frame: Frame, form: Form, operand: Operand) -> tuple[Value, Value]:
    """Return the rank of an address's block (i64) and the offset in its shared memory."""
    builder = frame.builder
    address = builder.resize(frame.read(operand, form.type), "i64")
    stride = constant(CLUSTER_STRIDE, "i64")
    if space_of(form) == "cluster":
        own = builder.compare("icmp ult", address, stride)
        base = builder.binary("sub", shared_start(frame), cluster_start(frame))
        distance = builder.select(own, builder.binary("add", address, base), address)
    else:
        distance = builder.binary("sub", address, cluster_start(frame))
    rank = builder.binary("sub", builder.binary("lshr", distance, constant(_SHIFT, "i64")), constant(1, "i64"))
    return rank, builder.binary("and", distance, constant(CLUSTER_STRIDE - 1, "i64"))


@emits("mapa", pure=True)
def emit_mapa(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Return the address of the same place in another block's shared memory."""
    builder = frame.builder
    destination, address, rank = instruction.operands
    _, offset = _split(frame, form, address)
    number = builder.resize(frame.read(rank, "u32"), "i64")
    number = builder.binary("shl", builder.binary("add", number, constant(1, "i64")), constant(_SHIFT, "i64"))
    result = builder.binary("or", number, offset)
    if space_of(form) != "cluster":
        result = builder.binary("add", result, cluster_start(frame))
    frame.write(destination, builder.resize(result, ELEMENTS[form.type]))


@emits("getctarank", pure=True)
def emit_getctarank(frame: Frame, instruction: Instruction, form: Form) -> None:
    destination, address = instruction.operands
    rank, _ = _split(frame, form, address)
    frame.write(destination, frame.builder.resize(rank, "i32"))
