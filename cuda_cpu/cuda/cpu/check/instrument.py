# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Emit the checks of memory accesses and barriers: a call of the runtime before each instruction that has some.

A function of `ACCESSES` yields the addresses among an instruction's operands and the sizes of the accesses. The runtime
replaces a wrong address by a valid one; the emitter of the instruction gets it from `emit.access.addresses.pointers`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from cuda.cpu.check import (
    ALIGNED,
    ALONE,
    COPIED,
    EACH,
    FRESH,
    INITCHECK,
    MBARRIER,
    RACECHECK,
    READ,
    RELEASE,
    SIZED,
    SOURCES,
    SPACES,
    STEP,
    STRONG,
    SYNCCHECK,
    UNIFORM,
    VALUES,
    WRITE,
)
from cuda.cpu.emit.access.addresses import advanced, pointers, space_name, space_of
from cuda.cpu.emit.instructions.matrix.fragments import lines_of
from cuda.cpu.emit.instructions.memory import mbarrier
from cuda.cpu.emit.instructions.memory.async_copies import source_size
from cuda.cpu.emit.instructions.memory.load_store import ORDERS, is_parameter
from cuda.cpu.emit.instructions.sync import of_first_lane
from cuda.cpu.emit.instructions.warp import shuffle_sources
from cuda.cpu.emit.llvm.slot import Slot
from cuda.cpu.emit.llvm.values import ELEMENTS, Shape, Value, constant, integer_of, width_of
from cuda.cpu.emit.simt.frame import Frame
from cuda.cpu.emit.simt.instrumentation import Instrumentation
from cuda.cpu.passes.graph import WARP, Block, Step
from cuda.cpu.passes.split_blocks import BARRIERS, COLLECTIVES
from cuda.cpu.ptx.instructions import Form
from cuda.cpu.ptx.syntax import Address, Instruction

BARRIER = 8  # bytes of an mbarrier
TENSOR_MAP = 128
NULL = Value("null", "ptr", literal=True)
WARP_MASK = 0xFFFFFFFF
MOST_ELEMENTS = 8
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


def before(frame: Frame, step: Step) -> None:
    """Emit the checks of an instruction."""
    instruction, form = step.operation()
    if instruction.opcode == "wmma" and frame.module.checks & RACECHECK:
        _meet(frame)
    for access in ACCESSES.get(instruction.opcode, _none)(frame, instruction, form):
        _check(frame, access)
    if (instruction.opcode in COLLECTIVES and "sync" in form.modifiers) or "warp" in form.modifiers:
        _report_warp_sync(frame, instruction, form)
    if instruction.opcode in BARRIERS and "warp" not in form.modifiers:
        _report_barrier(frame, instruction, form)
    if instruction.opcode in ("membar", "fence") and frame.module.checks & RACECHECK:
        frame.service("check_fence", frame.mask)


def _none(frame: Frame, instruction: Instruction, form: Form) -> tuple[Access, ...]:
    return ()


def _meet(frame: Frame) -> None:
    """Report an operation that synchronises all lanes of the warp."""
    masks = _buffer(frame, constant(WARP_MASK, "i64"))
    frame.service("check_warp", frame.mask, site(frame), constant(RACECHECK << 4, "i32"), masks)


