# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Accesses to adjacent words in each lane's memory: elements of a vector, for loads also of several instructions.

Two words of a lane are gathered or scattered as one of 64 bits. Four are loaded as one of 128 bits for each lane and
transposed by shuffles, which takes a third of the time of four gathers; they are stored alike (of lanes at known
distances by `strided.py`). Where the words of each group of four lanes are contiguous, as in rows of eight threads,
each group is loaded as one vector of 512 bits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cuda.cpu.emit.access import reorder, strided
from cuda.cpu.emit.access.addresses import pointers
from cuda.cpu.emit.access.gather_scatter import scatter
from cuda.cpu.emit.access.lanes import concatenated, store_split
from cuda.cpu.emit.llvm.values import ELEMENTS, Shape, Value, constant, integer_of, width_of
from cuda.cpu.passes.traits import PURE
from cuda.cpu.ptx.instructions import Form
from cuda.cpu.ptx.syntax import Address, Instruction, Register

if TYPE_CHECKING:
    from cuda.cpu.emit.simt.frame import Frame

SPACES = {None, "global", "const", "shared", "shared::cta"}
REACH = 100  # instructions that are searched


def find(frame: Frame, instruction: Instruction, form: Form, position: int) -> list[tuple[tuple[int, int], int]]:
    """Return the loads to be combined with an element of a load, by key and offset; [] if there are none.

    The key is the instruction's identity and the number of the element. No instruction between them may wait, change
    the address, or write what is loaded.
    """
    if not is_possible(frame) or not _suits(instruction, form):
        return []
    here = reachable(frame, instruction, form, "i32")
    mine = next(offset for number, offset in _elements(instruction, 4) if number == position)
    for count in (4, 2):
        for start in range(mine - 4 * (count - 1), mine + 1, 4):
            offsets = range(start, start + 4 * count, 4)
            if all(offset in here for offset in offsets):
                return [(here[offset], offset) for offset in offsets]
    return []


def is_possible(frame: Frame) -> bool:
    """Return whether a kernel accesses several words of a lane at once."""
    return not frame.width % 16 and frame.module.settings.native_gather and not frame.checked


def reachable(frame: Frame, instruction: Instruction, form: Form, element: str) -> dict[int, tuple[int, int]]:
    """Return keys of the elements that a load and later ones from the same base register load, by their offsets."""
    here: dict[int, tuple[int, int]] = {}
    base, size = _base(instruction), width_of(element) // 8
    stored: list[reorder.Span] = []
    steps = frame.flow.block.steps
    at = frame.position_of(instruction)
    pending = {group.last for group in frame.block.merged.values() if group is not None and group.pending}
    reach = 1 if frame.module.settings.replaces_addresses else REACH  # later ones have not been checked yet
    for step in steps[at : at + reach]:
        if step.form is None:
            break
        other, kind = step.operation()
        if id(other) in pending:
            break  # what follows it may load what has not been stored yet
        if reorder.is_weak_store(kind) and frame.module.settings.instrumentation is None:
            if not reorder.are_apart(kind, form):
                if kind.space != form.space or other.address(0).base != instruction.address(1).base:
                    break
                stored.append(reorder.span_of(other, kind))
        elif kind.opcode not in PURE and not reorder.is_weak_load(kind):
            break
        same_kind = kind.opcode == form.opcode and kind.space == form.space and _suits(other, kind, element)
        if same_kind and _base(other) == base:
            for number, offset in _elements(other, size):
                passes = reorder.may_pass(frame, base, (offset, offset + size), stored)
                if passes and (id(other), number) not in frame.block.loaded:
                    here.setdefault(offset, (id(other), number))
        if base in step.writes:
            break
    return here


def _suits(instruction: Instruction, form: Form, element: str = "i32") -> bool:
    address = instruction.operands[1] if len(instruction.operands) > 1 else None
    return (
        reorder.is_weak_load(form)
        and instruction.guard is None
        and isinstance(address, Address)
        and isinstance(address.base, Register)
        and getattr(form, "space", None) in SPACES
        and integer_of(ELEMENTS[form.type]) == element
    )


