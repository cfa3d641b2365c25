# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Random expressions with defined values."""

from __future__ import annotations

import random

from ci.random_programs.functions import EXACT, FROM_SM_80
from ci.random_programs.types import FLOATS, INTEGERS, NUMBERS, SHORT_FLOATS, UNSIGNED, VECTORS, wide

EDGES = [0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 127, 128, 255, 256, 32767, 65535, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF,
         0x7FFFFFFFFFFFFFFF, 0x8000000000000000, 0xFFFFFFFFFFFFFFFF, 0x55555555, 0x0123456789ABCDEF]  # fmt: skip
REALS = ["0.0", "-0.0", "1.0", "-1.0", "0.5", "-2.75", "3.0e-5", "65504.0", "1e10", "-7e-30", "2147483648.0", "1e300",
         "5e-324", "1e-40", "16777217.0", "0.1"]  # fmt: skip
COMPARISONS = ["<", ">", "<=", ">=", "==", "!="]


class Scope:
    """Names that expressions may use: variables by type, arrays, and functions of the program."""

    def __init__(self, outer: Scope | None = None) -> None:
        self.variables: list[tuple[str, str]] = list(outer.variables) if outer else []
        self.fixed: set[str] = set(outer.fixed) if outer else set()  # that may not be assigned
        self.arrays: list[tuple[str, str, int]] = list(outer.arrays) if outer else []
        self.functions: list[tuple[str, str, list[str]]] = outer.functions if outer else []

    def assignable(self) -> list[tuple[str, str]]:
        return [variable for variable in self.variables if variable[0] not in self.fixed]


