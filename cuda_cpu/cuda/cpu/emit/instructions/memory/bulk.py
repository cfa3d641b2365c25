# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Tensor copies, tensor maps, and bulk copies that multicast, reduce or mask bytes: ISA manual 9.7.9.26, 9.7.9.27.

The runtime performs them (tensor.c), lane by lane; usually a single lane is active.
"""

from __future__ import annotations

from cuda.cpu.emit.access.addresses import pointers, space_name
from cuda.cpu.emit.llvm.registry import emits
from cuda.cpu.emit.llvm.values import Shape, Value, constant
from cuda.cpu.emit.simt.frame import Frame
from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.instructions import Form
from cuda.cpu.ptx.syntax import Address, Instruction, Operand, elements_of
from cuda.cpu.runtime.abi import number

# Bits of `what`, and rows of operands: runtime/texture/tensor.h.
LOAD, STORE, REDUCE_TENSOR, REPLACE = (number(f"TENSOR_{name}") for name in ("LOAD", "STORE", "REDUCE", "REPLACE"))
COPY, REDUCE, MASKED = (number(f"BULK_{name}") for name in ("COPY", "REDUCE", "MASKED"))
MULTIMEM_LOAD, MULTIMEM_STORE, MULTIMEM_REDUCE, MULTIMEM_COPY, MULTIMEM_REDUCE_BULK = (
    number(f"MULTIMEM_{name}") for name in ("LOAD", "STORE", "REDUCE", "COPY", "REDUCE_BULK")
)
IM2COL, MULTICAST = number("BULK_IM2COL_BIT"), number("BULK_MULTICAST_BIT")
TO, FROM, BARRIER, COORDINATE, OFFSET, MASK, SLOTS = (
    number(f"BULK_{name}") for name in ("MAP", "SOURCE", "BARRIER", "COORDINATE", "OFFSET", "MASK", "ROWS")
)
OPERATIONS = ("add", "min", "max", "inc", "dec", "and", "or", "xor")
TYPES = {"u32": 2, "b32": 2, "s32": 3, "u64": 4, "b64": 4, "s64": 5, "f16": 6, "f32": 7, "f64": 8, "bf16": 9}
FIELDS = (
    "global_address", "rank", "box_dim", "global_dim", "global_stride", "element_stride", "elemtype", "swizzle_mode",
    "fill_mode", "interleave_layout", "swizzle_atomicity",
)  # fmt: skip


class Request:
    """Arguments of one call of the runtime: a row of 64-bit words, one per lane, for each operand."""

    def __init__(self, frame: Frame):
        self.frame = frame
        self.slots = frame.builder.alloca(f"[{SLOTS} x {frame.builder.type('i64')}]", 64)

    def put(self, index: int, value: Value) -> None:
        builder = self.frame.builder
        if value.element == "ptr":
            value = builder.cast("ptrtoint", value, "i64")
        value = builder.broadcast(builder.resize(value, "i64"))
        builder.store(value, builder.offset(self.slots, index * self.frame.width * 8), align=64)

    def set(self, index: int, operand: Operand | None, type_: str = "b32") -> None:
        self.put(index, self.frame.read(operand, type_))

    def point(self, index: int, address: Address, space: str | None) -> None:
        self.put(index, pointers(self.frame, address, space_name(space)))

    def get(self, index: int, element: str) -> Value:
        """Return a row that the call has written."""
        builder = self.frame.builder
        slot = builder.offset(self.slots, index * self.frame.width * 8)
        return builder.resize(builder.load("i64", slot, shape=Shape.VECTOR, align=64), element)

    def call(self, what: int) -> None:
        frame = self.frame
        slots = Value(self.slots, "ptr")
        if frame.module.settings.instrumentation is not None:
            frame.module.settings.instrumentation.copying(frame, what, slots)
        frame.service("bulk", frame.mask, constant(what, "i32"), constant(frame.line, "i32"), slots)
        if frame.module.settings.instrumentation is not None:
            frame.module.settings.instrumentation.copied(frame, what, slots)


def copy_tensor(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Load, store or reduce the box of a tensor at the given coordinates."""
    operands = instruction.operands[: -1 if form.hint else None]
    request, dimensions = Request(frame), int(str(form.dim)[0])
    loads = form.src == "global"
    tensor = instruction.address(1 if loads else 0)
    coordinates = elements_of(tensor.coordinates[0]) if tensor.coordinates else ()
    if len(coordinates) != dimensions:
        raise PtxError(f"{form}: {dimensions} coordinates are needed", instruction.line)
    request.point(TO, Address(tensor.base, tensor.offset), None)
    for axis, coordinate in enumerate(coordinates):
        request.set(COORDINATE + axis, coordinate)
    request.put(MASK, constant(0, "i64"))
    im2col = bool(form.load_mode and form.load_mode.startswith("im2col"))
    offsets: tuple[Operand | None, ...] = ()
    if loads and len(operands) != 3 + im2col + bool(form.multicast_cluster):
        raise PtxError(f"{form}: an operand too many, or one is missing", instruction.line)
    what = dimensions << 8 | (IM2COL if im2col else 0)
    if not loads:
        request.point(FROM, instruction.address(1), form.src)
        what |= REDUCE_TENSOR | OPERATIONS.index(str(form.redop)) << 4 if form.reduce else STORE
    else:
        request.point(FROM, instruction.address(0), form.dst)
        request.point(BARRIER, instruction.address(2), form.dst)
        rest = list(operands[3:])
        if im2col:
            offsets = elements_of(rest.pop(0))
            if len(offsets) != dimensions - 2:
                raise PtxError(f"{form}: {dimensions - 2} offsets are needed", instruction.line)
        if form.multicast_cluster:
            request.set(MASK, rest.pop(0), "b16")
            what |= MULTICAST
    for axis in range(3):
        value = frame.read(offsets[axis], "b16") if axis < len(offsets) else constant(0, "i64")
        request.put(OFFSET + axis, value)
    request.call(what)


