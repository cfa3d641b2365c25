# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A builder of LLVM IR as text. Operations take and return `Value`s and work on scalars and SIMD groups alike."""

from __future__ import annotations

import functools
from collections.abc import Iterable

from cuda.cpu.emit.llvm.module import DebugLocation, Module
from cuda.cpu.emit.llvm.values import WIDTHS, Shape, Value, as_real, constant, integer_of, is_float, width_of


class Builder:
    """The body of one LLVM function under construction."""

    def __init__(self, module: Module):
        self.module = module
        self.width = module.width
        self.mask_type = f"i{module.width}"
        self.lines: list[str] = []
        self.allocas: list[str] = []
        self._count = 0
        self._broadcasts: dict[str, Value] = {}
        self._bitcasts: dict[tuple[str, str], Value] = {}  # casts emitted in this block, in both directions
        self._vectors = {element: f"<{module.width} x {element}>" for element in WIDTHS}

    # --- raw text ---------------------------------------------------------------------------------

    def name(self) -> str:
        self._count += 1
        return f"%t{self._count}"

    def line(self, text: str) -> None:
        self.lines.append("  " + text)

    def assign(self, text: str) -> str:
        self._count += 1
        name = f"%t{self._count}"
        self.lines.append(f"  {name} = {text}")
        return name

    def at(self, location: DebugLocation) -> None:
        """Set the location of the code that follows."""
        number = self.module.number_of(location)
        if number is not None:
            self.line(f"; location {number}")

    def label(self, name: str) -> None:
        self.lines.append(name + ":")
        self._broadcasts.clear()
        self._bitcasts.clear()

    def new_label(self, stem: str) -> str:
        self._count += 1
        return f"{stem}.{self._count}"

    def alloca(self, type_: str, align: int = 0) -> str:
        """Reserve a stack slot in the entry block."""
        self._count += 1
        name = f"%a{self._count}"
        self.allocas.append(f"  {name} = alloca {type_}" + (f", align {align}" if align else ""))
        return name

    def keep_in_memory(self) -> None:
        """Keep LLVM from promoting stack slots to registers, which would need a phi in every block."""
        slots = [line.split(" = alloca ")[0].strip() for line in self.allocas if " = alloca " in line]
        location = self.alloca("ptr")
        self.allocas += [f"  store volatile ptr {slot}, ptr {location}" for slot in slots]

    def jump(self, target: str) -> None:
        self.line(f"br label %{target}")

    def branch(self, condition: str, then: str, other: str, *, likely: bool | None = None) -> None:
        """Branch conditionally; `likely` sets branch weights: True favours `then`, False `other`."""
        weights = "" if likely is None else f", !prof !{0 if likely else 1}"
        self.line(f"br i1 {condition}, label %{then}, label %{other}{weights}")

    # --- types and shapes -------------------------------------------------------------------------

    def type(self, element: str, shape: Shape = Shape.VECTOR) -> str:
        if shape is Shape.UNIFORM:
            return element
        return self._vectors.get(element) or f"<{self.width} x {element}>"

    def type_of(self, value: Value) -> str:
        return self.type(value.element, value.shape)

    def typed(self, value: Value) -> str:
        return f"{self.type_of(value)} {value.ref}"

    def broadcast(self, value: Value) -> Value:
        """Give the value one element per lane."""
        if value.shape is Shape.VECTOR:
            return value
        if value.literal:
            return Value(f"splat ({value.element} {value.ref})", value.element, Shape.VECTOR, True)
        found = self._broadcasts.get(value.ref)
        if found is None:
            vector = self.type(value.element)
            first = self.assign(f"insertelement {vector} poison, {value.element} {value.ref}, i64 0")
            ref = self.assign(f"shufflevector {vector} {first}, {vector} poison, <{self.width} x i32> zeroinitializer")
            found = self._broadcasts[value.ref] = Value(ref, value.element, Shape.VECTOR)
        return found

    def align_shapes(self, *values: Value) -> tuple[Value, ...]:
        """Broadcast the uniform values among `values` if any of them is a vector."""
        if all(value.shape is Shape.UNIFORM for value in values):
            return values
        return tuple(map(self.broadcast, values))

    def lane_numbers(self, element: str = "i32") -> Value:
        elements = ", ".join(f"{element} {lane}" for lane in range(self.width))
        return Value(f"<{elements}>", element, Shape.VECTOR, True)

    # --- operations -------------------------------------------------------------------------------

    def binary(self, opcode: str, a: Value, b: Value) -> Value:
        a, b = self.align_shapes(a, b)
        return Value(self.assign(f"{opcode} {self.type_of(a)} {a.ref}, {b.ref}"), a.element, a.shape)

    def compare(self, opcode: str, a: Value, b: Value) -> Value:
        """Compare by an `opcode` such as "icmp slt" or "fcmp oeq"."""
        a, b = self.align_shapes(a, b)
        return Value(self.assign(f"{opcode} {self.type_of(a)} {a.ref}, {b.ref}"), "i1", a.shape)

    def cast(self, opcode: str, value: Value, element: str) -> Value:
        if value.element == element:
            return value
        if opcode == "bitcast":
            return self._bitcast(value, element)
        ref = self.assign(f"{opcode} {self.typed(value)} to {self.type(element, value.shape)}")
        return Value(ref, element, value.shape)

    def _bitcast(self, value: Value, element: str) -> Value:
        """Bitcast, reusing the reverse cast: registers are integers, so most values are cast back and forth."""
        found = self._bitcasts.get((value.ref, element))
        if found is None:
            found = as_real(value, element) if value.literal and value.uniform else None
            if found is None:
                ref = self.assign(f"bitcast {self.typed(value)} to {self.type(element, value.shape)}")
                found = Value(ref, element, value.shape)
            self._bitcasts[value.ref, element] = found
            if not found.literal:
                self._bitcasts[found.ref, value.element] = value
        return found

    def select(self, condition: Value, a: Value, b: Value) -> Value:
        if condition.uniform:
            a, b = self.align_shapes(a, b)
        else:
            condition, a, b = self.align_shapes(condition, a, b)
        ref = self.assign(f"select {self.typed(condition)}, {self.typed(a)}, {self.typed(b)}")
        return Value(ref, a.element, a.shape)

    def intrinsic(self, name: str, element: str, *args: Value | str, mangle: tuple[str, ...] = ()) -> Value:
        """Call `llvm.<name>`, overloaded on `mangle` (default: the result). A string is an immediate with its type."""
        values = [arg for arg in args if isinstance(arg, Value)]
        aligned = iter(self.align_shapes(*values))
        full = [arg if isinstance(arg, str) else next(aligned) for arg in args]
        shape = max((arg.shape for arg in full if isinstance(arg, Value)), default=Shape.UNIFORM)
        suffix = "".join("." + self._mangled(each, shape) for each in (mangle or (element,)))
        result = self.type(element, shape)
        types = [arg.split()[0] if isinstance(arg, str) else self.type_of(arg) for arg in full]
        self.module.declare(f"llvm.{name}{suffix}", result, types)
        texts = [arg if isinstance(arg, str) else self.typed(arg) for arg in full]
        return Value(self.assign(f"call {result} @llvm.{name}{suffix}({', '.join(texts)})"), element, shape)

    def _mangled(self, element: str, shape: Shape) -> str:
        names = {"half": "f16", "bfloat": "bf16", "float": "f32", "double": "f64", "ptr": "p0"}
        name = names.get(element, element)
        return name if shape is Shape.UNIFORM else f"v{self.width}{name}"

    def call(self, name: str, result: str, *args: str, how: str = "") -> str:
        """Call a function with typed argument texts; return the result's name ("" for void). `how`: an attribute.

        LLVM must not merge equal calls (nomerge): the message of a fault names the instruction of the call.
        """
        attributes = [each for each in ("" if name.startswith("llvm.") else "nomerge", how) if each]
        text = " ".join((f"call {result} @{name}({', '.join(args)})", *attributes))
        if result == "void":
            self.line(text)
            return ""
        return self.assign(text)

    # --- common combinations ----------------------------------------------------------------------

    def bits(self, value: Value) -> Value:
        """Return the value as an integer of the same width."""
        return self.cast("bitcast", value, integer_of(value.element)) if is_float(value.element) else value

    def resize(self, value: Value, element: str, *, signed: bool = False) -> Value:
        """Truncate or extend an integer."""
        have, want = width_of(value.element), width_of(element)
        if have == want:
            return value
        if value.literal and value.uniform and value.element != "i1":
            number = int(value.ref)
            return constant(number if signed else number & ((1 << have) - 1), element)
        return self.cast("trunc" if want < have else "sext" if signed else "zext", value, element)

    def fold(self, opcode: str, values: Iterable[Value]) -> Value:
        """Combine values from the first to the last; each is asked for when it is needed."""
        return functools.reduce(functools.partial(self.binary, opcode), values)

    def complement(self, value: Value) -> Value:
        return self.binary("xor", value, constant(-1, value.element))

    def load(
        self, element: str, pointer: str, *, shape: Shape = Shape.UNIFORM, align: int = 0, flags: str = ""
    ) -> Value:
        type_ = self.type(element, shape)
        suffix = f", align {align}" if align else ""
        return Value(self.assign(f"load {flags}{type_}, ptr {pointer}{suffix}"), element, shape)

    def store(self, value: Value, pointer: str, *, align: int = 0) -> None:
        self.line(f"store {self.typed(value)}, ptr {pointer}" + (f", align {align}" if align else ""))

    def offset(self, pointer: str, count: int) -> str:
        """Return `pointer` plus a number of bytes."""
        return pointer if count == 0 else self.assign(f"getelementptr i8, ptr {pointer}, i64 {count}")

    def lane_bits(self, predicate: Value) -> str:
        """Return the predicate of all lanes as an integer mask (a type of `width` bits)."""
        predicate = self.broadcast(predicate)
        return self.assign(f"bitcast {self.typed(predicate)} to {self.mask_type}")

    def lanes_of(self, mask: str) -> Value:
        """Return an integer mask as one predicate per lane."""
        ref = self.assign(f"bitcast {self.mask_type} {mask} to {self.type('i1')}")
        return Value(ref, "i1", Shape.VECTOR)

    def is_zero(self, mask: str) -> str:
        return self.assign(f"icmp eq {self.mask_type} {mask}, 0")

    def extract(self, value: Value, lane: str) -> Value:
        """Return the element of one lane; `lane` is an i32 operand."""
        if value.uniform:
            return value
        return Value(self.assign(f"extractelement {self.typed(value)}, i32 {lane}"), value.element)
