# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Random kernels of a few short statements that each store their result: fast to compile, and no error is masked.

They cover what larger random kernels rarely contain: partial member masks, gathers of all sizes, indices that wrap
around, indirect calls with parameters in registers, special numbers, variables of mixed alignments. The statements are
functions in `focus_*.py`: each takes the writer of the kernel and returns its lines.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

import numpy as np
from support import focus_atomics, focus_flow, focus_lanes, focus_memory, focus_rows, focus_values, focus_variables
from support.focus_calls import FUNCTIONS, call
from support.focus_choices import choices
from support.focus_patterns import patterns
from support.focus_quotients import quotients
from support.focus_structures import beyond, structures
from support.lane_threads import Grid
from support.wide_addresses import sometimes_widened

from cuda.cpu.ptx.program import build

if TYPE_CHECKING:
    from support.loaded import Loaded

FREE = 8  # arrays of 8 bytes per thread of the grid, in which threads write elements of others, up to 31 further on
BLOCKS = [(32, 1, 1), (32, 1, 1), (32, 1, 1), (64, 1, 1), (64, 1, 1), (32, 2, 1), (32, 2, 1), (16, 4, 1), (96, 1, 1),
          (16, 2, 1), (8, 4, 2), (64, 2, 1), (16, 2, 3)]  # fmt: skip
PARTIAL = [(40, 1, 1), (33, 2, 1), (5, 1, 1), (7, 3, 2)]  # whose last warp has fewer threads
GRIDS = [(1, 1, 1), (1, 1, 1), (2, 1, 1), (2, 1, 1), (2, 2, 1), (1, 2, 2)]
SPECIAL = ["%lanemask_lt", "%lanemask_le", "%lanemask_ge", "%lanemask_gt", "%lanemask_eq", "%nwarpid", "%warpid",
           "%ctaid.y", "%ctaid.z", "%nctaid.x", "%ntid.y", "%tid.z"]  # fmt: skip
EDGES = [0, 1, 2, 31, 32, 33, 40, 255, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF, 0xFFFFFFFE, 0x7F800000,
         0x3F800000, 0xFF800000, 0x7FC00000, 0xFFC00000, 0x7FF00000, 0xFFF80000, 0x3F000000, 0xBF000000, 0x3FC00000,
         0x40200000, 0xC0200000, 0x7F000000, 0xFF000000, 0x42FE0000, 0x43800000, 0xC3800000, 0xFFFF, 0x8000,
         0x80]  # fmt: skip
TYPES = {"r": "b32", "q": "b64", "h": "b16", "p": "pred", "f": "f32", "d": "f64"}  # of registers, by their letter
NUMBER = 3  # the kernel's last argument
CONDITIONS = [
    "setp.gt.u32 $p, %a1, %lane;", "and.b32 $t, %lane, 1; setp.eq.u32 $p, $t, 0;", "setp.gt.u32 $p, %lane, 20;",
    "setp.lt.u32 $p, %lane, 5;", "setp.lt.u32 $p, %lane, 32;", "setp.lt.u32 $p, %lane, 31;",
    "setp.ge.u32 $p, %tx, 1;", "setp.ne.u32 $p, %lane, 31;", "setp.ne.u32 $p, %tx, 0;",
    "setp.eq.u32 $p, %k, 0;", "setp.lt.s32 $p, %a0, 0;", "shr.u32 $t, %lane, 4; setp.ne.u32 $p, $t, 0;",
]  # fmt: skip