def copy_to_blocks(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Copy to the same shared memory offset in several blocks, and signal the mbarrier of each."""
    request = Request(frame)
    request.point(TO, instruction.address(0), form.dst)
    request.point(FROM, instruction.address(1), form.src)
    request.point(BARRIER, instruction.address(3), form.dst)
    request.set(COORDINATE, instruction.operands[2])
    request.set(MASK, instruction.operands[4], "b16")
    request.call(COPY | MULTICAST)


def copy_some_bytes(frame: Frame, instruction: Instruction, form: Form) -> None:
    request = Request(frame)
    request.point(TO, instruction.address(0), form.dst)
    request.point(FROM, instruction.address(1), form.src)
    request.set(COORDINATE, instruction.operands[2])
    request.set(OFFSET, instruction.operands[-1], "b16")
    request.call(MASKED)


def reduce(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Combine the destination array with the source array, element by element."""
    request = Request(frame)
    request.point(TO, instruction.address(0), form.dst)
    request.point(FROM, instruction.address(1), form.src)
    request.set(COORDINATE, instruction.operands[2])
    request.call(REDUCE | OPERATIONS.index(str(form.redop)) << 4 | TYPES[form.type] << 16)


@emits("tensormap")
def emit_tensormap(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Replace a field of a tensor map, or copy a map to global memory."""
    if form.modifiers[0] == "cp_fenceproxy":
        request = Request(frame)
        request.point(TO, instruction.address(0), "global")
        request.point(FROM, instruction.address(1), "shared")
        request.put(COORDINATE, constant(128, "i64"))
        request.put(OFFSET, constant(0xFFFF, "i64"))
        request.call(MASKED)
        return
    dimension = instruction.immediate(1) if len(instruction.operands) == 3 else 0
    if not 0 <= dimension < 5:
        raise PtxError(f"{form}: the dimension must be a number from 0 to 4", instruction.line)
    request = Request(frame)
    request.point(TO, instruction.address(0), form.space)
    request.set(FROM, instruction.operands[-1], form.type)
    request.call(REPLACE | FIELDS.index(str(form.field)) << 4 | dimension << 8)
