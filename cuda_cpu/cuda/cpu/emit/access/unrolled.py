# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Accesses by any addresses where the CPU has no scatters: as few branches as possible.

With vectors of 32 bytes (AVX2) there are none at all, with AVX-512 there are none of bytes and of 16 bits.

A loop over the lanes that run has a branch for each, and its end is hardly ever predicted. Where all lanes run or
nearly all, they are accessed by straight code, one after the other; those that do not run access %nothing, on the
stack. Fewer lanes take a loop over four at a time, whose last round may access %nothing too. Addresses are compared
with contiguous ones only where all lanes run and the first and the last one's are as far apart as contiguous ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cuda.cpu.emit.llvm.values import width_of

if TYPE_CHECKING:
    from cuda.cpu.emit.simt.frame import Frame

WIDTHS = (16, 32)  # lanes of SIMD groups
GROUP = 4  # lanes in a round of the loop
MANY = 5 / 8  # of the lanes, from which on straight code is faster than the loop
WORD = 64  # bits
LEAST = 32  # bits of an element that AVX-512 gathers and scatters

# $W lanes, $LAST of them the last, $T element, $S its bytes; goes on at %look, or at a label below.
LOOK = """
  %nothing = alloca $T
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

# In front of it, if all lanes store %one.
SPLAT = """
  %v.one = insertelement <$W x $T> poison, $T %one, i64 0
  %v = shufflevector <$W x $T> %v.one, <$W x $T> poison, <$W x i32> zeroinitializer
"""

# All lanes run here if they are not contiguous; what is for some lanes, at %part, follows.
CHOICE = """
single:
  br i1 %every, label %straight, label %part
part:
"""

# At least $MANY lanes take the straight code, where the addresses of the others are %nothing. Fewer take the loop, in
# which the number $W of a lane stands for %nothing.
_OTHERS = """
  store $T zeroinitializer, ptr %nothing
  %number = call i$W @llvm.ctpop.i$W(i$W %mask)
  %many = icmp uge i$W %number, $MANY
  br i1 %many, label %most, label %some
most:
  %mask64 = zext i$W %mask to i64
  %mask.one = insertelement <$W x i64> poison, i64 %mask64, i64 0
  %masks = shufflevector <$W x i64> %mask.one, <$W x i64> poison, <$W x i32> zeroinitializer
  %here = and <$W x i64> %masks, <$BITS>
  %runs = icmp ne <$W x i64> %here, zeroinitializer
  %nothing.one = insertelement <$W x ptr> poison, ptr %nothing, i64 0
  %nothings = shufflevector <$W x ptr> %nothing.one, <$W x ptr> poison, <$W x i32> zeroinitializer
  %valid = select <$W x i1> %runs, <$W x ptr> %p, <$W x ptr> %nothings
  br label %straight
some:
  store <$W x ptr> %p, ptr %pointers, align 32
  store <$W x $T> $ROOM, ptr %room, align 32
  %behind = getelementptr ptr, ptr %pointers, i64 $W
  store ptr %nothing, ptr %behind
  %none = icmp eq i$W %mask, 0
  br i1 %none, label %over, label %loop
loop:
  %left0 = phi i$W [ %mask, %some ], [ %left$GROUP, %loop ]
"""

_LANE = """
  %at{k} = call i$W @llvm.cttz.i$W(i$W %left{k}, i1 false)
  %lane{k} = zext i$W %at{k} to i64
  %less{k} = sub i$W %left{k}, 1
  %left{next} = and i$W %left{k}, %less{k}
  %pp{k} = getelementptr ptr, ptr %pointers, i64 %lane{k}
  %ptr{k} = load volatile ptr, ptr %pp{k}
  %rp{k} = getelementptr $T, ptr %room, i64 %lane{k}
"""

_END = """
  %end = icmp eq i$W %left$GROUP, 0
  br i1 %end, label %over, label %loop
