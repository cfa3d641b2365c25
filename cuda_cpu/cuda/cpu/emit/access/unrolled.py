# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Accesses by any addresses where the CPU has vectors of 32 bytes and no scatters: all lanes without branches.

A loop over the lanes that run has a branch for each, and its end is hardly ever predicted. Where all run, they are
accessed by straight code, one after the other. Their addresses are compared with contiguous ones only if the first and
the last lane's are as far apart as these are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cuda.cpu.emit.llvm.values import width_of

if TYPE_CHECKING:
    from cuda.cpu.emit.simt.frame import Frame

WIDTHS = (16, 32)  # lanes of SIMD groups

# $W lanes, $LAST of them the last, $T element, $S its bytes; goes on at %look, or at one of the labels below.
LOOK = """
  %every = icmp eq i$W %mask, -1
  br i1 %every, label %whole, label %part
whole:
  %begin = extractelement <$W x ptr> %p, i64 0
  %last = extractelement <$W x ptr> %p, i64 $LAST
  %expected = getelementptr [$S x i8], ptr %begin, i64 $LAST
  %follows = icmp eq ptr %last, %expected
  br i1 %follows, label %look, label %straight
look:
"""

# The loop over the lanes that run, at %part, follows.
CHOICE = """
single:
  br i1 %every, label %straight, label %part
"""

_STRAIGHT = """
straight:
  store <$W x ptr> %p, ptr %pointers
"""


def is_worth_it(frame: Frame, element: str, *, store: bool) -> bool:
    """Return whether straight code is faster: not if so many bytes have to be inserted into a register."""
    settings = frame.module.settings
    suits = settings.vector_bytes == 32 and not settings.native_gather and frame.width in WIDTHS
    return suits and (store or width_of(element) > 8)


def gather(width: int, element: str) -> str:
    """Return the code from %straight on that loads an element for each lane, zero for those that do not run."""
    vector, last, text = f"<{width} x {element}>", "poison", _STRAIGHT
    for lane in range(width):
        text += _pointer(lane)
        text += f"  %e{lane} = load {element}, ptr %q{lane}, align $S\n"
        text += f"  %all{lane} = insertelement {vector} {last}, {element} %e{lane}, i64 {lane}\n"
        last = f"%all{lane}"
    return f"{text}  ret {vector} {last}\nover:\n  %result = load {vector}, ptr %room\n  ret {vector} %result\n"


def scatter(width: int, element: str) -> str:
    """Return the code from %straight on that stores an element for each lane, in the order of the lanes."""
    text = _STRAIGHT + f"  store <{width} x {element}> %v, ptr %room\n"
    for lane in range(width):
        text += _pointer(lane)
        text += f"  %from{lane} = getelementptr {element}, ptr %room, i64 {lane}\n"
        text += f"  %e{lane} = load volatile {element}, ptr %from{lane}\n"
        text += f"  store {element} %e{lane}, ptr %q{lane}, align $S\n"
    return f"{text}  br label %over\nover:\n  ret void\n"


def _pointer(lane: int) -> str:
    """Return the code that loads a lane's address; it would take two shuffles to extract it from a register."""
    return (
        f"  %to{lane} = getelementptr ptr, ptr %pointers, i64 {lane}\n  %q{lane} = load volatile ptr, ptr %to{lane}\n"
    )
