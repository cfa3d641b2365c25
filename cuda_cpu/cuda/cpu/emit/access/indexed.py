# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Addresses that are one base for all lanes and an index for each: x[columns[i]], bins[data[i]].

What a block computes of a narrow number by widening it, scaling it and adding uniform values is recorded with the
number itself. CPUs gather by 32-bit indices from one base, and where lanes are handled one by one, eight 8-bit indices
are extracted from a register at once.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING

from cuda.cpu.emit.access import affine, compressed_indices, runs, unrolled, window
from cuda.cpu.emit.access.addresses import split_shared_address
from cuda.cpu.emit.access.lanes import concatenated, for_each_lane, has_masked_words
from cuda.cpu.emit.llvm.values import ELEMENTS, Shape, Value, constant, width_of
from cuda.cpu.ptx.syntax import Address, Immediate, Operand, Register

if TYPE_CHECKING:
    from cuda.cpu.emit.simt.frame import Frame
    from cuda.cpu.passes.graph import Step
    from cuda.cpu.ptx.instructions import Form

SCALES = (1, 2, 4, 8)  # of addresses
TYPES = {f"{kind}{width}" for kind in "bsu" for width in (8, 16, 32, 64)}
CHANGED = ("sat", "cc", "hi", "local", "shared", "param")  # forms of the opcodes that compute something else


@dataclasses.dataclass(frozen=True, slots=True)
class Indexed:
    """A register that is base + scale * index. Of scale * index the register holds all bits, and as a signed number."""

    index: Value  # a vector
    signed: bool
    scale: int = 1
    base: Value | None = None  # the same for all lanes, None: nothing


def follow(frame: Frame, step: Step) -> Indexed | None:
    """Return what a vector register that a step writes is made of, if that is known."""
    if step.form is None:
        return None
    instruction, form = step.operation()
    rule = RULES.get(form.opcode)
    if rule is None or len(step.writes) != 1 or instruction.guard is not None:
        return None
    name = step.writes[0]
    if frame.graph.is_uniform(name) or (frame.copy.converged and frame.graph.has_base(name)):
        return None
    if any(word in CHANGED for word in form.modifiers):
        return None
    if not TYPES.issuperset({form.type, getattr(form, "dtype", None) or form.type}):
        return None
    width = width_of(frame.element_of(name))
    return rule(frame, form, width, *instruction.operands[1:])


def loaded(frame: Frame, register: str, value: Value, *, signed: bool) -> None:
    """Note that a register holds what was loaded, made wider."""
    if not value.uniform and width_of(value.element) < width_of(frame.element_of(register)):
        frame.block.indexed[register] = Indexed(value, signed)


def _fits(found: Indexed | None, width: int) -> Indexed | None:
    """Return what is known if a register of that width holds it."""
    if found is None or found.scale not in SCALES:
        return None
    bits = width_of(found.index.element) + found.scale.bit_length() - 1 + (not found.signed)
    return found if bits <= width else None


def _known(frame: Frame, operand: Operand) -> Indexed | None:
    return frame.block.indexed.get(operand.name) if isinstance(operand, Register) else None


def _copy(frame: Frame, form: Form, width: int, operand: Operand) -> Indexed | None:
    return _known(frame, operand)


def _widen(frame: Frame, form: Form, width: int, operand: Operand, scale: int = 1) -> Indexed | None:
    """Make a number wider that may be made of a narrower one."""
    type_, known = form.type, _known(frame, operand)
    signed = type_.startswith("s")
    if known is not None and (known.base is not None or (known.signed and not signed)):
        known = None
    if known is not None and _fits(known, width_of(ELEMENTS[type_])):
        return _fits(dataclasses.replace(known, scale=known.scale * scale), width)
    if not isinstance(operand, Register) or frame.graph.is_uniform(operand.name):
        return None
    value = frame.read(operand, type_)
    if value.uniform or width_of(value.element) == 64:
        return None
    return _fits(Indexed(value, signed, scale), width)


def _convert(frame: Frame, form: Form, width: int, operand: Operand) -> Indexed | None:
    if width_of(ELEMENTS[form.dtype]) <= width_of(ELEMENTS[form.type]) or width_of(ELEMENTS[form.dtype]) != width:
        return None
    return _widen(frame, form, width, operand)


