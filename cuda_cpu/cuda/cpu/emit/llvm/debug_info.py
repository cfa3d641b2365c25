# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Debug information as LLVM metadata: nodes, and the locations of instructions (LangRef, "Specialized Metadata Nodes").

`Builder.at` leaves comments "; location N" in the text of functions; `located` turns them into `!dbg` attachments.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable

FIRST = 100  # number of the first node: emit/kernel.py has some below
_MARK = re.compile(r"\s*; location (\d+)")
_NO_INSTRUCTION = re.compile(r"\s*(;|#dbg_|$)|[\w.$\"-]+:|\}")
_DEFINITION = re.compile(r"^define .*?^\}", re.MULTILINE | re.DOTALL)
_SYMBOL = re.compile(r'@("[^"]*"|[\w.$-]+)\(')


def located(text: str, scope_of: Callable[[str, str], str | None], location_of: Callable[[str, int], str]) -> str:
    """Attach a subprogram to each function of LLVM IR, and a location to each of its instructions.

    Parameters
    ----------
    text : str
        LLVM IR with location comments.
    scope_of : callable
        Symbol of a function, its text -> its DISubprogram; None: it has no locations.
    location_of : callable
        Symbol of a function, number of a comment (0 before the first one) -> DILocation.
    """

    def attached(function: re.Match[str]) -> str:
        head, *rows = function[0].splitlines()
        found = _SYMBOL.search(head)
        symbol = found[1].strip('"') if found else ""
        scope, number = scope_of(symbol, function[0]), 0
        if scope is None:
            return function[0]
        out = [head.replace(" {", f" !dbg {scope} {{")]
        for row in rows:
            if mark := _MARK.match(row):
                number = int(mark[1])
            elif not _NO_INSTRUCTION.match(row):
                row += f", !dbg {location_of(symbol, number)}"
            out.append(row)
        return "\n".join(out)

    return _DEFINITION.sub(attached, text)


