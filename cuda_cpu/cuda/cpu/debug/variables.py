# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Variables of a kernel for debuggers: where each one is, relative to the area of its function.

Variables of a thread are those of the selected lane, since the expressions that locate them read its number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from cuda.cpu.debug.area import HEADER, START, Area, Stored
from cuda.cpu.debug.shared_arrays import TYPES, declared
from cuda.cpu.debug.symbols import Scope, Symbols
from cuda.cpu.debug.types import COMPOSITES, Types, size_of
from cuda.cpu.emit.simt.function_facts import FunctionFacts
from cuda.cpu.ptx.image.debug_entries import Block, Entry, leb, register_of
from cuda.cpu.ptx.syntax import Variable
from cuda.cpu.runtime.abi import WARP

Expression = list["str | int"]  # operations of DWARF with their operands
# Debuggers do not look for variables of an inlined function in those around it.
IN_EVERY_FRAME = ("threadIdx", "blockIdx", "blockDim", "gridDim", "ptx", "cuda_lane", "cuda_lanes", "cuda_warp")
MOST_INLINED = 200  # calls in a function that have these
NAMED = {*COMPOSITES, "typedef", "enumeration"}  # types that a declaration can name
_STATIC = re.compile(r"_ZZ.*E(\d+)(\w+)$")  # a static variable of a function
_ADDRESS, _PLUS, _REGISTER, _INDIRECT = 0x03, 0x23, 0x90, 0x92
_DEREF, _DUP, _SWAP, _MUL, _ADD = ("DW_OP_deref", "DW_OP_dup", "DW_OP_swap", "DW_OP_mul", "DW_OP_plus")


class Found(NamedTuple):
    """A variable: its name, type and location, and the debugging entry that declares it."""

    name: str
    type: str
    at: Expression
    entry: Entry | None = None


def _by_pointer(word: str, offset: int) -> Expression:
    """Locate what is at an offset from an address in the header."""
    return ["DW_OP_plus_uconst", HEADER[word], _DEREF, "DW_OP_plus_uconst", offset]


def _in_lane(offset: int, size: int) -> Expression:
    """Locate an element of `size` bytes of the selected lane."""
    return [_DUP, _DEREF, "DW_OP_constu", size, _MUL, _ADD, "DW_OP_plus_uconst", offset]


def _of(stored: Stored) -> Expression:
    return _in_lane(stored.offset, stored.size) if stored.lanes > 1 else ["DW_OP_plus_uconst", stored.offset]


def _in_local(offset: int) -> Expression:
    """Locate what is in the selected lane's local memory of this call."""
    return [
        _DUP, "DW_OP_plus_uconst", HEADER["local"], _DEREF, _SWAP,
        _DUP, "DW_OP_plus_uconst", HEADER["stride"], _DEREF, _SWAP,
        _DEREF, _MUL, _ADD, "DW_OP_plus_uconst", offset,
    ]  # fmt: skip


def _thread_index() -> Expression:
    step: Expression = [_DUP, _DEREF, "DW_OP_constu", 4, _MUL, _SWAP]
    return [*step, "DW_OP_plus_uconst", HEADER["warp"], _DEREF, _ADD, "DW_OP_plus_uconst", WARP["thread_idx"]]


