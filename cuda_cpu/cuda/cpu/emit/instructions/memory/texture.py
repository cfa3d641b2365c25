# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Textures and surfaces: ISA manual 9.7.11 and 9.7.12. The runtime performs the accesses (texture.c), lane by lane."""

from __future__ import annotations

from cuda.cpu.emit.access.gather_scatter import load
from cuda.cpu.emit.llvm.registry import emits
from cuda.cpu.emit.llvm.values import ELEMENTS, Shape, Value, constant, integer_of, width_of
from cuda.cpu.emit.simt.frame import Frame
from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.instructions import Form
from cuda.cpu.ptx.syntax import Address, Instruction, Operand, Pair, elements_of
from cuda.cpu.runtime.abi import number

# Bits of `what`, and rows of arguments: runtime/texture/texture.h.
BASE, LEVEL, GRAD, GATHER, QUERY = (number(f"TEX_{name}") for name in ("BASE", "LEVEL", "GRAD", "GATHER", "QUERY"))
LOAD, STORE, STORE_FORMATTED = (number(f"SURF_{name}") for name in ("LOAD", "STORE", "STORE_FORMATTED"))
REDUCE, REDUCE_ELEMENT = number("SURF_REDUCE"), number("SURF_REDUCE_ELEMENT")
LAYERED, CUBE, INDEX = (number(f"TEX_{name}") for name in ("LAYERED", "CUBE", "INDEX"))
LAYER, X, DX, DY, OFFSET = (number(f"ARG_{name}") for name in ("LAYER", "X", "DX", "DY", "OFFSET"))
ROWS = number("ARGS")

GEOMETRIES = {
    "1d": 1 << 8, "2d": 2 << 8, "3d": 3 << 8, "a1d": 1 << 8 | LAYERED, "a2d": 2 << 8 | LAYERED,
    "cube": 2 << 8 | CUBE, "acube": 2 << 8 | CUBE | LAYERED,
}  # fmt: skip
LEVELS = {None: BASE, "base": BASE, "level": LEVEL, "grad": GRAD}
RESULTS = {"f16": 1, "f16x2": 2}
QUERIES = (
    "width", "height", "depth", "channel_data_type", "channel_order", "normalized_coords", "array_size",
    "num_mipmap_levels", "num_samples", "filter_mode", "addr_mode_0", "addr_mode_1", "addr_mode_2",
)  # fmt: skip
REDUCTIONS = ("add", "min", "max", "and", "or")


class Request:
    """Memory for one call: a row of 32-bit words per argument, and of 64-bit words per result or value."""

    def __init__(self, frame: Frame):
        self.frame = frame
        builder = frame.builder
        self.arguments = builder.alloca(f"[{ROWS} x {builder.type('i32')}]", 64)
        self.data = builder.alloca(f"[4 x {builder.type('i64')}]", 64)

    def set(self, index: int, operand: Operand | None, type_: str = "b32") -> None:
        self.put(index, self.frame.builder.bits(self.frame.read(operand, type_)))

    def put(self, index: int, value: Value) -> None:
        builder = self.frame.builder
        value = builder.broadcast(builder.resize(value, "i32"))
        builder.store(value, builder.offset(self.arguments, index * self.frame.width * 4), align=64)

    def data_slot(self, index: int) -> str:
        return self.frame.builder.offset(self.data, index * self.frame.width * 8)

    def call(self, what: int, address: Address) -> None:
        frame, builder = self.frame, self.frame.builder
        handle_slot = builder.alloca(builder.type("i64"), 64)
        handle = builder.resize(frame.read(address.base, "b64"), "i64")
        if address.offset:
            raise PtxError("the handle of a texture or surface takes no offset", frame.line)
        builder.store(builder.broadcast(handle), handle_slot, align=64)
        what_and_line = constant(what, "i32"), constant(frame.line, "i32")
        pointers = (Value(each, "ptr") for each in (handle_slot, self.arguments, self.data))
        frame.service("texture", frame.mask, *what_and_line, *pointers)

    def result(self, index: int, element: str) -> Value:
        value = self.frame.builder.load("i64", self.data_slot(index), shape=Shape.VECTOR, align=64)
        return self.frame.builder.resize(value, element)


def _next(rest: list[Operand], form: Form, line: int) -> Operand:
    """Remove and return the next operand after the address."""
    if not rest:
        raise PtxError(f"{form}: an operand for .{form.level} is missing", line)
    return rest.pop(0)


def _coordinates(request: Request, form: Form, address: Address, count: int) -> None:
    """Store layer and coordinates; elements after them are padding, as in the manual."""
    if len(address.coordinates) != 1:
        raise PtxError(f"{form}: samplers of their own are not supported by the CPU device", request.frame.line)
    given = list(elements_of(address.coordinates[0]))
    if GEOMETRIES[form.geometry] & LAYERED:
        request.set(LAYER, given.pop(0))
    if len(given) < count:
        raise PtxError(f"{form}: {count} coordinates are needed", request.frame.line)
    for axis in range(count):
        request.set(X + axis, given[axis])


def _dimensions(form: Form) -> int:
    return 3 if "cube" in form.geometry else GEOMETRIES[form.geometry] >> 8


