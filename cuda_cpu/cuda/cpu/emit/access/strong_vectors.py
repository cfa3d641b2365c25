# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Strong loads and stores of vectors, each lane's in one access of up to 16 bytes.

The manual defines a vector as so many scalars (8.2.2), but GPUs access it as one, and CUB's decoupled look-back relies
on it: no thread may see a tile's state without its value. CPUs with AVX access 16 aligned bytes atomically, others by a
compare-and-swap. Vectors of i128 are avoided, which LLVM cannot always compile: 16 bytes are two words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cuda.cpu.emit.access.gather_scatter import gather, scatter
from cuda.cpu.emit.access.lanes import loop_over
from cuda.cpu.emit.llvm.values import Shape, Value, constant, width_of

if TYPE_CHECKING:
    from cuda.cpu.emit.simt.frame import Frame

MOST_BITS = 128


def load(frame: Frame, address: Value, element: str, count: int, order: str) -> list[Value]:
    """Load a vector's elements for each lane that runs."""
    builder, width = frame.builder, width_of(element)
    bits = width * count
    if bits < MOST_BITS:
        words = [_load_word(frame, address, f"i{bits}", order)]
    elif address.uniform:
        both = _load_word(frame, address, "i128", order)
        words = [builder.resize(each, "i64") for each in (both, builder.binary("lshr", both, constant(64, "i128")))]
    else:
        words = _load_pairs(frame, address, order)
    size = width_of(words[0].element)
    found = []
    for at in range(0, bits, width):
        word = words[at // size]
        if at % size:
            word = builder.binary("lshr", word, constant(at % size, word.element))
        found.append(builder.resize(word, element))
    return found


def _load_word(frame: Frame, address: Value, element: str, order: str) -> Value:
    if not address.uniform:
        return gather(frame, address, element, order)
    return frame.builder.load(element, address.ref, align=width_of(element) // 8, order=order)


def _load_pairs(frame: Frame, address: Value, order: str) -> list[Value]:
    builder, module, width = frame.builder, frame.module, frame.width
    vector, name = f"<{width} x i64>", f"load.pairs.{order}"
    result = f"{{ {vector}, {vector} }}"
    if not module.has(name):
        access = f"%one = load atomic volatile i128, ptr %ptr {order}, align 16\n  store i128 %one, ptr %pair, align 16"
        all_ = f"<{2 * width} x i64>"
        text = _each(frame, access, "zeroinitializer") + f"  %all = load {all_}, ptr %room\n"
        for half in range(2):
            lanes = ", ".join(f"i32 {2 * lane + half}" for lane in range(width))
            text += f"  %w{half} = shufflevector {all_} %all, {all_} poison, <{width} x i32> <{lanes}>\n"
        text += f"  %r0 = insertvalue {result} poison, {vector} %w0, 0\n"
        text += f"  %r1 = insertvalue {result} %r0, {vector} %w1, 1\n"
        head = f"define internal {result} @{name}(<{width} x ptr> %p, i{width} %mask) #1"
        module.define(name, f"{head} {{\nentry:{text}  ret {result} %r1\n}}\n")
    return builder.call_several(name, [("i64", Shape.VECTOR)] * 2, address, frame.mask)


def store(frame: Frame, address: Value, elements: list[Value], order: str) -> None:
    """Store a vector's elements for each lane that runs. At a uniform address one lane wins."""
    builder = frame.builder
    bits = sum(width_of(each.element) for each in elements)
    size = min(bits, 64)
    words: list[Value] = []
    for number, each in enumerate(elements):
        at = number * width_of(each.element) % size
        word = builder.resize(each, f"i{size}")
        if at:
            word = builder.binary("or", words.pop(), builder.binary("shl", word, constant(at, word.element)))
        words.append(word)
    addresses, vectors = builder.broadcast(address), list(map(builder.broadcast, words))
    if len(words) == 1:
        scatter(frame, addresses, vectors[0], order)
        return
    module, width = frame.module, frame.width
    vector, name = f"<{width} x i64>", f"store.pairs.{order}"
    if not module.has(name):
        lanes = ", ".join(f"i32 {lane + half * width}" for lane in range(width) for half in range(2))
        both = f"  %both = shufflevector {vector} %v0, {vector} %v1, <{2 * width} x i32> <{lanes}>"
        access = f"%one = load i128, ptr %pair, align 16\n  store atomic volatile i128 %one, ptr %ptr {order}, align 16"
        head = f"define internal void @{name}({vector} %v0, {vector} %v1, <{width} x ptr> %p, i{width} %mask) #1"
        module.define(name, f"{head} {{\nentry:\n{both}{_each(frame, access, '%both')}  ret void\n}}\n")
    given = [*vectors, addresses, frame.mask]
    builder.call(name, "void", *given)


def _each(frame: Frame, access: str, begin: str) -> str:
    """Return a loop of an access of each lane between its address, %ptr, and its two words at %pair."""
    addresses, words = f"<{frame.width} x ptr>", f"<{2 * frame.width} x i64>"
    rooms = f"""
  %addresses = alloca {addresses}
  store {addresses} %p, ptr %addresses
  %room = alloca {words}, align 64
  store {words} {begin}, ptr %room
"""
    body = f"""  %from = getelementptr ptr, ptr %addresses, i64 %lane
  %ptr = load ptr, ptr %from
  %pair = getelementptr i128, ptr %room, i64 %lane
  {access}
"""
    return rooms + loop_over(frame, body)
