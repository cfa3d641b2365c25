# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The table of the accesses to memory that instructions make.

A function of `ACCESSES` yields the addresses among an instruction's operands and the sizes of the accesses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from cuda.cpu.check import (
    ASYNC,
    ATOMIC,
    BLOCK_SCOPE,
    COPIED,
    MBARRIER,
    READ,
    RELEASE,
    STRONG,
    VOLATILE,
    WRITE,
)
from cuda.cpu.emit.access.addresses import space_name, space_of
from cuda.cpu.emit.instructions.matrix.fragments import lines_of
from cuda.cpu.emit.instructions.memory import mbarrier
from cuda.cpu.emit.instructions.memory.async_copies import source_size
from cuda.cpu.emit.instructions.memory.load_store import ORDERS, is_parameter
from cuda.cpu.emit.llvm.values import ELEMENTS, Value, constant, integer_of, width_of
from cuda.cpu.emit.simt.frame import Frame
from cuda.cpu.ptx.instructions import Form
from cuda.cpu.ptx.syntax import Address, Instruction

BARRIER = 8  # bytes of an mbarrier
TENSOR_MAP = 128
UPDATE = READ | WRITE | STRONG
BARRIER_UPDATE = UPDATE | RELEASE


class Access(NamedTuple):
    address: Address
    space: str
    size: int | Value  # bytes; an int is also the alignment, a Value means any alignment
    kind: int
    lanes: int = -1  # mask of lanes whose address is accessed
    values: tuple[Value, ...] = ()  # values written, one element after the other
    skipped: Value | None = None  # bytes at the start that are left out
    mbarrier: int = 0  # operation on an mbarrier, one of MBARRIER
    operands: tuple[Value, ...] = ()  # of that operation


def _bytes(type_: str) -> int:
    return width_of(integer_of(ELEMENTS[type_])) // 8


def _load(frame: Frame, instruction: Instruction, form: Form) -> Iterator[Access]:
    address, space = instruction.address(1), space_of(form)
    if not is_parameter(address, space):
        yield Access(address, space, _bytes(form.type) * len(instruction.elements(0)), READ | _strength(form))


def _strength(form: Form) -> int:
    """Return the flags of a load, store or atomic operation that its semantics and scope give."""
    sem = getattr(form, "sem", None)
    strong = STRONG if form.opcode in ("atom", "red") or ORDERS[sem] else 0
    block = BLOCK_SCOPE if getattr(form, "scope", None) == "cta" else 0
    return strong | block | (VOLATILE if sem == "volatile" else 0)


def _store(frame: Frame, instruction: Instruction, form: Form) -> Iterator[Access]:
    address = instruction.address(0)
    if form.bulk:
        yield Access(address, space_name(form.space), frame.read(instruction.operands[1], "u64"), WRITE)
        return
    space = space_of(form)
    if not is_parameter(address, space):
        kind = WRITE | _strength(form) | (RELEASE if form.sem == "release" else 0)
        kind |= ASYNC if form.mbarrier_complete_tx_bytes else 0
        elements, step = instruction.elements(1), _bytes(form.type)
        values = tuple(frame.read(each, form.type) for each in elements) if step <= 8 else ()
        yield Access(address, space, step * len(elements), kind, values=values)
    if form.mbarrier_complete_tx_bytes:
        amount = constant(_bytes(form.type) * len(instruction.elements(1)), "i64")
        yield _completion(frame, instruction.address(2), space_name(form.space), amount)


def _atomic(frame: Frame, instruction: Instruction, form: Form) -> Iterator[Access]:
    first = 1 if form.opcode == "atom" else 0  # the address
    kind = UPDATE | ATOMIC | _strength(form) | (RELEASE if form.sem in ("release", "acq_rel") else 0)
    kind |= ASYNC if form.opcode == "red" and form.mbarrier_complete_tx_bytes else 0
    count = len(instruction.elements(first + 1))
    yield Access(instruction.address(first), space_of(form), _bytes(form.type) * count, kind)
    if form.opcode == "red" and form.mbarrier_complete_tx_bytes:
        amount = constant(_bytes(form.type), "i64")
        yield _completion(frame, instruction.address(2), space_name(form.space), amount)


def _copy(frame: Frame, instruction: Instruction, form: Form) -> Iterator[Access]:
    if "mbarrier" in form.modifiers:
        zero = constant(0, "i64")
        yield _update(instruction.address(0), "shared", constant(int(form.noinc), "i64"), zero, zero, kind=ASYNC)
    elif "tensor" in form.modifiers:
        if "prefetch" not in form.modifiers:
            yield from _tensor(instruction, form)
    elif "bulk" in form.modifiers and instruction.operands[1:] and "prefetch" not in form.modifiers:
        yield from _bulk(frame, instruction, form)
    elif "global" in form.modifiers:
        yield from _small_copy(frame, instruction, form)


def _small_copy(frame: Frame, instruction: Instruction, form: Form) -> Iterator[Access]:
    size, rest = instruction.immediate(2), instruction.operands[3 : -1 if form.hint else None]
    yield Access(instruction.address(0), "shared", size, WRITE | COPIED | ASYNC)
    read = source_size(frame, rest[0], constant(size, "i32")) if rest else size
    yield Access(instruction.address(1), "global", read, READ | COPIED | ASYNC)


