# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Scalar loops over the lanes of a SIMD group, for operations that have no vector form."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, overload

from cuda.cpu.emit.llvm.values import Part, Shape, Value, is_float, width_of

if TYPE_CHECKING:
    from cuda.cpu.emit.simt.frame import Frame

PART = 256  # bits


@overload
def for_each_lane(frame: Frame, name: str, element: str, body: str, *args: Value, straight: bool = False) -> Value: ...
@overload
def for_each_lane(
    frame: Frame,
    name: str,
    element: str,
    body: str,
    *args: Value,
    wanted: bool,
    straight: bool = False,
    mask: Value | None = None,
) -> Value | None: ...
def for_each_lane(
    frame: Frame,
    name: str,
    element: str,
    body: str,
    *args: Value,
    wanted: bool = True,
    straight: bool = False,
    mask: Value | None = None,
) -> Value | None:
    """Compute a SIMD group by a loop over the lanes that run.

    Parameters
    ----------
    name : str
        Of the helper function; the same name means the same body.
    element : str
        Type of the result.
    body : str
        LLVM instructions that make `%r` of `%x0`, `%x1` ... for one lane. `%lane` is its number (i64).
    wanted : bool, optional
        Whether somebody reads the result; else None is returned.
    straight : bool, optional
        Write one lane after the other where all are known to run. The body is one basic block without %lane then.
    mask : str, optional
        The lanes, if not those that run.
    """
    builder, module = frame.builder, frame.module
    straight = straight and frame.copy.full
    shapes = "".join("u" if arg.uniform else "v" for arg in args)
    helper = f"lanes.{name}.{shapes}{'.all' * straight}{'.red' * (not wanted)}"
    result = builder.type(element) if wanted else "void"
    if not module.has(helper):
        head = [f"{builder.type_of(arg)} %{'x' if arg.uniform else 'v'}{i}" for i, arg in enumerate(args)]
        if not straight:
            head.append(f"{builder.mask_type} %mask")
        text = (_straight if straight else _loop)(frame, element if wanted else "", body, args)
        how = "nounwind" if straight else "#1"  # LLVM may inline the former at its only call
        module.define(helper, f"define internal {result} @{helper}({', '.join(head)}) {how} {{\nentry:\n{text}}}\n")
    given = list(map(builder.typed, args))
    if not straight:
        given.append(builder.typed(frame.mask if mask is None else mask))
    ref = builder.call(helper, result, *given)
    return Value(ref, element, Shape.VECTOR) if wanted else None


def _loop(frame: Frame, element: str, body: str, args: tuple[Value, ...]) -> str:
    """Return a loop over the lanes of the mask; vectors are in memory, where each lane finds its elements."""
    vector = f"<{frame.width} x {element}>"
    rooms, loads, store_result, end = "", "", "", "  ret void\n"
    for i, arg in enumerate(args):
        if arg.uniform:
            continue
        rooms += f"  %a{i} = alloca {frame.builder.type_of(arg)}, align 64\n"
        rooms += store_split(frame, arg.element, f"%v{i}", f"%a{i}")
        loads += f"  %p{i} = getelementptr {arg.element}, ptr %a{i}, i64 %lane\n"
        loads += f"  %x{i} = load {arg.element}, ptr %p{i}\n"
    if element:
        rooms += f"  %room = alloca {vector}\n  store {vector} zeroinitializer, ptr %room\n"
        store_result = f"  %pr = getelementptr {element}, ptr %room, i64 %lane\n  store {element} %r, ptr %pr\n"
        end = f"  %result = load {vector}, ptr %room\n  ret {vector} %result\n"
    return rooms + loop_over(frame, f"{loads}  {body}\n", store_result) + end