def _base(instruction: Instruction) -> str:
    """Return the register of a load's address."""
    base = instruction.address(1).base
    assert isinstance(base, Register)
    return base.name


def _elements(instruction: Instruction, size: int) -> list[tuple[int, int]]:
    """Return number and offset of the elements of a load that are written to a register."""
    start = instruction.address(1).offset
    return [(number, start + size * number) for number, each in enumerate(instruction.elements(0)) if each is not None]


def load_at(frame: Frame, address: Address, space: str, count: int) -> list[Value] | None:
    """Load two or four words for each lane that runs; return None if the address is the same for all lanes."""
    lanes = strided.find(frame, address, space) if count == strided.GROUP else None
    if lanes:
        return strided.load(frame, lanes, count)
    addresses = pointers(frame, address, space)
    return None if addresses.uniform else load(frame, addresses, count)


def load(frame: Frame, addresses: Value, count: int) -> list[Value]:
    """Load two or four words for each lane that runs, from its address on."""
    builder, module, width = frame.builder, frame.module, frame.width
    vector, name = f"<{width} x i32>", f"adjacent.{count}"
    result = f"{{ {', '.join([vector] * count)} }}"
    if not module.has(name):
        mask = builder.mask_type
        module.declare(f"llvm.cttz.{mask}", mask, [mask, "i1"])
        wide = f"v{width}i64"
        lanes = [f"<{width} x ptr>", "i32", f"<{width} x i1>", f"<{width} x i64>"]
        module.declare(f"llvm.masked.gather.{wide}.v{width}p0", f"<{width} x i64>", lanes)
        text = _two(frame) if count == 2 else _four(frame)
        for number in range(count):
            before = "poison" if number == 0 else f"%all{number - 1}"
            text += f"  %all{number} = insertvalue {result} {before}, {vector} %r{number}, {number}\n"
        head = f"define internal {result} @{name}(<{width} x ptr> %p, {mask} %mask) #1"
        module.define(name, f"{head} {{\nentry:\n{text}  ret {result} %all{count - 1}\n}}\n")
    fields = [("i32", Shape.VECTOR)] * count
    return builder.call_several(name, fields, addresses, frame.mask, how=frame.inline_attribute())


def _two(frame: Frame) -> str:
    width = frame.width
    wide, vector = f"<{width} x i64>", f"<{width} x i32>"
    return (
        f"  %lanes = bitcast i{width} %mask to <{width} x i1>\n"
        f"  %both = call {wide} @llvm.masked.gather.v{width}i64.v{width}p0(<{width} x ptr> %p, i32 4,"
        f" <{width} x i1> %lanes, {wide} zeroinitializer)\n"
        f"  %high = lshr {wide} %both, splat (i64 32)\n"
        f"  %r0 = trunc {wide} %both to {vector}\n  %r1 = trunc {wide} %high to {vector}\n"
    )


