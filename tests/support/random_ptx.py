# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Random PTX kernels with defined results: no data races, no undefined lanes, and they terminate.

A kernel takes `out` (WORDS words for each thread), `in` (64 words for each thread and READABLE more), `sums` (SUMS
words that atomics change), `rows` (ROWS words for each thread, as arrays over all threads), a number, and `long` (LONG
words and some).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random

from support import random_lines as lines
from support import random_patterns as patterns
from support import random_synchronisation as synchronisation
from support import random_tiles as tiles
from support.random_atomics import ordered
from support.random_case import BLOCKS, EVEN, GRIDS, Case, Size
from support.random_frame import FRESH, NAMES, assemble
from support.random_lines import CONSTANTS, OF_LETTER, UNIFORM, VARIABLES

PREDICATES = ["%p2", "%p3", "%p4", "%p5"]  # temporaries within one statement


@dataclass(frozen=True)
class Context:
    """Properties of the threads that run a statement."""

    depth: int = 0
    uniform: bool = True  # all live threads of the block reach it together
    lanes: tuple[int, int] | None = (0, 0)  # lanes with (lane & first) == second reach it together; None: unknown
    loop: tuple[str, str] | None = None  # labels of the next iteration and the end

    def inside(self, *, same: bool, **changes: object) -> Context:
        """Return a context within a branch or loop; with `same`, the branch is uniform."""
        return replace(self, depth=self.depth + 1, uniform=self.uniform and same,
                       lanes=self.lanes if same else None, **changes)  # fmt: skip


