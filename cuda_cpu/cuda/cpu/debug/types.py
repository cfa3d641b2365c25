# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Types of variables as LLVM metadata: of PTX, of CUDA's built-in variables, and of C++ from debugging entries."""

from __future__ import annotations

from cuda.cpu.emit.llvm.debug_info import DebugInfo
from cuda.cpu.ptx.image.debug_entries import Block, Entry, leb
from cuda.cpu.ptx.syntax import Variable
from cuda.cpu.runtime.abi import WARP

# C++ name, bytes and encoding of PTX's fundamental types; those without a sign are shown as unsigned.
SCALARS = {
    "pred": ("bool", 1, "boolean"), "f32": ("float", 4, "float"), "f64": ("double", 8, "float"),
    "f16": ("_Float16", 2, "float"),
    "s8": ("signed char", 1, "signed_char"), "s16": ("short", 2, "signed"), "s32": ("int", 4, "signed"),
    "s64": ("long", 8, "signed"),
}  # fmt: skip
UNSIGNED = {
    1: ("unsigned char", "unsigned_char"), 2: ("unsigned short", "unsigned"), 4: ("unsigned int", "unsigned"),
    8: ("unsigned long", "unsigned"), 16: ("unsigned __int128", "unsigned"),
}  # fmt: skip
ENCODINGS = {
    1: "address", 2: "boolean", 4: "float", 5: "signed", 6: "signed_char", 7: "unsigned", 8: "unsigned_char", 16: "UTF",
}  # fmt: skip
COMPOSITES = {"structure": "structure_type", "class": "class_type", "union": "union_type"}
DERIVED = {
    "pointer": ("pointer_type", 8),
    "reference": ("reference_type", 8), "rvalue_reference": ("rvalue_reference_type", 8),
    "const": ("const_type", 0), "volatile": ("volatile_type", 0), "typedef": ("typedef", 0),
}  # fmt: skip
# Fields of struct cpu_warp that a debugger shows: their numbers of 32-bit elements.
FIELDS = {"lanes": (), "warp_id": (), "worker": (), "grid_dim": (3,), "block_idx": (3,), "block_dim": (3,),
          "cluster_dim": (3,), "thread_idx": (3, 32)}  # fmt: skip


class Types:
    """Types of one module."""

    def __init__(self, info: DebugInfo):
        self.info = info
        self._known: dict[int, str] = {}  # by identity of entries
        self._held: list[Entry] = []  # so that no other entry gets an identity

    def unsigned(self, size: int) -> str:
        return self.info.basic(UNSIGNED[size][0], size, UNSIGNED[size][1])

    def of_ptx(self, kind: str, size: int) -> str:
        """Return the type of a PTX register or element."""
        return self.info.basic(*SCALARS[kind]) if kind in SCALARS else self.unsigned(size)

    def of_variable(self, variable: Variable) -> str:
        """Return the type of a PTX variable: bytes that are aligned are shown as words."""
        size = int(variable.type[1:]) // 8 if variable.type[1:].isdecimal() else 8
        if not variable.dims:
            return self.of_ptx(variable.type, size)
        if variable.type == "b8":
            size = max(each for each in (1, 2, 4, 8) if variable.align % each == 0 and variable.size % each == 0)
            size = min(size, 4)
            return self.info.array(self.unsigned(size), variable.size, [variable.size // size])
        return self.info.array(self.of_ptx(variable.type, size), variable.size, [variable.size // size])

    def pointer_to(self, type_: str) -> str:
        return self.info.derived("pointer_type", type_, size=8)

    def index(self, distance: int) -> str:
        """Return the type of blockIdx and the like, whose x, y and z are some bytes apart."""
        word = self.unsigned(4)
        members = [self.info.derived("member", word, axis, 4, number * distance) for number, axis in enumerate("xyz")]
        return self.info.composite("structure_type", "uint3", 2 * distance + 4, members)

    def warp(self) -> str:
        """Return the type of a warp's state (struct cpu_warp)."""
        members = []
        for name, counts in FIELDS.items():
            size, type_ = 4, self.unsigned(4)
            for count in counts:
                size *= count
            if counts:
                type_ = self.info.array(type_, size, list(counts))
            members.append(self.info.derived("member", type_, name, size, WARP[name]))
        return self.info.composite("structure_type", "cuda_warp_state", max(WARP.values()) + 8, members)

    # --- C++ ----------------------------------------------------------------------------------------

    def of_entry(self, entry: Entry | None) -> str:
        """Return the type that a debugging entry describes, "null" for void."""
        if entry is None or not entry.tag:
            return "null"
        if id(entry) not in self._known:
            self._held.append(entry)
            self._known[id(entry)] = self._make(entry)
        return self._known[id(entry)]

    def _make(self, entry: Entry) -> str:
        info, name = self.info, entry.text("name")
        if entry.tag == "base":
            return info.basic(name, entry.number("size"), ENCODINGS.get(entry.number("encoding"), "unsigned"))
        if entry.tag in DERIVED:
            tag, size = DERIVED[entry.tag]
            return info.derived(tag, self.of_entry(entry.type), name, size)
        if entry.tag == "array":
            counts = [_count(child) for child in entry.children if child.tag == "subrange"]
            size = size_of(entry.type)
            for count in counts:
                size *= max(count, 0)
            return info.array(self.of_entry(entry.type), size, counts)
        if entry.tag == "enumeration":
            values = [
                info.enumerator(child.text("name"), child.number("value"))
                for child in entry.children
                if child.tag == "enumerator"
            ]
            return info.composite("enumeration_type", name, entry.number("size", 4), values)
        if entry.tag in COMPOSITES:
            node = self._known[id(entry)] = info.reserve()
            return info.composite(COMPOSITES[entry.tag], name, entry.number("size"), self._members(entry), node=node)
        return "null"

    def _members(self, entry: Entry) -> list[str]:
        found = []
        for child in entry.children:
            if child.tag in ("member", "inheritance") and "offset" in child.attributes:
                name = child.text("name") if child.tag == "member" else ""
                type_, size = self.of_entry(child.type), size_of(child.type)
                found.append(self.info.derived(child.tag, type_, name, size, _offset(child)))
            elif child.tag == "member" and entry.tag == "union":
                found.append(
                    self.info.derived("member", self.of_entry(child.type), child.text("name"), size_of(child.type))
                )
        return found


def _count(entry: Entry) -> int:
    return entry.number("count", -1) if "count" in entry.attributes else entry.number("upper", -2) + 1


def _offset(entry: Entry) -> int:
    """Return a member's offset: a number, or DW_OP_plus_uconst with one."""
    offset = entry.attributes["offset"]
    return leb(offset.data, 1)[0] if isinstance(offset, Block) else int(offset)


def size_of(entry: Entry | None) -> int:
    """Return the size of a C++ type, 0 if it has none."""
    if entry is None:
        return 0
    if entry.tag == "array":
        size = size_of(entry.type)
        for child in entry.children:
            size *= max(_count(child), 0) if child.tag == "subrange" else 1
        return size
    if entry.tag in ("const", "volatile", "typedef"):
        return size_of(entry.type)
    return 8 if entry.tag in DERIVED else entry.number("size")