def _four(frame: Frame) -> str:
    """Load 128 bits for each lane, or 512 bits for each group of four lanes whose words are contiguous."""
    width, halves = frame.width, range(frame.width // 16)
    text = f"{_rooms(width)}{_are_in_fours(width)}together:\n"
    for four in range(width // 4):
        text += f"  %start{four} = extractelement <{width} x ptr> %p, i64 {4 * four}\n"
        text += f"  %v{four} = load <16 x i32>, ptr %start{four}, align 4\n"
    text += "".join(map(_columns, halves))
    for number in range(4):
        text += concatenated(f"%t{number}", [f"%c{half}.{number}" for half in halves], 16)
    text += f"  br label %loaded\napart:\n{_four_apart(frame)}  br label %loaded\nloaded:\n"
    for number in range(4):
        text += f"  %r{number} = phi <{width} x i32> [ %t{number}, %together ], [ %s{number}, %apart ]\n"
    return text


def _are_in_fours(width: int) -> str:
    """Return the code that goes to %together if all lanes run, and the words of each group of four are contiguous.

    Where they are not, the first two lanes mostly show it.
    """
    addresses, size = f"<{width} x ptr>", 16
    firsts = ", ".join(f"i32 {lane - lane % 4}" for lane in range(width))
    steps = ", ".join(f"i64 {lane % 4 * size}" for lane in range(width))
    return f"""  %first = extractelement {addresses} %p, i64 0
  %second = extractelement {addresses} %p, i64 1
  %behind = getelementptr i8, ptr %first, i64 {size}
  %follows = icmp eq ptr %second, %behind
  %full = icmp eq i{width} %mask, -1
  %may = and i1 %follows, %full
  br i1 %may, label %look, label %apart
look:
  %firsts = shufflevector {addresses} %p, {addresses} poison, <{width} x i32> <{firsts}>
  %wanted = getelementptr i8, {addresses} %firsts, <{width} x i64> <{steps}>
  %as.wanted = icmp eq {addresses} %p, %wanted
  %bits = bitcast <{width} x i1> %as.wanted to i{width}
  %in.fours = icmp eq i{width} %bits, -1
  br i1 %in.fours, label %together, label %apart
"""


def _columns(half: int) -> str:
    """Return the code that makes %c, word n of 16 lanes in vector n, of %v with the words of four lanes in each."""
    text, type_ = "", "<16 x i32>"

    def picked(to: str, a: str, b: str, odd: int) -> str:
        order = ", ".join(f"i32 {number}" for number in range(odd, 32, 2))
        return f"  {to} = shufflevector {type_} {a}, {type_} {b}, <16 x i32> <{order}>\n"

    for pair in range(2):
        first = 4 * half + 2 * pair
        for odd in range(2):
            text += picked(f"%of{half}.{pair}.{odd}", f"%v{first}", f"%v{first + 1}", odd)
    for number in range(4):
        odd, second = number % 2, number // 2
        text += picked(f"%c{half}.{number}", f"%of{half}.0.{odd}", f"%of{half}.1.{odd}", second)
    return text


def _four_apart(frame: Frame) -> str:
    """Load 128 bits for each lane; lanes that do not run load zeros, which needs no branch."""
    halves = range(frame.width // 16)
    text = "  store <4 x i32> zeroinitializer, ptr %nothing\n"
    for lane in range(frame.width):
        text += f"  %w{lane} = load <4 x i32>, ptr %p{lane}, align 4\n"
    for half in halves:
        for j in range(4):
            text += concatenated(f"%a{half}.{j}", [f"%w{16 * half + 4 * s + j}" for s in range(4)], 4)
        text += _transpose(half, "a", "h")
    for number in range(4):
        text += concatenated(f"%s{number}", [f"%h{half}.{number}" for half in halves], 16)
    return _pointers_of_lanes(frame) + text


def _rooms(width: int) -> str:
    """Return the memory that `_pointers_of_lanes` needs."""
    return f"  %nothing = alloca <4 x i32>, align 16\n  %room = alloca <{width} x i64>, align 64\n"


def _pointers_of_lanes(frame: Frame) -> str:
    """Return the code that makes %p0 and so on; those of lanes that do not run are %nothing.

    Addresses are loaded from memory: from a register, each would take two shuffles, of which there are enough behind.
    """
    width, mask = frame.width, frame.builder.mask_type
    addresses = f"<{width} x ptr>"
    text = f"""  %nowhere = insertelement {addresses} poison, ptr %nothing, i64 0
  %others = shufflevector {addresses} %nowhere, {addresses} poison, <{width} x i32> zeroinitializer
  %lanes = bitcast {mask} %mask to <{width} x i1>
  %all = select <{width} x i1> %lanes, {addresses} %p, {addresses} %others
  %words = ptrtoint {addresses} %all to <{width} x i64>
{store_split(frame, "i64", "%words", "%room")}"""
    for lane in range(width):
        text += f"  %at{lane} = getelementptr i64, ptr %room, i64 {lane}\n"
        text += f"  %p{lane} = load volatile ptr, ptr %at{lane}\n"
    return text


def _transpose(half: int, of: str, to: str) -> str:
    """Return the code that transposes 4x4 words in each 128 bits of four vectors, named by the prefixes `of` and `to`.

    One side has word n of 16 lanes in vector n, the other the four words of lane 4 s + j in part s of vector j.
    """
    text, type_ = "", "<16 x i32>"

    def shuffled(to: str, a: str, b: str, of_a: tuple[int, int], pairs: bool) -> str:
        x, y = of_a
        picks = (x, 16 + x, y, 16 + y) if not pairs else (x, y, 16 + x, 16 + y)
        order = ", ".join(f"i32 {4 * s + pick}" for s in range(4) for pick in picks)
        return f"  {to} = shufflevector {type_} {a}, {type_} {b}, <16 x i32> <{order}>\n"

    for name, a, b in (("x", 0, 1), ("y", 2, 3)):
        for part, of_a in (("l", (0, 1)), ("h", (2, 3))):
            text += shuffled(f"%{name}{half}.{part}", f"%{of}{half}.{a}", f"%{of}{half}.{b}", of_a, pairs=False)
    for number in range(4):
        part, of_a = "lh"[number // 2], ((0, 1), (2, 3))[number % 2]
        text += shuffled(f"%{to}{half}.{number}", f"%x{half}.{part}", f"%y{half}.{part}", of_a, pairs=True)
    return text


def store_at(frame: Frame, address: Address, space: str, values: list[Value]) -> bool:
    """Store two or four words for each lane that runs; return False if the address is the same for all lanes."""
    lanes = strided.find(frame, address, space) if len(values) == strided.GROUP else None
    if lanes:
        strided.store(frame, lanes, values)
        return True
    addresses = pointers(frame, address, space)
    if not addresses.uniform:
        store(frame, addresses, values)
    return not addresses.uniform


def store(frame: Frame, addresses: Value, values: list[Value]) -> None:
    """Store two or four words for each lane that runs, at its address, in the order of the lanes."""
    builder, width = frame.builder, frame.width
    if len(values) == 2:
        low, high = (builder.resize(value, "i64") for value in values)
        both = builder.binary("or", low, builder.binary("shl", high, constant(32, "i64")))
        scatter(frame, addresses, builder.broadcast(both))
        return
    name, vector = "adjacent.store.4", f"<{width} x i32>"
    if not frame.module.has(name):
        given = ", ".join(f"{vector} %v{number}" for number in range(4))
        head = f"define internal void @{name}({given}, <{width} x ptr> %p, {builder.mask_type} %mask) #1"
        frame.module.define(name, f"{head} {{\nentry:\n{_store_four(frame)}  ret void\n}}\n")
    builder.call(name, "void", *(builder.broadcast(value) for value in values), addresses, frame.mask)


def _store_four(frame: Frame) -> str:
    """Store 128 bits for each lane; lanes that do not run store where nothing is read."""
    width = frame.width
    text = _rooms(width) + _pointers_of_lanes(frame)
    for half in range(width // 16):
        order = ", ".join(f"i32 {16 * half + lane}" for lane in range(16))
        for number in range(4):
            vector = f"<{width} x i32>"
            text += f"  %h{half}.{number} = shufflevector {vector} %v{number}, {vector} poison, <16 x i32> <{order}>\n"
        text += _transpose(half, "h", "a")
    for lane in range(width):
        half, (s, j) = lane // 16, divmod(lane % 16, 4)
        order = ", ".join(f"i32 {4 * s + word}" for word in range(4))
        text += f"  %w{lane} = shufflevector <16 x i32> %a{half}.{j}, <16 x i32> poison, <4 x i32> <{order}>\n"
        text += f"  store <4 x i32> %w{lane}, ptr %p{lane}, align 4\n"
    return text