straight:
  %to = phi <$W x ptr> [ %p, %whole ], [ %p, %single ], [ %valid, %most ]
"""


def is_worth_it(frame: Frame, element: str) -> bool:
    """Return whether the CPU and the SIMD groups are as described above. Quick code compiles faster without."""
    settings = frame.module.settings
    no_scatters = width_of(element) < LEAST if settings.native_gather else settings.vector_bytes == 32
    return no_scatters and not settings.quick and frame.width in WIDTHS


def values_of(width: int) -> dict[str, str | int]:
    """Return what the templates contain besides the width and the element."""
    bits = ", ".join(f"i64 {1 << lane}" for lane in range(width))
    return {"MANY": int(MANY * width), "GROUP": GROUP, "BITS": bits}


def gather(width: int, element: str) -> str:
    """Return the code from %part on that loads an element for each lane, zero for those that do not run."""
    vector, last = f"<{width} x {element}>", "poison"
    loads = [f"  %value{k} = load {element}, ptr %ptr{k}, align $S\n" for k in range(GROUP)]
    stores = [f"  store {element} %value{k}, ptr %rp{k}\n" for k in range(GROUP)]
    text = _for_some([_LANE] * GROUP, loads, stores)
    for lane in range(width):
        text += f"  %q{lane} = extractelement <{width} x ptr> %to, i64 {lane}\n"
        text += f"  %e{lane} = load {element}, ptr %q{lane}, align $S\n"
        text += f"  %all{lane} = insertelement {vector} {last}, {element} %e{lane}, i64 {lane}\n"
        last = f"%all{lane}"
    over = f"over:\n  %result = load {vector}, ptr %room, align 32\n  ret {vector} %result\n"
    return f"{text}  ret {vector} {last}\n{over}"


def scatter(width: int, element: str, *, same: bool = False) -> str:
    """Return the code from %part on that stores an element for each lane that runs, in the order of the lanes.

    `same`: all lanes store %one, which is not taken out of a vector for each.
    """
    loads = [_LANE if same else f"{_LANE}  %value{{k}} = load volatile {element}, ptr %rp{{k}}\n"] * GROUP
    values = ["%one" if same else f"%value{k}" for k in range(GROUP)]
    text = _for_some(loads, [f"  store {element} {value}, ptr %ptr{k}, align $S\n" for k, value in enumerate(values)])
    if not same:
        text += f"  store <{width} x {element}> %v, ptr %room, align 32\n"
    for lane in range(width):
        text += "" if same else _element(lane, element)
        text += f"  %q{lane} = extractelement <{width} x ptr> %to, i64 {lane}\n"
        text += f"  store {element} {'%one' if same else f'%e{lane}'}, ptr %q{lane}, align $S\n"
    return f"{text}  br label %over\nover:\n  ret void\n"


def _for_some(*steps: list[str]) -> str:
    """Return the code from %part to %straight; each step is written for all lanes of a round before the next one."""
    text = ""
    for step in steps:
        for k, each in enumerate(step):
            text += each.replace("{k}", str(k)).replace("{next}", str(k + 1))
    return _OTHERS + text + _END


def _element(lane: int, element: str) -> str:
    """Return the code for a lane's element. They are loaded by words, as each load waits for the vector's store."""
    size = width_of(element)
    if size >= WORD:
        return (
            f"  %vp{lane} = getelementptr {element}, ptr %room, i64 {lane}\n"
            f"  %e{lane} = load volatile {element}, ptr %vp{lane}\n"
        )
    word, position = divmod(lane, WORD // size)
    text = f"  %h{lane} = lshr i64 %w{word}, {size * position}\n  %e{lane} = trunc i64 %h{lane} to {element}\n"
    if position:
        return text
    pointer = f"  %wp{word} = getelementptr i64, ptr %room, i64 {word}\n"
    return f"{pointer}  %w{word} = load volatile i64, ptr %wp{word}\n{text}"
