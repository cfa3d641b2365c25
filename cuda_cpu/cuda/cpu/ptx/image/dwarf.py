# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Reader of the line tables of ELF objects (DWARF 2 to 5, section 6.2)."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from cuda.cpu.ptx.error import PtxError

# DW_LNE_NVIDIA_inlined_call of elfutils' dwarf.h: the number of the row of the call in this sequence, from 1 (0: not
# inlined), and the function's name as an offset in .debug_str. tests/cpu/ptx/test_ptx_compilers.py checks it.
_INLINED = 0x90
_NAMES = ".debug_str"


class Row(NamedTuple):
    """A row of a line table: code from this offset up to the next row's is of this line; line 0 ends a sequence."""

    section: int  # symbol that the addresses of the code are relative to
    offset: int
    line: int
    file: str  # "" in DWARF 5, whose file names are not read
    function: str = ""  # of inlined code; its name
    caller: Row | None = None  # of inlined code: the row of the call


def line_table(found: Mapping[str, bytes], name: str) -> Iterator[Row]:
    """Yield the rows of a relocatable object's line programs.

    Parameters
    ----------
    found : dict
        The object's sections by name.
    name : str
        The section with the table, ``.debug_line`` or one like it. If it does not exist, there are no rows.

    Raises
    ------
    PtxError
        The table is damaged.
    """
    table = found.get(name, b"")
    at = 0
    try:
        starts = _relocations(found, name, table)
        while at < len(table):
            program = _Program(table, at, starts, found.get(_NAMES, b""))
            yield from program.rows()
            at = program.end
    except (IndexError, ValueError, ZeroDivisionError, struct.error) as error:
        raise PtxError(f"the line table {name} is damaged at byte {at}: {error}") from None


def _relocations(found: Mapping[str, bytes], name: str, table: bytes) -> dict[int, tuple[int, int]]:
    """Return the relocations of addresses in the table: offset -> (symbol, addend)."""
    starts = {}
    for offset, information in struct.iter_unpack("<QQ", found.get(f".rel{name}", b"")):
        starts[offset] = (information >> 32, int.from_bytes(table[offset : offset + 8], "little"))
    for offset, information, addend in struct.iter_unpack("<QQq", found.get(f".rela{name}", b"")):
        starts[offset] = (information >> 32, addend)
    return starts


class _Program:
    """One line-number program: its header, and the state machine that runs it (6.2.2, 6.2.4, 6.2.5)."""

    def __init__(self, table: bytes, at: int, starts: dict[int, tuple[int, int]], names: bytes) -> None:
        size, version = struct.unpack_from("<IH", table, at)
        self.table, self.starts, self.end, self.names = table, starts, at + 4 + size, names
        at += 6 + (2 if version >= 5 else 0)  # 5 has the sizes of addresses and selectors
        self.begin = at + 4 + struct.unpack_from("<I", table, at)[0]
        self.shortest = table[at + 4]
        at += 6 + (1 if version >= 4 else 0)  # 4 has the operations of an instruction; then the default of is_stmt
        self.base, self.span, self.first = struct.unpack_from("<bBB", table, at)
        self.lengths = table[at + 3 : at + 2 + self.first]
        self.files = [""] + (self._files(at + 2 + self.first) if version < 5 else [])

    def _files(self, at: int) -> list[str]:
        while self.table[at]:  # folders
            at = self.table.index(b"\0", at, self.end) + 1
        at += 1
        found = []
        while self.table[at]:
            end = self.table.index(b"\0", at, self.end)
            found.append(self.table[at:end].decode("utf-8", "replace"))
            at = end + 1
            for _ in range(3):  # folder, time, size
                _, at = _leb128(self.table, at)
        return found

    def rows(self) -> Iterator[Row]:
        table, at = self.table, self.begin
        section, address, line, file = 0, 0, 1, 1
        made_rows: list[Row] = []
        function, caller = "", None
        while at < self.end:
            opcode = table[at]
            at += 1
            made = False
            if opcode >= self.first:  # special: advances both
                address += (opcode - self.first) // self.span * self.shortest
                line += self.base + (opcode - self.first) % self.span
                made = True
            elif opcode == 0:  # extended: size, opcode
                size, at = _leb128(table, at)
                if table[at] == 1:  # DW_LNE_end_sequence
                    yield Row(section, address, 0, "")
                    address, line, file = 0, 1, 1
                    function, caller, made_rows = "", None, []
                elif table[at] == 2:  # DW_LNE_set_address
                    section, address = self.starts.get(at + 1, (0, 0))
                elif table[at] == _INLINED:
                    function, caller = self._inlined(at + 1, made_rows)
                at += size
            elif opcode == 1:  # DW_LNS_copy
                made = True
            elif opcode == 2:  # DW_LNS_advance_pc
                step, at = _leb128(table, at)
                address += step * self.shortest
            elif opcode == 3:  # DW_LNS_advance_line
                step, at = _leb128(table, at, signed=True)
                line += step
            elif opcode == 4:  # DW_LNS_set_file
                file, at = _leb128(table, at)
            elif opcode == 8:  # DW_LNS_const_add_pc
                address += (255 - self.first) // self.span * self.shortest
            elif opcode == 9:  # DW_LNS_fixed_advance_pc
                address += struct.unpack_from("<H", table, at)[0]
                at += 2
            else:  # columns and the like: skipped with their operands
                for _ in range(self.lengths[opcode - 1]):
                    _, at = _leb128(table, at)
            if made:
                name = self.files[file] if file < len(self.files) else ""
                made_rows.append(Row(section, address, line, name, function, caller))
                yield made_rows[-1]

    def _inlined(self, at: int, rows: list[Row]) -> tuple[str, Row | None]:
        """Return the function that the next rows are inlined from, and the row of its call."""
        number, at = _leb128(self.table, at)
        offset, _ = _leb128(self.table, at)
        if not 0 < number <= len(rows):
            return "", None
        return self.names[offset:].partition(b"\0")[0].decode("utf-8", "replace"), rows[number - 1]


def _leb128(data: bytes, at: int, *, signed: bool = False) -> tuple[int, int]:
    """Return the LEB128 number at an offset, and the offset after it (7.6)."""
    value = shift = 0
    while True:
        byte = data[at]
        at, value, shift = at + 1, value | (byte & 127) << shift, shift + 7
        if byte < 128:
            break
        if shift > 63:
            raise ValueError("a number has more than 64 bits")
    return (value - (1 << shift) if signed and byte & 64 else value), at
