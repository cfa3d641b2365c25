# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Atomic operations of a SIMD group on contiguous memory, 16 bytes at a time, for example when blocks add up sums.

A locked instruction takes as long for one word as for four. So four words are updated as a vector by one
compare-and-swap. Each single word is read and written atomically, which is all that PTX requires.
"""

from __future__ import annotations

from cuda.cpu.emit.access.addresses import pointers
from cuda.cpu.emit.access.affine import lanes_of_segment, segments
from cuda.cpu.emit.access.lanes import store_split
from cuda.cpu.emit.instructions.memory.conflicts import COMBINES, FOLDS
from cuda.cpu.emit.llvm.values import Value, integer_of, width_of
from cuda.cpu.emit.simt.frame import Frame
from cuda.cpu.passes.find_affine import stride_of
from cuda.cpu.ptx.syntax import Address, Register

SIZE = 16  # bytes of a compare-and-swap
PLAIN = {"add", "and", "or", "xor", "fadd"}  # operations that are instructions of LLVM


def bases_of(frame: Frame, name: str, element: str, address: Address, space: str, extra: int) -> list[str]:
    """Return the base pointer of each segment if the lanes' words can be updated as vectors, else []."""
    size, module = width_of(element) // 8, frame.module
    known = name in COMBINES or name in FOLDS
    every = (
        frame.copy.converged and frame.copy.full and frame.copy.consecutive
    )  # in a predicated branch the copy is full, but not all lanes are active
    if not (known and every and module.settings.native_gather) or module.settings.quick or frame.checked:
        return []
    if size not in (4, 8) or lanes_of_segment(frame) * size % SIZE or not isinstance(address.base, Register):
        return []
    if frame.graph.is_uniform(address.base.name) or stride_of(frame.graph, address.base) != size:
        return []
    found = []
    for segment in segments(frame):
        with frame.in_segment(segment):
            found.append(pointers(frame, address, space, extra).ref)
    return found


def modify_contiguous(
    frame: Frame, name: str, element: str, order: str, bases: list[str], value: Value, wanted: bool
) -> Value | None:
    """Update contiguous words by the operation `name` of atomicrmw; return the old values if they are wanted."""
    builder, count = frame.builder, lanes_of_segment(frame)
    part, values = f"<{count} x {element}>", builder.part(builder.broadcast(value))
    result = part if wanted else "void"
    helper = f"contiguous.{name}.{element}.{order}{'' if wanted else '.red'}"
    if not frame.module.has(helper):
        text = _contiguous(frame, name, element, order, count, wanted)
        frame.module.define(
            helper, f"define internal {result} @{helper}(ptr %base, {part} %v) #1 {{\nentry:\n{text}}}\n"
        )
    old = []
    for segment, base in enumerate(bases):
        mine = values
        if count < frame.width:
            mine = builder.shuffle(values, range(segment * count, (segment + 1) * count))
        if wanted:
            old.append(builder.call_part(helper, element, count, Value(base, "ptr"), mine))
        else:
            builder.call(helper, "void", Value(base, "ptr"), mine)
    if not wanted:
        return None
    return builder.group(builder.concatenate(old))


def _contiguous(frame: Frame, name: str, element: str, order: str, count: int, wanted: bool) -> str:
    """Return the code for one segment, with locked instructions for each word if it is not aligned to 16 bytes."""
    size, part = width_of(element) // 8, f"<{count} x {element}>"
    parts = count * size // SIZE
    text = f"""  %address = ptrtoint ptr %base to i64
  %low = and i64 %address, {SIZE - 1}
  %aligned = icmp eq i64 %low, 0
  br i1 %aligned, label %part0, label %odd
"""
    for number in range(parts):
        text += _part(frame, name, element, order, count, number)
    text += f"part{parts}:\n"
    if wanted:
        last, few = "poison", SIZE // size
        stem = f"v{count}{_suffix(element)}.v{few}{_suffix(element)}"
        frame.module.declare(f"llvm.vector.insert.{stem}", part, [part, f"<{few} x {element}>", "i64"])
        for number in range(parts):
            operands = f"{part} {last}, <{few} x {element}> %old{number}, i64 {few * number}"
            text += f"  %all{number} = call {part} @llvm.vector.insert.{stem}({operands})\n"
            last = f"%all{number}"
        text += f"  ret {part} {last}\n"
    else:
        text += "  ret void\n"
    return text + _odd(frame, name, element, order, count, wanted)


