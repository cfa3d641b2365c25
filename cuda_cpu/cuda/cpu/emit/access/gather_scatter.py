# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Memory access by a vector of addresses: helper functions of the module, defined once for each width.

Addresses that are contiguous from the first lane's on are accessed as a vector. Otherwise the CPU's gathers and
scatters do it where there are any, else straight code (`unrolled`) or a loop over the lanes that run. Inactive lanes
never access memory.
"""

from __future__ import annotations

import functools
from string import Template
from typing import TYPE_CHECKING

from cuda.cpu.emit.access import compressed, narrow, runs, unrolled
from cuda.cpu.emit.access.affine import ContiguousAccess, lanes_of_segment, segments
from cuda.cpu.emit.access.lanes import element_at, has_masked_words, has_permute, permuted
from cuda.cpu.emit.access.prefetch import prefetch
from cuda.cpu.emit.llvm.builder import Builder
from cuda.cpu.emit.llvm.values import Part, Shape, Value, constant, width_of
from cuda.cpu.passes.vector_accesses import VECTOR

if TYPE_CHECKING:
    from cuda.cpu.emit.simt.frame import Frame

FEW = 4  # lanes that are stored one by one: scatters take as long for one lane as for all
SCATTERED = 8  # lanes of one scatter, which is left out if none of them runs

# $W lanes, $T element, $S its bytes. Contiguous addresses of which only some lanes run go on at $PART, any others at
# $OTHER.
_CONTIGUOUS = """
entry:
  %pointers = alloca [$ROOMS x ptr], align 32
  %room = alloca [$ROOMS x $T], align 32
  %lanes = bitcast i$W %mask to <$W x i1>
$LOOK
  %back = getelementptr i8, <$W x ptr> %p, <$W x i64> <$STEPS>
  %base = extractelement <$W x ptr> %p, i64 0
  %start = insertelement <$W x ptr> poison, ptr %base, i64 0
  %bases = shufflevector <$W x ptr> %start, <$W x ptr> poison, <$W x i32> zeroinitializer
  %same = icmp eq <$W x ptr> %back, %bases
  %bits = bitcast <$W x i1> %same to i$W
  %off = xor i$W %mask, -1
  %good = or i$W %bits, %off
  %all = icmp eq i$W %good, -1
  br i1 %all, label %vector, label %$OTHER
vector:
  %full = icmp eq i$W %mask, -1
  br i1 %full, label %unmasked, label %$PART
"""

# For most SIMD groups, two lanes already show that addresses are not contiguous.
_LOOK = """
  %first = extractelement <$W x ptr> %p, i64 0
  %second = extractelement <$W x ptr> %p, i64 1
  %behind = getelementptr i8, ptr %first, i64 $S
  %follows = icmp eq ptr %second, %behind
  br i1 %follows, label %look, label %single
look:
"""

_LOOK_FEW = """
  %number = call i$W @llvm.ctpop.i$W(i$W %mask)
  %few = icmp ule i$W %number, $FEW
  br i1 %few, label %single, label %many
many:
"""

_PLAIN_ENTRY = """
entry:
  %pointers = alloca [$ROOMS x ptr], align 32
  %room = alloca [$ROOMS x $T], align 32
  br label %single
"""

# A loop over the lanes that run.
_LOOP = """
single:
  store <$W x ptr> %p, ptr %pointers, align 32
  store <$W x $T> $ROOM, ptr %room, align 32
  %none = icmp eq i$W %mask, 0
  br i1 %none, label %over, label %loop
loop:
  %left = phi i$W [ %mask, %single ], [ %rest, %loop ]
  %at = call i$W @llvm.cttz.i$W(i$W %left, i1 true)
  %at64 = zext i$W %at to i64
  %pp = getelementptr ptr, ptr %pointers, i64 %at64
  %ptr = load ptr, ptr %pp
  %rp = getelementptr $T, ptr %room, i64 %at64
  $ACCESS
  %less = sub i$W %left, 1
  %rest = and i$W %left, %less
  %end = icmp eq i$W %rest, 0
  br i1 %end, label %over, label %loop
over:
"""

_GATHER_LOOP = _LOOP + "  %result = load <$W x $T>, ptr %room, align 32\n  ret <$W x $T> %result\n"

_GATHER_FULL = """
unmasked:
  %w = load <$W x $T>, ptr %base, align $S
  ret <$W x $T> %w
