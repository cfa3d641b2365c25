# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Whole random programs: structures, functions, and a kernel that records its variables."""

from __future__ import annotations

import dataclasses
import random

from ci.random_programs.classes import HELPERS, Classes
from ci.random_programs.expressions import Scope
from ci.random_programs.statements import Node
from ci.random_programs.types import INTEGERS, NUMBERS, PREAMBLE, THREADS, VECTORS

INPUTS = ["int", "unsigned", "long long", "unsigned long long", "short", "unsigned char", "float", "double"]
SLOTS = 4096  # at most this many values are recorded of a thread


@dataclasses.dataclass
class Program:
    """A program as a tree, and how to compile and to compare it."""

    seed: int
    arch: str
    std: str
    optimise: bool
    parts: list[Node]
    inexact: dict[str, list[tuple[str, int]]]

    def text(self) -> str:
        return PREAMBLE + HELPERS + "\n".join(line for node in self.parts for line in node.lines()) + "\n"


class Writer(Classes):
    """Writes one program."""

    def structure(self, index: int) -> tuple[Node, list[tuple[str, str]]]:
        """Return a structure and its members that are numbers."""
        name, members = f"S{index}", []
        fields = []
        for _ in range(self.random.randrange(2, 6)):
            type_, member = self.random.choice(NUMBERS), self.name("m")
            if type_ in INTEGERS and self.random.random() < 0.25:
                bits = self.random.randrange(1, INTEGERS[type_] + 1)
                fields.append(
                    Node(f"{type_.replace('char', 'signed char') if type_ == 'char' else type_} {member} : {bits};")
                )
            else:
                fields.append(Node(f"{type_} {member};"))
            members.append((member, type_))
        extra = self.random.choice(
            ["", "int more[3];", "float4 four;", "union { unsigned word; unsigned char bytes[4]; };"]
        )
        fields += [Node(extra)] if extra else []
        return Node(f"struct {name}", fields, "};"), members

    def device_function(self, scope: Scope) -> Node:
        name, inner = self.name("fn"), Scope()
        inner.functions = list(scope.functions)
        result = self.random.choice(NUMBERS)
        arguments = [self.random.choice(NUMBERS) for _ in range(self.random.randrange(1, 4))]
        named = [(self.name("p"), type_) for type_ in arguments]
        inner.variables += named
        inline = self.random.choice(["D", "__device__ __noinline__", "static __device__"])
        head = f"{inline} {result} {name}({', '.join(f'{type_} {each}' for each, type_ in named)})"
        body = self.block(inner, 2, False, 3)
        if self.random.random() < 0.4:
            body.append(Node(f"if ({self.condition(inner, 1)}) return {self.value(result, inner)};"))
        body.append(Node(f"return {self.value(result, inner)};"))
        scope.functions.append((name, result, arguments))
        return Node(head, body)

    def updating_function(
        self, scope: Scope, structure: str, members: list[tuple[str, str]]
    ) -> tuple[Node, str, list[str]]:
        """Return a function that changes what it gets by reference, by address and in a structure."""
        name, inner = self.name("up"), Scope()
        inner.functions = list(scope.functions)
        types = [self.random.choice(NUMBERS) for _ in range(2)]
        inner.variables = [("x", types[0]), ("(*y)", types[1])]
        inner.variables += [(f"s.{member}", type_) for member, type_ in members]
        form = self.random.choice(["&s", "s"])
        inline = self.random.choice(["", "__noinline__"])
        head = f"__device__ {inline} {structure} {name}({types[0]} &x, {types[1]} *y, {structure} {form})"
        changes = [self.assign(inner, 0, False) for _ in range(4)]
        return Node(head, [*self.block(inner, 2, False, 3), *changes, Node("return s;")]), name, types

    def inputs(self, scope: Scope) -> list[Node]:
        nodes = []
        for index, type_ in enumerate(INPUTS):
            name, word = self.name("x"), f"in[t * {len(INPUTS)} + {index}]"
            value = (
                f"({type_}){word}"
                if type_ in INTEGERS
                else f"bits_as<{type_}>({'(unsigned)' * (type_ == 'float')}{word})"
            )
            nodes.append(Node(f"{type_} {name} = {value};"))
            scope.variables.append((name, type_))
        return nodes

    def program(self) -> Program:
        scope, parts, structures = Scope(), [], {}
        for index in range(self.random.randrange(1, 3)):
            node, structures[f"S{index}"] = self.structure(index)
            parts.append(node)
        parts.append(
            Node(f"__constant__ int table[8] = {{{', '.join(str(self.random.randrange(-9, 99)) for _ in range(8))}}};")
        )
        parts += [self.device_function(scope) for _ in range(self.random.randrange(0, 4))]
        updates = []
        parts += [node for _ in range(self.random.randrange(2)) for node in self.hierarchy(scope)]
        for structure, members in structures.items():
            node, name, types = self.updating_function(scope, structure, members)
            parts.append(node)
            updates.append((structure, name, types))
        body = [Node("int t = threadIdx.x;"), *self.inputs(scope)]
        scope.variables.append(("t", "int"))
        scope.arrays.append(("table", "int", 8))
        scope.fixed |= {"t", "table"}
        for _ in range(self.random.randrange(3, 9)):
            forms = [lambda: self.statement(scope, 3, False), lambda: self.statement(scope, 3, False),
                     lambda: self.cooperate(scope), lambda: self.template(scope),
                     lambda: self.advanced(scope), lambda: self.advanced(scope)]  # fmt: skip
            body.append(self.random.choice(forms)())
        for structure, name, types in updates:
            body += self.update(scope, structure, structures[structure], name, types)
        body += [self.cooperate(scope), *self.records(scope)]
        parts.append(
            Node('extern "C" __global__ void k(const u64 *in, u64 *out, float *floats, double *doubles)', body)
        )
        return Program(0, "", "", True, parts, self.inexact)

    def update(
        self, scope: Scope, structure: str, members: list[tuple[str, str]], name: str, types: list[str]
    ) -> list[Node]:
        first, second, object_, result = self.name("v"), self.name("v"), self.name("o"), self.name("o")
        nodes = [
            Node(f"{type_} {each} = {self.value(type_, scope)};")
            for each, type_ in zip((first, second), types, strict=True)
        ]
        scope.variables += [(first, types[0]), (second, types[1])]
        nodes.append(Node(f"{structure} {object_} = {{}};"))
        nodes += [Node(f"{object_}.{member} = {self.value(type_, scope)};") for member, type_ in members]
        call = f"{name}({first}, &{second}, {object_})"
        if self.random.random() < 0.4:
            nodes.append(Node(f"{structure} {result} = {object_}; for (int q = 0; q < 3; q++) {result} = {call};"))
        else:
            nodes.append(Node(f"{structure} {result} = {call};"))
        for each in (object_, result):
            scope.variables += [(f"{each}.{member}", type_) for member, type_ in members]
        return nodes

    def template(self, scope: Scope) -> Node:
        kind = self.random.randrange(3)
        if kind == 0:
            type_ = self.random.choice(["unsigned", "unsigned long long", "float", "double", "unsigned char"])
            return self.new(scope, type_, f"repeated<{self.random.randrange(9)}>({self.value(type_, scope)})")
        type_ = self.random.choice([*INTEGERS, "float", "double"])
        if kind == 1:
            return self.new(scope, type_, f"larger<{type_}>({self.value(type_, scope)}, {self.value(type_, scope)})")
        inner = Scope(scope)
        inner.variables.append(("z", type_))
        value = f"twice([&]({type_} z) {{ return {self.value(type_, inner)}; }}, {self.value(type_, scope)})"
        return self.new(scope, type_, value)

    def records(self, scope: Scope) -> list[Node]:
        """Return the statements that store all variables."""
        values = [name for name, type_ in scope.variables if type_ in NUMBERS]
        values += [
            f"{name}.{'xyzw'[i]}"
            for name, type_ in scope.variables
            if type_ in VECTORS
            for i in range(VECTORS[type_][1])
        ]
        values += [f"{name}[{i}]" for name, _, size in scope.arrays for i in range(min(size, 8))]
        return [Node(f"out[{slot} * {THREADS} + t] = u({value});") for slot, value in enumerate(values[:SLOTS])]


def write(seed: int) -> Program:
    """Return the program of a seed."""
    choose = random.Random(seed)
    arch = choose.choice([75, 80, 89, 90])
    program = Writer(seed, arch).program()
    std, optimise = choose.choice(["c++17", "c++20"]), choose.random() < 0.8
    return dataclasses.replace(program, seed=seed, arch=f"sm_{arch}", std=std, optimise=optimise)