def loop_over(frame: Frame, body: str, behind: str = "") -> str:
    """Return a loop over the lanes of %mask, each of which is %lane in turn; `behind` follows all ends of the body."""
    mask = frame.builder.mask_type
    frame.module.declare(f"llvm.cttz.{mask}", mask, [mask, "i1"])
    return (
        f"  %none = icmp eq {mask} %mask, 0\n  br i1 %none, label %over, label %loop\nloop:\n"
        f"  %left = phi {mask} [ %mask, %entry ], [ %rest, %next ]\n"
        f"  %at = call {mask} @llvm.cttz.{mask}({mask} %left, i1 true)\n  %lane = zext {mask} %at to i64\n"
        f"{body}  br label %next\nnext:\n{behind}"
        f"  %less = sub {mask} %left, 1\n  %rest = and {mask} %left, %less\n"
        f"  %end = icmp eq {mask} %rest, 0\n  br i1 %end, label %over, label %loop\nover:\n"
    )


def store_split(frame: Frame, element: str, vector: str, pointer: str) -> str:
    """Return the code that stores a vector from which single elements are loaded soon.

    CPUs with AVX-512 forward a store of 64 bytes at half the speed of two stores of 32. Being volatile, they stay two.
    """
    width, count = frame.width, max(1, PART // width_of(element))
    if count >= width:
        return f"  store volatile <{width} x {element}> {vector}, ptr {pointer}\n"
    text, stem = "", vector.removeprefix("%")
    for first in range(0, width, count):
        lanes = ", ".join(f"i32 {lane}" for lane in range(first, first + count))
        text += (
            f"  %{stem}.{first} = shufflevector <{width} x {element}> {vector}, <{width} x {element}> poison,"
            f" <{count} x i32> <{lanes}>\n"
            f"  %{stem}.to{first} = getelementptr {element}, ptr {pointer}, i64 {first}\n"
            f"  store volatile <{count} x {element}> %{stem}.{first}, ptr %{stem}.to{first}\n"
        )
    return text


def store_pointers(frame: Frame) -> str:
    """Return the code that stores %p, a vector of pointers, to %pointers: see `store_split`."""
    width = frame.width
    text = f"  %words = ptrtoint <{width} x ptr> %p to <{width} x i64>\n"
    return text + store_split(frame, "i64", "%words", "%pointers")


def concatenated(to: str, parts: list[str], size: int) -> str:
    """Return the code that concatenates one, two or four vectors of 32-bit elements."""
    text, level = "", 0
    while len(parts) > 1:
        joined = []
        order = ", ".join(f"i32 {lane}" for lane in range(2 * size))
        for number in range(0, len(parts), 2):
            name = to if len(parts) == 2 else f"{to}.j{level}.{number}"
            a, b = parts[number : number + 2]
            text += f"  {name} = shufflevector <{size} x i32> {a}, <{size} x i32> {b}, <{2 * size} x i32> <{order}>\n"
            joined.append(name)
        parts, size, level = joined, 2 * size, level + 1
    if parts != [to]:
        text += f"  {to} = add <{size} x i32> {parts[0]}, zeroinitializer\n"
    return text


# --- all lanes, one after the other -------------------------------------------------------------------------


def _straight(frame: Frame, element: str, body: str, args: tuple[Value, ...]) -> str:
    """Return the body for each lane. Elements pass through registers, integers 64 bits at a time.

    In memory they would alias with accesses to addresses that are equal modulo 4096: seven times slower.
    """
    text, given = "", {i for i, arg in enumerate(args) if arg.uniform}
    for i, arg in enumerate(args):
        if i not in given:
            text += _extract_lanes(frame, i, arg.element)
    kept = {f"x{i}" for i in given}
    for lane in range(frame.width):

        def renamed(match: re.Match, lane: int = lane) -> str:
            return match[0] if match[1] in kept else f"{match[0]}.{lane}"

        text += "  " + re.sub(r"%([a-z]\w*)", renamed, body) + "\n"
    return text + (_insert_lanes(frame, element) if element else "  ret void\n")


WORD = 64  # bits


def _pairs(frame: Frame, element: str) -> bool:
    return width_of(element) == 32 and frame.width > 1


def _extract_lanes(frame: Frame, number: int, element: str) -> str:
    width, name, text, size = frame.width, f"%v{number}", "", width_of(element)
    if size >= WORD or is_float(element) or width * size % WORD:
        for lane in range(width):
            text += f"  %x{number}.{lane} = extractelement <{width} x {element}> {name}, i32 {lane}\n"
        return text
    count, bits = WORD // size, f"i{size}"
    words = f"<{width // count} x i64>"
    text = f"  {name}.w = bitcast <{width} x {element}> {name} to {words}\n"
    for word in range(width // count):
        text += f"  {name}.e{word} = extractelement {words} {name}.w, i32 {word}\n"
        # Opaque to LLVM, which would extract every element by itself.
        text += f'  {name}.p{word} = call i64 asm "", "=r,0"(i64 {name}.e{word})\n'
        for position in range(count):
            lane = count * word + position
            to = f"%x{number}.{lane}"
            text += f"  {name}.h{lane} = lshr i64 {name}.p{word}, {size * position}\n"
            text += f"  {to if element == bits else to + '.b'} = trunc i64 {name}.h{lane} to {bits}\n"
            if element != bits:
                text += f"  {to} = bitcast {bits} {to}.b to {element}\n"
    return text


def _insert_lanes(frame: Frame, element: str) -> str:
    width, vector, last, text = frame.width, f"<{frame.width} x {element}>", "poison", ""
    if not _pairs(frame, element):
        for lane in range(width):
            text += f"  %all{lane} = insertelement {vector} {last}, {element} %r.{lane}, i32 {lane}\n"
            last = f"%all{lane}"
        return f"{text}  ret {vector} {last}\n"
    words = f"<{width // 2} x i64>"
    for pair in range(width // 2):
        for half, of in enumerate("lh"):
            bits = f"%r.{2 * pair + half}"
            if element != "i32":
                text += f"  {bits}.b = bitcast {element} {bits} to i32\n"
                bits += ".b"
            text += f"  %{of}{pair} = zext i32 {bits} to i64\n"
        text += f"  %s{pair} = shl i64 %h{pair}, 32\n  %w{pair} = or i64 %s{pair}, %l{pair}\n"
        text += f"  %all{pair} = insertelement {words} {last}, i64 %w{pair}, i32 {pair}\n"
        last = f"%all{pair}"
    return f"{text}  %result = bitcast {words} {last} to {vector}\n  ret {vector} %result\n"


# --- one lane -----------------------------------------------------------------------------------------------


def element_at(frame: Frame, value: Value, lane: str) -> Value:
    """Return the element of a lane that is known at run time, an i32 operand.

    Not through memory, if possible: such a load may wait until all stores before it are in the cache.
    """
    if value.uniform or not has_permute(frame, frame.width, value.element):
        return frame.builder.extract(value, lane)
    return permuted(frame, frame.builder.part(value), lane)


def has_masked_words(frame: Frame, element: str) -> bool:
    """Return whether AVX-512 handles elements of this type under masks. Quick code compiles faster without."""
    settings = frame.module.settings
    return settings.native_gather and not settings.quick and element == "i32" and not frame.width % 16


def has_permute(frame: Frame, count: int, element: str) -> bool:
    """Return whether the CPU permutes elements of so many lanes by indices."""
    return frame.module.settings.native_gather and count in PERMUTES and element == "i32"


PERMUTES = {16: "llvm.x86.avx512.permvar.si.512", 32: "llvm.x86.avx512.vpermi2var.d.512"}


def permuted(frame: Frame, value: Part, lane: str) -> Value:
    """Return an element of a vector of 16 or 32 lanes."""
    builder, part, look = frame.builder, "<16 x i32>", PERMUTES[value.lanes]
    operands = [value, builder.join("i32", [Value(lane, "i32")], 16)]
    if value.lanes == 32:
        halves = [builder.shuffle(value, range(first, first + 16)) for first in (0, 16)]
        operands = [halves[0], operands[1], halves[1]]
    frame.module.declare(look, part, [part] * len(operands))
    return builder.element_of(builder.call_part(look, "i32", 16, *operands), 0)
