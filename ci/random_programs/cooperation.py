# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Statements in which the threads of a block cooperate. All threads execute them, and the order does not matter."""

from __future__ import annotations

from ci.random_programs.expressions import Scope
from ci.random_programs.functions import INEXACT
from ci.random_programs.statements import Node, Statements
from ci.random_programs.types import FLOATS, INTEGERS, SHORT_FLOATS, THREADS

SHUFFLED = ["int", "unsigned", "long", "unsigned long", "long long", "unsigned long long", "float", "double", "__half",
            "__nv_bfloat16"]  # fmt: skip
ATOMIC = {"int": "Add Sub Min Max And Or Xor", "unsigned": "Add Sub Min Max And Or Xor", "long long": "Min Max",
          "unsigned long long": "Add Min Max And Or Xor"}  # fmt: skip


class Cooperation(Statements):
    """Writes statements that belong directly into the kernel."""

    def __init__(self, seed: int, arch: int) -> None:
        super().__init__(seed, arch)
        self.inexact: dict[str, list[tuple[str, int]]] = {"float": [], "double": []}

    def cooperate(self, scope: Scope) -> Node:
        kinds = [
            self.shuffle,
            self.vote,
            self.shared,
            self.atomic,
            self.reduce,
            self.counted,
            self.printed,
            self.function,
        ]
        return self.random.choice(kinds)(scope)

    def new(self, scope: Scope, type_: str, value: str) -> Node:
        name = self.name("v")
        scope.variables.append((name, type_))
        return Node(f"{type_} {name} = {value};")

    def shuffle(self, scope: Scope) -> Node:
        type_, width = self.random.choice(SHUFFLED), self.random.choice([32, 32, 16, 8, 4])
        kind = self.random.choice(["", "_up", "_down", "_xor"])
        lane = str(self.random.randrange(width)) if kind else f"(int)({self.leaf('unsigned', scope)} & 31u)"
        return self.new(scope, type_, f"__shfl{kind}_sync(0xffffffffu, {self.value(type_, scope)}, {lane}, {width})")

    def vote(self, scope: Scope) -> Node:
        kind = self.random.choice(["__ballot_sync", "__any_sync", "__all_sync", "__match_any_sync"])
        if kind == "__match_any_sync":
            type_ = self.random.choice(["unsigned", "unsigned long long", "int"])
            return self.new(
                scope, "unsigned", f"{kind}(0xffffffffu, ({type_})({self.value(type_, scope)} & ({type_})3))"
            )
        name = "unsigned" if kind == "__ballot_sync" else "bool"
        return self.new(
            scope, name, f"{kind}(0xffffffffu, {self.condition(scope, 2)}){'' if name == 'unsigned' else ' != 0'}"
        )

    def counted(self, scope: Scope) -> Node:
        kind = self.random.choice(["_count", "_and", "_or"])
        compared = " != 0" if kind != "_count" else ""
        return self.new(scope, "int", f"__syncthreads{kind}({self.condition(scope, 2)}){compared}")

    def reduce(self, scope: Scope) -> Node:
        if self.arch < 80:
            return self.vote(scope)
        name = self.random.choice(["add", "min", "max", "and", "or", "xor"])
        type_ = "unsigned" if name in ("and", "or", "xor") else self.random.choice(["int", "unsigned"])
        value = self.value(type_, scope)
        # The sum of ints must not overflow.
        return self.new(scope, type_, f"__reduce_{name}_sync(0xffffffffu, ({type_})({value} & ({type_})0xffffff))")

    def shared(self, scope: Scope) -> Node:
        type_, name = self.random.choice([*INTEGERS, *FLOATS, *SHORT_FLOATS]), self.name("s")
        result, other = (
            self.name("v"),
            self.random.choice([f"(t + {self.random.randrange(THREADS)})", f"(t ^ {self.random.randrange(THREADS)})"]),
        )
        text = f"__shared__ {type_} {name}[{THREADS}]; {name}[t] = {self.value(type_, scope)}; __syncthreads(); "
        scope.arrays.append((name, type_, THREADS))
        scope.fixed.add(name)  # from here on it is only read
        scope.variables.append((result, type_))
        return Node(f"{text}{type_} {result} = {name}[{other} & {THREADS - 1}];")

    def atomic(self, scope: Scope) -> Node:
        type_ = self.random.choice(list(ATOMIC))
        name, value = self.random.choice(ATOMIC[type_].split()), self.value(type_, scope)
        place, result, shared = f"{self.leaf('unsigned', scope)} & 7u", self.name("v"), self.name("s")
        scope.variables.append((result, type_))
        text = f"__shared__ {type_} {shared}[8]; if (t < 8) {shared}[t] = ({type_})(t * 77); __syncthreads(); "
        text += f"atomic{name}(&{shared}[{place}], {value}); __syncthreads(); {type_} {result} = {shared}[t & 7];"
        return Node(text)

    def printed(self, scope: Scope) -> Node:
        forms = {
            "int": "%d",
            "unsigned": "%08x",
            "long long": "%lld",
            "unsigned long long": "%llu",
            "double": "%.9g",
            "char": "%d",
        }
        types = [self.random.choice(list(forms)) for _ in range(3)]
        values = [self.value(type_, scope) for type_ in types]
        values = [
            f"({value} != {value} ? 0.0 : {value})" if type_ == "double" else value
            for value, type_ in zip(values, types, strict=True)
        ]
        form, thread = " ".join(forms[each] for each in types), self.random.randrange(THREADS)
        return Node(f'if (t == {thread}) printf("{form} %s\\n", {", ".join(values)}, "end");')

    def function(self, scope: Scope) -> Node:
        """A function whose results differ in the last places: nothing else uses them."""
        name, (type_, count, bound) = self.random.choice(list(INEXACT.items()))
        slots = self.inexact[type_]
        values = ", ".join(self.value(type_, scope) for _ in range(count))
        if self.random.random() < 0.7:
            few = ", ".join(f"({type_})({self.value('short', scope)}) * ({type_})0.001" for _ in range(count))
            values = few
        slots.append((name, bound))
        return Node(f"{type_}s[{len(slots) - 1} * {THREADS} + t] = {name}({values});")
