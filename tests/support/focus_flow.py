# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Statements of short random kernels with divergent control flow and values that live across it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from support.random_focus import Writer

CHANGES = [
    "add.u32 $v, $v, $w;", "mad.lo.u32 $v, $w, 3, $x;", "xor.b32 $v, $w, $x;", "sub.u32 $v, $w, 7;", "mov.u32 $v, $w;",
    "min.s32 $v, $v, $w;", "mov.u32 $v, %lane;", "add.u32 $v, $v, 1;", "add.u32 $v, $w, %tx;", "shl.b32 $v, $w, 1;",
    "mov.u32 $v, 5;", "and.b32 $v, %lane, 24;",
    "and.b32 $v, %tx, 31;", "shr.u32 $v, %tx, 5;", "mov.u32 $v, %k;", "add.u32 $v, %tid, $w;",
]  # fmt: skip
UNIFORM = ["and.b32 $t, %k, 1; setp.eq.u32 $p, $t, 0;", "setp.gt.u32 $p, %number, 2;", "setp.lt.u32 $p, %k, 1;"]


class Program:
    """A small program over a few variables."""

    def __init__(self, writer: Writer) -> None:
        self.writer = writer
        self.variables = [writer.new() for _ in range(writer.random.randrange(2, 5))]
        self.predicates = [writer.new("p") for _ in range(2)]
        self.out: str | None = None  # label after the innermost loop

    def assign(self) -> str:
        """Change a variable, perhaps in some lanes only."""
        random = self.writer.random
        text = random.choice(CHANGES)
        for letter in "vwx":
            text = text.replace(f"${letter}", random.choice(self.variables))
        if random.random() < 0.25:
            return f"@{random.choice(['', '!'])}{random.choice(self.predicates)} {text}"
        return text

    def compare(self) -> str:
        """Change a predicate."""
        random, predicate = self.writer.random, self.writer.random.choice(self.predicates)
        if random.random() < 0.3:
            return self.writer.condition(predicate)
        a, b = random.choice(self.variables), random.choice([*self.variables, "%a0", "9", "%lane"])
        return f"setp.{random.choice(['lt.s32', 'gt.u32', 'ne.u32', 'le.s32'])} {predicate}, {a}, {b};"

    def condition(self) -> tuple[str, str]:
        """Return lines and a predicate: per lane, uniform, or one computed before."""
        random = self.writer.random
        if random.random() < 0.3:
            return "", random.choice(self.predicates)
        predicate = self.writer.new("p")
        if random.random() < 0.25:
            return random.choice(UNIFORM).replace("$p", predicate).replace("$t", self.writer.new()), predicate
        if random.random() < 0.5:
            return self.writer.condition(predicate), predicate
        comparison = random.choice(["lt.s32", "gt.u32"])
        return f"setp.{comparison} {predicate}, {random.choice(self.variables)}, %a1;", predicate

    def branch(self, depth: int) -> str:
        lines, predicate = self.condition()
        over, random = self.writer.label(), self.writer.random
        head = f"{lines} @{random.choice(['', '!'])}{predicate} bra"
        if random.random() < 0.5:
            return f"{head} {over}; {self.block(depth + 1)} {over}:"
        other = self.writer.label()
        return f"{head} {other}; {self.block(depth + 1)} bra {over}; {other}: {self.block(depth + 1)} {over}:"

    def loop(self, depth: int) -> str:
        """Iterate up to four times, with a separate count for each lane."""
        writer, random = self.writer, self.writer.random
        count, limit, predicate = writer.new(), writer.new(), writer.new("p")
        again, out = writer.label(), writer.label()
        bound = random.choice(["%a1", "%k", "%lane", "%number", random.choice(self.variables)])
        outer, self.out = self.out, out
        body = self.block(depth + 1)
        self.out = outer
        return (
            f"mov.u32 {count}, 0; and.b32 {limit}, {bound}, 3; {again}: {body} add.u32 {count}, {count}, 1;"
            f" setp.le.u32 {predicate}, {count}, {limit}; @{predicate} bra {again}; {out}:"
        )

    def leave_loop(self) -> str:
        lines, predicate = self.condition()
        return f"{lines} @{predicate} bra {self.out};"

    def switch(self, depth: int) -> str:
        writer, random = self.writer, self.writer.random
        arms, over, table, index = [writer.label() for _ in range(3)], writer.label(), writer.label(), writer.new()
        targets = [arms[0], arms[1], random.choice(arms), arms[2]]
        by = random.choice(["%a1", "%k", "%lane", "%number", random.choice(self.variables)])
        text = f"and.b32 {index}, {by}, 3; {table}: .branchtargets {', '.join(targets)}; brx.idx {index}, {table};"
        for number, arm in enumerate(arms):
            end = f"bra {over};" if number < 2 and random.random() < 0.6 else ""
            text += f" {arm}: {self.block(depth + 1)} {end}"
        return f"{text} {over}:"

    def call(self) -> str:
        result, random = self.writer.random.choice(self.variables), self.writer.random
        return f"call ({result}), {random.choice(['early', 'rounds', 'plus'])}, ({random.choice(self.variables)}, %a1);"

    def leave(self) -> str:
        """Let some threads store their values and exit."""
        lines, predicate = self.condition()
        over, random = self.writer.label(), self.writer.random
        if random.random() < 0.5:
            return f"{lines} @{predicate} {random.choice(['ret', 'exit'])};"
        return f"{lines} @{predicate} bra {over}; {self.assign()} {self.writer.store(self.variables[0])} ret; {over}:"

    def block(self, depth: int) -> str:
        """Return a few statements."""
        random, texts = self.writer.random, []
        for _ in range(random.choice([1, 2, 2, 3])):
            kinds = [self.assign] * 4 + [self.compare]
            kinds += [self.leave_loop] * (self.out is not None) + [self.call] * (random.random() < 0.2)
            kinds += [self.leave] * (self.writer.leaves and random.random() < 0.3)
            nested = [self.branch, self.branch, self.loop, self.switch] if depth < 3 else []
            kind = random.choice([*kinds, *nested])
            texts.append(kind(depth) if kind in nested else kind())
        return " ".join(texts)