def _report_warp_sync(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Report the member mask of each lane in an operation of the warp, and which lane it reads in a shuffle."""
    if not frame.module.checks & (RACECHECK | SYNCCHECK):
        return
    what, rows = frame.module.checks << 4, [frame.read(instruction.operands[-1], "b32")]
    if instruction.opcode == "shfl":
        rows.append(shuffle_sources(frame, instruction, form))
        what |= SOURCES | (EACH if form.mode == "bfly" else 0)
    masks = _buffers(frame, MOST_ELEMENTS, tuple(rows))
    frame.service("check_warp", frame.mask, site(frame), constant(what, "i32"), masks)


def report_stranded(frame: Frame, pending: list[Slot]) -> None:
    """Report lanes that wait at operations of the warp for lanes that can no longer arrive; `pending` is by block."""
    if not frame.module.checks & SYNCCHECK:
        return
    builder = frame.builder
    for block, slot in zip(frame.graph.blocks, pending, strict=True):
        if block.barrier != WARP:
            continue
        lanes = slot.load()
        some, after = builder.new_label("alone"), builder.new_label("others")
        builder.branch(builder.is_zero(lanes), after, some)
        builder.label(some)
        frame.at_line(block.steps[0].instruction.line)
        what = constant(frame.module.checks << 4 | ALONE, "i32")
        frame.service("check_warp", lanes, site(frame), what, NULL)
        builder.jump(after)
        builder.label(after)


def report_bypassed(frame: Frame, block: Block, pending: list[Slot]) -> None:
    """Report lanes that have reached a block by a path around a barrier at which other lanes of their warp wait.

    The block can be reached from the barrier, but not the barrier from the block. Lanes that return by a path of their
    own are not reported.
    """
    if not frame.module.checks & SYNCCHECK:
        return
    builder = frame.builder
    for barrier in _passed(frame, block.number):
        instruction = barrier.steps[0].instruction
        if isinstance(instruction, Instruction) and not _is_aligned(instruction):
            continue
        lanes = pending[barrier.number].load()
        some, after = builder.new_label("past"), builder.new_label("none")
        builder.branch(builder.is_zero(lanes), after, some)
        builder.label(some)
        frame.at_line(instruction.line)
        what = constant(frame.module.checks << 4 | ALONE, "i32")
        frame.service("check_barrier", lanes, site(frame), what, constant(0, "i32"), frame.mask)
        builder.jump(after)
        builder.label(after)


def _passed(frame: Frame, number: int) -> list[Block]:
    """Return the barriers that an edge to the block bypasses."""
    blocks, reach = frame.graph.blocks, frame.facts.reach
    before = [block.number for block in blocks if number in block.end.targets]
    return [
        block
        for block in blocks
        if block.waits and reach[block.number] >> number & 1 and not reach[number] >> block.number & 1
        and any(each != block.number and reach[each] >> block.number & 1 for each in before)
    ]  # fmt: skip


def _is_aligned(instruction: Instruction) -> bool:
    """Return whether all lanes of a warp must execute a barrier together."""
    return instruction.opcode == "bar" or "aligned" in instruction.modifiers


def _report_barrier(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Report the lanes that arrive at a barrier of the block or cluster."""
    if not frame.module.checks & SYNCCHECK:
        return
    operands = list(instruction.operands)
    if form.red:
        operands = operands[1:-1]
    number, threads = ([of_first_lane(frame, frame.read(each, "u32")) for each in operands] + [constant(0, "i32")] * 2)[
        :2
    ]
    what = constant(frame.module.checks << 4 | (ALIGNED if _is_aligned(instruction) else 0), "i32")
    frame.service("check_barrier", frame.mask, site(frame), what, number, threads)


def _check(frame: Frame, access: Access) -> None:
    builder = frame.builder
    if frame.module.checks == SYNCCHECK and not (access.mbarrier or access.kind & STRONG):
        return
    pointer = pointers(frame, access.address, access.space)
    if access.skipped is not None:
        pointer = advanced(frame, pointer, access.skipped)
    what = SPACES[access.space] | frame.module.checks << 4 | access.kind
    sizes, size = NULL, access.size
    if isinstance(size, Value):
        sizes, what, size = _buffers(frame, 1, (size,)), what | SIZED, 0
    elif access.values and frame.module.checks & RACECHECK:
        step = (size // len(access.values)).bit_length() - 1
        sizes, what = _buffers(frame, MOST_ELEMENTS, access.values), what | VALUES | step << STEP
    if access.mbarrier and frame.module.checks & SYNCCHECK:
        sizes, what = _buffers(frame, MOST_ELEMENTS, access.operands), what | access.mbarrier
    what |= UNIFORM if pointer.uniform else 0
    buffer = _buffer(frame, builder.cast("ptrtoint", pointer, "i64"))
    lanes = frame.mask
    if access.lanes != -1:
        lanes = builder.binary("and", lanes, access.lanes)
    frame.service("check_access", lanes, site(frame), constant(what, "i32"), constant(size, "i32"), buffer, sizes)
    shape = Shape.UNIFORM if pointer.uniform else Shape.VECTOR
    found = builder.load("i64", buffer.ref, shape=shape, align=8 if pointer.uniform else 64)
    if access.skipped is not None:
        found = builder.binary("sub", found, builder.resize(access.skipped, "i64"))
    frame.checked[access.address, access.space] = builder.cast("inttoptr", found, "ptr")


def allocated(frame: Frame, size: Value) -> None:
    """Report that local memory of the lanes was allocated, which ends at `local_top`."""
    if not frame.module.checks & INITCHECK:
        return
    what = SPACES["local"] | INITCHECK << 4 | FRESH
    lanes, size = constant(-1, frame.builder.mask_type), frame.builder.resize(size, "i32")
    frame.service("check_access", lanes, site(frame), constant(what, "i32"), size, NULL, NULL)


def _buffer(frame: Frame, value: Value) -> Value:
    return _buffers(frame, 0, (value,))


def _buffers(frame: Frame, count: int, values: tuple[Value, ...]) -> Value:
    """Store values per lane for the runtime, in a buffer for `count` of them (0: the buffer for one)."""
    builder = frame.builder
    if count not in frame.check_buffers:
        frame.check_buffers[count] = builder.alloca(f"[{max(count, 1)} x {builder.type('i64')}]", 64)
    for number, value in enumerate(values):
        at = builder.offset(frame.check_buffers[count], number * frame.width * 8)
        builder.store(builder.broadcast(builder.resize(builder.bits(value), "i64")), at, align=64)
    return Value(frame.check_buffers[count], "ptr")


def site(frame: Frame) -> Value:
    """Return the site of the instruction in reports: the number of its function, and its line."""
    return constant(frame.module.functions.index(frame.facts.function.name) << 32 | frame.line, "i64")


# --- accesses of instructions ------------------------------------------------------------------------------


def _bytes(type_: str) -> int:
    return width_of(integer_of(ELEMENTS[type_])) // 8


def _load(frame: Frame, instruction: Instruction, form: Form) -> Iterator[Access]:
    address, space = instruction.address(1), space_of(form)
    if not is_parameter(address, space):
        strong = STRONG if ORDERS[getattr(form, "sem", None)] else 0
        yield Access(address, space, _bytes(form.type) * len(instruction.elements(0)), READ | strong)


def _store(frame: Frame, instruction: Instruction, form: Form) -> Iterator[Access]:
    address = instruction.address(0)
    if form.bulk:
        yield Access(address, space_name(form.space), frame.read(instruction.operands[1], "u64"), WRITE)
        return
    space = space_of(form)
    if not is_parameter(address, space):
        kind = WRITE | (STRONG if ORDERS[form.sem] else 0) | (RELEASE if form.sem == "release" else 0)
        elements, step = instruction.elements(1), _bytes(form.type)
        values = tuple(frame.read(each, form.type) for each in elements) if step <= 8 else ()
        yield Access(address, space, step * len(elements), kind, values=values)
    if form.mbarrier_complete_tx_bytes:
        amount = constant(_bytes(form.type) * len(instruction.elements(1)), "i64")
        yield _completion(frame, instruction.address(2), space_name(form.space), amount)


def _atomic(frame: Frame, instruction: Instruction, form: Form) -> Iterator[Access]:
    first = 1 if form.opcode == "atom" else 0  # the address
    kind = UPDATE | (RELEASE if form.sem in ("release", "acq_rel") else 0)
    count = len(instruction.elements(first + 1))
    yield Access(instruction.address(first), space_of(form), _bytes(form.type) * count, kind)
    if form.opcode == "red" and form.mbarrier_complete_tx_bytes:
        amount = constant(_bytes(form.type), "i64")
        yield _completion(frame, instruction.address(2), space_name(form.space), amount)


def _copy(frame: Frame, instruction: Instruction, form: Form) -> Iterator[Access]:
    if "mbarrier" in form.modifiers:
        yield _arrival(instruction.address(0), "shared", constant(int(form.noinc), "i64"))
    elif "tensor" in form.modifiers:
        if "prefetch" not in form.modifiers:
            yield from _tensor(instruction, form)
    elif "bulk" in form.modifiers and instruction.operands[1:] and "prefetch" not in form.modifiers:
        yield from _bulk(frame, instruction, form)
    elif "global" in form.modifiers:
        yield from _small_copy(frame, instruction, form)


def _small_copy(frame: Frame, instruction: Instruction, form: Form) -> Iterator[Access]:
    size, rest = instruction.immediate(2), instruction.operands[3 : -1 if form.hint else None]
    yield Access(instruction.address(0), "shared", size, WRITE | COPIED)
    read = source_size(frame, rest[0], constant(size, "i32")) if rest else size
    yield Access(instruction.address(1), "global", read, READ | COPIED)


def _bulk(frame: Frame, instruction: Instruction, form: Form) -> Iterator[Access]:
    """Yield the accesses of a bulk copy or reduction; with multicast, only the source: targets are in other blocks."""
    amount, skipped = frame.read(instruction.operands[2], "u32"), None
    if form.ignore_oob:
        skipped, right = (frame.read(each, "u32") for each in instruction.operands[3:5])
        for ignored in (skipped, right):
            amount = frame.builder.intrinsic("usub.sat", "i32", amount, ignored)
    copied = 0 if "reduce" in form.modifiers else COPIED
    if not (form.multicast_cluster or form.cp_mask):
        yield Access(instruction.address(0), space_name(form.dst), amount, WRITE | copied, skipped=skipped)
    yield Access(instruction.address(1), space_name(form.src), amount, READ | copied, skipped=skipped)
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
    return _update(address, space, zero, zero, completed)


def _arrival(address: Address, space: str, count: Value) -> Access:
    zero = constant(0, "i64")
    return _update(address, space, count, zero, zero)


def _update(address: Address, space: str, *operands: Value) -> Access:
    """Return an update of an mbarrier: arrivals, threads that drop out, bytes."""
    return Access(address, space, BARRIER, BARRIER_UPDATE, mbarrier=MBARRIER["update"], operands=operands)


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
        yield Access(instruction.address(0), "global", TENSOR_MAP, WRITE)
        yield Access(instruction.address(1), "shared", TENSOR_MAP, READ)
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


class Checks(Instrumentation):
    """Adds the checks that a kernel is compiled with."""

    def __init__(self, checks: int):
        self.checks = checks
        self.tracks_barriers = bool(checks & SYNCCHECK)

    before = staticmethod(before)
    allocated = staticmethod(allocated)
    report_stranded = staticmethod(report_stranded)
    report_bypassed = staticmethod(report_bypassed)
