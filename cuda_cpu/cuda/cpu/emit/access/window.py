# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Gathers of words near each other, by one load of 16 words with AVX-512, of which each lane's is picked.

These are words between the first lane's and the last one's, such as scales[i / 8], and those of a table that begins at
a multiple of 16 of the indices, such as codes[x & 15]. All lanes run: those that do not have any index.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cuda.cpu.emit.access.lanes import PERMUTES, concatenated

if TYPE_CHECKING:
    from cuda.cpu.emit.simt.frame import Frame

WORDS = 16  # of a register
PAGE = 4096  # bytes; others are multiples of it
REGISTER = f"<{WORDS} x i32>"
MASKED_LOAD = "llvm.masked.load.v16i32.p0"


def gather(frame: Frame, scale: int) -> str:
    """Return the code that loads such words from %base + scale * %index, and goes on at %apart for others.

    Mostly the first lane and one in the middle show these. Two neighbours would show less, so that the branch were
    hardly predicted where lanes search.
    """
    vector, most = f"<{frame.width} x i32>", WORDS * (4 // scale)
    text = f"""  %first.lane = extractelement {vector} %index, i64 0
  %middle.lane = extractelement {vector} %index, i64 {frame.width // 2}
  %half.span = sub i32 %middle.lane, %first.lane
  %may.grow = icmp ult i32 %half.span, {most}
  %other.bits = xor i32 %middle.lane, %first.lane
  %alike = icmp ult i32 %other.bits, {most}
  %may = or i1 %may.grow, %alike
  br i1 %may, label %maybe.table, label %apart
maybe.table:
"""
    return f"{text}{_from_table(frame, scale)}{_between(frame, scale)}"


def _from_table(frame: Frame, scale: int) -> str:
    """Return the code for words of a table, and %no.table for others.

    All of a table can be loaded if one word can, as it lies in one page.
    """
    width, far = frame.width, 4 // scale
    vector = f"<{width} x i32>"
    upper = -WORDS * far | (far - 1)  # bits that lanes share, and those that are 0 in addresses of words
    text = f"""  %begin.table = and i32 %first.lane, {-WORDS * far}
  %begin.one = insertelement {vector} poison, i32 %begin.table, i64 0
  %begins.table = shufflevector {vector} %begin.one, {vector} poison, {vector} zeroinitializer
  %upper = and {vector} %index, splat (i32 {upper})
  %of.table = icmp eq {vector} %upper, %begins.table
  %of.table.bits = bitcast <{width} x i1> %of.table to i{width}
  %all.of.table = icmp eq i{width} %of.table.bits, -1
  %begin.wide = sext i32 %begin.table to i64
  %table.words = getelementptr [{scale} x i8], ptr %base, i64 %begin.wide
  %table.address = ptrtoint ptr %table.words to i64
  %in.page = and i64 %table.address, {PAGE - 1}
  %one.page = icmp ule i64 %in.page, {PAGE - 4 * WORDS}
  %is.table = and i1 %all.of.table, %one.page
  br i1 %is.table, label %table, label %no.table
table:
  %loaded.table = load {REGISTER}, ptr %table.words, align 1
  %in.table = lshr {vector} %index, splat (i32 {far.bit_length() - 1})
"""
    return f"{text}{_pick(frame, '%loaded.table', '%in.table')}no.table:\n"


def _pick(frame: Frame, words: str, numbers: str) -> str:
    """Return the code that picks a word for each lane, by the lower bits of its number, and returns them."""
    width, picked, text = frame.width, [], ""
    frame.module.declare(PERMUTES[WORDS], REGISTER, [REGISTER, REGISTER])
    for first in range(0, width, WORDS):
        lanes = ", ".join(f"i32 {first + lane}" for lane in range(WORDS))
        vector, of = f"<{width} x i32>", f"{numbers}.{first}"
        text += f"""  {of} = shufflevector {vector} {numbers}, {vector} poison, <{WORDS} x i32> <{lanes}>
  {words}.{first} = call {REGISTER} @{PERMUTES[WORDS]}({REGISTER} {words}, {REGISTER} {of})
"""
        picked.append(f"{words}.{first}")
    return f"{text}{concatenated(words + '.all', picked, WORDS)}  ret <{width} x i32> {words}.all\n"


def _between(frame: Frame, scale: int) -> str:
    """Return the code for words between the first lane's and the last one's, where indices grow."""
    width, far = frame.width, 4 // scale
    vector, shift = f"<{width} x i32>", far.bit_length() - 1
    frame.module.declare(MASKED_LOAD, REGISTER, ["ptr", "i32", f"<{WORDS} x i1>", REGISTER])
    text = f"""  %last.lane = extractelement {vector} %index, i64 {width - 1}
  %span = sub i32 %last.lane, %first.lane
  %short = icmp ult i32 %span, {WORDS * far}
  %grows = icmp sle i32 %first.lane, %last.lane
  %near = and i1 %short, %grows
  %firsts.one = insertelement {vector} poison, i32 %first.lane, i64 0
  %firsts = shufflevector {vector} %firsts.one, {vector} poison, {vector} zeroinitializer
  %distance = sub {vector} %index, %firsts
  %number = call {vector} @llvm.fshr.v{width}i32({vector} %distance, {vector} %distance, {vector} splat (i32 {shift}))
  %last = lshr i32 %span, {shift}
  %last.one = insertelement {vector} poison, i32 %last, i64 0
  %lasts = shufflevector {vector} %last.one, {vector} poison, {vector} zeroinitializer
  %within = icmp ule {vector} %number, %lasts
  %within.bits = bitcast <{width} x i1> %within to i{width}
  %all.within = icmp eq i{width} %within.bits, -1
  %are.between = and i1 %all.within, %near
  br i1 %are.between, label %window, label %apart
window:
  %first.wide = sext i32 %first.lane to i64
  %from = getelementptr [{scale} x i8], ptr %base, i64 %first.wide
  %loads = shl i32 2, %last
  %loads.below = sub i32 %loads, 1
  %loads16 = trunc i32 %loads.below to i{WORDS}
  %loaded.lanes = bitcast i{WORDS} %loads16 to <{WORDS} x i1>
  %words = call {REGISTER} @{MASKED_LOAD}(ptr %from, i32 4, <{WORDS} x i1> %loaded.lanes, {REGISTER} zeroinitializer)
"""
    frame.module.declare(f"llvm.fshr.v{width}i32", vector, [vector] * 3)
    return f"{text}{_pick(frame, '%words', '%number')}apart:\n"