def _bulk(frame: Frame, instruction: Instruction, form: Form) -> Iterator[Access]:
    """Yield the accesses of a bulk copy or reduction; with multicast, only the source: targets are in other blocks."""
    amount, skipped = frame.read(instruction.operands[2], "u32"), None
    if form.ignore_oob:
        skipped, right = (frame.read(each, "u32") for each in instruction.operands[3:5])
        for ignored in (skipped, right):
            amount = frame.builder.intrinsic("usub.sat", "i32", amount, ignored)
    copied, writes = COPIED, WRITE
    if "reduce" in form.modifiers:
        copied, writes = 0, UPDATE | ATOMIC
    if not (form.multicast_cluster or form.cp_mask):
        yield Access(instruction.address(0), space_name(form.dst), amount, writes | copied | ASYNC, skipped=skipped)
    yield Access(instruction.address(1), space_name(form.src), amount, READ | copied | ASYNC, skipped=skipped)
    if form.multicast_cluster:
        return
    if not form.bulk_group:
        amount = frame.read(instruction.operands[2], "u32")
        yield _completion(frame, instruction.address(5 if form.ignore_oob else 3), space_name(form.dst), amount)


def _tensor(instruction: Instruction, form: Form) -> Iterator[Access]:
    """Yield the access to the tensor map; the addresses of the box are known only when the runtime has read it."""
    tensor = instruction.address(1 if form.src == "global" else 0)
    yield Access(Address(tensor.base, tensor.offset), "generic", TENSOR_MAP, READ)


def _completion(frame: Frame, address: Address, space: str, amount: Value) -> Access:
    """Return the access to an mbarrier that completes bytes."""
    zero = constant(0, "i64")
    completed = frame.builder.binary("sub", zero, frame.builder.resize(amount, "i64"))
    return _update(address, space, zero, zero, completed, kind=ASYNC ^ RELEASE)


def _update(address: Address, space: str, *operands: Value, kind: int = 0) -> Access:
    """Return an update of an mbarrier: arrivals, threads that drop out, bytes."""
    return Access(address, space, BARRIER, BARRIER_UPDATE ^ kind, mbarrier=MBARRIER["update"], operands=operands)


def _barrier(frame: Frame, instruction: Instruction, form: Form) -> Iterator[Access]:
    operation, space, operands = form.modifiers[0], space_of(form), instruction.operands
    if operation == "pending_count":
        return
    if operation in ("init", "inval"):
        count = tuple(frame.read(each, "u32") for each in operands[1:])
        yield Access(instruction.address(0), space, BARRIER, WRITE, mbarrier=MBARRIER[operation], operands=count)
    elif operation in ("test_wait", "try_wait"):
        rows = (frame.read(operands[2], "u32" if form.parity else "b64"), _stranded(frame))
        name = MBARRIER["parity" if form.parity else "wait"]
        yield Access(instruction.address(1), space, BARRIER, READ | STRONG, mbarrier=name, operands=rows)
    elif operation in ("expect_tx", "complete_tx"):
        amount = mbarrier.transferred(frame, instruction, form)
        zero = constant(0, "i64")
        yield _update(instruction.address(0), space, zero, zero, amount)
    else:
        yield _update(instruction.address(1), space, *mbarrier.arrivals(frame, instruction, form))


def _stranded(frame: Frame) -> Value:
    """Return the lanes that wait at barriers and at operations of the warp."""
    waiting = [slot.load() for block, slot in zip(frame.graph.blocks, frame.flow.pending, strict=True) if block.barrier]
    return frame.builder.fold("or", iter(waiting)) if frame.graph.general and waiting else constant(0, "i32")


def _matrices(frame: Frame, instruction: Instruction, form: Form) -> Iterator[Access]:
    """Yield the rows of ldmatrix and stmatrix: each row's address is in a lane of its own."""
    loads = form.opcode == "ldmatrix"
    rows = int(form.num[1:]) * (16 if form.shape == "m16n16" else 8)
    yield Access(instruction.address(1 if loads else 0), "shared", 16, READ if loads else WRITE, (1 << rows) - 1)


def _fragment(frame: Frame, instruction: Instruction, form: Form) -> Iterator[Access]:
    """Yield the lines (rows or columns) of a matrix in memory: lane i checks line i."""
    operation = form.modifiers[0]
    if operation not in ("load", "store"):
        return
    loads = operation == "load"
    lines, size, offset = lines_of(frame, instruction, form)
    yield Access(
        instruction.address(1 if loads else 0), space_of(form), constant(size, "i64"), READ if loads else WRITE,
        (1 << lines) - 1, skipped=offset,
    )  # fmt: skip


def _map(frame: Frame, instruction: Instruction, form: Form) -> Iterator[Access]:
    if form.modifiers[0] == "cp_fenceproxy":
        yield Access(instruction.address(0), "global", TENSOR_MAP, WRITE, 1)  # by the warp as a whole
        yield Access(instruction.address(1), "shared", TENSOR_MAP, READ, 1)
    else:
        yield Access(instruction.address(0), space_name(form.space), TENSOR_MAP, READ | WRITE)


ACCESSES: dict[str, Callable[[Frame, Instruction, Form], Iterator[Access]]] = {
    "ld": _load,
    "ldu": _load,
    "st": _store,
    "atom": _atomic,
    "red": _atomic,
    "cp": _copy,
    "mbarrier": _barrier,
    "ldmatrix": _matrices,
    "stmatrix": _matrices,
    "wmma": _fragment,
    "tensormap": _map,
}