"""

_GATHER_MASKED = """
masked:
  %m = call <$W x $T> @llvm.masked.load.v$W$T.p0(ptr %base, i32 $S, <$W x i1> %lanes, <$W x $T> zeroinitializer)
  ret <$W x $T> %m
"""

_GATHER_SINGLE = """
single:
  %g = call <$W x $T> @llvm.masked.gather.v$W$T.v${W}p0(<$W x ptr> %p, i32 $S, <$W x i1> %lanes, <$W x $T>
  zeroinitializer)
  ret <$W x $T> %g
"""

_SCATTER_LOOP = _LOOP + "  ret void\n"

_SCATTER_FULL = """
unmasked:
  store <$W x $T> %v, ptr %base, align $S
  ret void
"""

_SCATTER_MASKED = """
masked:
  call void @llvm.masked.store.v$W$T.p0(<$W x $T> %v, ptr %base, i32 $S, <$W x i1> %lanes)
  ret void
"""

_SCATTER_MANY = "\nothers:\n$COMPRESS$PARTS  ret void\n"

# Those of $LANES lanes, with the pointers, predicates and values $PICKS, if any of them run.
_SCATTER_PART = """
  %among$FIRST = and i$W %mask, $AMONG
  %none$FIRST = icmp eq i$W %among$FIRST, 0
  br i1 %none$FIRST, label %end$FIRST, label %part$FIRST
part$FIRST:
  %v$FIRST = shufflevector <$W x $T> %v, <$W x $T> poison, $PICKS
  %p$FIRST = shufflevector <$W x ptr> %p, <$W x ptr> poison, $PICKS
  %lanes$FIRST = shufflevector <$W x i1> %lanes, <$W x i1> poison, $PICKS
  call void @llvm.masked.scatter.v$LANES$T.v${LANES}p0(<$LANES x $T> %v$FIRST, <$LANES x ptr> %p$FIRST, i32 $S,
    <$LANES x i1> %lanes$FIRST)
  br label %end$FIRST
