# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Statements of random kernels in which a block multiplies tiles, or reduces and scans values of its threads.

Each function takes the writer of the kernel and the context of the statement, which all live threads of the block
reach together, and returns its lines.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from support.random_frame import LONG
from support.random_lines import REDUCTIONS, UNIFORM

if TYPE_CHECKING:
    from support.random_ptx import Context, Writer

MOST_UNROLLED = 8
ROW = "%g5"  # %tid.z * %ntid.y + %tid.y: the row of a thread, if planes lie one behind the other


def tile_product(writer: Writer, context: Context) -> str:
    """Multiply tiles of two matrices that the block loads into shared memory, in some iterations."""
    random, (x, y, z) = writer.random, writer.block_size
    if random.random() < 0.3 and x % 4 == 0 and y * z >= 4:
        return _by_vectors(writer)
    depth = min(x, y * z, MOST_UNROLLED)
    sums = [writer.new("v") for _ in range(random.choice([1, 1, 2]))]
    a_row, b_column, number = writer.new("v"), writer.new("v"), writer.name()
    floats = writer.chance(0.5)
    text = _begin(writer, sums, floats=floats)
    text += f"mul.lo.u32 {a_row}, {ROW}, {4 * x}; mov.u32 %t8, slots; add.u32 {a_row}, {a_row}, %t8;"
    text += f" mov.u32 %t8, %tid.x; mad.lo.u32 {b_column}, %t8, 4, %g18;\n"
    head, again = _rounds(writer, number)
    text += f"{head}{_fill(writer, 4096)} bar.sync 0;\n"
    for step in range(depth):
        text += _multiply(writer, sums, f"[{a_row}+{4 * step}]", f"[{b_column}+{4096 + 4 * x * step}]", floats=floats)
    text += f"bar.sync 0;\n{again}"
    return writer.fill(text + _end(sums))


def _by_vectors(writer: Writer) -> str:
    """Do the same with vectors of four words, and a row of results for each thread."""
    x, y, z = writer.block_size
    depth = min(x, y * z) // 4 * 4
    sums = [writer.new("v") for _ in range(2)]
    a_row, b_column, number = writer.new("v"), writer.new("v"), writer.name()
    text = _begin(writer, sums, floats=False)
    text += f"mul.lo.u32 {a_row}, {ROW}, {4 * x}; add.u32 {a_row}, {a_row}, %g18;"
    text += f" mad.lo.u32 {b_column}, %g0, 4, %g18;\n"
    head, again = _rounds(writer, number)
    text += f"{head}{_fill(writer, 4096)} bar.sync 0;\n"
    for step in range(0, min(depth, MOST_UNROLLED), 4):
        a = [writer.new("v") for _ in range(4)]
        text += f"ld.shared.v4.u32 {{{', '.join(a)}}}, [{a_row}+{4 * step}];\n"
        for part, value in enumerate(a):
            b = writer.new("v")
            text += f"ld.shared.u32 {b}, [{b_column}+{4096 + 4 * x * (step + part)}];"
            for number_, total in enumerate(sums):
                text += f" mad.lo.u32 {total}, {value}, {b}, {total}; add.u32 {b}, {b}, {number_};"
            text += "\n"
    text += f"bar.sync 0;\n{again}"
    return writer.fill(text + _end(sums))


def _begin(writer: Writer, sums: list[str], *, floats: bool) -> str:
    return "".join(
        f"mov.b32 {each}, {writer.random.choice(['0', '$u'] if not floats else ['0', '0x3f800000'])};\n"
        for each in sums
    )


def _rounds(writer: Writer, number: int) -> tuple[str, str]:
    """Return the head and the end of a loop over rows of the long array."""
    most = writer.random.choice([0, 1, 1, 3])
    counter, index = f"%i{number % 99}", f"%n{number % 99}"
    limit = most if writer.chance(0.5) else writer.new("v")
    head = f"and.b32 {limit}, {writer.random.choice(UNIFORM)}, {most};\n" if isinstance(limit, str) else ""
    head += f"mov.u32 {counter}, 0; mov.u32 {index}, %t0;\nL{number}:\n"
    writer.tile_index = index
    again = f"add.u32 {index}, {index}, {writer.random.choice([1, 16, 64, 256])}; add.u32 {counter}, {counter}, 1;"
    return head, f"{again} setp.le.u32 %p3, {counter}, {limit};\n@%p3 bra L{number};\n"


def _fill(writer: Writer, second: int) -> str:
    """Store a word of the input to each of two tiles."""
    address, values = writer.new("q"), [writer.new("v") for _ in range(2)]
    text = f"and.b32 %t7, {writer.tile_index}, 511; mul.wide.u32 {address}, %t7, 4; add.s64 {address}, {address}, %d2;"
    if writer.long.written or writer.chance(0.3):
        text += f" ld.global.u32 {values[0]}, [{address}]; ld.global.u32 {values[1]}, [{address}+16];"
    else:
        text = f"mul.wide.u32 {address}, {writer.tile_index}, 4; add.s64 {address}, %d13, {address};"
        text += f" ld.global.u32 {values[0]}, [{address}]; ld.global.u32 {values[1]}, [{address}+{LONG}];"
    if writer.chance(0.3):  # a partial tile: zeros beyond its edge
        edge = writer.random.choice([1, 20, 33, 64])
        text += f" setp.lt.u32 %p4, %t2, {edge}; selp.b32 {values[0]}, {values[0]}, 0, %p4;"
    return f"{text}\nst.shared.u32 [%t3], {values[0]}; st.shared.u32 [%t3+{second}], {values[1]};"