def _suffix(element: str) -> str:
    return {"float": "f32", "double": "f64"}.get(element, element)


def _part(frame: Frame, name: str, element: str, order: str, count: int, number: int) -> str:
    few = SIZE * 8 // width_of(element)
    vector, failed = f"<{few} x {element}>", {"release": "monotonic", "acq_rel": "acquire"}.get(order, order)
    picks = ", ".join(f"i32 {few * number + lane}" for lane in range(few))
    if name in PLAIN:
        change = f"{name} {vector} %old{number}, %mine{number}"
    else:
        call = f"llvm.{COMBINES[name][0]}.v{few}{integer_of(element)}"
        frame.module.declare(call, vector, [vector, vector])
        change = f"call {vector} @{call}({vector} %old{number}, {vector} %mine{number})"
    return f"""part{number}:
  %pointer{number} = getelementptr i8, ptr %base, i64 {SIZE * number}
  %behind{number} = getelementptr i8, ptr %base, i64 {SIZE * number + 8}
  %l{number} = load atomic i64, ptr %pointer{number} monotonic, align 8
  %h{number} = load atomic i64, ptr %behind{number} monotonic, align 8
  %lw{number} = zext i64 %l{number} to i128
  %hw{number} = zext i64 %h{number} to i128
  %up{number} = shl i128 %hw{number}, 64
  %there{number} = or i128 %up{number}, %lw{number}
  %mine{number} = shufflevector <{count} x {element}> %v, <{count} x {element}> poison, <{few} x i32> <{picks}>
  br label %again{number}
again{number}:
  %before{number} = phi i128 [ %there{number}, %part{number} ], [ %seen{number}, %again{number} ]
  %old{number} = bitcast i128 %before{number} to {vector}
  %new{number} = {change}
  %bits{number} = bitcast {vector} %new{number} to i128
  %pair{number} = cmpxchg ptr %pointer{number}, i128 %before{number}, i128 %bits{number} {order} {failed}, align {SIZE}
  %seen{number} = extractvalue {{ i128, i1 }} %pair{number}, 0
  %done{number} = extractvalue {{ i128, i1 }} %pair{number}, 1
  br i1 %done{number}, label %part{number + 1}, label %again{number}
"""


def _odd(frame: Frame, name: str, element: str, order: str, count: int, wanted: bool) -> str:
    """Return the code that updates one word after the other."""
    part, size = f"<{count} x {element}>", width_of(element) // 8
    store_old = give = rooms = ""
    if wanted:
        rooms = f"  %olds = alloca {part}, align 64\n"
        store_old = f"  %to = getelementptr {element}, ptr %olds, i64 %lane\n  store {element} %was, ptr %to\n"
        give = f"  %both = load {part}, ptr %olds\n  ret {part} %both\n"
    picks = ", ".join(f"i32 {min(lane, count - 1)}" for lane in range(frame.width))
    return f"""odd:
  %wide = shufflevector {part} %v, {part} poison, <{frame.width} x i32> <{picks}>
  %room = alloca <{frame.width} x {element}>, align 64
{rooms}{store_split(frame, element, "%wide", "%room")}  br label %word
word:
  %lane = phi i64 [ 0, %odd ], [ %following, %word ]
  %from = getelementptr {element}, ptr %room, i64 %lane
  %x = load {element}, ptr %from
  %target = getelementptr {element}, ptr %base, i64 %lane
  %was = atomicrmw {name} ptr %target, {element} %x {order}, align {size}
{store_old}  %following = add i64 %lane, 1
  %more = icmp ult i64 %following, {count}
  br i1 %more, label %word, label %over
over:
{give or "  ret void"}
"""
