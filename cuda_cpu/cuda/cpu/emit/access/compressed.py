# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Stream compaction: the lanes that run store consecutive words, in the order of the lanes.

With AVX-512, their values are compressed in registers and stored as contiguous words. For most other scatters, the
addresses of the first and the last of these lanes already show that words between them are left out or repeated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cuda.cpu.emit.access.lanes import concatenated, store_pointers

if TYPE_CHECKING:
    from cuda.cpu.emit.simt.frame import Frame

ELEMENT, LANES = "i32", 16  # of a register
REGISTER = f"<{LANES} x {ELEMENT}>"
PREDICATES = f"<{LANES} x i1>"
INTRINSICS = {name: f"llvm.x86.avx512.mask.{name}.v{LANES}i32" for name in ("compress", "expand")}
MASKED_STORE = f"llvm.masked.store.v{LANES}i32.p0"

# Some lanes run, %number of them; goes on at %compress or %scattered.
_COMPARE = """
  %low = call i$W @llvm.cttz.i$W(i$W %mask, i1 true)
  %high0 = call i$W @llvm.ctlz.i$W(i$W %mask, i1 true)
  %high = sub i$W $LAST, %high0
  %low64 = zext i$W %low to i64
  %high64 = zext i$W %high to i64
  %lowest.pointer = getelementptr ptr, ptr %pointers, i64 %low64
  %highest.pointer = getelementptr ptr, ptr %pointers, i64 %high64
  %lowest = load volatile ptr, ptr %lowest.pointer
  %highest = load volatile ptr, ptr %highest.pointer
  %number64 = zext i$W %number to i64
  %behind.number = getelementptr i32, ptr %lowest, i64 %number64
  %behind.highest = getelementptr i32, ptr %highest, i64 1
  %dense = icmp eq ptr %behind.number, %behind.highest
  br i1 %dense, label %perhaps, label %scattered
perhaps:
"""

_CHECK = """
  %far = zext <$W x i32> %ranks to <$W x i64>
  %expected = getelementptr i32, ptr %lowest, <$W x i64> %far
  %follow = icmp eq <$W x ptr> %p, %expected
  %following = bitcast <$W x i1> %follow to i$W
  %not.running = xor i$W %mask, -1
  %fine = or i$W %following, %not.running
  %compact = icmp eq i$W %fine, -1
  br i1 %compact, label %compress, label %scattered
compress:
"""


def store(frame: Frame) -> str:
    """Return the code up to the label %scattered, for other addresses."""
    module, width = frame.module, frame.width
    for name in INTRINSICS.values():
        module.declare(name, REGISTER, [REGISTER, REGISTER, PREDICATES])
    module.declare(MASKED_STORE, "void", [REGISTER, "ptr", "i32", PREDICATES])
    module.declare("llvm.ctpop.i16", "i16", ["i16"])
    module.declare(f"llvm.ctlz.i{width}", f"i{width}", [f"i{width}", "i1"])
    text = store_pointers(frame) + _COMPARE
    parts = range(width // LANES)
    for part in parts:
        text += _part(width, part)
    text += concatenated("%ranks", [f"%rank{part}" for part in parts], LANES) + _CHECK
    for part in parts:
        text += (
            f"  %dense{part} = call {REGISTER} @{INTRINSICS['compress']}({REGISTER} %value{part}, {REGISTER}"
            f" zeroinitializer, {PREDICATES} %run{part})\n"
            f"  call void @{MASKED_STORE}({REGISTER} %dense{part}, ptr %to{part}, i32 4, {PREDICATES} %filled{part})\n"
        )
    return f"{text}  ret void\nscattered:\n"


def _part(width: int, part: int) -> str:
    """Return the code that splits off a register, counts its lanes that run, and numbers them."""
    whole = f"<{width} x i32>"
    picks = ", ".join(f"i32 {LANES * part + lane}" for lane in range(LANES))
    lanes = ", ".join(f"i32 {lane}" for lane in range(LANES))
    before = f"%count{part - 1}" if part else "0"
    return f"""  %value{part} = shufflevector {whole} %v, {whole} poison, <{LANES} x i32> <{picks}>
  %run{part} = shufflevector <{width} x i1> %lanes, <{width} x i1> poison, <{LANES} x i32> <{picks}>
  %runs{part} = bitcast {PREDICATES} %run{part} to i16
  %count16.{part} = call i16 @llvm.ctpop.i16(i16 %runs{part})
  %count{part} = zext i16 %count16.{part} to i32
  %ones{part} = shl i32 1, %count{part}
  %filled32.{part} = sub i32 %ones{part}, 1
  %filled16.{part} = trunc i32 %filled32.{part} to i16
  %filled{part} = bitcast i16 %filled16.{part} to {PREDICATES}
  %to{part} = getelementptr i32, ptr %lowest, i32 {before}
  %first{part} = insertelement {REGISTER} poison, i32 {before}, i64 0
  %firsts{part} = shufflevector {REGISTER} %first{part}, {REGISTER} poison, {REGISTER} zeroinitializer
  %numbers{part} = add {REGISTER} %firsts{part}, <{lanes}>
  %rank{part} = call {REGISTER} @{INTRINSICS["expand"]}({REGISTER} %numbers{part}, {REGISTER} zeroinitializer,
    {PREDICATES} %run{part})
"""