class Variables:
    """Variables of one function."""

    def __init__(self, symbols: Symbols, types: Types, facts: FunctionFacts, area: Area):
        self._symbols, self._types, self._facts, self._area = symbols, types, facts, area
        self._function = facts.function

    def records(self, pointer: str) -> list[str]:
        """Return the records of debug information of all variables, whose area is at a pointer."""
        info, scope = self._symbols.info, self._symbols.scope_of(self._function)
        nowhere = info.location(scope, 0)
        out: list[str] = []
        names: set[str] = set()
        outer = Scope(scope, self._symbols.opening(self._function).path)
        for each, (inner, _, call), argument in self._of_source(outer):
            path = self._symbols.path_of(self._function, each.entry.number("file")) if each.entry else ""
            line = each.entry.number("line") if each.entry else 0
            variable = info.variable(inner, each.name, each.type, path=path, line=line, argument=argument)
            out.append(info.declare(pointer, variable, each.at, info.location(inner, 0, 0, call)))
            names.add(each.name)
        plain = self._symbols.entry_of(self._function) is None
        more = [*self._of_ptx(plain=plain), *self._built_in()]
        for each in more:
            if each.name not in names:
                names.add(each.name)
                out.append(info.declare(pointer, info.variable(scope, each.name, each.type), each.at, nowhere))
        for called in self._symbols.inlined.get(self._function.name, ())[:MOST_INLINED]:
            for each in more:
                if each.name in IN_EVERY_FRAME:
                    variable = info.variable(called.node, each.name, each.type)
                    at = info.location(called.node, 0, 0, called.call)
                    out.append(info.declare(pointer, variable, each.at, at))
        return out

    # --- PTX ----------------------------------------------------------------------------------------

    def _of_ptx(self, *, plain: bool) -> Iterator[Found]:
        """Yield what the PTX declares; `plain`: there are no variables of a source, so registers are variables."""
        types, function = self._types, self._function
        members = []
        for name, stored in self._area.registers.items():
            shown = re.sub(r"\W", "_", name.lstrip("%"))
            type_ = types.of_ptx(function.registers.get(name, ""), stored.size)
            if plain:
                yield Found(shown, type_, _of(stored))
            if stored.lanes > 1:
                type_ = types.info.array(type_, stored.size * stored.lanes, [stored.lanes])
            size = stored.size * stored.lanes
            members.append(types.info.derived("member", type_, shown, size, stored.offset - START))
        name, size = f"registers of {function.name}", self._area.size - START
        whole = types.info.composite("structure_type", name, size, members)
        yield Found("ptx", types.pointer_to(whole), ["DW_OP_plus_uconst", HEADER["registers"]])
        variables = {**self._symbols.program.variables, **function.variables}
        if plain:
            for parameter in function.parameters if function.entry else ():
                offset = self._facts.parameter_offsets[parameter.name]
                yield Found(parameter.name, types.of_variable(parameter), _by_pointer("params", offset))
            for name, offset in self._facts.local_offsets.items():
                yield Found(name, types.of_variable(variables[name]), _in_local(offset))
        own = _prefix_of_static(function.name)
        for name, offset in sorted(self._symbols.program.shared.items(), key=lambda each: not each[0].startswith(own)):
            if name in variables:
                yield Found(_plain_name(name), self._of_shared(name, variables[name]), _by_pointer("shared", offset))
        for name, index in self._symbols.program.symbol_index.items():
            if name in variables:
                at = [*_by_pointer("symbols", 8 * index), _DEREF]
                yield Found(_plain_name(name), types.of_variable(variables[name]), at)

    def _of_shared(self, name: str, variable: Variable) -> str:
        """Return the type of a shared variable: as in the source, or as words."""
        where, plain = self._symbols.opening(self._function), _plain_name(name)
        entries = {
            entry.text("name"): entry
            for unit in self._symbols.units_of(self._function)
            for entry in unit.walk()
            if entry.tag in NAMED
        }
        found = None
        if plain != name:  # it is static in a function
            sizes = {kind: size_of(entry) for kind, entry in entries.items()}
            found = declared(where.path, where.line, plain, variable.size, lambda kind: sizes.get(kind, 0))
        if found is None:
            return self._types.of_variable(variable)
        if found.type in TYPES:
            element = self._types.info.basic(found.type, *TYPES[found.type])
        else:
            element = self._types.of_entry(entries[found.type])
        return self._types.info.array(element, variable.size, found.dimensions) if found.dimensions else element

    def _built_in(self) -> Iterator[Found]:
        types = self._types
        yield Found("threadIdx", types.index(4 * 32), _thread_index())
        for name, field in (("blockIdx", "block_idx"), ("blockDim", "block_dim"), ("gridDim", "grid_dim")):
            yield Found(name, types.index(4), _by_pointer("warp", WARP[field]))
        for name, word in (("cuda_lane", "lane"), ("cuda_lanes", "lanes")):
            yield Found(name, types.unsigned(8), ["DW_OP_plus_uconst", HEADER[word]])
        yield Found("cuda_warp", types.pointer_to(types.warp()), ["DW_OP_plus_uconst", HEADER["warp"]])

    # --- C++ ----------------------------------------------------------------------------------------

    def _of_source(self, scope: Scope) -> Iterator[tuple[Found, Scope, int]]:
        """Yield the variables that the debugging entries declare, with scope and number as parameter (0: none)."""
        entry = self._symbols.entry_of(self._function)
        if entry is not None:
            yield from self._in_scope(entry, scope)
        for unit in self._symbols.units_of(self._function):
            yield from ((each, scope, 0) for each in self._globals(unit))

    def _in_scope(self, entry: Entry, scope: Scope) -> Iterator[tuple[Found, Scope, int]]:
        arguments = 0
        for child in entry.children:
            if child.tag in ("block", "inlined"):
                yield from self._in_scope(child, self._symbols.block_of(self._function, child, scope))
            elif child.tag in ("parameter", "variable"):
                arguments += child.tag == "parameter"
                at, named = self._at(child), child.origin or child  # inlined ones refer to the function's
                if at is not None and named.text("name"):
                    found = Found(named.text("name"), self._types.of_entry(named.type), at, named)
                    yield found, scope, arguments if child.tag == "parameter" else 0

    def _globals(self, unit: Entry) -> Iterator[Found]:
        for child in unit.children:
            at = self._at(child) if child.tag == "variable" else None
            if at is not None and child.text("name"):
                yield Found(child.text("name"), self._types.of_entry(child.type), at, child)

    def _at(self, entry: Entry) -> Expression | None:
        """Return where a C++ variable is; None if it has no memory or register, or one that is not known here."""
        location = entry.attributes.get("location")
        if not isinstance(location, Block) or not location.data:
            return None
        operation = location.data[0]
        if operation == _REGISTER:
            stored = self._area.registers.get(register_of(leb(location.data, 1)[0]))
            return _of(stored) if stored else None
        if operation != _ADDRESS or 1 not in location.names:
            return None
        offset = leb(location.data, 10)[0] if location.data[9:10] == bytes([_PLUS]) else 0
        name, program = location.names[1], self._symbols.program
        if name in self._facts.local_offsets:
            return _in_local(self._facts.local_offsets[name] + offset)
        if name in self._facts.parameter_offsets:
            return _by_pointer("params", self._facts.parameter_offsets[name] + offset)
        if name in program.shared:
            return _by_pointer("shared", program.shared[name] + offset)
        if name in program.symbol_index:
            at = [*_by_pointer("symbols", 8 * program.symbol_index[name]), _DEREF]
            return [*at, "DW_OP_plus_uconst", offset]
        return None


def _prefix_of_static(function: str) -> str:
    """Return how the symbols of the static variables of a function begin."""
    return f"_Z{function[1:]}E" if function.startswith("_Z") else f"_ZZ{len(function)}{function}E"


def _plain_name(symbol: str) -> str:
    """Return the name of a static variable of a function, of other variables the symbol."""
    match = _STATIC.match(symbol)
    return match[2] if match and len(match[2]) == int(match[1]) else symbol