def _multiply(writer: Writer, sums: list[str], a_place: str, b_place: str, *, floats: bool) -> str:
    a, b = writer.new("v"), writer.new("v")
    text = f"ld.shared.u32 {a}, {a_place}; ld.shared.u32 {b}, {b_place};"
    for number, total in enumerate(sums):
        if floats:
            x, y, z = (writer.new("c") for _ in range(3))
            text += (
                f" and.b32 %t7, {a}, 1023; and.b32 %t12, {b}, 1023; cvt.rn.f32.u32 {x}, %t7; cvt.rn.f32.u32 {y}, %t12;"
            )
            text += f" mov.b32 {z}, {total}; fma.rn.f32 {z}, {x}, {y}, {z}; mov.b32 {total}, {z};"
        else:
            text += f" mad.lo.u32 {total}, {a}, {b}, {total};" if number == 0 else f" xor.b32 {total}, {total}, {b};"
    return text + "\n"


def _end(sums: list[str]) -> str:
    return " ".join(f"add.u32 $d, $d, {each};" for each in sums)


def block_sum(writer: Writer, context: Context) -> str:
    """Reduce in shared memory by halving the active threads, then broadcast the sum."""
    number, half = writer.name(), writer.new("v")
    start = 1 << max(writer.threads - 1, 1).bit_length() - 1
    most = writer.new("v")
    return writer.fill(
        f"st.shared.u32 [%t3], $a; mov.u32 {half}, {start};\n"
        f"L{number}: bar.sync 0; add.u32 {most}, %t0, {half}; setp.lt.u32 %p4, %t0, {half};"
        f" setp.lt.and.u32 %p4, {most}, %t1, %p4;\n@!%p4 bra S{number};\n"
        f"mad.lo.u32 %t7, {most}, 4, %g18; ld.shared.u32 %t8, [%t7]; ld.shared.u32 %t12, [%t3];"
        f" add.u32 %t12, %t12, %t8; st.shared.u32 [%t3], %t12;\n"
        f"S{number}: shr.u32 {half}, {half}, 1; setp.ne.u32 %p3, {half}, 0;\n@%p3 bra L{number};\n"
        "bar.sync 0; ld.shared.u32 $d, [slots]; bar.sync 0;"
    )


def permute(writer: Writer, context: Context) -> str:
    """Write to a permutation of the threads' words, and read the thread's own word."""
    odd = writer.random.choice([1, 3, 5, 7, 11, 13])
    if writer.threads % odd == 0:
        odd = 1
    return writer.fill(
        f"bar.sync 0; mad.lo.u32 %t7, %t0, {odd}, {writer.random.randrange(40)}; rem.u32 %t7, %t7, %t1;"
        " mad.lo.u32 %t7, %t7, 4, %g18; st.shared.u32 [%t7], $a; bar.sync 0; ld.shared.u32 $d, [%t3]; bar.sync 0;"
    )


def meet_apart(writer: Writer, context: Context) -> str:
    """Let diverged lanes wait at different instructions of barrier 0."""
    number, condition = writer.name(), writer.condition("%p2")
    arms = [writer.fill(f"st.shared.u32 [%t3], {value}; barrier.sync 0; add.u32 $d, $d, 1;") for value in ("$a", "$b")]
    return (
        f"{condition}\n@%p2 bra S{number};\n{arms[0]}\nbra.uni T{number};\nS{number}:\n{arms[1]}\nT{number}:\n"
        + writer.fill(
            "add.u32 %t7, %t0, 1; rem.u32 %t7, %t7, %t1; mad.lo.u32 %t7, %t7, 4, %g18;"
            " ld.shared.u32 $d, [%t7]; bar.sync 0;"
        )
    )


OF_TILES: list[Callable] = [tile_product, tile_product, block_sum, permute]

# --- sums over a warp, for warps that are all here --------------------------------------------------------


def warp_sum(writer: Writer, context: Context) -> str:
    """Reduce by shuffles, in straight code or a loop; the first lane may write the result."""
    random, number, value = writer.random, writer.name(), writer.new("v")
    operation = random.choice([each for each in REDUCTIONS if not each.endswith("s32")])
    text, way = f"mov.b32 {value}, $a;\n", random.choice(["down", "bfly"])
    if writer.chance(0.5):
        for step in (16, 8, 4, 2, 1):
            text += f"shfl.sync.{way}.b32 %t7, {value}, {step}, 31, -1; {operation} {value}, {value}, %t7;\n"
    else:
        step = writer.new("v")
        text += f"mov.u32 {step}, 16;\nL{number}: shfl.sync.{way}.b32 %t7, {value}, {step}, 31, -1;"
        text += f" {operation} {value}, {value}, %t7; shr.u32 {step}, {step}, 1; setp.ne.u32 %p3, {step}, 0;\n"
        text += f"@%p3 bra L{number};\n"
    text += f"setp.eq.u32 %p4, %t10, 0; @%p4 add.u32 $d, {value}, 1;"
    return writer.fill(text)


def warp_scan(writer: Writer, context: Context) -> str:
    """Scan over a warp by shuffles: each lane adds the value of an earlier lane if that exists."""
    value, text = writer.new("v"), ""
    operation = writer.random.choice(["add.u32", "max.s32", "xor.b32"])
    for step in (1, 2, 4, 8, 16):
        if writer.chance(0.5):
            text += f"shfl.sync.up.b32 %t7|%p4, {value}, {step}, 0, -1; @%p4 {operation} {value}, {value}, %t7;\n"
        else:
            text += f"shfl.sync.up.b32 %t7, {value}, {step}, 0, -1; setp.ge.u32 %p4, %t10, {step};"
            text += f" @%p4 {operation} {value}, {value}, %t7;\n"
    return writer.fill(f"mov.b32 {value}, $a;\n{text}mov.b32 $d, {value};")


OF_WARPS: list[Callable] = [warp_sum, warp_scan]
