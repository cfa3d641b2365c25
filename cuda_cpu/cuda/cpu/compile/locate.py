# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Find the PTX instruction of an address in machine code, for the message of a fault.

Machine code has no line table: it would cost time and memory even without a fault. After a fault the kernel is
compiled again, with a debug location at each LLVM instruction; LLVM generates the same code, which is compared with the
code in memory, and a line table.
"""

from __future__ import annotations

import bisect
import ctypes
import itertools
import re
import struct
from typing import TYPE_CHECKING

from cuda.cpu import debug
from cuda.cpu.compile import jit, machines
from cuda.cpu.counters.instrument import Counters
from cuda.cpu.debug import core
from cuda.cpu.debug.symbols import readable
from cuda.cpu.emit.llvm import debug_info
from cuda.cpu.emit.llvm.module import DebugLocation
from cuda.cpu.ptx.image import elf
from cuda.cpu.ptx.image.debug_entries import string_at
from cuda.cpu.ptx.image.dwarf import line_table
from cuda.cpu.ptx.image.image import CubinText
from cuda.cpu.ptx.syntax import Call, Instruction, Location, Symbol
from cuda.cpu.runtime import _runtime

if TYPE_CHECKING:
    from cuda.cpu.compile.code import MachineCode
    from cuda.cpu.ptx.program import Program
    from cuda.cpu.runtime._runtime import Fault, Image

MOST_FRAMES = 64
MOST_TEXT = 6 << 20  # bytes of LLVM IR: more would take seconds

_UNIT = """
!llvm.dbg.cu = !{{!{unit}}}
!llvm.module.flags = !{{!{flag}}}
!{flag} = !{{i32 2, !"Debug Info Version", i32 3}}
!{unit} = distinct !DICompileUnit(language: DW_LANG_C99, file: !{file}, isOptimized: true, emissionKind: LineTablesOnly)
!{file} = !DIFile(filename: "kernel.ptx", directory: "")
!{type} = !DISubroutineType(types: !{{}})
"""
_FUNCTION = (
    '!{0} = distinct !DISubprogram(name: "f{0}", file: !{file}, line: 1, type: !{type}, unit: !{unit}, '
    "spFlags: DISPFlagDefinition | DISPFlagOptimized)\n"
)


def describe(program: Program, machine: MachineCode, fault: Fault) -> str:
    """Describe the instruction of a kernel that faulted, with its PTX line and, if known, its source line.

    Parameters
    ----------
    program : Program
        The program, with the kernel's shared memory laid out.
    machine : MachineCode
        The kernel's machine code.
    fault : Fault
        The fault that the runtime recorded.
    """
    line = fault.line
    if debug.active() and not line:
        return _in_code_for_debugger(fault)
    location = _by_line(program, fault.kernel, line) if line else _by_address(program, machine, fault)
    if location is None:
        return f"PTX line {line}" if line else ""
    return _described(program, location)


def describe_site(program: Program, name: str, site: int) -> str:
    """Describe the instruction at a site of a kernel: the number of its function, and its line."""
    function, line = list(program.reachable(name))[site >> 32], site & 0xFFFFFFFF
    for statement in program.functions[function].body or ():
        if isinstance(statement, (Instruction, Call)) and statement.line == line:
            return _described(program, DebugLocation(function, line, statement.source))
    return f"PTX line {line}"


def frames_of_site(program: Program, name: str, site: int) -> list[tuple[str, str, int]]:
    """Return function, file and line of an instruction and of the calls around it, from the innermost.

    Calls that are not inlined are followed to the kernel as long as a function has a single one.
    """
    function, line = list(program.reachable(name))[site >> 32], site & 0xFFFFFFFF
    found = _inlined_frames(program, function, _source_of(program, function, line))
    while function != name:
        calls = [
            (caller, statement)
            for caller in program.reachable(name)
            for statement in program.functions[caller].body or ()
            if isinstance(statement, Call)
            and isinstance(statement.target, Symbol)
            and statement.target.name == function
        ]
        if len(calls) != 1 or len(found) > MOST_FRAMES:
            break
        function, call = calls[0]
        found += _inlined_frames(program, function, call.source or _source_of(program, function, call.line))
    return found


def _source_of(program: Program, function: str, line: int) -> Location | None:
    text = program.unit_of[function].text
    if isinstance(text, CubinText):
        return text.source(line)
    statements = program.functions[function].body or ()
    return next(
        (each.source for each in statements if isinstance(each, (Instruction, Call)) and each.line == line), None
    )


def _inlined_frames(program: Program, function: str, at: Location | None) -> list[tuple[str, str, int]]:
    """Return the frames of a location within a function of PTX."""
    if at is None:
        return [(function, "", 0)]
    found = []
    text = program.unit_of[function].text
    while at.caller is not None and at.function:
        name = at.function if isinstance(text, CubinText) else string_at(text, at.function)
        found.append((name, at.file, at.line))
        at = at.caller
    return [*found, (function, at.file, at.line)]


def _described(program: Program, location: DebugLocation) -> str:
    text = program.unit_of[location.function].text
    source = location.source or (text.source(location.line) if isinstance(text, CubinText) else None)
    source_line = f" ({source.file} line {source.line})" if source else ""
    instruction = " ".join(text.splitlines()[location.line - 1].split())
    return f"PTX line {location.line} `{instruction}`{source_line}"


def _by_line(program: Program, name: str, line: int) -> DebugLocation | None:
    """Return the instruction at a PTX line; None if several units have one there."""
    found = {}
    for function in map(program.functions.__getitem__, program.reachable(name)):
        for statement in function.body or ():
            if isinstance(statement, (Instruction, Call)) and statement.line == line:
                found[id(program.unit_of[function.name])] = DebugLocation(function.name, line, statement.source)
    return found.popitem()[1] if len(found) == 1 else None


def _in_code_for_debugger(fault: Fault) -> str:
    """Describe the source line of a fault by the line tables of code for a debugger, "" if it is unknown."""
    for data in _runtime.announced_objects():
        start, code = core.code_address(data), Code(data, fault.kernel)
        for address in (fault.pc, *(caller - 1 for caller in fault.callers)):
            offset = address - start
            names = [name for name, covered in code.functions.items() if offset in covered]
            row = bisect.bisect_right(code.offsets, offset) - 1
            if names and (names[0] == fault.kernel or names[0].startswith("device.")) and row >= 0 and code.lines[row]:
                return f"{readable(names[0].removeprefix('device.'))} ({code.files[row]} line {code.lines[row]})"
    return ""


def _by_address(program: Program, machine: MachineCode, fault: Fault) -> DebugLocation | None:
    """Return the instruction whose machine code faulted, None if it is unknown."""
    address, image = machine.faulted(fault)
    if image is None:
        return None
    level = jit.setting()
    for each, quick in ((jit.QUICK, True), (jit.BEST, False)) if level is None else ((level, False),):
        found: list[DebugLocation] = []
        instrumentation = Counters(program, fault.kernel) if machine.counters else jit.checked_by(machine.checks)
        kernel = jit.kernel_text(
            program,
            fault.kernel,
            machine.lane_run,
            quick=quick,
            brief=quick and machine.most_threads > 0,
            locations=found,
            instrumentation=instrumentation,
        )
        if len(kernel.text) > MOST_TEXT:
            return None
        code = Code(jit.assemble(with_locations(kernel.text), each), fault.kernel)
        if code.is_of(image):
            number = code.location(address - code.start(image)) or code.location_of_call(fault, code.start(image))
            return found[number - 1] if number else None
    return None


def with_locations(text: str) -> str:
    """Turn the location comments of LLVM IR into debug locations: the line is the location's number."""
    numbers = itertools.count(1 + max(map(int, re.findall(r"^!(\d+) = ", text, re.MULTILINE)), default=-1))
    unit = {part: next(numbers) for part in ("unit", "flag", "file", "type")}
    about = [_UNIT.format(**unit)]

    scope, locations = 0, dict[int, int]()

    def scope_of(_symbol: str, function: str) -> str | None:
        nonlocal scope
        if "; location " not in function:
            return None
        scope = next(numbers)
        locations.clear()
        about.append(_FUNCTION.format(scope, **unit))
        return f"!{scope}"

    def location_of(_symbol: str, line: int) -> str:
        if line not in locations:
            locations[line] = next(numbers)
            about.append(f"!{locations[line]} = !DILocation(line: {line}, scope: !{scope})\n")
        return f"!{locations[line]}"

    return debug_info.located(text, scope_of, location_of) + "".join(about)


