# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Syntax tree of PTX: the output of `parser.py`.

Names are those of the PTX ISA manual. Only what the grammar itself determines is resolved.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

from cuda.cpu.ptx.error import PtxError

# --- operands -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Register:
    name: str  # "%r1"; a special register keeps its component: "%tid.x"


@dataclass(frozen=True, slots=True)
class Immediate:
    """A literal. Floats are stored as the bits that were written; `width` 0 means an integer of no stated width."""

    value: int
    kind: str = "int"  # int, f32 (0f...), f64 (0d... or decimal)


@dataclass(frozen=True, slots=True)
class Symbol:
    """A variable, function, label or parameter by name, with a byte offset: `table+8`."""

    name: str
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Address:
    """`[base + offset]`; base None is an absolute address. `coordinates` are those of textures and tensors."""

    base: Register | Symbol | None
    offset: int = 0
    coordinates: tuple[Operand, ...] = ()


@dataclass(frozen=True, slots=True)
class Vector:
    """`{%r1, %r2}`; an element None is `_`."""

    elements: tuple[Operand | None, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """`%r1|%p1`: a second destination."""

    first: Operand | None
    second: Operand | None


@dataclass(frozen=True, slots=True)
class Negated:
    """`!%p1` as a source predicate."""

    operand: Register


@dataclass(frozen=True, slots=True)
class Sink:
    """`_`: a discarded destination."""


@dataclass(frozen=True, slots=True)
class Selected:
    """An operand of video instructions: some bytes or halves of a register, `%r1.b0`, or a negated register."""

    register: Register
    part: str = ""  # b or h, and the numbers of the parts, the most significant first
    negated: bool = False


Operand = Register | Immediate | Symbol | Address | Vector | Pair | Negated | Selected | Sink
Kind = TypeVar("Kind", Immediate, Address)


def elements_of(operand: Operand | None) -> tuple[Operand | None, ...]:
    """Return the elements of a vector, or an operand that is no vector by itself."""
    return operand.elements if isinstance(operand, Vector) else (operand,)


# --- statements -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Guard:
    register: str
    negated: bool = False


@dataclass(slots=True)
class Instruction:
    """`@p opcode.modifiers operands;` with the destination first, as written.

    `mov.u32` has opcode "mov" and modifiers ("u32",); `shfl.sync.down.b32` has opcode "shfl" and
    modifiers ("sync", "down", "b32").
    """

    opcode: str
    modifiers: tuple[str, ...]
    operands: tuple[Operand, ...]
    line: int  # in the PTX text, from 1
    guard: Guard | None = None
    source: Location | None = None  # from the last .loc

    def address(self, index: int) -> Address:
        """Return an operand that is an address in the instruction's form."""
        return self._operand(index, Address)

    def immediate(self, index: int) -> int:
        """Return the number of an operand that is a constant in the instruction's form."""
        return self._operand(index, Immediate).value

    def elements(self, index: int) -> tuple[Operand | None, ...]:
        """Return the elements of a vector operand, or the operand itself if it is no vector."""
        return elements_of(self.operands[index])

    def _operand(self, index: int, kind: type[Kind]) -> Kind:
        operand = self.operands[index]
        if isinstance(operand, kind):
            return operand
        wanted = kind.__name__.lower()
        raise PtxError(f"{self.opcode}: operand {index + 1} must be an {wanted}, not {operand!r}", self.line)


@dataclass(slots=True)
class Call:
    """`call{.uni} (results), target, (arguments), prototype;`"""

    opcode: ClassVar[str] = "call"
    modifiers: ClassVar[tuple[str, ...]] = ()
    results: tuple[Operand, ...]
    target: Register | Symbol
    arguments: tuple[Operand, ...]
    prototype: str | None  # label of a .callprototype or .calltargets
    line: int
    uniform: bool = False
    guard: Guard | None = None
    source: Location | None = None

    @property
    def operands(self) -> tuple[Operand, ...]:
        return (*self.results, self.target, *self.arguments)

    def address(self, index: int) -> Address:
        raise TypeError("calls have no addresses among their operands")


@dataclass(slots=True)
class Label:
    name: str
    line: int


@dataclass(slots=True)
class Location:
    """A source line; in code of an inlined function, its name and the location of the call."""

    file: str
    line: int
    column: int = 0
    function: str = ""  # mangled; of PTX text the label in .debug_str
    caller: Location | None = None


@dataclass(slots=True)
class BranchTargets:
    """`name: .branchtargets L1, L2;` for brx.idx."""

    name: str
    labels: tuple[str, ...]
    line: int


@dataclass(slots=True)
class CallTargets:
    """`name: .calltargets f, g;`: the possible targets of an indirect call."""

    name: str
    functions: tuple[str, ...]
    line: int


@dataclass(slots=True)
class Prototype:
    """`name: .callprototype (results) _ (parameters);`"""

    name: str
    results: tuple[Variable, ...]
    parameters: tuple[Variable, ...]
    line: int


Statement = Instruction | Call | Label | BranchTargets | CallTargets | Prototype

# --- declarations ---------------------------------------------------------------------------------


@dataclass(slots=True)
class Initializer:
    """A variable's initial value: its bytes, padded with zeros, and relocations for addresses in it."""

    data: bytes
    relocations: tuple[Relocation, ...] = ()


@dataclass(frozen=True, slots=True)
class Relocation:
    offset: int
    width: int
    symbol: str
    addend: int = 0
    shift: int = 0  # for `0xFF00(symbol)`: which byte of the address


@dataclass(slots=True)
class Variable:
    """A variable or parameter in a state space."""

    name: str
    space: str  # global const shared local param reg tex sampler surf
    type: str  # "b8", "f32", "u64", "pred", "texref" ...
    size: int  # bytes in all; 0 for an array of unknown length (extern shared)
    align: int
    vector: int = 1  # .v2/.v4
    dims: tuple[int, ...] = ()  # array dimensions; (0,) for []
    linkage: str = ""  # "", extern, visible, weak, common
    initializer: Initializer | None = None
    attributes: dict[str, object] = field(default_factory=dict)  # managed, ptr space and alignment ...
    line: int = 0


@dataclass(slots=True)
class Function:
    """`.func` or `.entry`.

    Names declared in nested scopes are made unique by the parser, so that `registers` and `variables` are flat.
    """

    name: str
    entry: bool
    results: tuple[Variable, ...]
    parameters: tuple[Variable, ...]
    registers: dict[str, str]  # name -> type: "%r1" -> "b32", "%p1" -> "pred"; ranges such as %r<9> are expanded
    variables: dict[str, Variable]  # .local, .shared and .param declared in the body
    body: list[Statement] | None  # None: a declaration only
    linkage: str = ""
    # maxntid, reqntid (tuples of 3), minnctapersm, maxnreg, noreturn, explicitcluster, reqnctapercluster ...
    directives: dict[str, Any] = field(default_factory=dict)
    line: int = 0


@dataclass(slots=True)
class Module:
    version: tuple[int, int]
    target: str  # "sm_90"
    address_size: int
    variables: dict[str, Variable]
    functions: dict[str, Function]
    aliases: dict[str, str] = field(default_factory=dict)
    name: str = "<ptx>"
    text: str = ""
