# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Debugging information entries of PTX that was compiled with -G: DWARF in sections that are written as numbers.

PTX ISA manual, section 11.5 ("Debugging Directives"), and the DWARF standard, version 2, section 7. Addresses are
names: labels of the code, variables, or the encoded names of registers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from cuda.cpu.ptx.error import PtxError

_SECTION = re.compile(r"^\s*\.section\s+(\.debug_\w+)\s*\{(.*?)^\s*\}", re.MULTILINE | re.DOTALL)
_LINE = re.compile(r"^\s*(?:(?P<label>[\w$]+):)?\s*(?:\.b(?P<width>8|16|32|64)\s+(?P<values>[^\n/]+))?", re.MULTILINE)
_NUMBER = re.compile(r"-?\d+$|0[xX][0-9a-fA-F]+$")
_SUM = re.compile(r"([\w$.]+)\s*(?:\+\s*(\d+))?$")
_FIXED = {0x01: 8, 0x05: 2, 0x06: 4, 0x07: 8, 0x0B: 1, 0x0C: 1, 0x0E: 4, 0x11: 1, 0x12: 2, 0x13: 4, 0x14: 8, 0x17: 4}
_BLOCKS = {0x03: 2, 0x04: 4, 0x0A: 1}  # forms with bytes of their own -> width of their length
_STRING, _SDATA, _STRP, _UDATA, _REFERENCE, _EXPRESSION, _PRESENT = 0x08, 0x0D, 0x0E, 0x0F, 0x15, 0x18, 0x19
_REFERENCES = (0x11, 0x12, 0x13, 0x14, 0x15)  # from the beginning of the unit

# Names of attributes and tags that are read (DWARF, figures 14 and 15); 0x33 has the state space, in NVIDIA's numbers.
ATTRIBUTES = {
    0x02: "location", 0x03: "name", 0x0B: "size", 0x11: "low", 0x12: "high", 0x1C: "value", 0x22: "upper",
    0x31: "origin",
    0x33: "space", 0x37: "count", 0x38: "offset", 0x3A: "file", 0x3B: "line", 0x3C: "declared", 0x3E: "encoding",
    0x47: "whole", 0x49: "type", 0x59: "call_line", 0x6E: "symbol", 0x2007: "symbol",
}  # fmt: skip
TAGS = {
    0x01: "array", 0x02: "class", 0x04: "enumeration", 0x05: "parameter", 0x0B: "block", 0x0D: "member",
    0x0F: "pointer",
    0x10: "reference", 0x11: "unit", 0x13: "structure", 0x16: "typedef", 0x17: "union", 0x1C: "inheritance",
    0x1D: "inlined", 0x21: "subrange", 0x24: "base", 0x26: "const", 0x28: "enumerator", 0x2E: "function",
    0x34: "variable", 0x35: "volatile", 0x39: "namespace", 0x42: "rvalue_reference",
}  # fmt: skip


class Block(NamedTuple):
    """Bytes, and the names in them by offset."""

    data: bytes
    names: dict[int, str]


Attribute = int | str | Block


@dataclass(slots=True)
class Entry:
    """A debugging information entry; types of entries are other entries."""

    tag: str
    attributes: dict[str, Attribute]
    children: list[Entry] = field(default_factory=list)
    type: Entry | None = None
    origin: Entry | None = None

    def number(self, name: str, default: int = 0) -> int:
        value = self.attributes.get(name)
        return value if isinstance(value, int) else default

    def text(self, name: str) -> str:
        value = self.attributes.get(name)
        return value if isinstance(value, str) else ""

    def walk(self) -> Iterator[Entry]:
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(slots=True)
class _Section:
    data: bytearray = field(default_factory=bytearray)
    names: dict[int, str] = field(default_factory=dict)  # offset -> label, variable or section
    labels: dict[str, int] = field(default_factory=dict)


def _assembled(text: str) -> _Section:
    section = _Section()
    for line in _LINE.finditer(text):
        if line["label"]:
            section.labels[line["label"]] = len(section.data)
        if not line["width"]:
            continue
        width = int(line["width"]) // 8
        for value in map(str.strip, line["values"].split(",")):
            number = 0
            if _NUMBER.match(value):
                number = int(value, 0)
            elif match := _SUM.match(value):
                section.names[len(section.data)] = match[1]
                number = int(match[2] or 0)
            section.data += (number & ((1 << 8 * width) - 1)).to_bytes(width, "little")
    return section


def entries_of(text: str) -> list[Entry]:
    """Return the compile units of PTX text; none if it was compiled without -G.

    Raises
    ------
    PtxError
        A section is damaged.
    """
    sections: dict[str, str] = {}
    for name, body in _SECTION.findall(text):
        sections[name] = sections.get(name, "") + body
    if ".debug_info" not in sections or ".debug_abbrev" not in sections:
        return []
    try:
        reader = _Reader(*(_assembled(sections.get(f".debug_{name}", "")) for name in ("info", "abbrev", "str")))
        return list(reader.units())
    except (IndexError, KeyError, ValueError, RecursionError) as error:
        raise PtxError(f"the debug sections are damaged: {error!r}") from None