class Code:
    """The code of an object, and the number of the location that each instruction comes from."""

    def __init__(self, data: bytes, name: str) -> None:
        self.sections = dict(elf.Sections(data))
        self.code = self.sections[".text"]
        self.name = name
        self.functions = elf.functions(self.sections)
        rows = sorted(line_table(self.sections, ".debug_line"), key=lambda row: row.offset)
        self.offsets = [row.offset for row in rows]
        self.lines = [row.line for row in rows]
        self.files = [row.file for row in rows]

    def start(self, image: Image) -> int:
        """Return the address of the code in an image."""
        return image.address(self.name) - self.functions[self.name].start

    def is_of(self, image: Image) -> bool:
        """Return whether an image contains this code."""
        start = self.start(image)
        if not image.base <= start < start + len(self.code) <= image.base + image.size:
            return False
        return self._without_relocations(self.code) == self._without_relocations(
            ctypes.string_at(start, len(self.code))
        )

    def _without_relocations(self, code: bytes) -> bytes:
        left = bytearray(code)
        for offset, _, _ in struct.iter_unpack("<QQq", self.sections.get(".rela.text", b"")):
            left[offset : offset + 8] = bytes(len(left[offset : offset + 8]))
        return bytes(left)

    def location(self, offset: int) -> int:
        """Return the number of an instruction's location, 0 if it has none."""
        before = bisect.bisect_right(self.offsets, offset)
        return self.lines[before - 1] if before and 0 <= offset < len(self.code) else 0

    def location_of_call(self, fault: Fault, start: int) -> int:
        """Return the location of the call of the function that faulted, which several instructions share."""
        machine = machines.host()
        inside = next((each for each in self.functions.values() if fault.pc - start in each), range(-1))
        for offset in (caller - start for caller in fault.callers):
            call = self.code[max(offset - machine.call_size, 0) : max(offset, 0)]
            distance = machine.call_offset(call)
            if distance is not None and offset + distance == inside.start:
                return self.location(offset - 1)
        return 0