def _multiply(frame: Frame, form: Form, width: int, operand: Operand, factor: Operand) -> Indexed | None:
    if not isinstance(factor, Immediate) or factor.value not in SCALES:
        return None
    if form.mode == "wide":
        return _widen(frame, form, width, operand, factor.value)
    known = _known(frame, operand)
    if known is None or known.base is not None:
        return None
    return _fits(dataclasses.replace(known, scale=known.scale * factor.value), width)


def _shift(frame: Frame, form: Form, width: int, operand: Operand, distance: Operand) -> Indexed | None:
    if not isinstance(distance, Immediate) or not 0 <= distance.value < len(SCALES):
        return None
    known = _known(frame, operand)
    if known is None or known.base is not None:
        return None
    return _fits(dataclasses.replace(known, scale=known.scale << distance.value), width)


def _add(frame: Frame, form: Form, width: int, a: Operand, b: Operand) -> Indexed | None:
    for one, other in ((a, b), (b, a)):
        known = _known(frame, one)
        if known is not None:
            more = frame.read(other, form.type)
            if not more.uniform:
                return None
            base = more if known.base is None else frame.builder.binary("add", known.base, more)
            return dataclasses.replace(known, base=base)
    return None


def _multiply_add(frame: Frame, form: Form, width: int, a: Operand, b: Operand, c: Operand) -> Indexed | None:
    product = _multiply(frame, form, width, a, b)
    if product is None:
        return None
    more = frame.read(c, f"b{width}")
    return dataclasses.replace(product, base=more) if more.uniform else None


RULES: dict[str, Callable] = {
    "mov": _copy, "cvta": _copy, "cvt": _convert, "mul": _multiply, "mad": _multiply_add, "shl": _shift, "add": _add,
}  # fmt: skip


NARROW, UP_TO_32 = (8, 16), (8, 16, 32)  # bits of an index


def index_of(frame: Frame, register: str, widths: tuple[int, ...]) -> Indexed | None:
    """Return what is known of an address if its index has one of these widths."""
    found = frame.block.indexed.get(register)
    return found if found is not None and width_of(found.index.element) in widths else None


def split(
    frame: Frame, address: Address, extra: int, widths: tuple[int, ...] = UP_TO_32
) -> tuple[Value, Indexed] | None:
    """Return the pointer and the indices that make a 64-bit address; None if that is not known, or checks change it."""
    found = index_of(frame, address.base.name, widths) if isinstance(address.base, Register) else None
    if frame.checked or found is None or found.base is None or found.base.element != "i64":
        return None
    start = frame.builder.binary("add", found.base, constant(address.offset + extra, "i64"))
    return frame.builder.cast("inttoptr", start, "ptr"), found


def pointer_by_index(indexed: Indexed) -> tuple[str, str]:
    """Return the code that computes a lane's %pointer from the pointer %x0 and its index %x1, and a name for it."""
    extend, element = "sext" if indexed.signed else "zext", indexed.index.element
    code = f"%far = {extend} {element} %x1 to i64\n  %pointer = getelementptr [{indexed.scale} x i8], ptr %x0, i64 %far"
    return code, f"{extend}.{element}.by{indexed.scale}"


# --- gathers ----------------------------------------------------------------------------------------------


WORD_BYTES = 4
AVX2_LANES, AVX512_LANES = 8, 16
FEW = 8  # lanes that are loaded one by one in less time than gathers of AVX2 take


def gather(frame: Frame, address: Address, extra: int) -> Value | None:
    """Load a word for each lane that runs from a 64-bit address; None if it is not made of a 32-bit index."""
    found = split(frame, address, extra) if _lanes_of_gathers(frame) else None
    if found is None or (found[1].index.element == "i32" and not found[1].signed):
        return None  # the CPU's indices are signed
    base, indexed = found
    index = frame.builder.resize(indexed.index, "i32", signed=indexed.signed)
    return _gathered(frame, base, index, indexed.scale, near=_is_near(frame, address))


def gather_shared(frame: Frame, address: Address, extra: int, element: str) -> Value | None:
    """Load an element for each lane that runs from a base and a 32-bit offset; None if addresses are faster.

    CPUs gather words. Smaller elements are loaded by straight code where all lanes run.
    """
    straight = _is_straight(frame, element)
    if not straight and (element != "i32" or not _lanes_of_gathers(frame)):
        return None
    base, offset = split_shared_address(frame, address, extra)
    if offset.uniform:
        return None
    if straight:
        return _load_straight(frame, base, offset, element)
    return _gathered(frame, base, offset, 1, near=_is_near(frame, address))