def program(writer: Writer) -> str:
    """Run a small program of branches, loops and switches over variables, which are stored at its end."""
    made = Program(writer)
    values = [writer.choice(writer.source(), "%lane", "3", "%k") for _ in made.variables]
    first = " ".join(f"mov.u32 {each}, {value};" for each, value in zip(made.variables, values, strict=True))
    first += " " + " ".join(writer.condition(each) for each in made.predicates)
    kinds = [made.branch, made.branch, made.loop, made.switch]
    texts = []
    for _ in range(writer.random.randrange(1, 3)):
        texts += [writer.random.choice(kinds)(0), made.assign()]
        if writer.chance(0.2):
            texts.append("bar.sync 0;")
    stores = " ".join(writer.store(each) for each in made.variables)
    held = ""
    for predicate in made.predicates:
        bit = writer.new()
        held += f" selp.b32 {bit}, 1, 2, {predicate}; {writer.store(bit)}"
    return f"{first} {' '.join(texts)} {stores}{held}"


def guarded(writer: Writer) -> str:
    """Keep values alive whose only readers are guarded instructions: after branches, in some lanes."""
    text, stores = "", ""
    for _ in range(writer.random.randrange(1, 4)):
        value, predicate = writer.new(), writer.new("p")
        text += f" mov.u32 {value}, {writer.operand()}; {writer.condition(predicate)}"
        change = writer.choice(f"mov.u32 {value}, {writer.source()};", f"add.u32 {value}, {writer.source()}, %tx;",
                               f"ld.global.u32 {value}, [%in+{4 * writer.random.randrange(9)}];")  # fmt: skip
        stores += f" @{writer.choice('', '!')}{predicate} {change} {writer.store(value)}"
    other = writer.new()
    return f"{text} {writer.some(f'mov.u32 {other}, %lane; {writer.store(other)}')} {stores}"


def barrier(writer: Writer) -> str:
    """Keep values of all types alive across block barriers, perhaps in a loop, and read what other threads wrote."""
    random, name = writer.random, writer.variable("shared", 4 * writer.threads, 4)
    kept, mine, other, location = [writer.new() for _ in range(4)], writer.new(), writer.new(), writer.new()
    held, low, bit = writer.new("p"), writer.new(), writer.new("p")
    a, b = writer.source(), writer.source()
    text = (
        f"add.u32 {kept[0]}, %tx, 5; mul.lo.u32 {kept[1]}, {a}, 3; add.u32 {kept[2]}, {kept[0]}, {b};"
        f" mov.u32 {kept[3]}, %number; {writer.condition(held)} mov.u32 {location}, {name};"
        f" mad.lo.u32 {mine}, %tid, 4, {location}; st.shared.u32 [{mine}], {a};"
        f" add.u32 {other}, %tid, {random.choice([1, 33, 16])}; rem.u32 {other}, {other}, {writer.threads};"
        f" mad.lo.u32 {other}, {other}, 4, {location};"
    )
    change = writer.some(f"add.u32 {kept[1]}, {kept[1]}, 1; add.u32 {kept[0]}, {kept[0]}, 2;")
    partly = random.choice([  # a register that is written, by some lanes, but not read
        "", f"@{held} mov.u32 {kept[1]}, {a};", writer.some(f"mov.u32 {kept[1]}, {b};"),
        writer.some(f"mov.u32 {kept[2]}, {a}; mov.u32 {kept[3]}, %lane;"),
    ])  # fmt: skip
    add = f"@{held} add.u32 {kept[2]}, {kept[2]}, {low};"
    low_too = writer.choice(  # the number of threads with the predicate, or whether any or all have it
        f"ld.shared.u32 {low}, [{other}];", f"bar.red.popc.u32 {low}, 0, {held};",
        f"bar.red.{writer.choice('and', 'or')}.pred {bit}, 0, {held}; selp.b32 {low}, 7, %lane, {bit};",
    )  # fmt: skip
    meet = f"bar.sync 0; {low_too} {writer.choice(partly, add, partly + add)} bar.sync 0;"
    more = writer.choice("1", "%number", "%ty")
    stays = random.choice(["", f"add.u32 {kept[0]}, {kept[0]}, {more};", f"xor.b32 {kept[1]}, {kept[1]}, {low};"])
    if writer.leaves:
        some = writer.new("p")
        leave = f"{writer.condition(some)} @{some} ret;" if writer.chance(0.5) else ""
        meet = f"bar.sync 0; mov.u32 {low}, 4; {writer.choice(partly, add)} {leave} bar.sync 0;"
    middle = f"{change} {meet} {stays}"
    if writer.chance(0.4):
        count, predicate, again = writer.new(), writer.new("p"), writer.label()
        store = f"st.shared.u32 [{mine}], {kept[1]};" if not writer.leaves else ""
        text += (
            f" mov.u32 {count}, 0; {again}: {middle} {store} add.u32 {count}, {count}, 1;"
            f" setp.lt.u32 {predicate}, {count}, {random.choice(['2', '3', '%number'])}; @{predicate} bra {again};"
        )
    else:
        text += f" {middle}"
    bit = writer.new()
    return f"{text} {' '.join(writer.store(each) for each in kept)} selp.b32 {bit}, 1, 2, {held}; {writer.store(bit)}"