class Writer:
    """Writes a kernel. With early returns, no warp operation names a lane that may have exited."""

    def __init__(self, random: Random, grid: Size, block: Size, *, barriers: bool, warps: bool, leaves: bool):
        self.random = random
        self.barriers, self.warps, self.leaves = barriers, warps, leaves
        self.block_size = block
        self.threads = threads = math.prod(block)  # of a block
        self.all_threads = threads * math.prod(grid)
        self.full = threads % 32 == 0  # all warps have 32 lanes
        self.apart = random.random() < 0.3  # warps may wait for each other in any way
        self.counts = self.full and not leaves  # barriers may count threads
        self.plain = random.random() < 0.4  # warps mostly stay converged, as in real programs
        self.shares = barriers or warps or random.random() < 0.3  # else no thread sees what others write
        self.operations = [*lines.INTEGERS * 2, *lines.MEMORY, *lines.SHARED, *lines.OTHERS, *lines.CALLS * 3,
                           *(lines.WALKS if random.random() < 0.5 else lines.STEPS)]  # fmt: skip
        if self.plain:
            self.operations = lines.INTEGERS + lines.OTHERS + lines.CALLS * 2
        self.names = 0
        self.registers: Counter[str] = Counter()
        self.most_rounds = patterns.MOST_ROUNDS
        self.long = patterns.choose_long(random, self.all_threads)
        self.tile_index = ""  # the word that a thread brings to a tile
        self.remembered: list[str] = []  # registers that are written once, for all statements to come

    def name(self) -> int:
        self.names += 1
        return self.names

    def new(self, letter: str) -> str:
        """Return a register that nothing else uses."""
        self.registers[letter] += 1
        return f"%{letter}{self.registers[letter] % NAMES}"

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def source(self) -> str:
        return self.random.choice(VARIABLES * 3 + UNIFORM + CONSTANTS)

    def fill(self, line: str) -> str:
        """Choose registers and constants for the letters of a line; letters in ANEW get a new one at each use."""
        chosen: dict[str, str] = {}

        def pick(found: re.Match) -> str:
            letter = found[1]
            value = self.source() if letter in "abc" else str(self.random.choice(OF_LETTER[letter]))
            return value if letter in lines.ANEW else chosen.setdefault(letter, value)

        return self.fresh(re.sub(r"\$(\w)", pick, line))

    def fresh(self, line: str) -> str:
        """Give a line its own temporary registers: shared ones would hide affine indices from the compiler."""
        number = self.name() % FRESH
        if self.chance(0.1):
            return line
        names = {"%t7": f"%w{3 * number}", "%t8": f"%w{3 * number + 1}", "%t12": f"%w{3 * number + 2}",
                 "%d5": f"%z{2 * number}", "%d0": f"%z{2 * number + 1}"}  # fmt: skip
        return re.sub(r"%(t7|t8|t12|d5|d0)\b", lambda found: names[found[0]], line)

    def compute(self) -> str:
        if self.chance(0.25) and not self.plain:
            return self.use_row()
        return self.fill(self.random.choice(self.operations))

    def use_row(self) -> str:
        """Compute an affine register from another one, and use it."""
        use = self.random.choice(lines.USES)
        if self.chance(0.3):
            return self.fill(use)
        step = re.sub(r"\$[BC]", lambda found: self.random.choice(lines.ROW), self.random.choice(lines.STEPS[:-1]))
        return self.fill(f"{step} {use}".replace("$A", "%t12"))

    def condition(self, predicate: str) -> str:
        if self.chance(0.1):
            return self.fill(f"setp.{self.random.choice(['lt', 'ge', 'neu'])}.f32 {predicate}, $X, $X;")
        if self.chance(0.3):
            return self.row_condition(predicate)
        comparison, register = self.random.choice(lines.COMPARISONS), self.random.choice(VARIABLES)
        condition = f"setp.{comparison} {predicate}, {register}, {self.source()};"
        if self.chance(0.1):  # properties of the predicate are unknown now
            return self.fill(f"{self.row_condition(predicate)} selp.u32 $d, $a, 9, {predicate}; {condition}")
        return condition

    def row_condition(self, predicate: str) -> str:
        """Return a condition on one or two affine registers."""
        random, other = self.random, self.new("k")

        def comparison() -> str:
            return f"{random.choice(lines.ROW)}, {random.choice(lines.BOUNDS)}"

        first, second = random.choice(lines.COMPARISONS), random.choice(lines.COMPARISONS)
        name, _, type_ = second.partition(".")
        return random.choice([
            f"setp.{first} {predicate}, {comparison()};",
            f"setp.{first} {other}, {comparison()}; setp.{name}.{random.choice(['and', 'or'])}.{type_} {predicate},"
            f" {comparison()}, {random.choice(['', '!'])}{other};",
            f"setp.{first} {other}, {comparison()}; setp.{second} {predicate}, {comparison()};"
            f" {random.choice(['and', 'or'])}.pred {predicate}, {other}, {predicate};",
        ])  # fmt: skip

    def uniform_condition(self, predicate: str) -> str:
        register = self.random.choice(UNIFORM)
        bits = self.new("v")
        return f"and.b32 {bits}, {register}, {self.random.choice([1, 2, 3])}; setp.eq.u32 {predicate}, {bits}, 0;"

    def warp_condition(self, predicate: str) -> str:
        """Return a condition that is uniform in each warp."""
        mixed = f"shr.u32 %t7, %t0, 5; add.u32 %t7, %t7, {self.random.choice(UNIFORM)};"
        return f"{mixed} and.b32 %t7, %t7, 1; setp.eq.u32 {predicate}, %t7, 0;"

    def block(self, context: Context) -> str:
        return "\n".join(self.statement(context) for _ in range(self.random.randrange(1, 4)))

    def statement(self, context: Context) -> str:
        kinds: list[Callable[[Writer, Context], str]] = [calculate] * 4 + [guarded] * 2
        kinds += [lock_or_swap] * self.apart * 4
        kinds += [pattern] * 3 + [recall] * min(3, len(self.remembered))
        if context.depth == 0:
            kinds += [remember] * 3
        if context.depth < 3:
            kinds += [branch, branch, loop, switch]
        if context.uniform:
            kinds += [change_uniform, ordered]
            kinds += self.barriers * (synchronisation.OF_BLOCKS * 2 + synchronisation.APART * self.apart)
            kinds += self.barriers * (tiles.OF_TILES + [tiles.meet_apart] * (self.apart and not self.warps))
        if self.warps and context.lanes is not None:
            kinds += [synchronisation.warp_operation] * 3 + [synchronisation.exchange_in_warp, synchronisation.shrink]
            kinds += [ordered] * (not context.lanes[0])
            kinds += [split_lanes, branch_by_warp] if context.depth < 3 else []
            kinds += tiles.OF_WARPS * (self.full and not context.lanes[0])
        if self.leaves:
            kinds += [leave]
        if context.loop and not self.warps:
            kinds += [break_out]
        if self.plain and self.chance(0.9):
            kinds = self.plain_statements(context)
        text = self.random.choice(kinds)(self, context)
        return self.separate(text) if self.shares or ".shared" not in text else self.statement(context)

    def plain_statements(self, context: Context) -> list[Callable[[Writer, Context], str]]:
        kinds = [calculate, patterns.stride_loop, patterns.stride_loop, patterns.gather, patterns.histogram]
        kinds += [remember] * (context.depth == 0) + [recall] * bool(self.remembered)
        if context.depth < 2 and context.uniform:
            kinds += [branch_together, loop_together]
        if self.barriers and context.uniform:
            kinds += [
                *tiles.OF_TILES,
                synchronisation.exchange,
                synchronisation.tell_all,
                synchronisation.barrier_reduction,
                ordered,
            ]
        if self.warps and self.full and context.lanes == (0, 0):
            kinds += tiles.OF_WARPS
        return kinds

    def separate(self, text: str) -> str:
        """Mostly give a statement its own predicates: in one that others also write, lanes might differ."""
        for name in PREDICATES:
            if name in text and self.chance(0.8):
                text = text.replace(name, self.new("k"))
        return text


