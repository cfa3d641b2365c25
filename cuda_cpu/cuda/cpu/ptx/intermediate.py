# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""PTX without its `.nv_intermediate_source_section`: the text of another language that it was compiled from."""

from __future__ import annotations

import re

from cuda.cpu.ptx.error import PtxError

_NAME = ".nv_intermediate_source_section"
# Section 11.5.6 of the PTX ISA manual: blocks with the lines of a source file between .source_begin and .source_end, in
# earlier versions in one piece between <<< and >>>.
_SECTION = re.compile(rf"^[ \t]*+{re.escape(_NAME)}(?![\w$])", re.MULTILINE)
_PART = re.compile(r'^[ \t]*+\.source_begin[ \t]*+$|<<<|"[^"\n]*+"|[{}]', re.MULTILINE)
_END = re.compile(r"^[ \t]*+\.source_end[ \t]*+$", re.MULTILINE)


def without_source(text: str) -> str:
    """Return PTX with such sections replaced by their line ends, so that lines keep their numbers.

    Raises
    ------
    PtxError
        A section does not end.
    """
    kept, at = [], 0
    while _NAME in text and (section := _SECTION.search(text, at)):
        end = _end(text, section.end())
        if end < 0:
            raise PtxError(f"the {_NAME} does not end", text.count("\n", 0, section.start()) + 1)
        kept += [text[at : section.start()], "\n" * text.count("\n", section.start(), end)]
        at = end
    return "".join((*kept, text[at:])) if kept else text


def _end(text: str, at: int) -> int:
    """Return the offset after the brace that closes a section, -1 if there is none."""
    depth = 0
    while part := _PART.search(text, at):
        token, at = part[0], part.end()
        if token in "{}":
            depth += 1 if token == "{" else -1
            if depth <= 0:
                return at
        elif token == "<<<":
            at = text.find(">>>", at)
            if at < 0:
                break
        elif token[0] != '"':
            last = _END.search(text, at)
            if last is None:
                break
            at = last.end()
    return -1
