# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Shared memory of a cluster's other blocks: mapa and getctarank, ISA manual 9.7.9; launches of clusters, 9.7.14."""

from __future__ import annotations

from cuda.cpu.emit.access.addresses import CLUSTER_STRIDE, cluster_start, shared_start, space_of
from cuda.cpu.emit.instructions.memory import bulk
from cuda.cpu.emit.instructions.memory.mbarrier import complete_bytes
from cuda.cpu.emit.llvm.registry import emits
from cuda.cpu.emit.llvm.values import ELEMENTS, Value, constant
from cuda.cpu.emit.simt.frame import Frame
from cuda.cpu.ptx.instructions import Form
from cuda.cpu.ptx.syntax import Instruction, Operand, elements_of

_SHIFT = CLUSTER_STRIDE.bit_length() - 1


def _split(frame: Frame, form: Form, operand: Operand) -> tuple[Value, Value]:
    """Return the rank of the block that an address belongs to (i64), and the offset in its shared memory."""
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


@emits("mapa")
def emit_mapa(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Emit mapa: the address of the same offset in another block's shared memory."""
    builder = frame.builder
    destination, address, rank = instruction.operands
    _, offset = _split(frame, form, address)
    number = builder.resize(frame.read(rank, "u32"), "i64")
    number = builder.binary("shl", builder.binary("add", number, constant(1, "i64")), constant(_SHIFT, "i64"))
    result = builder.binary("or", number, offset)
    if space_of(form) != "cluster":
        result = builder.binary("add", result, cluster_start(frame))
    frame.write(destination, builder.resize(result, ELEMENTS[form.type]))


@emits("getctarank")
def emit_getctarank(frame: Frame, instruction: Instruction, form: Form) -> None:
    destination, address = instruction.operands
    rank, _ = _split(frame, form, address)
    frame.write(destination, frame.builder.resize(rank, "i32"))


@emits("clusterlaunchcontrol")
def emit_launch_control(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Emit clusterlaunchcontrol: each request to cancel a cluster fails, as the manual allows; all clusters run.

    A response has 16 bytes: whether the request succeeded, and the coordinates of the cluster's first block.
    """
    builder = frame.builder
    if form.modifiers[0] == "try_cancel":
        _refuse(frame, instruction, form)
        return
    destination, response = instruction.operands
    words = frame.read(response, "b128")
    if form.is_canceled:
        bit = builder.binary("and", builder.resize(words, "i32"), constant(1, "i32"))
        frame.write(destination, builder.compare("icmp ne", bit, constant(0, "i32")))
        return
    targets = elements_of(destination)
    first = "xyz".index(str(form.field)[-1]) if form.field != "get_first_ctaid" else 0
    for axis, target in enumerate(targets, first):
        if target is not None and axis < 3:
            word = builder.binary("lshr", words, constant(32 * (axis + 1), "i128"))
            frame.write(target, builder.resize(word, "i32"))


def _refuse(frame: Frame, instruction: Instruction, form: Form) -> None:
    builder = frame.builder
    barrier = instruction.address(1)
    request = bulk.Request(frame)
    request.point(bulk.TO, instruction.address(0), form.space)
    request.point(bulk.BARRIER, barrier, form.space)
    response = builder.alloca("i128", 16)
    builder.store(constant(0, "i128"), response, align=16)
    request.put(bulk.FROM, Value(response, "ptr"))
    request.put(bulk.COORDINATE, constant(16, "i64"))
    if form.multicast_cluster_all:
        blocks = constant(1, "i32")
        for axis in range(3):
            blocks = builder.binary("mul", blocks, frame.warp_field("cluster_dim", "i32", 4 * axis))
        ones = builder.binary("sub", builder.binary("shl", constant(1, "i32"), blocks), constant(1, "i32"))
        request.put(bulk.MASK, ones)
        request.call(bulk.COPY | bulk.MULTICAST)
        return
    request.put(bulk.OFFSET, constant(0xFFFF, "i64"))
    request.call(bulk.MASKED)
    complete_bytes(frame, barrier, form.space, 16)
