# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Debug information of a kernel: its functions, the source lines of its instructions, and its variables."""

from __future__ import annotations

import re
from typing import NamedTuple

from cuda.cpu.debug import sources
from cuda.cpu.emit.llvm.debug_info import DebugInfo, located
from cuda.cpu.emit.llvm.module import DebugLocation
from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.image.debug_entries import Entry, entries_of, string_at
from cuda.cpu.ptx.program import Program
from cuda.cpu.ptx.syntax import Call, Function, Instruction, Location

_MANGLED = re.compile(r"_Z(N?)")
_LENGTH = re.compile(r"L?(\d+)")


def readable(symbol: str) -> str:
    """Return the C++ name of a function without its parameters; the symbol itself if that is complicated."""
    match = _MANGLED.match(symbol)
    if match is None:
        return symbol
    at, parts = match.end(), []
    while length := _LENGTH.match(symbol, at):
        at = length.end() + int(length[1])
        parts.append(symbol[length.end() : at])
        if not match[1]:
            break
    plain = parts and (not match[1] or symbol[at : at + 1] == "E") and symbol[at : at + 1] != "I"
    return "::".join(parts) if plain else symbol


class Place(NamedTuple):
    """A line of a file."""

    path: str
    line: int
    column: int = 0


class Scope(NamedTuple):
    """A scope of variables: its metadata, its file, and the location of the call if it is inlined."""

    node: str
    path: str
    call: str = ""


class Covered(NamedTuple):
    """A scope, and the lines of PTX that it covers."""

    lines: range
    scope: Scope


