# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Random statements: a tree of lines, from which a failing program is cut down."""

from __future__ import annotations

import dataclasses

from ci.random_programs.expressions import Expressions, Scope
from ci.random_programs.types import FLOATS, INTEGERS, NUMBERS, VECTORS, wide


@dataclasses.dataclass
class Node:
    """One line or, with `body`, lines in braces between `text` and `tail`."""

    text: str
    body: list[Node] | None = None
    tail: str = "}"

    def lines(self, indent: int = 0) -> list[str]:
        space = "    " * indent
        if self.body is None:
            return [space + self.text]
        inner = [line for node in self.body for line in node.lines(indent + 1)]
        return [f"{space}{self.text} {{" if self.text else f"{space}{{", *inner, space + self.tail]


class Statements(Expressions):
    """Writes statements. Loops end: each has a counter of its own, which nothing else assigns."""

    def __init__(self, seed: int, arch: int) -> None:
        super().__init__(seed, arch)
        self.count = 0

    def name(self, letter: str) -> str:
        self.count += 1
        return f"{letter}{self.count}"

    def block(self, scope: Scope, depth: int, looping: bool, most: int = 4) -> list[Node]:
        inner = Scope(scope)
        return [self.statement(inner, depth, looping) for _ in range(self.random.randrange(1, most + 1))]

    def statement(self, scope: Scope, depth: int, looping: bool) -> Node:
        kinds = [self.declare, self.declare, self.assign, self.assign, self.store, self.vector, self.lambda_]
        if depth:
            kinds += [self.branch, self.branch, self.loop, self.loop, self.switch, self.array]
        if looping:
            kinds.append(self.leave)
        return self.random.choice(kinds)(scope, depth - 1, looping)

    def declare(self, scope: Scope, depth: int = 0, looping: bool = False) -> Node:
        type_, name = self.random.choice(NUMBERS), self.name("v")
        node = Node(f"{type_} {name} = {self.value(type_, scope)};")
        scope.variables.append((name, type_))
        if self.random.random() < 0.15:  # a reference or a pointer to it
            alias = self.name("r")
            node.text += f" {type_} &{alias} = {name};"
            scope.variables.append((alias, type_))
        return node

    def assign(self, scope: Scope, depth: int, looping: bool) -> Node:
        names = [variable for variable in scope.assignable() if variable[1] in NUMBERS]
        if not names:
            return self.declare(scope)
        name, type_ = self.random.choice(names)
        value = self.value(type_, scope)
        if type_ in FLOATS and self.random.random() < 0.4:
            return Node(f"{name} {self.random.choice('+-*/')}= {value};")
        if type_ in INTEGERS and self.random.random() < 0.4:
            sign = self.random.choice("&|^+-")
            if sign in "&|^":
                return Node(f"{name} {sign}= {value};")
            return Node(f"{name} = ({type_})(({wide(type_)}){name} {sign} ({wide(type_)}){value});")
        if type_ in INTEGERS and type_.startswith("unsigned") and self.random.random() < 0.3:
            return Node(f"{name}{self.random.choice(['++', '--'])};")
        return Node(f"{name} = {value};")

    def store(self, scope: Scope, depth: int, looping: bool) -> Node:
        arrays = [array for array in scope.arrays if array[0] not in scope.fixed]
        if not arrays:
            return self.declare(scope)
        name, type_, size = self.random.choice(arrays)
        place = (
            f"{name}[{self.index(size, scope)}]"
            if self.random.random() < 0.7
            else f"*({name} + ({self.index(size, scope)}))"
        )
        return Node(f"{place} = {self.value(type_, scope)};")

    def array(self, scope: Scope, depth: int, looping: bool) -> Node:
        type_, size, name = self.random.choice(NUMBERS), self.random.choice([2, 4, 8, 16]), self.name("a")
        first = self.value(type_, scope, 1)
        text = f"{type_} {name}[{size}]; for (int q = 0; q < {size}; q++) {name}[q] = {first};"
        scope.arrays.append((name, type_, size))
        return Node(text)

    def vector(self, scope: Scope, depth: int, looping: bool) -> Node:
        known = [variable for variable in scope.assignable() if variable[1] in VECTORS]
        if known and self.random.random() < 0.5:
            name, type_ = self.random.choice(known)
            member, count = VECTORS[type_]
            return Node(f"{name}.{'xyzw'[self.random.randrange(count)]} = {self.value(member, scope)};")
        type_, name = self.random.choice(list(VECTORS)), self.name("w")
        member, count = VECTORS[type_]
        values = ", ".join(self.value(member, scope, 1) for _ in range(count))
        scope.variables.append((name, type_))
        return Node(f"{type_} {name} = make_{type_}({values});")

    def lambda_(self, scope: Scope, depth: int, looping: bool) -> Node:
        type_, name = self.random.choice(NUMBERS), self.name("f")
        parameter, inner = self.name("p"), Scope(scope)
        inner.variables.append((parameter, type_))
        capture = self.random.choice(["&", "="])
        value, argument = self.value(type_, inner), self.value(type_, scope, 1)
        result = self.name("v")
        text = f"auto {name} = [{capture}]({type_} {parameter}) -> {type_} {{ return {value}; }};"
        scope.variables.append((result, type_))
        return Node(f"{text} {type_} {result} = {name}({name}({argument}));")

    def branch(self, scope: Scope, depth: int, looping: bool) -> Node:
        node = Node(f"if ({self.condition(scope, 2)})", self.block(scope, depth, looping))
        if self.random.random() < 0.5:
            other = Node("else", self.block(scope, depth, looping))
            return Node("", [Node(node.text, node.body), other])
        return node

    def loop(self, scope: Scope, depth: int, looping: bool) -> Node:
        counter, inner = self.name("i"), Scope(scope)
        inner.variables.append((counter, "int"))
        inner.fixed.add(counter)
        count = self.random.choice(["3", "5", "17", f"(int)({self.leaf('unsigned', scope)} & 7u)"])
        limit = self.name("n")
        body = self.block(inner, depth, True)
        kind = self.random.randrange(4)
        if kind == 0:
            head = f"for (int {counter} = {count}; {counter} > 0; {counter}--)"
        elif kind == 1:
            condition = self.condition(scope, 1)
            return Node(
                f"for (int {counter} = 0, {limit} = {count}; {counter} < {limit} && {condition}; {counter}++)", body
            )
        elif kind == 2:
            return Node(f"int {counter} = 0; do", body, f"}} while (++{counter} < 4 && {self.condition(scope, 1)});")
        else:
            head = f"for (int {counter} = 0, {limit} = {count}; {counter} < {limit}; {counter} += 1)"
        if self.random.random() < 0.3:
            head = "#pragma unroll\n" + head
        return Node(head, body)

    def switch(self, scope: Scope, depth: int, looping: bool) -> Node:
        cases = []
        for label in self.random.sample(range(6), 3):
            cases.append(Node(f"case {label}:", self.block(scope, depth, False, 2)))
            cases += [Node("break;")] if self.random.random() < 0.6 else []
        cases.append(Node("default:", self.block(scope, depth, False, 2)))
        return Node(f"switch ({self.value('unsigned', scope)} % 7u)", cases)

    def leave(self, scope: Scope, depth: int, looping: bool) -> Node:
        return Node(f"if ({self.condition(scope, 1)}) {self.random.choice(['break', 'continue'])};")
