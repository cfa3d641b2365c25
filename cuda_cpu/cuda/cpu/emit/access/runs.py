# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Gathers of a few runs of contiguous words, such as the rows of a tile that is narrower than a SIMD group.

With AVX-512, each run is one load by a mask; all of them take a fraction of the time of a gather. Only where the first
two lanes have contiguous addresses are the others compared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cuda.cpu.emit.access.lanes import store_pointers, store_split

if TYPE_CHECKING:
    from cuda.cpu.emit.simt.frame import Frame

RUNS = 3


def gather(frame: Frame, scale: int = 0) -> str:
    """Return the code from the label %runs to %single, for other addresses.

    Parameters
    ----------
    scale : int, optional
        %base + scale * %index are the addresses; %index can be stored to %indices. By default, the addresses are %p,
        which can be stored to %pointers. %back is what the address or the index of each lane would be for the
        first lane if it were in the same run.
    """
    width, kind, stored = frame.width, "i32" if scale else "ptr", "%indices" if scale else "%pointers"
    vector, masked = f"<{width} x i32>", f"llvm.masked.load.v{width}i32.p0"
    text, loaded = f"runs:\n{_find(frame, kind)}", "zeroinitializer"
    text += store_split(frame, "i32", "%index", stored) if scale else store_pointers(frame)
    for run in range(RUNS):
        text += f"  %of{run} = getelementptr {kind}, ptr {stored}, i64 {_first_lane(run)}\n"
        text += f"  %first{run} = load volatile {kind}, ptr %of{run}\n"
    if scale:
        text += _check_signs(frame, 4 // scale)
    for run in range(RUNS):
        pointer = f"%first{run}"
        if scale:
            pointer = f"%pointer{run}"
            text += f"  %wide{run} = sext i32 %first{run} to i64\n"
            text += f"  {pointer} = getelementptr [{scale} x i8], ptr %base, i64 %wide{run}\n"
        text += f"""  %before{run} = sub i64 0, {_first_lane(run)}
  %from{run} = getelementptr i32, ptr {pointer}, i64 %before{run}
  %loaded{run} = call {vector} @{masked}(ptr %from{run}, i32 4, <{width} x i1> %lanes{run}, {vector} {loaded})
"""
        loaded = f"%loaded{run}"
    return f"{text}  ret {vector} {loaded}\n"


def _first_lane(run: int) -> str:
    return f"%lane{run}" if run else "0"


def _find(frame: Frame, kind: str) -> str:
    """Return the code that finds the first lane of each run, and %lanes0 and so on: those of its lanes that run.

    Without a second or third run, no lanes are left for it.
    """
    width, module = frame.width, frame.module
    for name, operands in (("cttz.i64", ["i64", "i1"]), ("umin.i64", ["i64", "i64"]), ("ctpop.i64", ["i64"])):
        module.declare(f"llvm.{name}", "i64", operands)
    vector, picks = f"<{width} x {kind}>", ", ".join(f"i32 {max(lane - 1, 0)}" for lane in range(width))
    text = f"""  %lower = shufflevector {vector} %back, {vector} poison, <{width} x i32> <{picks}>
  %differ = icmp ne {vector} %back, %lower
  %begin = bitcast <{width} x i1> %differ to i{width}
  %begins0 = zext i{width} %begin to i64
  %more = call i64 @llvm.ctpop.i64(i64 %begins0)
  %few.runs = icmp ult i64 %more, {RUNS}
  br i1 %few.runs, label %each, label %single
each:
  %left0 = zext i{width} %mask to i64
"""
    for run in range(RUNS):
        last = run == RUNS - 1
        below = "0" if last else f"%left{run + 1}"
        if not last:
            text += f"""  %next{run} = call i64 @llvm.cttz.i64(i64 %begins{run}, i1 false)
  %end{run} = call i64 @llvm.umin.i64(i64 %next{run}, i64 {width})
  %lane{run + 1} = call i64 @llvm.umin.i64(i64 %next{run}, i64 {width - 1})
  %above{run} = shl i64 -1, %end{run}
  {below} = and i64 %left{run}, %above{run}
  %less{run} = sub i64 %begins{run}, 1
  %begins{run + 1} = and i64 %begins{run}, %less{run}
"""
        text += f"""  %mine{run} = xor i64 %left{run}, {below}
  %bits{run} = trunc i64 %mine{run} to i{width}
  %lanes{run} = bitcast i{width} %bits{run} to <{width} x i1>
"""
    return text


def _check_signs(frame: Frame, far: int) -> str:
    """Return the code that leaves indices, `far` apart, that may wrap around in a run, to gathers."""
    text, most = "", "%first0"
    frame.module.declare("llvm.smax.i32", "i32", ["i32", "i32"])
    for run in range(1, RUNS):
        text += f"  %most{run} = call i32 @llvm.smax.i32(i32 {most}, i32 %first{run})\n"
        most = f"%most{run}"
    return f"""{text}  %fits = icmp slt i32 {most}, {(1 << 31) - frame.width * far}
  br i1 %fits, label %fitting, label %single
fitting:
"""
