# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A builder of LLVM IR as text. Operations take and return `Value`s and work on scalars and SIMD groups alike."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence

from cuda.cpu.emit.llvm.module import DebugLocation, Module
from cuda.cpu.emit.llvm.short import Shorts
from cuda.cpu.emit.llvm.slot import Slot
from cuda.cpu.emit.llvm.values import WIDTHS, Part, Shape, Value, as_real, constant, integer_of, is_float, width_of


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
        self._shorts = None if module.settings.quick or module.width == 1 else Shorts(self)

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

    def part_slot(self, area: str, offset: int, element: str, shape: Shape) -> Slot:
        """Return a slot at an offset, a multiple of 64, in an area that `reserve` is called for later."""
        pointer = self.name()
        self.allocas.append(f"  {pointer} = getelementptr i8, ptr {area}, i64 {offset}")
        return Slot(self, pointer, element, shape, align=8)

    def reserve(self, area: str, size: int) -> None:
        """Reserve some bytes at the beginning of the entry block."""
        self.allocas.insert(0, f"  {area} = alloca [{size} x i8], align 64")

    def record(self, text: str) -> None:
        """Add a record of debug information to the entry block."""
        self.allocas.append(text)

    def slot(self, element: str, shape: Shape = Shape.UNIFORM) -> Slot:
        """Reserve a stack slot for a value."""
        return Slot(self, self.alloca(self.type(element, shape)), element, shape)

    def keep_in_memory(self) -> None:
        """Keep LLVM from promoting stack slots to registers, which would need a phi in every block."""
        slots = [line.split(" = alloca ")[0].strip() for line in self.allocas if " = alloca " in line]
        location = self.alloca("ptr")
        self.allocas += [f"  store volatile ptr {slot}, ptr {location}" for slot in slots]

    def jump(self, target: str) -> None:
        self.line(f"br label %{target}")

    def branch(self, condition: Value, then: str, other: str, *, likely: bool | None = None) -> None:
        """Branch conditionally; `likely` sets branch weights: True favours `then`, False `other`."""
        if condition.element != "i1" or not condition.uniform:
            raise TypeError(f"branch on {self.typed(condition)}, which is no i1")
        weights = "" if likely is None else f", !prof !{0 if likely else 1}"
        self.line(f"br i1 {condition.ref}, label %{then}, label %{other}{weights}")

    def switch(self, index: Value, cases: Iterable[tuple[int, str]], otherwise: str) -> None:
        """Branch to the label of a number, or to `otherwise`."""
        if not index.uniform:
            raise TypeError(f"switch on {self.typed(index)}, which is no scalar")
        arms = " ".join(f"{index.element} {number}, label %{label}" for number, label in cases)
        self.line(f"switch {self.typed(index)}, label %{otherwise} [{arms}]")

    def unreachable(self) -> None:
        self.line("unreachable")

    def ret(self, value: Value | Part | None = None) -> None:
        self.line("ret void" if value is None else f"ret {self.typed(value)}")

    # --- types and shapes -------------------------------------------------------------------------

    def type(self, element: str, shape: Shape = Shape.VECTOR) -> str:
        if shape is Shape.UNIFORM:
            return element
        return self._vectors.get(element) or f"<{self.width} x {element}>"

    def type_of(self, value: Value) -> str:
        return self.type(value.element, value.shape)

    def typed(self, value: Value | Part) -> str:
        """Return a value as an operand with its type."""
        if isinstance(value, Part):
            return f"{value.type} {value.ref}"
        return f"{self.type(value.element, value.shape)} {value.ref}"

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
        for value in values:
            if value.shape is Shape.VECTOR:
                return tuple(map(self.broadcast, values))
        return values

    def lane_numbers(self, element: str = "i32") -> Value:
        elements = ", ".join(f"{element} {lane}" for lane in range(self.width))
        return Value(f"<{elements}>", element, Shape.VECTOR, True)

    # --- operations -------------------------------------------------------------------------------

    def binary(self, opcode: str, a: Value, b: Value | int) -> Value:
        """Compute with two values of one type; a number is a constant of that type."""
        if self._shorts is not None and (found := self._shorts.binary(opcode, a, self._typed_as(a, b))):
            return found
        a, b = self._operands(opcode, a, b)
        return Value(self.assign(f"{opcode} {self.type(a.element, a.shape)} {a.ref}, {b.ref}"), a.element, a.shape)

    def compare(self, opcode: str, a: Value, b: Value | int) -> Value:
        """Compare by an `opcode` such as "icmp slt" or "fcmp oeq"."""
        if self._shorts is not None and (found := self._shorts.compare(opcode, a, self._typed_as(a, b))):
            return found
        a, b = self._operands(opcode, a, b)
        return Value(self.assign(f"{opcode} {self.type(a.element, a.shape)} {a.ref}, {b.ref}"), "i1", a.shape)

    def every(self, conditions: list[Value]) -> Value:
        """Return whether all conditions (i1) hold; true if there is none."""
        return self.fold("and", conditions or [constant(1, "i1")])

    def _operands(self, opcode: str, a: Value, b: Value | int) -> tuple[Value, Value]:
        """Return two operands of one type and shape."""
        b = self._typed_as(a, b)
        if a.element != b.element:
            raise TypeError(f"{opcode} of {self.typed(a)} and {self.typed(b)}")
        if a.shape is not b.shape:
            return self.broadcast(a), self.broadcast(b)
        return a, b

    def _typed_as(self, a: Value, b: Value | int) -> Value:
        return b if isinstance(b, Value) else constant(b, a.element)

    def unary(self, opcode: str, value: Value) -> Value:
        return Value(self.assign(f"{opcode} {self.typed(value)}"), value.element, value.shape)

    def cast(self, opcode: str, value: Value, element: str) -> Value:
        if value.element == element:
            return value
        if opcode == "bitcast":
            return self._bitcast(value, element)
        ref = self.assign(f"{opcode} {self.typed(value)} to {self.type(element, value.shape)}")
        result = Value(ref, element, value.shape)
        if self._shorts is not None and opcode in ("sext", "zext"):
            self._shorts.extended(value, result, signed=opcode == "sext")
        return result

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

    def select(self, condition: Value, a: Value, b: Value | int) -> Value:
        if self._shorts is not None and (found := self._shorts.select(condition, a, self._typed_as(a, b))):
            return found
        a, b = self._operands("select", a, b)
        if condition.element != "i1":
            raise TypeError(f"select by {self.typed(condition)}, which is no i1")
        if condition.uniform:
            a, b = self.align_shapes(a, b)
        else:
            condition, a, b = self.align_shapes(condition, a, b)
        ref = self.assign(f"select {self.typed(condition)}, {self.typed(a)}, {self.typed(b)}")
        return Value(ref, a.element, a.shape)

    def intrinsic(self, name: str, element: str, *args: Value | str, mangle: tuple[str, ...] = ()) -> Value:
        """Call `llvm.<name>`, overloaded on `mangle` (default: the result). A string is an immediate with its type."""
        values = [arg for arg in args if isinstance(arg, Value)]
        if self._shorts is not None and (found := self._shorts.intrinsic(name, *values)):
            return found
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

    def call(self, name: str, result: str, *args: Value | Part | str, how: str = "", mergeable: bool = False) -> str:
        """Call a function with values, or argument texts with types; return the result's name ("" for void).

        `how` is an attribute. LLVM must not merge equal calls (nomerge) that may fault: the message names the
        instruction of the call.
        """
        attributes = [each for each in ("" if name.startswith("llvm.") or mergeable else "nomerge", how) if each]
        given = ", ".join([arg if isinstance(arg, str) else self.typed(arg) for arg in args])
        text = " ".join((f"call {result} @{name}({given})", *attributes))
        if result == "void":
            self.line(text)
            return ""
        return self.assign(text)

    def call_several(
        self, name: str, fields: Sequence[tuple[str, Shape]], *args: Value | Part | str, how: str = ""
    ) -> list[Value]:
        """Call a function that returns a struct; return its fields, given by element type and shape."""
        result = f"{{ {', '.join(self.type(element, shape) for element, shape in fields)} }}"
        ref = self.call(name, result, *args, how=how)
        return [
            Value(self.assign(f"extractvalue {result} {ref}, {number}"), element, shape)
            for number, (element, shape) in enumerate(fields)
        ]

    def call_pointer(self, function: Value, result: str, *args: Value) -> Value | None:
        """Call a function through a pointer; None if the result is void."""
        text = f"call {result} {function.ref}({', '.join(map(self.typed, args))})"
        if result == "void":
            self.line(text)
            return None
        return Value(self.assign(text), result)

    def opaque(self, value: Value, attributes: str = "") -> Value:
        """Return a copy of an i32 of which LLVM knows nothing."""
        return Value(self.assign(f'call i32 asm "", "=r,0"({self.typed(value)}){attributes}'), "i32")

    def fence(self, order: str, scope: str = "") -> None:
        self.line(f'fence syncscope("{scope}") {order}' if scope else f"fence {order}")

    # --- vectors of other widths ------------------------------------------------------------------

    def part(self, value: Value) -> Part:
        """Return all lanes of a vector."""
        if value.uniform:
            raise TypeError(f"{self.typed(value)} is no vector")
        return Part(value.ref, value.element, self.width)

    def scalar_part(self, value: Value) -> Part:
        """Return a scalar as a vector of one lane."""
        return Part(self.assign(f"bitcast {self.typed(value)} to <1 x {value.element}>"), value.element, 1)

    def scalar(self, part: Part) -> Value:
        """Return the element of a vector of one lane."""
        return Value(self.assign(f"bitcast {self.typed(part)} to {part.element}"), part.element)

    def group(self, part: Part) -> Value:
        """Return a vector of as many lanes as the SIMD group has."""
        if part.lanes != self.width:
            raise TypeError(f"{self.typed(part)} has not {self.width} lanes")
        return Value(part.ref, part.element, Shape.VECTOR)

    def shuffle(self, a: Part, picks: Iterable[int | None], b: Part | None = None) -> Part:
        """Pick elements of one or two vectors; None is an element of any value."""
        if b is not None and b.type != a.type:
            raise TypeError(f"shuffle of {self.typed(a)} and {self.typed(b)}")
        order = ["i32 poison" if pick is None else f"i32 {pick}" for pick in picks]
        second = "poison" if b is None else b.ref
        text = f"shufflevector {self.typed(a)}, {a.type} {second}, <{len(order)} x i32> <{', '.join(order)}>"
        return Part(self.assign(text), a.element, len(order))

    def permute(self, value: Value, picks: Iterable[int], other: Value | None = None) -> Value:
        """Return a vector of some elements of one vector, or of two."""
        return self.group(self.shuffle(self.part(value), picks, None if other is None else self.part(other)))

    def join(self, element: str, values: Iterable[Value], lanes: int) -> Part:
        """Return a vector that begins with some scalars; each is asked for when it is needed."""
        part = Part("poison", element, lanes)
        for position, value in enumerate(values):
            ref = self.assign(f"insertelement {self.typed(part)}, {self.typed(value)}, i64 {position}")
            part = Part(ref, element, lanes)
        return part

    def cast_part(self, part: Part, element: str) -> Part:
        """Return the bits of a vector as elements of another size."""
        lanes = part.lanes * width_of(part.element) // width_of(element)
        return Part(self.assign(f"bitcast {self.typed(part)} to <{lanes} x {element}>"), element, lanes)

    def slice_part(self, part: Part, first: int, count: int) -> Part:
        """Return some of the lanes of a vector, or all."""
        return part if count == part.lanes else self.shuffle(part, range(first, first + count))

    def concatenate(self, parts: list[Part]) -> Part:
        """Return one vector of vectors of the same size, a power of two of them."""
        while len(parts) > 1:
            lanes = range(2 * parts[0].lanes)
            parts = [self.shuffle(a, lanes, b) for a, b in zip(parts[::2], parts[1::2], strict=True)]
        return parts[0]

    def resize_part(self, part: Part, element: str, *, signed: bool = False) -> Part:
        """Return integers of another size."""
        to = Part("", element, part.lanes)
        wider = "sext" if signed else "zext"
        opcode = "trunc" if width_of(element) < width_of(part.element) else wider
        return to._replace(ref=self.assign(f"{opcode} {self.typed(part)} to {to.type}"))

    def binary_part(self, opcode: str, a: Part, b: Part | int) -> Part:
        """Compute with two vectors of one type; a number is a constant of all lanes."""
        if isinstance(b, Part) and b.type != a.type:
            raise TypeError(f"{opcode} of {self.typed(a)} and {self.typed(b)}")
        second = b.ref if isinstance(b, Part) else f"splat ({a.element} {b})"
        return a._replace(ref=self.assign(f"{opcode} {self.typed(a)}, {second}"))

    def compare_part(self, opcode: str, a: Part, b: Part) -> Part:
        """Compare two vectors of one type, element by element."""
        if b.type != a.type:
            raise TypeError(f"{opcode} of {self.typed(a)} and {self.typed(b)}")
        return Part(self.assign(f"{opcode} {self.typed(a)}, {b.ref}"), "i1", a.lanes)

    def element_of(self, part: Part, index: int) -> Value:
        return Value(self.assign(f"extractelement {self.typed(part)}, i64 {index}"), part.element)

    def load_part(
        self, element: str, lanes: int, pointer: str, *, align: int, metadata: str = "", volatile: bool = False
    ) -> Part:
        part = Part("", element, lanes)
        ref = self.assign(f"load {'volatile ' * volatile}{part.type}, ptr {pointer}, align {align}{metadata}")
        return Part(ref, element, lanes)

    def store_part(self, part: Part, pointer: str, *, align: int) -> None:
        self.line(f"store {self.typed(part)}, ptr {pointer}, align {align}")

    def load_masked(self, element: str, lanes: int, pointer: str, mask: Part) -> Part:
        """Load the elements of a vector that `mask` has, zeros for the others."""
        zeros, size = Part("zeroinitializer", element, lanes), constant(width_of(element) // 8, "i32")
        name = f"llvm.masked.load.v{lanes}{element}.p0"
        self.module.declare(name, zeros.type, ["ptr", "i32", mask.type, zeros.type])
        return self.call_part(name, element, lanes, Value(pointer, "ptr"), size, mask, zeros)

    def store_masked(self, part: Part, pointer: str, mask: Part) -> None:
        """Store the elements of a vector that `mask` has."""
        size = constant(width_of(part.element) // 8, "i32")
        name = f"llvm.masked.store.v{part.lanes}{part.element}.p0"
        self.module.declare(name, "void", [part.type, "ptr", "i32", mask.type])
        kept = self.not_truncated(part)
        if kept == part and width_of(part.element) < 32 and not mask.ref.startswith("<"):
            bits = Value(self.assign(f"bitcast {self.typed(mask)} to i{mask.lanes}"), f"i{mask.lanes}")
            bits = self.resize(self.opaque(self.resize(bits, "i32")), bits.element)
            mask = mask._replace(ref=self.assign(f"bitcast {self.typed(bits)} to {mask.type}"))
        self.call(name, "void", kept, Value(pointer, "ptr"), size, mask)

    def scatter_part(self, part: Part, base: str, scale: int, index: Part, mask: Part) -> None:
        """Store the words of a vector that `mask` has at base + scale * index, of 64 bits, in their order."""
        pointers = Part("", "ptr", part.lanes)
        text = f"getelementptr [{scale} x i8], ptr {base}, {self.typed(index)}"
        pointers = pointers._replace(ref=self.assign(text))
        size, name = constant(width_of(part.element) // 8, "i32"), f"v{part.lanes}{part.element}.v{part.lanes}p0"
        name = f"llvm.masked.scatter.{name}"
        self.module.declare(name, "void", [part.type, pointers.type, "i32", mask.type])
        self.call(name, "void", part, pointers, size, mask)

    def not_truncated(self, part: Part) -> Part:
        """Return a vector of which LLVM does not know whether wider elements have been truncated.

        For AVX-512, LLVM 22 stores the only element of a mask that it knows in its width before the truncation. Short
        vectors are no operands of assembly.
        """
        width = width_of(part.element)
        if width >= 32 or part.lanes * width < 128 or not self.module.settings.native_gather:
            return part
        return part._replace(ref=self.assign(f'call {part.type} asm "", "=v,0"({self.typed(part)})'))

    def call_part(self, name: str, element: str, lanes: int, *args: Value | Part | str) -> Part:
        """Call a function that returns a vector."""
        return Part(self.call(name, f"<{lanes} x {element}>", *args), element, lanes)

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
        self,
        element: str,
        pointer: str,
        *,
        shape: Shape = Shape.UNIFORM,
        align: int = 0,
        order: str = "",
        metadata: str = "",
    ) -> Value:
        """Load a value; with an `order` atomically."""
        type_ = self.type(element, shape)
        suffix = f", align {align}" if align else ""
        text = f"load atomic volatile {type_}, ptr {pointer} {order}" if order else f"load {type_}, ptr {pointer}"
        return Value(self.assign(f"{text}{suffix}{metadata}"), element, shape)

    def store(self, value: Value, pointer: str, *, align: int = 0, order: str = "", metadata: str = "") -> None:
        """Store a value; with an `order` atomically."""
        suffix = f", align {align}" if align else ""
        typed = self.typed(value)
        text = f"store atomic volatile {typed}, ptr {pointer} {order}" if order else f"store {typed}, ptr {pointer}"
        self.line(f"{text}{suffix}{metadata}")

    def offset(self, pointer: str, count: int) -> str:
        """Return `pointer` plus a number of bytes."""
        return pointer if count == 0 else self.assign(f"getelementptr i8, ptr {pointer}, i64 {count}")

    def advance(self, pointer: Value, offset: Value | int) -> Value:
        """Return a pointer plus a number of bytes, which is sign-extended."""
        if not isinstance(offset, Value):
            offset = constant(offset, "i64")
        ref = self.assign(f"getelementptr i8, {self.typed(pointer)}, {self.typed(offset)}")
        return Value(ref, "ptr", max(pointer.shape, offset.shape))

    def element(self, type_: str, pointer: str, index: Value) -> str:
        """Return the address of an element of an array."""
        return self.assign(f"getelementptr {type_}, ptr {pointer}, {self.typed(index)}")

    def lane_bits(self, predicate: Value) -> Value:
        """Return the predicate of all lanes as an integer mask (a type of `width` bits)."""
        predicate = self.broadcast(predicate)
        return Value(self.assign(f"bitcast {self.typed(predicate)} to {self.mask_type}"), self.mask_type)

    def mask(self, lanes: int) -> Value:
        """Return a constant mask; -1 for all lanes."""
        return Value(str(lanes), self.mask_type)

    def lanes_of(self, mask: Value) -> Value:
        """Return an integer mask as one predicate per lane."""
        ref = self.assign(f"bitcast {self.typed(mask)} to {self.type('i1')}")
        return Value(ref, "i1", Shape.VECTOR)

    def lanes_by_words(self, mask: Value) -> Value:
        """Return the same for masked accesses, for which LLVM would extract the bits of a mask one by one.

        CPUs without registers for masks compare words.
        """
        if mask.literal or self.module.settings.native_gather or self.width == 1:
            return self.lanes_of(mask)
        words = self.broadcast(self.resize(mask, "i32"))
        bits = ", ".join(f"i32 {constant(1 << lane, 'i32').ref}" for lane in range(self.width))
        here = self.binary("and", words, Value(f"<{bits}>", "i32", Shape.VECTOR))
        return self.compare("icmp ne", here, constant(0, "i32"))

    def is_zero(self, value: Value) -> Value:
        return self.compare("icmp eq", value, 0)

    def extract(self, value: Value, lane: str) -> Value:
        """Return the element of one lane; `lane` is an i32 operand."""
        if value.uniform:
            return value
        return Value(self.assign(f"extractelement {self.typed(value)}, i32 {lane}"), value.element)