def _quoted(text: str) -> str:
    """Return a string literal of LLVM IR."""
    return '"' + "".join(chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\{b:02X}" for b in text.encode()) + '"'


class DebugInfo:
    """Metadata nodes of one module, in a compile unit that a debugger takes for the output of clang.

    gdb believes the end of a function's prologue, which the line table has, only of LLVM's producers, which it knows
    by the word clang.
    """

    def __init__(self, path: str, language: str = "DW_LANG_C_plus_plus_14"):
        self._nodes: list[str] = []
        self._known: dict[str, str] = {}
        self._unit = self._node(
            f"distinct !DICompileUnit(language: {language}, file: {self.file(path)}, "
            'producer: "clang (LLVM), by Open CUDA Python", isOptimized: false, emissionKind: FullDebug)'
        )

    def _node(self, text: str) -> str:
        """Return a node; the same one for the same text, unless it is distinct."""
        if text in self._known and not text.startswith("distinct "):
            return self._known[text]
        name = self._known[text] = f"!{FIRST + len(self._nodes)}"
        self._nodes.append(f"{name} = {text}\n")
        return name

    def text(self) -> str:
        """Return the nodes as LLVM IR."""
        flags = [
            self._node(f'!{{i32 {behavior}, !"{name}", i32 {value}}}')
            for behavior, name, value in ((2, "Debug Info Version", 3), (7, "Dwarf Version", 4))
        ]
        named = f"!llvm.dbg.cu = !{{{self._unit}}}\n!llvm.module.flags = !{{{', '.join(flags)}}}\n"
        return "".join(self._nodes) + named

    # --- locations --------------------------------------------------------------------------------

    def file(self, path: str) -> str:
        folder, name = os.path.split(path)
        return self._node(f"!DIFile(filename: {_quoted(name)}, directory: {_quoted(folder)})")

    def function(self, name: str, symbol: str, path: str, line: int) -> str:
        """Return a function, which begins at a line of a file."""
        file, linkage = self.file(path), f"linkageName: {_quoted(symbol)}, " if symbol != name else ""
        type_ = self._node("!DISubroutineType(types: !{null})")
        return self._node(
            f"distinct !DISubprogram(name: {_quoted(name)}, {linkage}scope: {file}, file: {file}, line: {line}, "
            f"type: {type_}, scopeLine: {line}, unit: {self._unit}, spFlags: DISPFlagDefinition)"
        )

    def block(self, scope: str, path: str, line: int) -> str:
        """Return a block of variables within a function."""
        return self._node(f"distinct !DILexicalBlock(scope: {scope}, file: {self.file(path)}, line: {line})")

    def in_file(self, scope: str, path: str) -> str:
        """Return a scope for code of it that is in another file."""
        return self._node(f"!DILexicalBlockFile(scope: {scope}, file: {self.file(path)}, discriminator: 0)")

    def location(self, scope: str, line: int, column: int = 0, inlined_at: str = "") -> str:
        inlined = f", inlinedAt: {inlined_at}" if inlined_at else ""
        return self._node(f"!DILocation(line: {line}, column: {column}, scope: {scope}{inlined})")

    def call(self, scope: str, line: int, column: int, inlined_at: str = "") -> str:
        """Return the location of a call of inlined code."""
        inlined = f", inlinedAt: {inlined_at}" if inlined_at else ""
        return self._node(f"distinct !DILocation(line: {line}, column: {column}, scope: {scope}{inlined})")

    # --- variables --------------------------------------------------------------------------------

    def variable(self, scope: str, name: str, type_: str, *, path: str = "", line: int = 0, argument: int = 0) -> str:
        """Return a variable; `argument` is the number of a parameter, from 1."""
        file = f", file: {self.file(path)}" if path else ""
        number = f", arg: {argument}" if argument else ""
        return self._node(
            f"!DILocalVariable(name: {_quoted(name)}{number}, scope: {scope}{file}, line: {line}, type: {type_})"
        )

    def declare(self, pointer: str, variable: str, expression: list[str | int], location: str) -> str:
        """Return the record that a variable is at the address that an expression computes from a pointer."""
        operations = ", ".join(str(each) for each in expression)
        return f"  #dbg_declare(ptr {pointer}, {variable}, !DIExpression({operations}), {location})"

    # --- types ------------------------------------------------------------------------------------

    def basic(self, name: str, size: int, encoding: str) -> str:
        """Return a scalar type of some bytes; `encoding` is DWARF's name without DW_ATE_."""
        return self._node(f"!DIBasicType(name: {_quoted(name)}, size: {8 * size}, encoding: DW_ATE_{encoding})")

    def derived(self, tag: str, base: str, name: str = "", size: int = 0, offset: int = 0) -> str:
        """Return a type or member that is made of another type ("null": void); `tag` is DWARF's without DW_TAG_."""
        named = f"name: {_quoted(name)}, " if name else ""
        return self._node(
            f"!DIDerivedType(tag: DW_TAG_{tag}, {named}baseType: {base}, size: {8 * size}, offset: {8 * offset})"
        )

    def array(self, element: str, size: int, counts: list[int]) -> str:
        """Return an array type of `size` bytes; a count of -1 is unknown."""
        ranges = [self._node(f"!DISubrange(count: {count})") for count in counts]
        return self._node(
            f"!DICompositeType(tag: DW_TAG_array_type, baseType: {element}, size: {8 * size}, "
            f"elements: !{{{', '.join(ranges)}}})"
        )

    def composite(self, tag: str, name: str, size: int, members: list[str], *, node: str = "") -> str:
        """Return a struct, class, union or enumeration type; `node`: the name that `reserve` has returned for it."""
        named = f"name: {_quoted(name)}, " if name else ""
        text = f"!DICompositeType(tag: DW_TAG_{tag}, {named}size: {8 * size}, elements: !{{{', '.join(members)}}})"
        if not node:
            return self._node(text)
        self._nodes[int(node[1:]) - FIRST] = f"{node} = distinct {text}\n"
        return node

    def enumerator(self, name: str, value: int) -> str:
        return self._node(f"!DIEnumerator(name: {_quoted(name)}, value: {value})")

    def reserve(self) -> str:
        """Return the name of a node that `composite` defines later, for types that refer to themselves."""
        self._nodes.append("")
        return f"!{FIRST + len(self._nodes) - 1}"