@dataclass
class FocusedCase:
    """A kernel with its launch; see random_case.py."""

    text: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    bytes_out: int  # of each thread

    def arguments(self) -> tuple:
        threads = int(np.prod(self.grid) * np.prod(self.block))
        random = np.random.default_rng(threads + len(self.text))
        words = random.integers(0, 2**32, 4 * threads + 512, dtype=np.uint32)
        edges = random.random(words.size) < 0.6
        words[edges] = random.choice(np.array(EDGES, np.uint32), edges.sum())
        out = np.zeros(self.bytes_out * threads // 4, np.uint32)
        rows = np.zeros(2 * FREE * in_whole_warps(threads), np.uint32)
        return out, words, rows, np.uint32(NUMBER)

    def interpreted(self) -> tuple:
        arguments = self.arguments()
        Grid(build([self.text]), "k", self.grid, self.block, arguments).run()
        return arguments

    def check(self, loaded: Loaded, expected: tuple, label: str) -> None:
        found = self.arguments()
        loaded.launch("k", self.grid, self.block, *found)
        for name, a, b in zip(("out", "in", "rows", "number"), found, expected, strict=True):
            np.testing.assert_array_equal(a, b, err_msg=f"{name}: {label}")


def in_whole_warps(threads: int) -> int:
    return -(-threads // 32) * 32


class Writer:
    """Names registers, labels and variables, and stores each result in a word of the thread's own output."""

    def __init__(self, random: Random, threads: int, blocks: int, *, leaves: bool) -> None:
        self.random, self.threads, self.every = random, threads, threads * blocks
        self.leaves = leaves  # threads may return early: then no warp operation names them
        self.bytes_out = self.free = self.labels = 0
        self.registers: Counter[str] = Counter()
        self.variables: list[str] = []

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def choice(self, *options: str) -> str:
        return self.random.choice(options)

    def new(self, letter: str = "r") -> str:
        """Return a register that nothing else uses: a letter of TYPES."""
        self.registers[letter] += 1
        return f"%{letter}{self.registers[letter]}"

    def label(self) -> str:
        self.labels += 1
        return f"L{self.labels}"

    def source(self) -> str:
        """Return a 32-bit register of any value."""
        return self.choice("%a0", "%a1", "%a2", "%a3", "%a0", "%a1", "%tid", "%lane", "%k", "%number", "%special")

    def special(self) -> str:
        """Return a special register."""
        return self.random.choice(SPECIAL)

    def operand(self) -> str:
        """Return a 32-bit register or a number."""
        return self.source() if self.chance(0.8) else str(self.random.choice(EDGES))

    def take(self, size: int) -> int:
        """Return the offset of unused bytes of the output."""
        start = -(-self.bytes_out // size) * size
        self.bytes_out = start + size
        return start

    def store(self, register: str, kind: str = "u32") -> str:
        return f"st.global.{kind} [%out+{self.take(int(kind[1:]) // 8)}], {register};"

    def take_row(self) -> int | None:
        """Return the offset in `rows` of 8 unused bytes for each thread of the grid, or None."""
        self.free += 1
        return 8 * in_whole_warps(self.every) * (self.free - 1) if self.free <= FREE else None

    def variable(self, space: str, size: int, align: int) -> str:
        """Declare a variable of the given size."""
        name = f"v{len(self.variables)}"
        self.variables.append(f".{space} .align {align} .b8 {name}[{size}];")
        return name

    def condition(self, predicate: str) -> str:
        """Return lines that write a predicate, which mostly differs between lanes."""
        return self.random.choice(CONDITIONS).replace("$p", predicate).replace("$t", self.new())

    def some(self, text: str) -> str:
        """Let some or all threads run the lines."""
        if self.chance(0.4):
            return text
        over, predicate = self.label(), self.new("p")
        negated = "!" * self.chance(0.3)
        return f"{self.condition(predicate)} @{negated}{predicate} bra {over}; {text} {over}:"


# Number and kinds of statements by subject. A kernel has those of one family, or of all: some kernels reach a fault
# often, others need not run. A SIMD group in which one index has wrapped around takes other code up to the kernel's
# end, so kernels with such indices are short.
FAMILIES = {
    "integers": (12, [focus_values.integers]),
    "floats": (12, [focus_values.floats, focus_values.comparisons, focus_values.conversions]),
    "lanes": (12, [focus_lanes.in_groups, focus_lanes.in_tiles]),
    "gathers": (12, [focus_memory.gather, focus_memory.gather, focus_memory.scatter]),
    "bytes": (8, [focus_memory.own]),
    "structures": (6, [structures, structures, beyond]),
    "patterns": (6, [patterns]),
    "choices": (6, [choices]),
    "variables": (4, [focus_variables.variables]),
    "atomics": (12, [focus_atomics.atomic, focus_atomics.together, focus_atomics.in_order]),
    "rows": (5, [focus_rows.widened]),
    "accesses of rows": (4, [focus_rows.row_access]),
    "rows in loops": (3, [focus_rows.in_loop]),
    "quotients": (3, [quotients]),
    "calls": (8, [call]),
    "programs": (4, [focus_flow.program]),
    "barriers": (4, [focus_flow.barrier, focus_flow.guarded]),
}
FAMILIES["all"] = 12, [kind for _, kinds in FAMILIES.values() for kind in kinds]
# In which the families take turns; few of the indices in rows are so near to the end of a range that they tell much.
TURNS = [*FAMILIES, "rows", "accesses of rows", "rows"]
WARP_OPERATIONS = [focus_lanes.in_groups, focus_lanes.in_tiles, focus_atomics.in_order]


def focused(random: Random, family: str = "all") -> FocusedCase:
    """Return a kernel of statements of a family."""
    block, grid, leaves = random.choice(BLOCKS), random.choice(GRIDS), random.random() < 0.3
    count, every = FAMILIES[family]
    if random.random() < 0.15:
        block = random.choice(PARTIAL)
    kinds = [kind for kind in every if not (leaves or block in PARTIAL) or kind not in WARP_OPERATIONS]
    if not kinds:
        block, leaves, kinds = random.choice(BLOCKS), False, every
    writer = Writer(random, math.prod(block), math.prod(grid), leaves=leaves)
    body = "\n".join(random.choice(kinds)(writer) for _ in range(count))
    functions = FUNCTIONS if "call (" in body else ""
    bytes_out = -(-writer.bytes_out // 16) * 16
    declared = " ".join(f".reg .{type_} %{name}<{writer.registers[name] + 1}>;" for name, type_ in TYPES.items())
    text = f"""\
.version 9.0
.target sm_90
.address_size 64
{functions}
.visible .entry k(.param .u64 out, .param .u64 in, .param .u64 rows, .param .u32 number) {{
    {" ".join(writer.variables)}
    {declared}
    .reg .b32 %a<4>, %g<20>, %special, %ty, %tid, %lane, %tx, %k, %all, %number;
    .reg .b64 %out, %in, %rows, %s<9>;
    mov.u32 %tx, %tid.x; mov.u32 %g1, %ntid.x; mov.u32 %g2, %tid.y; mov.u32 %g3, %ntid.y; mov.u32 %g4, %tid.z;
    mad.lo.u32 %g5, %g4, %g3, %g2; mad.lo.u32 %tid, %g5, %g1, %tx; mov.u32 %lane, %laneid; mov.u32 %k, %ctaid.x;
    mov.u32 %g6, %nctaid.x; mov.u32 %g7, %nctaid.y; mov.u32 %g8, %ctaid.y; mov.u32 %g9, %ctaid.z;
    mad.lo.u32 %g10, %g9, %g7, %g8; mad.lo.u32 %g11, %g10, %g6, %k; mov.u32 %special, {random.choice(SPECIAL)};
    mov.u32 %ty, %tid.y;
    mad.lo.u32 %all, %g11, {writer.threads}, %tid; ld.param.u32 %number, [number];
    ld.param.u64 %s0, [out]; ld.param.u64 %in, [in]; ld.param.u64 %rows, [rows];
    mul.wide.u32 %s1, %all, {bytes_out}; add.s64 %out, %s0, %s1; mul.wide.u32 %s2, %all, 16; add.s64 %s3, %s2, %in;
    ld.global.u32 %a0, [%s3]; ld.global.u32 %a1, [%s3+4]; ld.global.u32 %a2, [%s3+8]; ld.global.u32 %a3, [%s3+12];
    {body}
    ret;
}}
"""
    return FocusedCase(sometimes_widened(text), grid, block, bytes_out)