def _is_near(frame: Frame, address: Address) -> bool:
    """Return whether lanes probably load from one vector register, and all run."""
    return frame.copy.full and isinstance(address.base, Register) and address.base.name in frame.facts.near


def _lanes_of_gathers(frame: Frame) -> int:
    """Return how many words an instruction gathers by 32-bit indices; 0: none, or not SIMD groups of this width."""
    settings = frame.module.settings
    if frame.width % 16:
        return 0
    return AVX512_LANES if settings.native_gather else AVX2_LANES if settings.vector_bytes == 32 else 0


def _gathered(frame: Frame, base: Value, index: Value, scale: int, *, near: bool) -> Value:
    """Gather words; where some lanes may not run, look whether parts of the SIMD group have any lanes at all."""
    builder, module, width = frame.builder, frame.module, frame.width
    skips = not frame.copy.full and _lanes_of_gathers(frame) == AVX512_LANES
    vector, name = f"<{width} x i32>", f"gather.i32.by{scale}{'.some' * skips}{'.near' * near}"
    if not module.has(name):
        head = f"define internal {vector} @{name}(ptr %base, {vector} %index, i{width} %mask) #1"
        module.define(name, f"{head} {{\nentry:\n{_body(frame, scale, skips=skips, near=near)}}}\n")
    mask = frame.mask
    ref = builder.call(name, vector, builder.typed(base), builder.typed(index), mask, how=frame.inline_attribute())
    return Value(ref, "i32", Shape.VECTOR)