# --- statements ---------------------------------------------------------------------------------------


def calculate(writer: Writer, context: Context) -> str:
    return writer.compute()


def remember(writer: Writer, context: Context) -> str:
    """Write a new register once, which later statements read: after barriers, in loops, in some lanes."""
    predicate = writer.chance(0.3)
    name = writer.new("k" if predicate else "v")
    writer.remembered.append(name)
    if predicate:
        return writer.random.choice([writer.condition, writer.warp_condition, writer.uniform_condition])(name)
    sources = writer.random.choice([lines.CALLS, lines.CALLS, lines.STEPS[:-1], lines.INTEGERS, lines.MEMORY])
    line = writer.random.choice([each for each in sources if "$d" in each or "$A" in each])
    if "$A" in line:  # from one row to another
        line = re.sub(r"\$[BC]", lambda found: writer.random.choice(lines.ROW), line)
    return writer.fill(re.sub(r"\$[dA]", name, line))


def recall(writer: Writer, context: Context) -> str:
    name, number = writer.random.choice(writer.remembered), writer.name()
    if name.startswith("%k"):
        forms = [f"selp.u32 $d, $a, 7, {name};", f"@{name} add.u32 $d, $a, 5;",
                 f"@!{name} bra R{number};\nred.shared.add.u32 [cells], $a; add.u32 $d, $d, 3;\nR{number}:",
                 ]  # fmt: skip
    else:
        forms = [f"add.u32 $d, {name}, $a;", f"setp.lt.s32 %p4, {name}, $a; selp.u32 $d, {name}, $a, %p4;",
                 f"and.b32 %t7, {name}, 63; mul.wide.u32 %d5, %t7, 4; add.s64 %d5, %d2, %d5; ld.global.u32 $d, [%d5];",
                 f"setp.lt.u32 %p4, {name}, 128; mul.wide.u32 %d5, {name}, 4; add.s64 %d5, %d5, %d2;"
                 " @%p4 ld.global.u32 $d, [%d5];"]  # fmt: skip
    return writer.fill(writer.random.choice(forms))


def pattern(writer: Writer, context: Context) -> str:
    return writer.random.choice(patterns.ANYWHERE)(writer, context)


def guarded(writer: Writer, context: Context) -> str:
    operation = writer.fill(writer.random.choice(lines.GUARDED))
    return f"{writer.condition('%p4')} @{writer.random.choice(['', '!'])}%p4 {operation}"


def change_uniform(writer: Writer, context: Context) -> str:
    random = writer.random
    operation = random.choice(["add.u32", "mul.lo.u32", "xor.b32", "min.u32"])
    return f"{operation} {random.choice(UNIFORM)}, {random.choice(UNIFORM)}, {random.choice([*UNIFORM, '3', '5'])};"


def lock_or_swap(writer: Writer, context: Context) -> str:
    """Add to a shared word under a lock, or in a compare-and-swap loop."""
    number, value = writer.name(), writer.source()
    if writer.chance(0.3):
        return f"""L{number}: atom.global.cas.b32 %t7, [%d4+72], 0, 1; setp.ne.u32 %p3, %t7, 0;
@%p3 bra L{number};
membar.gl; ld.volatile.global.u32 %t7, [%d4+76]; add.u32 %t7, %t7, {value};
st.volatile.global.u32 [%d4+76], %t7; membar.gl;
atom.global.exch.b32 %t7, [%d4+72], 0;"""
    space, where = writer.random.choice([("global", "%d4+80"), ("shared", "cells+8")])
    return f"""ld.volatile.{space}.u32 %t7, [{where}];
L{number}: mad.lo.u32 %t8, {value}, 3, %t7; atom.{space}.cas.b32 %t12, [{where}], %t7, %t8;
setp.ne.u32 %p3, %t12, %t7; mov.u32 %t7, %t12;
@%p3 bra L{number};"""


def branch(writer: Writer, context: Context, likely: float = 0.4) -> str:
    same = writer.chance(likely)
    condition = writer.uniform_condition("%p2") if same else writer.condition("%p2")
    return _branch(writer, condition, context.inside(same=same))


def branch_together(writer: Writer, context: Context) -> str:
    return branch(writer, context, 1)


def branch_by_warp(writer: Writer, context: Context) -> str:
    return _branch(writer, writer.warp_condition("%p2"), replace(context.inside(same=True), uniform=False))


def _branch(writer: Writer, condition: str, inside: Context) -> str:
    number = writer.name()
    if writer.chance(0.5):
        return f"{condition}\n@%p2 bra S{number};\n{writer.block(inside)}\nS{number}:"
    first, second = writer.block(inside), writer.block(inside)
    return f"{condition}\n@%p2 bra S{number};\n{first}\nbra.uni T{number};\nS{number}:\n{second}\nT{number}:"