def _write(frame: Frame, request: Request, destination: Operand | None, dtype: str) -> None:
    """Write the results; the predicate for resident memory is always true."""
    if isinstance(destination, Pair):
        frame.write(destination.second, constant(1, "i1"))
        destination = destination.first
    for index, target in enumerate(elements_of(destination)):
        if target is not None:
            frame.write(target, request.result(index, integer_of(ELEMENTS[dtype])))


@emits("tex", "tld4")
def emit_fetch(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Emit tex (a filtered element) or tld4 (one channel of the four elements that bilinear filtering reads)."""
    destination, address, rest = instruction.operands[0], instruction.address(1), list(instruction.operands[2:])
    request = Request(frame)
    what = GEOMETRIES[form.geometry] | RESULTS.get(form.dtype, 0) << 16 | (INDEX if form.type == "s32" else 0)
    _coordinates(request, form, address, _dimensions(form))
    if form.opcode == "tld4":
        what |= GATHER | "rgba".index(form.component) << 12
    else:
        what |= LEVELS[form.level]
        if form.level == "level":
            request.set(DX, _next(rest, form, frame.line))
        elif form.level == "grad":
            for index in (DX, DY):
                gradients = elements_of(_next(rest, form, frame.line))
                for axis, operand in enumerate(gradients[: GEOMETRIES[form.geometry] >> 8 & 3]):
                    request.set(index + axis, operand)
    offsets = elements_of(rest.pop(0)) if rest else ()
    if rest or (offsets and "cube" in form.geometry):
        raise PtxError(f"{form}: comparison of depths is not supported by the CPU device", frame.line)
    for axis in range(3):
        given = axis < min(len(offsets), GEOMETRIES[form.geometry] >> 8 & 3)
        request.put(OFFSET + axis, frame.read(offsets[axis], "b32") if given else constant(0, "i32"))
    request.call(what, address)
    _write(frame, request, destination, form.dtype)


@emits("txq", "suq")
def emit_query(frame: Frame, instruction: Instruction, form: Form) -> None:
    destination, address, rest = instruction.operands[0], instruction.address(1), list(instruction.operands[2:])
    request = Request(frame)
    request.put(DX, frame.read(rest[0], "b32") if rest else constant(0, "i32"))
    if form.query == "memory_layout":  # no surface is linear memory, but the handle is still checked
        request.call(QUERY | QUERIES.index("width") << 12, address)
        frame.write(destination, constant(0, "i32"))
        return
    request.call(QUERY | QUERIES.index(form.query) << 12, address)
    frame.write(destination, request.result(0, "i32"))


@emits("istypep")
def emit_istypep(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Compare the magic word that a handle points to, see texture.h. There are no separate sampler objects."""
    builder = frame.builder
    destination, handle = instruction.operands
    kinds = {"texref": 0x54584554, "surfref": 0x46525553, "samplerref": 0}
    handle_slot = builder.cast("inttoptr", frame.read(handle, "b64"), "ptr")
    found = load(frame, handle_slot, "i32")
    frame.write(destination, builder.compare("icmp eq", found, constant(kinds[form.kind], "i32")))


CLAMPS = {"trap": 0, "clamp": 1, "zero": 2}


def _surface(frame: Frame, form: Form, work: int, address: Address, size: int, detail: int) -> tuple[Request, int]:
    request = Request(frame)
    _coordinates(request, form, address, _dimensions(form))
    return request, work | GEOMETRIES[form.geometry] | detail << 12 | size << 16 | CLAMPS[form.clamp] << 20


def _bytes(type_: str) -> int:
    return width_of(ELEMENTS[type_]) // 8


@emits("suld")
def emit_surface_load(frame: Frame, instruction: Instruction, form: Form) -> None:
    destination, address = instruction.operands[0], instruction.address(1)
    count = len(elements_of(destination))
    request, what = _surface(frame, form, LOAD, address, _bytes(form.type), count)
    request.call(what, address)
    _write(frame, request, destination, form.type)


@emits("sust")
def emit_surface_store(frame: Frame, instruction: Instruction, form: Form) -> None:
    builder, address, values = frame.builder, instruction.address(0), instruction.elements(1)
    work = STORE_FORMATTED if form.mode == "p" else STORE
    request, what = _surface(frame, form, work, address, _bytes(form.type), len(values))
    for index, value in enumerate(values):
        wide = builder.resize(builder.bits(frame.read(value, form.type)), "i64")
        builder.store(builder.broadcast(wide), request.data_slot(index), align=64)
    request.call(what, address)


@emits("sured")
def emit_surface_reduction(frame: Frame, instruction: Instruction, form: Form) -> None:
    address, value = instruction.address(0), instruction.operands[1]
    builder = frame.builder
    work = REDUCE_ELEMENT if form.mode == "p" else REDUCE
    request, what = _surface(frame, form, work, address, _bytes(form.type), REDUCTIONS.index(form.op))
    wide = builder.resize(frame.read(value, form.type), "i64", signed=form.type[0] == "s")
    builder.store(builder.broadcast(wide), request.data_slot(0), align=64)
    request.call(what | (form.type[0] == "s") << 22, address)