end$FIRST:
"""


def _scatter_parts(width: int) -> str:
    """Return the scatters of a SIMD group, by parts."""
    lanes, text = min(SCATTERED, width), ""
    for first in range(0, width, lanes):
        picks = ", ".join(f"i32 {first + lane}" for lane in range(lanes))
        values = {"FIRST": first, "LANES": lanes, "AMONG": ((1 << lanes) - 1) << first}
        text += Template(_SCATTER_PART).safe_substitute(values, PICKS=f"<{lanes} x i32> <{picks}>")
    return text


def _body(
    frame: Frame,
    element: str,
    order: str,
    native: tuple[str, ...],
    full: str,
    loop: str,
    access: str,
    room: str,
    same: bool = False,
) -> str:
    """Choose the parts of a helper and fill them in. `same`: all lanes store %one."""
    part = other = "single"
    if order:
        template = _PLAIN_ENTRY + loop
    elif unrolled.is_worth_it(frame, element):
        lanes = unrolled.gather if loop is _GATHER_LOOP else functools.partial(unrolled.scatter, same=same)
        look, choice = unrolled.SPLAT * same + unrolled.LOOK, unrolled.CHOICE
        template = _CONTIGUOUS.replace("$LOOK", look) + full + choice + lanes(frame.width, element)
    elif frame.module.settings.native_gather:
        part, rest, look = "masked", loop, _LOOK if loop is _GATHER_LOOP and frame.width > 1 else ""
        if width_of(element) >= unrolled.LEAST:
            rest = native[1]
            if loop is _SCATTER_LOOP:
                begin = compressed.store(frame) if has_masked_words(frame, element) else ""
                other, rest, look = "others", rest.replace("$COMPRESS", begin) + loop, _LOOK_FEW
                rest = rest.replace("$PARTS", _scatter_parts(frame.width))
            elif has_masked_words(frame, element):
                other, rest = "runs", runs.gather(frame) + rest
        template = _CONTIGUOUS.replace("$LOOK", look) + full + native[0] + rest
    else:
        template = _CONTIGUOUS.replace("$LOOK", "") + full + loop
    size, width = width_of(element) // 8, frame.width
    steps = ", ".join(f"i64 {-lane * size}" for lane in range(width))
    values = {"W": width, "T": element, "S": size, "STEPS": steps, "LAST": width - 1, "ROOMS": width + 1}
    values |= unrolled.values_of(width) | {"FEW": FEW, "PART": part, "OTHER": other}
    return Template(template).substitute(values, ACCESS=access, ROOM=room)


def _declare(frame: Frame, element: str) -> None:
    module, width = frame.module, frame.width
    mask, vector, lanes = f"i{width}", f"<{width} x {element}>", f"<{width} x i1>"
    module.declare(f"llvm.cttz.{mask}", mask, [mask, "i1"])
    module.declare(f"llvm.ctpop.{mask}", mask, [mask])
    name = f"v{width}{element}"
    module.declare(f"llvm.masked.load.{name}.p0", vector, ["ptr", "i32", lanes, vector])
    module.declare(f"llvm.masked.store.{name}.p0", "void", [vector, "ptr", "i32", lanes])
    if module.settings.native_gather:
        module.declare(f"llvm.masked.gather.{name}.v{width}p0", vector, [f"<{width} x ptr>", "i32", lanes, vector])
        count = min(SCATTERED, width)
        part = [f"<{count} x {element}>", f"<{count} x ptr>", "i32", f"<{count} x i1>"]
        module.declare(f"llvm.masked.scatter.v{count}{element}.v{count}p0", "void", part)


def gather(frame: Frame, address: Value, element: str, order: str = "") -> Value:
    """Load `element` for each lane that runs; zero for the others."""
    builder, module, width = frame.builder, frame.module, frame.width
    name = f"gather.{element}" + (f".{order}" if order else "")
    vector = f"<{width} x {element}>"
    if not module.has(name):
        _declare(frame, element)
        size = width_of(element) // 8
        flags, suffix = ("atomic volatile ", f" {order}") if order else ("", "")
        access = (
            f"%one.value = load {flags}{element}, ptr %ptr{suffix}, align {size}\n  store {element} %one.value, ptr %rp"
        )
        native = (_GATHER_MASKED, _GATHER_SINGLE)
        body = _body(frame, element, order, native, _GATHER_FULL, _GATHER_LOOP, access, "zeroinitializer")
        module.define(name, f"define internal {vector} @{name}(<{width} x ptr> %p, i{width} %mask) #1 {{{body}}}\n")
    mask = frame.mask
    ref = builder.call(name, vector, builder.typed(address), mask, how=frame.inline_attribute())
    return Value(ref, element, Shape.VECTOR)


def scatter(frame: Frame, address: Value, value: Value, order: str = "") -> None:
    """Store a value for each lane that runs."""
    builder, module, width, element = frame.builder, frame.module, frame.width, value.element
    same = value.uniform and not order and unrolled.is_worth_it(frame, element)
    name = f"scatter.{element}" + (f".{order}" if order else ".same" if same else "")
    vector = f"<{width} x {element}>"
    if not module.has(name):
        _declare(frame, element)
        size = width_of(element) // 8
        flags, suffix = ("atomic volatile ", f" {order}") if order else ("", "")
        access = (
            f"%one.value = load {element}, ptr %rp\n  store {flags}{element} %one.value, ptr %ptr{suffix}, align {size}"
        )
        native = (_SCATTER_MASKED, _SCATTER_MANY)
        body = _body(frame, element, order, native, _SCATTER_FULL, _SCATTER_LOOP, access, "%v", same)
        first = f"{element} %one" if same else f"{vector} %v"
        head = f"define internal void @{name}({first}, <{width} x ptr> %p, i{width} %mask) #1"
        module.define(name, f"{head} {{{body}}}\n")
    given = value if same else builder.not_truncated(builder.part(builder.broadcast(value)))
    builder.call(name, "void", given, address, frame.mask)


# --- addresses that are known to be contiguous -------------------------------------------------


def load_contiguous(frame: Frame, access: ContiguousAccess, element: str) -> Value:
    """Load one vector for each segment, or one element for all lanes of it."""
    builder, size, count = frame.builder, width_of(element) // 8, lanes_of_segment(frame)
    if access.stride == 0:
        return _load_uniform(frame, access, element)
    prefetch(frame, access, size * count)
    if frame.copy.full:
        metadata = frame.program_memory
        return _join(frame, [builder.load_part(element, count, b, align=size, metadata=metadata) for b in access.bases])
    if _is_narrow(frame, element):
        masks = map(functools.partial(segment_bits, frame), segments(frame))
        pairs = zip(access.bases, masks, strict=True)
        return _join(frame, [narrow.load(frame, base, element, count, mask) for base, mask in pairs])
    lanes = _segment_lanes(frame)
    if len(set(access.bases)) == 1 < len(lanes):  # all segments have one row: it is loaded once
        some = functools.reduce(functools.partial(builder.binary_part, "or"), lanes)
        return _join(frame, [builder.load_masked(element, count, access.bases[0], some)] * len(lanes))
    # A masked load that reaches into the guard behind shared memory takes hundreds of cycles, though it reads nothing
    # there. Blocks with padded rows have room in front of it.
    if not access.streams and not frame.module.pads_rows:
        return _load_where_lanes_run(frame, access, element)
    masked = zip(access.bases, lanes, strict=True)
    return _join(frame, [builder.load_masked(element, count, base, mask) for base, mask in masked])


def _join(frame: Frame, parts: list[Part]) -> Value:
    """Concatenate the vectors of the segments."""
    return frame.builder.group(frame.builder.concatenate(parts))


def _load_uniform(frame: Frame, access: ContiguousAccess, element: str) -> Value:
    """Load one element for each segment; where none of its lanes run, from another segment's address."""
    builder, size, count = frame.builder, width_of(element) // 8, lanes_of_segment(frame)
    if len(access.bases) == 1:
        return builder.broadcast(builder.load(element, access.bases[0], align=size))
    bases = access.bases if frame.copy.full else _valid_bases(frame, access)
    values = builder.join(element, (builder.load(element, base, align=size) for base in bases), frame.width)
    return builder.group(builder.shuffle(values, [lane // count for lane in range(frame.width)]))


def _valid_bases(frame: Frame, access: ContiguousAccess) -> list[str]:
    """Return the base of each segment, or another one's where no lane of its own runs."""
    masks = [segment_bits(frame, segment) for segment in segments(frame)]
    return _where_lanes_run(frame, list(access.bases), masks)


def _where_lanes_run(frame: Frame, pointers: list[str], masks: list[Value]) -> list[str]:
    """Return each pointer, or another one where none of its lanes runs."""
    builder = frame.builder
    bases = [Value(pointer, "ptr") for pointer in pointers]
    empty = [builder.is_zero(mask) for mask in masks]
    valid = bases[-1]  # the first one of which lanes run
    for none, base in zip(empty[-2::-1], bases[-2::-1], strict=True):
        valid = builder.select(none, valid, base)
    return [builder.select(none, valid, base).ref for none, base in zip(empty, bases, strict=True)]


def _load_where_lanes_run(frame: Frame, access: ContiguousAccess, element: str) -> Value:
    """Load one vector register after the other under masks; one without lanes is loaded from another one's address."""
    builder, size, lanes = frame.builder, width_of(element) // 8, frame.lanes_of_access()
    count = min(lanes_of_segment(frame), (frame.module.settings.vector_bytes or VECTOR) // size)
    pointers, masks, parts = [], [], []
    for first in range(0, frame.width, count):
        segment, lane = divmod(first, lanes_of_segment(frame))
        pointers.append(builder.offset(access.bases[segment], lane * size))
        masks.append(_bits_of(frame, first, count))
        parts.append(_segment_of(builder, lanes, count, first // count))
    if len(pointers) > 1:
        pointers = _where_lanes_run(frame, pointers, masks)
    loads = zip(pointers, parts, strict=True)
    return _join(frame, [builder.load_masked(element, count, pointer, part) for pointer, part in loads])


def _is_narrow(frame: Frame, element: str) -> bool:
    """Return whether the CPU has no masked access of elements as small as these."""
    return width_of(element) < 32 and not frame.module.settings.native_gather


def segment_bits(frame: Frame, segment: int) -> Value:
    """Return the lanes of a segment that run, as a mask."""
    count = lanes_of_segment(frame)
    return _bits_of(frame, segment * count, count)


def _bits_of(frame: Frame, first: int, count: int) -> Value:
    """Return which of `count` lanes from the first one on run, as a mask."""
    lanes = frame.builder.binary("lshr", frame.mask, first) if first else frame.mask
    return lanes if count == frame.width else frame.builder.cast("trunc", lanes, f"i{count}")


def _segment_lanes(frame: Frame) -> list[Part]:
    """Return the lanes that run as predicates of each segment."""
    count, builder = lanes_of_segment(frame), frame.builder
    lanes = frame.lanes_of_access()
    return [_segment_of(builder, lanes, count, segment) for segment in segments(frame)]


def _segment_of(builder: Builder, value: Value, count: int, segment: int) -> Part:
    """Return the lanes of a segment."""
    return builder.slice_part(builder.part(value), segment * count, count)


def store_uniform(frame: Frame, access: ContiguousAccess, value: Value) -> None:
    """Store to one address for each segment of which lanes run: the last lane's value is stored."""
    builder, count, part = frame.builder, lanes_of_segment(frame), f"i{lanes_of_segment(frame)}"
    for segment, base in enumerate(access.bases):
        lanes = segment_bits(frame, segment)
        some, after = builder.new_label("some"), builder.new_label("stored")
        builder.branch(builder.compare("icmp eq", lanes, 0), after, some)
        builder.label(some)
        zeros = builder.intrinsic("ctlz", part, lanes, "i1 true")
        last = builder.resize(builder.binary("sub", constant(count - 1, part), zeros), "i32").ref
        builder.store(_one_of(frame, value, segment, last), base, align=width_of(value.element) // 8)
        builder.jump(after)
        builder.label(after)


def _one_of(frame: Frame, value: Value, segment: int, lane: str) -> Value:
    """Return the element of a lane, an i32 operand counted from the segment's first."""
    builder, count = frame.builder, lanes_of_segment(frame)
    if value.uniform or (segment == 0 and count == frame.width):
        return element_at(frame, value, lane)
    if has_permute(frame, count, value.element):
        return permuted(frame, _segment_of(builder, value, count, segment), lane)
    return builder.extract(value, builder.binary("add", Value(lane, "i32"), segment * count).ref if segment else lane)


def store_contiguous(frame: Frame, access: ContiguousAccess, value: Value) -> None:
    """Store a vector to contiguous memory, or one element to a uniform address."""
    if access.stride == 0:
        store_uniform(frame, access, value)
        return
    builder, element, count = frame.builder, value.element, lanes_of_segment(frame)
    size = width_of(element) // 8
    prefetch(frame, access, size * count, to_write=True)
    if frame.copy.full:
        for segment, base in enumerate(access.bases):
            builder.store_part(_segment_of(builder, value, count, segment), base, align=size)
        return
    if _is_narrow(frame, element):
        for segment, base in enumerate(access.bases):
            narrow.store(frame, base, _segment_of(builder, value, count, segment), segment_bits(frame, segment))
        return
    for segment, (base, mask) in enumerate(zip(access.bases, _segment_lanes(frame), strict=True)):
        builder.store_masked(_segment_of(builder, value, count, segment), base, mask)


# --- by any addresses -----------------------------------------------------------------------------------


def load(frame: Frame, address: Value, element: str, order: str = "") -> Value:
    """Load an integer for each lane that runs. A uniform address is loaded once."""
    if address.uniform:
        metadata = "" if order else frame.program_memory
        return frame.builder.load(element, address.ref, align=width_of(element) // 8, order=order, metadata=metadata)
    return gather(frame, address, element, order)


def store(frame: Frame, address: Value, value: Value, order: str = "") -> None:
    """Store an integer for each lane that runs. At a uniform address one lane wins, as in PTX."""
    builder = frame.builder
    if not address.uniform:
        scatter(frame, address, value, order)
        return
    if not value.uniform:
        zeros = builder.intrinsic("ctlz", builder.mask_type, frame.mask, "i1 true")
        last = builder.binary("sub", constant(frame.width - 1, builder.mask_type), zeros)
        value = element_at(frame, value, builder.resize(last, "i32").ref)
    builder.store(value, address.ref, align=width_of(value.element) // 8, order=order)