def _body(frame: Frame, scale: int, *, skips: bool, near: bool) -> str:
    """Return a vector load where the words are contiguous, and else gathers."""
    module, width = frame.module, frame.width
    mask, vector, lanes = f"i{width}", f"<{width} x i32>", f"<{width} x i1>"
    has_runs = has_masked_words(frame, "i32")
    text = f"  %indices = alloca {vector}\n"
    if _lanes_of_gathers(frame) == AVX2_LANES:
        text += f"  %room = alloca {vector}\n{_predicates(width)}"
    else:
        text += f"  %lanes = bitcast {mask} %mask to {lanes}\n"
    if 4 % scale == 0:
        masked = f"llvm.masked.load.v{width}i32.p0"
        module.declare(masked, vector, ["ptr", "i32", lanes, vector])
        far = 4 // scale
        # For most SIMD groups, two lanes already show that addresses are not contiguous.
        text += f"""  %one = extractelement {vector} %index, i64 0
  %two = extractelement {vector} %index, i64 1
  %behind = add i32 %one, {far}
  %follows = icmp eq i32 %two, %behind
  br i1 %follows, label %look, label %single
look:
"""
        steps = ", ".join(f"i32 {lane * far}" for lane in range(width))
        text += f"""  %back = sub {vector} %index, <{steps}>
  %first = extractelement {vector} %index, i64 0
  %start = insertelement {vector} poison, i32 %first, i64 0
  %starts = shufflevector {vector} %start, {vector} poison, {vector} zeroinitializer
  %same = icmp eq {vector} %back, %starts
  %bits = bitcast {lanes} %same to {mask}
  %off = xor {mask} %mask, -1
  %good = or {mask} %bits, %off
  %all = icmp eq {mask} %good, -1
  %low = icmp slt i32 %first, {(1 << 31) - width * far}
  %contiguous = and i1 %all, %low
  br i1 %contiguous, label %vector, label %{"runs" if has_runs else "single"}
vector:
  %wide = sext i32 %first to i64
  %pointer = getelementptr [{scale} x i8], ptr %base, i64 %wide
  %full = icmp eq {mask} %mask, -1
  br i1 %full, label %unmasked, label %part
unmasked:
  %w = load {vector}, ptr %pointer, align 4
  ret {vector} %w
part:
  %m = call {vector} @{masked}(ptr %pointer, i32 4, {lanes} %lanes, {vector} zeroinitializer)
  ret {vector} %m
{runs.gather(frame, scale) if has_runs else ""}single:
"""
        if has_runs and near:
            text += window.gather(frame, scale)
    else:
        text += "  br label %single\nsingle:\n"
    if _lanes_of_gathers(frame) == AVX2_LANES:
        return text + _by_avx2(frame, scale)
    name, count = ("gather3siv8.si", AVX512_LANES // 2) if skips else ("gather.dpi.512", AVX512_LANES)
    return text + _gathers(frame, f"llvm.x86.avx512.mask.{name}", count, "%lanes", "i1", f"i32 {scale}", skips=skips)


def _gathers(frame: Frame, name: str, lanes: int, mask: str, kind: str, scale: str, *, skips: bool = False) -> str:
    """Return gathers of `lanes` words each for the lanes of a mask, whose elements are of type `kind`.

    A gather takes as long for one lane as for all, so with `skips` those of no lane at all are skipped.
    """
    width, part, parts, text = frame.width, f"<{lanes} x i32>", [], ""
    frame.module.declare(name, part, [part, "ptr", part, f"<{lanes} x {kind}>", scale.split()[0]])
    for first in range(0, width, lanes):
        picks = f"<{lanes} x i32> <{_numbers(first, lanes)}>"
        if skips:
            text += (
                f"  %among{first} = and i{width} %mask, {((1 << lanes) - 1) << first}\n"
                f"  %none{first} = icmp eq i{width} %among{first}, 0\n  br label %part{first}\n"
                f"part{first}:\n  br i1 %none{first}, label %part{first}.end, label %gather{first}\n"
                f"gather{first}:\n"
            )
        text += (
            f"  %i{first} = shufflevector <{width} x i32> %index, <{width} x i32> poison, {picks}\n"
            f"  %m{first} = shufflevector <{width} x {kind}> {mask}, <{width} x {kind}> poison, {picks}\n"
            f"  %g{first}{'.some' * skips} = call {part} @{name}({part} zeroinitializer, ptr %base, {part} %i{first},"
            f" <{lanes} x {kind}> %m{first}, {scale})\n"
        )
        if skips:
            text += (
                f"  br label %part{first}.end\npart{first}.end:\n"
                f"  %g{first} = phi {part} [ %g{first}.some, %gather{first} ], [ zeroinitializer, %part{first} ]\n"
            )
        parts.append(f"%g{first}")
    return f"{text}{concatenated('%gathered', parts, lanes)}  ret <{width} x i32> %gathered\n"


def _by_avx2(frame: Frame, scale: int) -> str:
    """Return gathers by masks of words, and a loop for a few lanes: gathers take as long for one lane as for all."""
    width = frame.width
    mask, vector = f"i{width}", f"<{width} x i32>"
    frame.module.declare(f"llvm.ctpop.{mask}", mask, [mask])
    frame.module.declare(f"llvm.cttz.{mask}", mask, [mask, "i1"])
    text = f"""  %number = call {mask} @llvm.ctpop.{mask}({mask} %mask)
  %few = icmp ule {mask} %number, {FEW}
  br i1 %few, label %lanewise, label %many
lanewise:
  store {vector} %index, ptr %indices
  store {vector} zeroinitializer, ptr %room
  %none = icmp eq {mask} %mask, 0
  br i1 %none, label %over, label %loop
loop:
  %left = phi {mask} [ %mask, %lanewise ], [ %rest, %loop ]
  %lane = call {mask} @llvm.cttz.{mask}({mask} %left, i1 true)
  %at = zext {mask} %lane to i64
  %ip = getelementptr i32, ptr %indices, i64 %at
  %mine = load i32, ptr %ip
  %far = sext i32 %mine to i64
  %source = getelementptr [{scale} x i8], ptr %base, i64 %far
  %element = load i32, ptr %source, align 4
  %target = getelementptr i32, ptr %room, i64 %at
  store i32 %element, ptr %target
  %less = sub {mask} %left, 1
  %rest = and {mask} %left, %less
  %end = icmp eq {mask} %rest, 0
  br i1 %end, label %over, label %loop
over:
  %loaded = load {vector}, ptr %room
  ret {vector} %loaded
many:
  %words = sext <{width} x i1> %lanes to {vector}
"""
    return text + _gathers(frame, "llvm.x86.avx2.gather.d.d.256", AVX2_LANES, "%words", "i32", f"i8 {scale}")


def _numbers(first: int, count: int) -> str:
    return ", ".join(f"i32 {first + number}" for number in range(count))


def _predicates(width: int) -> str:
    """Return code for %lanes by comparisons of words, see `Builder.lanes_by_words`."""
    vector, mask = f"<{width} x i32>", "%mask"
    text = ""
    if width < 32:
        text, mask = f"  %mask32 = zext i{width} %mask to i32\n", "%mask32"
    bits = ", ".join(f"i32 {constant(1 << lane, 'i32').ref}" for lane in range(width))
    return f"""{text}  %mask.one = insertelement {vector} poison, i32 {mask}, i64 0
  %masks = shufflevector {vector} %mask.one, {vector} poison, {vector} zeroinitializer
  %here = and {vector} %masks, <{bits}>
  %lanes = icmp ne {vector} %here, zeroinitializer
"""


# --- scatters ---------------------------------------------------------------------------------------------


def scatter(frame: Frame, base: Value, address: Indexed, value: Value) -> bool:
    """Store an element for each lane that runs; return whether an index is faster than a vector of addresses.

    It is for words on CPUs with AVX-512. Where all lanes run, words are stored by straight code there, as scatters take
    twice as long; without AVX-512, `unrolled` does the same. So are smaller elements, of which no CPU has scatters.
    """
    builder, index, element = frame.builder, address.index, value.element
    words = has_masked_words(frame, element)
    if index.uniform or not (words or _is_straight(frame, element)):
        return False
    size = width_of(element) // 8
    if not frame.copy.full:
        if size % address.scale == 0:
            compressed_indices.store(frame, base, address, value)
        return size % address.scale == 0
    after = None
    if size % address.scale == 0:
        pointer, single, after = _begin_contiguous(frame, base, address, size)
        builder.store(builder.broadcast(value), pointer, align=size)
        builder.jump(after)
        builder.label(single)
    if words:  # as floats, words are stored from vector registers
        element, value = "float", builder.cast("bitcast", builder.broadcast(value), "float")
    locate, by = pointer_by_index(address)
    body = f"{locate}\n  store {element} %x2, ptr %pointer, align {size}"
    for_each_lane(frame, f"scatter.{element}.{by}", element, body, base, index, value, wanted=False, straight=True)
    if after:
        builder.jump(after)
        builder.label(after)
    return True


# --- straight code where all lanes run --------------------------------------------------------------------


def _is_straight(frame: Frame, element: str) -> bool:
    """Return whether elements smaller than words are accessed one lane after the other, as all run."""
    return frame.copy.full and width_of(element) < 8 * WORD_BYTES and unrolled.is_worth_it(frame, element)


def _load_straight(frame: Frame, base: Value, offset: Value, element: str) -> Value:
    """Load an element for each lane: a vector if they are contiguous."""
    builder, size, address = frame.builder, width_of(element) // 8, Indexed(offset, signed=True)
    loaded = builder.slot(element, Shape.VECTOR)
    pointer, single, after = _begin_contiguous(frame, base, address, size)
    loaded.store(builder.load(element, pointer, shape=Shape.VECTOR, align=size))
    builder.jump(after)
    builder.label(single)
    locate, by = pointer_by_index(address)
    body = f"{locate}\n  %r = load {element}, ptr %pointer, align {size}"
    loaded.store(for_each_lane(frame, f"gather.{element}.{by}", element, body, base, offset, straight=True))
    builder.jump(after)
    builder.label(after)
    return loaded.load()


def _begin_contiguous(frame: Frame, base: Value, address: Indexed, size: int) -> tuple[str, str, str]:
    """Begin the code for contiguous elements; return the pointer to them and labels for any others and behind both."""
    builder, index, step = frame.builder, address.index, size // address.scale
    first, kind = builder.extract(index, "0"), "s" if address.signed else "u"
    steps = ", ".join(f"{index.element} {step * lane}" for lane in range(frame.width))
    starts = builder.binary("sub", index, Value(f"<{steps}>", index.element, Shape.VECTOR, True))
    same = builder.compare("icmp eq", builder.lane_bits(builder.compare("icmp eq", starts, first)), -1)
    fits = affine.fits(frame, first, f"{kind}{width_of(index.element)}", step * (frame.width - 1))
    contiguous, single, after = map(builder.new_label, ("contiguous", "single", "after"))
    builder.branch(builder.binary("and", same, fits), contiguous, single, likely=False)
    builder.label(contiguous)
    far = builder.binary("mul", builder.resize(first, "i64", signed=address.signed), address.scale)
    return builder.element("i8", base.ref, far), single, after