def loop_together(writer: Writer, context: Context) -> str:
    return loop(writer, context, 1)


def loop(writer: Writer, context: Context, likely: float = 0.5) -> str:
    number, same = writer.name(), writer.chance(likely)
    counter, limit = f"%i{number % 99}", f"%n{number % 99}"
    most = writer.random.choice([3, 3, 3, 7, 15 if context.depth == 0 else 1])
    register = writer.random.choice(UNIFORM if same else VARIABLES + lines.AFFINE)
    inside = context.inside(same=same, loop=None if same else (f"S{number}", f"T{number}"))
    start = f"and.b32 {limit}, {register}, {most}; mov.u32 {counter}, 0;"
    step = f"S{number}: add.u32 {counter}, {counter}, 1;"
    body = writer.block(inside)
    if writer.chance(0.5):  # tested at the end
        again = f"setp.le.u32 %p3, {counter}, {limit};\n@%p3 bra L{number};"
        return f"{start}\nL{number}:\n{body}\n{step}\n{again}\nT{number}:"
    test = f"L{number}: setp.ge.u32 %p3, {counter}, {limit};\n@%p3 bra T{number};"
    return f"{start}\n{test}\n{body}\n{step}\nbra.uni L{number};\nT{number}:"


def switch(writer: Writer, context: Context) -> str:
    number, arms, same = writer.name(), writer.random.choice([2, 3, 4]), writer.chance(0.3)
    register = writer.random.choice(UNIFORM if same else VARIABLES + lines.AFFINE)
    labels = [f"A{number}_{writer.random.randrange(arms)}" for _ in range(4)]
    text = f"B{number}: .branchtargets {', '.join(labels)};\nand.b32 %t7, {register}, 3;\nbrx.idx %t7, B{number};\n"
    for arm in range(arms):
        text += f"A{number}_{arm}:\n{writer.block(context.inside(same=same))}\n"
        text += f"bra.uni T{number};\n" if writer.chance(0.7) else ""
    return text + f"T{number}:"


def leave(writer: Writer, context: Context) -> str:
    if writer.chance(0.2):
        return writer.fill(lines.call("quits", "$d", "$a", "$b"))
    return f"{writer.condition('%p5')} @%p5 {writer.random.choice(['bra DONE', 'ret', 'exit'])};"


def break_out(writer: Writer, context: Context) -> str:
    return f"{writer.condition('%p5')} @%p5 bra {writer.random.choice(context.loop)};"


def split_lanes(writer: Writer, context: Context) -> str:
    """Diverge by one bit of the lane number, so that each side knows its lanes."""
    number, bit = writer.name(), 1 << writer.random.randrange(5)
    fixed, value = context.lanes
    if fixed & bit:
        return writer.compute()
    text = f"and.b32 %t7, %t10, {bit}; setp.ne.u32 %p2, %t7, 0;\n@%p2 bra S{number};\n"
    deeper = replace(context, depth=context.depth + 1, uniform=False)
    text += writer.block(replace(deeper, lanes=(fixed | bit, value))) + f"\nbra.uni T{number};\nS{number}:\n"
    return text + writer.block(replace(deeper, lanes=(fixed | bit, value | bit))) + f"\nT{number}:"


def structured(random: Random) -> Case:
    """Return a kernel of nested branches, loops, switches, barriers and warp operations."""
    grid, block = random.choice(GRIDS), random.choice(random.choice([BLOCKS, EVEN]))
    barriers, warps = random.random() < 0.6, random.random() < 0.5
    leaves = not warps and random.random() < 0.7
    writer = Writer(random, grid, block, barriers=barriers, warps=warps, leaves=leaves)
    body = "\n".join(writer.statement(Context()) for _ in range(random.randrange(2, 8)))
    return Case(assemble(body, meets=barriers), grid, block)


def streaming(random: Random) -> Case:
    """Return a kernel that starts with grid-stride loops, like memory-bound kernels."""
    grid, block = (
        random.choice([(24, 1, 1), (12, 1, 1), (4, 6, 1), (7, 1, 1)]),
        random.choice([(64, 1, 1), (64, 1, 1), (32, 2, 1), (48, 1, 1), (128, 1, 1)]),
    )
    writer = Writer(random, grid, block, barriers=random.random() < 0.3, warps=False, leaves=random.random() < 0.2)
    writer.plain, writer.most_rounds = True, 18 * writer.all_threads
    writer.long = replace(writer.long, written=random.random() < 0.25)
    statements = [calculate] * random.randrange(2) + [patterns.stride_loop]
    body = [writer.separate(statement(writer, Context())) for statement in statements]
    body += [writer.statement(Context()) for _ in range(random.randrange(3))]
    return Case(assemble("\n".join(body), meets=writer.barriers), grid, block)
