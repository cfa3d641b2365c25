# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Make a compiler's log readable: each message with the numbered line of source that it is about."""

from __future__ import annotations

import linecache
import re
import sys
from types import FrameType

# NVRTC: "name(3): error: ..." and then, unless asked to be brief, the line and a caret below it.
_NVRTC = re.compile(r"^(?P<name>.*)\((?P<line>\d+)\): (?:catastrophic )?(?:error|warning)\b")
# nvJitLink: "ptxas NAME, line 12; error   : ..."
_PTXAS = re.compile(r"^ptxas .*, line (?P<line>\d+); (?:error|fatal|warning)\b")
QUOTES = ("'", '"')
_CARET = re.compile(r"^\s*\^\s*$")


def find_literal(source: str) -> tuple[str, int] | None:
    """Return the file and the line where a program stands as a string literal of a caller's file, if it does.

    Only a literal without escape sequences is found, and one that stands there once.
    """
    frame: FrameType | None = sys._getframe(1)
    seen = set()
    while frame is not None:
        path = frame.f_code.co_filename
        if path not in seen:
            seen.add(path)
            text = "".join(linecache.getlines(path, frame.f_globals))
            start = text.find(source)
            end = start + len(source)
            quoted = start > 0 and text[start - 1] in QUOTES and text[end : end + 1] in QUOTES
            if source and quoted and text.count(source) == 1:
                return path, text.count("\n", 0, start) + 1
        frame = frame.f_back
    return None


def annotate(log: str, source: str, name: str) -> str:
    """Return `log` with the lines of `source` that it names, numbered, below each message.

    Where the program is a string literal in a caller's file, that file and line are named, too.

    Parameters
    ----------
    log : str
        What NVRTC or nvJitLink wrote.
    source : str
        The program.
    name : str
        What the program is called in the log; messages about other files (headers) stay as they are.
    """
    lines = source.splitlines()
    literal = find_literal(source)
    messages = log.splitlines()
    result: list[str] = []
    index = 0
    while index < len(messages):
        text = messages[index]
        index += 1
        result.append(text)
        match = _NVRTC.match(text) or _PTXAS.match(text)
        if match is None or match.groupdict().get("name", name) != name:
            continue
        number = int(match["line"])
        if not 1 <= number <= len(lines):
            continue
        line = lines[number - 1].rstrip()
        result.append(f"{number:5} | {line}")
        if index + 1 < len(messages) and _CARET.match(messages[index + 1]) and messages[index].rstrip().endswith(line):
            # The log has the line too, behind an indent of its own.
            indent = len(messages[index].rstrip()) - len(line)
            result.append(f"      | {messages[index + 1][indent:]}")
            index += 2
        if literal is not None:
            result.append(f"      --> {literal[0]}:{literal[1] + number - 1}")
    return "\n".join(result).strip("\n")


def summary(log: str) -> str:
    """Return how many errors a log tells of, in words."""
    count = len(re.findall(r"(?:^|\s)(?:catastrophic )?error\s*:", log))
    return "1 error" if count == 1 else f"{count} errors" if count else "failed"