class Expressions:
    """Writes expressions of a type over a scope."""

    def __init__(self, seed: int, arch: int) -> None:
        self.random, self.arch = random.Random(seed), arch
        self.by_result: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
        for name, (result, arguments) in EXACT.items():
            if arch < 80 and name.strip() in FROM_SM_80:
                continue
            self.by_result.setdefault(result, []).append((name.strip(), arguments))

    def literal(self, type_: str) -> str:
        if type_ == "bool":
            return self.random.choice(["true", "false"])
        if type_ in SHORT_FLOATS:
            bits = self.random.choice([0, 0x8000, 0x3C00, 0x3F80, 0x0001, 0x7BFF, self.random.getrandbits(16)])
            return f"{'__ushort_as_half' if type_ == '__half' else '__ushort_as_bfloat16'}((unsigned short){bits:#x})"
        if type_ in FLOATS:
            if self.random.random() < 0.3:
                bits = 32 if type_ == "float" else 64
                return f"bits_as<{type_}>({self.random.getrandbits(bits):#x}{'u' if bits == 32 else 'ull'})"
            return self.random.choice(REALS) if type_ == "double" else f"({type_}){self.random.choice(REALS[:11])}"
        value = self.random.choice(
            [self.random.choice(EDGES), self.random.getrandbits(self.random.choice([4, 8, 32, 64]))]
        )
        return f"({type_}){value:#x}ull"

    def converted(self, text: str, source: str, target: str) -> str:
        """Return a conversion that is defined for all values."""
        if source == target:
            return text
        if target == "bool":
            return f"(({text}) != ({source})0)" if source not in SHORT_FLOATS else f"(float({text}) != 0.0f)"
        if source in SHORT_FLOATS:
            return self.converted(f"(float)({text})", "float", target)
        if target in SHORT_FLOATS:
            through = text if source in FLOATS else f"(float)({text})"
            return f"{target}((float)({through}))"
        if source in FLOATS and target in INTEGERS:
            return f"whole<{target}>({text})"
        return f"({target})({text})"

    def leaf(self, type_: str, scope: Scope) -> str:
        names = [(name, kind) for name, kind in scope.variables if kind in NUMBERS]
        same = [name for name, kind in names if kind == type_]
        if same and self.random.random() < 0.5:
            return self.random.choice(same)
        if names and self.random.random() < 0.75:
            name, kind = self.random.choice(names)
            return self.converted(name, kind, type_)
        members = [(name, VECTORS[kind]) for name, kind in scope.variables if kind in VECTORS]
        if members and self.random.random() < 0.5:
            name, (kind, count) = self.random.choice(members)
            return self.converted(f"{name}.{'xyzw'[self.random.randrange(count)]}", kind, type_)
        if scope.arrays and self.random.random() < 0.7:
            name, kind, size = self.random.choice(scope.arrays)
            return self.converted(f"{name}[{self.index(size, scope)}]", kind, type_)
        return self.literal(type_)

    def index(self, size: int, scope: Scope) -> str:
        return (
            f"{self.leaf('unsigned', scope)} & {size - 1}u"
            if self.random.random() < 0.8
            else str(self.random.randrange(size))
        )

    def value(self, type_: str, scope: Scope, depth: int = 2) -> str:
        """Return an expression whose type is exactly `type_`."""
        if not depth or self.random.random() < 0.1:
            return self.leaf(type_, scope)
        forms = [self.operation, self.operation, self.call, self.choice, self.conversion]
        if [function for function in scope.functions if function[1] == type_]:
            forms.append(self.own_call)
        return self.random.choice(forms)(type_, scope, depth - 1)

    def operation(self, type_: str, scope: Scope, depth: int) -> str:
        a, b = self.value(type_, scope, depth), self.value(type_, scope, depth)
        if type_ == "bool":
            return self.condition(scope, depth)
        if type_ in FLOATS or type_ in SHORT_FLOATS:
            sign = self.random.choice("++--**/")
            return f"({a} {sign} {b})" if self.random.random() < 0.9 else f"(- {a})"
        unsigned, bits = wide(type_), INTEGERS[type_]
        kind = self.random.randrange(8)
        if kind < 3:
            return f"({type_})(({unsigned}){a} {self.random.choice('+-*')} ({unsigned}){b})"
        if kind == 3:
            return f"({type_})({a} {self.random.choice('&|^')} {b})"
        if kind == 4:
            return f"{self.random.choice(['quotient', 'remainder_of'])}<{type_}>({a}, {b})"
        if kind == 5:
            return f"({type_})(({unsigned}){a} << ({self.value('unsigned', scope, depth)} & {bits - 1}u))"
        if kind == 6:
            return f"({type_})({a} >> ({self.value('unsigned', scope, depth)} & {bits - 1}u))"
        return f"({type_})(~{a})" if self.random.random() < 0.5 else f"({type_})(-({unsigned}){a})"

    def call(self, type_: str, scope: Scope, depth: int) -> str:
        known = self.by_result.get(type_)
        if not known:
            return self.conversion(type_, scope, depth)
        name, arguments = self.random.choice(known)
        values = [self.value(kind, scope, depth) for kind in arguments]
        if name in ("ldexpf", "scalbnf", "ldexp", "scalbn"):
            values[1] = f"({values[1]} % 300)"
        return f"{name}({', '.join(values)})"

    def own_call(self, type_: str, scope: Scope, depth: int) -> str:
        name, _, arguments = self.random.choice([function for function in scope.functions if function[1] == type_])
        return f"{name}({', '.join(self.value(kind, scope, depth) for kind in arguments)})"

    def choice(self, type_: str, scope: Scope, depth: int) -> str:
        return (
            f"({self.condition(scope, depth)} ? {self.value(type_, scope, depth)} : {self.value(type_, scope, depth)})"
        )

    def conversion(self, type_: str, scope: Scope, depth: int) -> str:
        source = self.random.choice(NUMBERS)
        return self.converted(self.value(source, scope, depth), source, type_)

    def condition(self, scope: Scope, depth: int) -> str:
        kind = self.random.randrange(6)
        if kind == 0 and depth:
            first, second = self.condition(scope, depth - 1), self.condition(scope, depth - 1)
            return f"({first} {self.random.choice(['&&', '||', '^'])} {second})"
        if kind == 1:
            tested = self.value(self.random.choice(list(UNSIGNED)), scope, depth)
            return f"(({tested} & {self.random.choice([1, 3, 6])}) != 0)"
        # Operands of two integer types: the usual arithmetic conversions.
        first = self.random.choice(NUMBERS)
        second = self.random.choice(list(INTEGERS)) if first in INTEGERS and self.random.random() < 0.4 else first
        sign = self.random.choice(COMPARISONS)
        return f"({self.value(first, scope, depth)} {sign} {self.value(second, scope, depth)})"
