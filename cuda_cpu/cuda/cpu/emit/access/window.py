# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Gathers of words that all lie between the first lane's and the last one's, such as scales[i / 8].

With AVX-512, up to 16 words from the first one on are one load by a mask, and each lane's is picked by a permutation.
Lanes between the first and the last one lie between them where indices grow; others are left to gathers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cuda.cpu.emit.access.lanes import PERMUTES, concatenated

if TYPE_CHECKING:
    from cuda.cpu.emit.simt.frame import Frame

WORDS = 16  # of a register
REGISTER = f"<{WORDS} x i32>"
MASKED_LOAD = "llvm.masked.load.v16i32.p0"


def gather(frame: Frame, scale: int) -> str:
    """Return the code that loads such words from %base + scale * %index, and goes on at %apart for others.

    All lanes run: those that do not have any index. Mostly the first two lanes already show that words are apart.
    """
    width, far = frame.width, 4 // scale
    vector, shift = f"<{width} x i32>", far.bit_length() - 1
    frame.module.declare(MASKED_LOAD, REGISTER, ["ptr", "i32", f"<{WORDS} x i1>", REGISTER])
    frame.module.declare(PERMUTES[WORDS], REGISTER, [REGISTER, REGISTER])
    text = f"""  %lowest = extractelement {vector} %index, i64 0
  %second = extractelement {vector} %index, i64 1
  %step = sub i32 %second, %lowest
  %small = icmp ult i32 %step, {WORDS * far}
  br i1 %small, label %ends, label %apart
ends:
  %highest = extractelement {vector} %index, i64 {width - 1}
  %span = sub i32 %highest, %lowest
  %near = icmp ult i32 %span, {WORDS * far}
  %grows = icmp sle i32 %lowest, %highest
  %may = and i1 %near, %grows
  br i1 %may, label %between, label %apart
between:
  %lowest.one = insertelement {vector} poison, i32 %lowest, i64 0
  %lowests = shufflevector {vector} %lowest.one, {vector} poison, {vector} zeroinitializer
  %distance = sub {vector} %index, %lowests
  %number = call {vector} @llvm.fshr.v{width}i32({vector} %distance, {vector} %distance, {vector} splat (i32 {shift}))
  %last = lshr i32 %span, {shift}
  %last.one = insertelement {vector} poison, i32 %last, i64 0
  %lasts = shufflevector {vector} %last.one, {vector} poison, {vector} zeroinitializer
  %within = icmp ule {vector} %number, %lasts
  %within.bits = bitcast <{width} x i1> %within to i{width}
  %all.within = icmp eq i{width} %within.bits, -1
  br i1 %all.within, label %window, label %apart
window:
  %lowest.wide = sext i32 %lowest to i64
  %from = getelementptr [{scale} x i8], ptr %base, i64 %lowest.wide
  %loads = shl i32 2, %last
  %loads.below = sub i32 %loads, 1
  %loads16 = trunc i32 %loads.below to i{WORDS}
  %loaded.lanes = bitcast i{WORDS} %loads16 to <{WORDS} x i1>
  %words = call {REGISTER} @{MASKED_LOAD}(ptr %from, i32 4, <{WORDS} x i1> %loaded.lanes, {REGISTER} zeroinitializer)
"""
    frame.module.declare(f"llvm.fshr.v{width}i32", vector, [vector] * 3)
    parts = range(width // WORDS)
    for part in parts:
        picks = ", ".join(f"i32 {WORDS * part + lane}" for lane in range(WORDS))
        text += f"""  %numbers{part} = shufflevector {vector} %number, {vector} poison, <{WORDS} x i32> <{picks}>
  %picked{part} = call {REGISTER} @{PERMUTES[WORDS]}({REGISTER} %words, {REGISTER} %numbers{part})
"""
    text += concatenated("%picked", [f"%picked{part}" for part in parts], WORDS)
    return f"{text}  ret {vector} %picked\napart:\n"