class _Reader:
    def __init__(self, info: _Section, abbreviations: _Section, strings: _Section):
        self._info, self._abbreviations, self._strings = info, abbreviations, strings
        self._at = 0
        self._known: dict[int, Entry] = {}  # by offset
        self._references: list[tuple[Entry, str, int]] = []

    def units(self) -> Iterator[Entry]:
        while self._at + 11 <= len(self._info.data):
            start = self._at
            length, version = self._take(4), self._take(2)
            if not 2 <= version <= 4:
                raise ValueError(f"DWARF version {version}")
            end = min(start + 4 + length, len(self._info.data))
            forms = self._forms(self._take(4))
            self._take(1)
            yield from self._siblings(forms, start, end)
            for entry, name, offset in self._references:
                if name == "type":
                    entry.type = self._known.get(offset)
                else:
                    entry.origin = self._known.get(offset)
            self._references.clear()
            self._at = end

    def _siblings(self, forms: dict[int, tuple[int, bool, list[tuple[int, int]]]], start: int, end: int) -> list[Entry]:
        found = []
        while self._at < end:
            offset = self._at
            code = self._number()
            if not code:
                break
            tag, has_children, attributes = forms[code]
            entry = self._known[offset] = Entry(TAGS.get(tag, ""), {})
            for attribute, form in attributes:
                self._attribute(entry, ATTRIBUTES.get(attribute, ""), form, start)
            if has_children:
                entry.children = self._siblings(forms, start, end)
            found.append(entry)
        return found

    def _attribute(self, entry: Entry, name: str, form: int, start: int) -> None:
        value = self._value(form)
        if name in ("type", "origin") and isinstance(value, int):
            self._references.append((entry, name, value + (start if form in _REFERENCES else 0)))
        elif name:
            entry.attributes[name] = value

    def _value(self, form: int) -> Attribute:
        at = self._at
        if form in _FIXED:
            number = self._take(_FIXED[form])
            name = self._info.names.get(at)
            if form == _STRP:
                return self._string(self._strings, self._strings.labels.get(name or "", 0) + number)
            return name if name and not name.startswith(".debug") else number
        if form == _STRING:
            text = self._string(self._info, at)
            self._at = self._info.data.index(0, at) + 1
            return text
        if form in (_SDATA, _UDATA, _REFERENCE):
            return self._number(signed=form == _SDATA)
        if form == _PRESENT:
            return 1
        length = self._take(_BLOCKS[form]) if form in _BLOCKS else self._number()
        at, self._at = self._at, self._at + length
        names = {offset - at: name for offset, name in self._info.names.items() if at <= offset < at + length}
        return Block(bytes(self._info.data[at : at + length]), names)

    def _take(self, width: int) -> int:
        self._at += width
        return int.from_bytes(self._info.data[self._at - width : self._at], "little")

    def _number(self, *, signed: bool = False) -> int:
        number, self._at = leb(self._info.data, self._at, signed=signed)
        return number

    @staticmethod
    def _string(section: _Section, at: int) -> str:
        return bytes(section.data[at : section.data.index(0, at)]).decode(errors="replace")

    def _forms(self, at: int) -> dict[int, tuple[int, bool, list[tuple[int, int]]]]:
        """Return tag, presence of children, and attributes with their forms, by abbreviation code."""
        data = self._abbreviations.data
        found: dict[int, tuple[int, bool, list[tuple[int, int]]]] = {}
        while True:
            code, at = leb(data, at)
            if not code:
                return found
            tag, at = leb(data, at)
            has_children, at = bool(data[at]), at + 1
            attributes = []
            while True:
                attribute, at = leb(data, at)
                form, at = leb(data, at)
                if not form:
                    break
                attributes.append((attribute, form))
            found[code] = tag, has_children, attributes


def leb(data: bytes | bytearray, at: int, *, signed: bool = False) -> tuple[int, int]:
    """Return a number of variable length (DWARF, "LEB128"), and the offset behind it."""
    number = shift = 0
    while True:
        byte = data[at]
        at += 1
        number |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            break
    return (number - (1 << shift) if signed and byte & 0x40 else number), at


def register_of(number: int) -> str:
    """Return the name of a PTX register, whose characters are the digits of its DWARF number in base 256."""
    return number.to_bytes((number.bit_length() + 7) // 8, "big").decode(errors="replace")


def string_at(text: str, label: str) -> str:
    """Return a string of the .debug_str section of PTX."""
    label, _, offset = label.partition("+")
    match = re.search(rf"^{re.escape(label)}:((?:\s*\.b8[\d,\s]+(?://.*)?)+)", text, re.MULTILINE)
    numbers = re.findall(r"\d+", re.sub(r"//.*|\.b8", "", match[1])) if match else []
    data = bytes(int(number) & 255 for number in numbers)
    return data[int(offset or 0) :].partition(b"\0")[0].decode("utf-8", "replace") or label