class Symbols:
    """Debug information of one kernel and the functions that it calls.

    Parameters
    ----------
    program : Program
        With the kernel's shared memory laid out.
    kernel : str
        The kernel's name.
    """

    def __init__(self, program: Program, kernel: str):
        self.program = program
        self.locations: list[DebugLocation] = []  # filled while the kernel is emitted
        self._functions = {name: program.functions[name] for name in program.reachable(kernel)}
        self._texts: dict[str, str] = {}  # files with PTX, by function
        self._scopes: dict[str, str] = {}  # by symbol
        self._units: dict[str, list[Entry]] = {}  # debugging entries, by the unit's name
        self._blocks: dict[str, list[Covered]] = {}  # by function, inner ones last
        self.inlined: dict[str, list[Scope]] = {}  # by function, those that its debugging entries have
        self._latest: dict[str, str] = {}  # the location of the last instruction that had one, by function
        self._calls: dict[int, str] = {}  # of inlined code, by identity of their locations
        self.info = DebugInfo(self.opening(self._functions[kernel]).path)

    # --- lines --------------------------------------------------------------------------------------

    def ptx_file(self, function: Function) -> str:
        """Return a file with the PTX of a function's unit."""
        unit = self.program.unit_of[function.name]
        if function.name not in self._texts:
            name = unit.name if unit.name.endswith(".ptx") else "kernel.ptx"
            self._texts[function.name] = sources.file_of(unit.text, name)
        return self._texts[function.name]

    def opening(self, function: Function) -> Place:
        """Return where a function begins: in its source, or in the PTX if it has no source lines."""
        for statement in function.body or ():
            if isinstance(statement, (Instruction, Call)):
                found = self._source(function, statement.line, statement.source)
                if found is not None and found.caller is None and found.line:
                    return Place(found.file, found.line)
        return Place(self.ptx_file(function), function.line)

    def _source(self, function: Function, line: int, source: Location | None) -> Location | None:
        if source is None:
            text = self.program.unit_of[function.name].text
            source = text.source(line) if hasattr(text, "source") else None
        return source if source and source.file else None

    def scope_of(self, function: Function) -> str:
        """Return the subprogram of a function."""
        if function.name not in self._scopes:
            where, entry = self.opening(function), self.entry_of(function)
            name = (entry.text("name") if entry else "") or readable(function.name)
            self._scopes[function.name] = self.info.function(name, function.name, where.path, where.line)
        return self._scopes[function.name]

    def location_of(self, function: Function, number: int) -> str:
        """Return the location of an instruction by the number of its comment, 0 for the prologue.

        Code without a line belongs to that before it in the text: debuggers stop at the line 0.
        """
        if number:
            _, line, source = self.locations[number - 1]
            found = self._source(function, line, source)
            opening = source is not None and source.column == 0 and source.caller is None
            if found is not None and found.line and not opening:
                self._latest[function.name] = self._located(function, line, found)
            elif found is None and self.opening(function).path == self.ptx_file(function):
                self._latest[function.name] = self.info.location(self.scope_of(function), line)
        return self._latest.get(function.name) or self.info.location(self.scope_of(function), 0)

    def _located(self, function: Function, ptx_line: int, found: Location) -> str:
        blocks = [each.scope for each in self._blocks.get(function.name, ()) if ptx_line in each.lines]
        if blocks and found.caller is None:
            node, path, call = blocks[-1]
            node = node if path == found.file else self.info.in_file(node, found.file)
            return self.info.location(node, found.line, found.column, call)
        scope, call = self._scope_at(function, found)
        return self.info.location(scope, found.line, found.column, call)

    def _scope_at(self, function: Function, found: Location) -> tuple[str, str]:
        """Return the scope of a source location, and the location of its call if it was inlined."""
        if found.caller is None:
            scope, path, call = self.scope_of(function), self.opening(function).path, ""
        else:
            name = self._name_of(function, found.function)
            scope, path = self._inlined_scope(name, found), found.file
            call = self._call(function, found.caller)
        return (scope if path == found.file else self.info.in_file(scope, found.file)), call

    def _call(self, function: Function, call: Location) -> str:
        if id(call) not in self._calls:
            scope, outer = self._scope_at(function, call)
            self._calls[id(call)] = self.info.call(scope, call.line, call.column, outer)
        return self._calls[id(call)]

    def _inlined_scope(self, name: str, found: Location) -> str:
        key = f"inlined {name}"
        if key not in self._scopes:
            self._scopes[key] = self.info.function(readable(name), name, found.file, found.line)
        return self._scopes[key]

    def _name_of(self, function: Function, name: str) -> str:
        """Return the symbol of an inlined function: PTX text has a label of a string."""
        text = self.program.unit_of[function.name].text
        return name if hasattr(text, "source") else string_at(text, name)

    # --- debugging entries of the PTX -----------------------------------------------------------------

    def units_of(self, function: Function) -> list[Entry]:
        """Return the debugging entries of the unit that a function is in."""
        unit = self.program.unit_of[function.name]
        if unit.name not in self._units:
            try:
                self._units[unit.name] = entries_of(unit.text)
            except PtxError:  # the kernel can be debugged by its registers
                self._units[unit.name] = []
        return self._units[unit.name]

    def entry_of(self, function: Function) -> Entry | None:
        """Return the debugging entry of a function, None if it has none."""
        for entry in (child for unit in self.units_of(function) for child in unit.walk()):
            names = (entry.text("symbol"), entry.text("name"))
            if entry.tag == "function" and function.name in names and "low" in entry.attributes:
                return entry
        return None

    def path_of(self, function: Function, number: int) -> str:
        """Return a source file of a function's unit by its number, "" if it has none."""
        text = self.program.unit_of[function.name].text
        found = re.search(rf'^\s*\.file\s+{number}\s+"([^"]*)"', text, re.MULTILINE)
        return found[1] if found else ""

    def block_of(self, function: Function, entry: Entry, outer: Scope) -> Scope:
        """Return the scope of a block of variables, or of inlined code, and remember the lines that it covers."""
        origin = entry.origin
        if origin is None:
            line = self.opening(function).line
            scope = outer._replace(node=self.info.block(outer.node, outer.path, line))
        else:
            path, name = self.path_of(function, origin.number("file")) or outer.path, origin.text("name")
            node = self.info.function(name, origin.text("symbol") or name, path, origin.number("line"))
            scope = Scope(node, path, self.info.call(outer.node, entry.number("call_line"), 0, outer.call))
            self.inlined.setdefault(function.name, []).append(scope)
        lines = range(self._line_of(function, entry.text("low")), self._line_of(function, entry.text("high")))
        self._blocks.setdefault(function.name, []).append(Covered(lines, scope))
        return scope

    def _line_of(self, function: Function, label: str) -> int:
        """Return the PTX line of a label, 0 if there is none."""
        found = re.search(rf"^{re.escape(label)}:", self.program.unit_of[function.name].text, re.MULTILINE)
        return found.string.count("\n", 0, found.start()) + 1 if found else 0

    # --- text -----------------------------------------------------------------------------------------

    def added_to(self, text: str) -> str:
        """Return LLVM IR with debug information."""
        by_symbol = {(name if each.entry else f"device.{name}"): each for name, each in self._functions.items()}

        def scope_of(symbol: str, _text: str) -> str | None:
            return self.scope_of(by_symbol[symbol]) if symbol in by_symbol else None

        text = located(text, scope_of, lambda symbol, number: self.location_of(by_symbol[symbol], number))
        return text.replace('nounwind "no-trapping-math"', 'nounwind "frame-pointer"="all" "no-trapping-math"') + (
            self.info.text()
        )
