# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A builder of LLVM IR as text: typed values, loops, and arithmetic on indices that folds constants."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple


class V(NamedTuple):
    """An LLVM value: its type and its text, which may be a constant."""

    type: str
    text: str

    def __str__(self) -> str:
        return f"{self.type} {self.text}"


Index = V | int  # an i64


def vector(element: str, lanes: int) -> str:
    """Return the type of a vector, or of a scalar for one lane."""
    return element if lanes == 1 else f"<{lanes} x {element}>"


def lanes_of(kind: str) -> int:
    return int(kind[1:].partition(" x ")[0]) if kind.startswith("<") else 1


def element_of(kind: str) -> str:
    return kind[1:-1].partition(" x ")[2] if kind.startswith("<") else kind


def mangled(kind: str) -> str:
    """Return a type as it is part of an intrinsic's name."""
    element = {"float": "f32", "double": "f64", "half": "f16", "ptr": "p0"}.get(element_of(kind), element_of(kind))
    return element if lanes_of(kind) == 1 else f"v{lanes_of(kind)}{element}"


class Builder:
    """Writes one function. Instructions go to the end of the current block."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.allocas: list[str] = []
        self.declarations: dict[str, str] = {}
        self.location = 0  # number of the operation that instructions come from; 0: none
        self._count = 0

    def name(self, prefix: str = "v") -> str:
        self._count += 1
        return f"{prefix}{self._count}"

    def emit(self, kind: str, text: str) -> V:
        name = f"%{self.name()}"
        self.lines.append(f"  {name} = {text}")
        return V(kind, name)

    def at_location(self, number: int) -> None:
        """Say where the instructions that follow come from, in the form that compile/locate.py reads."""
        if number != self.location:
            self.location = number
            self.lines.append(f"  ; location {number}")

    def do(self, text: str) -> None:
        self.lines.append(f"  {text}")

    def label(self, name: str) -> None:
        self.lines.append(f"{name}:")

    def jump(self, label: str) -> None:
        self.do(f"br label %{label}")

    def branch(self, condition: V, then: str, other: str) -> None:
        self.do(f"br i1 {condition.text}, label %{then}, label %{other}")

    # --- instructions -------------------------------------------------------------------------------------

    def binary(self, opcode: str, a: V, b: V) -> V:
        return self.emit(a.type, f"{opcode} {a}, {b.text}")

    def compare(self, opcode: str, a: V, b: V) -> V:
        return self.emit(vector("i1", lanes_of(a.type)), f"{opcode} {a}, {b.text}")

    def convert(self, opcode: str, a: V, element: str) -> V:
        kind = vector(element, lanes_of(a.type))
        return a if kind == a.type else self.emit(kind, f"{opcode} {a} to {kind}")

    def select(self, condition: V, a: V, b: V) -> V:
        return self.emit(a.type, f"select {condition}, {a}, {b}")

    def call(self, name: str, kind: str, *arguments: V) -> V:
        """Call an intrinsic by its full name."""
        types = ", ".join(each.type for each in arguments)
        self.declarations[name] = f"declare {kind} @{name}({types})"
        return self.emit(kind, f"call {kind} @{name}({', '.join(map(str, arguments))})")

    def intrinsic(self, name: str, *arguments: V) -> V:
        """Call an intrinsic whose only overloaded type is that of its first argument and its result."""
        kind = arguments[0].type
        return self.call(f"llvm.{name}.{mangled(kind)}", kind, *arguments)

    def call_void(self, name: str, *arguments: V) -> None:
        self.declarations[name] = f"declare void @{name}({', '.join(each.type for each in arguments)})"
        self.do(f"call void @{name}({', '.join(map(str, arguments))})")

    def splat(self, value: V, lanes: int) -> V:
        if lanes == 1:
            return value
        kind = vector(value.type, lanes)
        first = self.emit(kind, f"insertelement {kind} poison, {value}, i64 0")
        return self.emit(kind, f"shufflevector {first}, {kind} poison, <{lanes} x i32> zeroinitializer")

    def constant(self, kind: str, text: str) -> V:
        """Return a constant of a scalar or of all lanes."""
        lanes = lanes_of(kind)
        return V(kind, text if lanes == 1 else f"<{', '.join([f'{element_of(kind)} {text}'] * lanes)}>")

    def shuffle(self, a: V, b: V | None, order: Sequence[int]) -> V:
        kind = vector(element_of(a.type), len(order))
        mask = ", ".join(f"i32 {each}" for each in order)
        return self.emit(kind, f"shufflevector {a}, {b or V(a.type, 'poison')}, <{len(order)} x i32> <{mask}>")

    def transposed(self, rows: Sequence[V]) -> list[V]:
        """Return the columns of a square: blocks of 1, 2, 4... elements change places."""
        found, size = list(rows), len(rows)
        step = 1
        while step < size:
            for number in range(size):
                if not number & step:
                    x, y = found[number], found[number + step]
                    low = [each if not each & step else size + each - step for each in range(size)]
                    high = [each + step if not each & step else size + each for each in range(size)]
                    found[number], found[number + step] = self.shuffle(x, y, low), self.shuffle(x, y, high)
            step *= 2
        return found

    def lane(self, value: V, lane: int) -> V:
        return value if lanes_of(value.type) == 1 else self.emit(
            element_of(value.type), f"extractelement {value}, i64 {lane}"
        )  # fmt: skip

    def load(self, kind: str, pointer: V, align: int) -> V:
        return self.emit(kind, f"load {kind}, {pointer}, align {align}")

    def store(self, value: V, pointer: V, align: int) -> None:
        self.do(f"store {value}, {pointer}, align {align}")

    def slot(self, kind: str) -> V:
        """Return the address of a variable, which LLVM promotes to registers."""
        name = f"%{self.name('slot')}"
        self.allocas.append(f"  {name} = alloca {kind}")
        return V("ptr", name)

    def get(self, slot: V, kind: str) -> V:
        return self.emit(kind, f"load {kind}, {slot}")

    def put(self, slot: V, value: V) -> None:
        self.do(f"store {value}, {slot}")

    # --- indices ------------------------------------------------------------------------------------------

    def index(self, value: Index) -> V:
        return V("i64", str(value)) if isinstance(value, int) else value

    def add(self, a: Index, b: Index) -> Index:
        if isinstance(a, int) and isinstance(b, int):
            return a + b
        if a == 0 or b == 0:
            return b if a == 0 else a
        return self.binary("add nsw", self.index(a), self.index(b))

    def multiply(self, a: Index, b: Index) -> Index:
        if isinstance(a, int) and isinstance(b, int):
            return a * b
        if a == 0 or b == 0:
            return 0
        if a == 1 or b == 1:
            return b if a == 1 else a
        return self.binary("mul nsw", self.index(a), self.index(b))

    def at(self, pointer: V, offset: Index) -> V:
        """Return the address a number of bytes behind another."""
        return pointer if offset == 0 else self.emit("ptr", f"getelementptr i8, {pointer}, {self.index(offset)}")

    # --- control flow -------------------------------------------------------------------------------------

    def loop(self, end: Index, body: Callable[[Index], None], step: int = 1) -> None:
        """Run `body` for 0, step, 2 * step... below `end`, which is positive if it is a constant."""
        if isinstance(end, int) and end <= step:
            body(0)
            return
        before, head, after = self.name("before"), self.name("loop"), self.name("after")
        self.jump(before)
        self.label(before)
        enter = self.name("enter")
        if isinstance(end, int):
            self.jump(enter)
        else:
            self.branch(self.compare("icmp sgt", end, V("i64", "0")), enter, after)
        self.label(enter)
        self.jump(head)
        self.label(head)
        counter, following, latch = f"%{self.name()}", f"%{self.name()}", self.name("latch")
        self.do(f"{counter} = phi i64 [ 0, %{enter} ], [ {following}, %{latch} ]")
        body(V("i64", counter))
        self.jump(latch)
        self.label(latch)
        self.do(f"{following} = add nuw nsw i64 {counter}, {step}")
        self.branch(self.compare("icmp slt", V("i64", following), self.index(end)), head, after)
        self.label(after)

    @contextlib.contextmanager
    def when(self, condition: V) -> Iterator[None]:
        then, after = self.name("then"), self.name("after")
        self.branch(condition, then, after)
        self.label(then)
        yield
        self.jump(after)
        self.label(after)

    def either(self, condition: V, then: Callable[[], None], other: Callable[[], None]) -> None:
        first, second, after = self.name("then"), self.name("else"), self.name("after")
        self.branch(condition, first, second)
        for label, body in ((first, then), (second, other)):
            self.label(label)
            body()
            self.jump(after)
        self.label(after)
