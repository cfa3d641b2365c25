# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Source lines for diagnostics: annotation of compilers' logs, and location of faults in programs."""

from __future__ import annotations

import linecache
import re
import sys
from collections import deque
from types import FrameType
from typing import NamedTuple

# NVRTC: "name(3): error: ..." and then, unless diagnostics are brief, the source line and a caret below it.
_NVRTC = re.compile(r"^(?P<name>.*)\((?P<line>\d+)\): (?:catastrophic )?(?:error|warning)\b")
# nvJitLink: "ptxas NAME, line 12; error   : ..."
_PTXAS = re.compile(r"^ptxas .*, line (?P<line>\d+); (?:error|fatal|warning)\b")
QUOTES = ("'", '"')
_CARET = re.compile(r"^\s*\^\s*$")


def find_literal(source: str) -> tuple[str, int] | None:
    """Return the file and line of the string literal, in a caller's file, that holds a program; None if not found.

    Only a literal without escape sequences that occurs once in the file is found.
    """
    frame: FrameType | None = sys._getframe(1)
    seen = set()
    while frame is not None:
        path = frame.f_code.co_filename
        if path not in seen:
            seen.add(path)
            line = _line_of_literal(source, "".join(linecache.getlines(path, frame.f_globals)))
            if line:
                return path, line
        frame = frame.f_back
    return None


def _line_of_literal(source: str, text: str) -> int:
    """Return the line of `text` in which the literal with a program begins, 0 if there is not exactly one."""
    start = text.find(source)
    end = start + len(source)
    quoted = start > 0 and text[start - 1] in QUOTES and text[end : end + 1] in QUOTES
    return text.count("\n", 0, start) + 1 if source and quoted and text.count(source) == 1 else 0


def annotate(log: str, source: str, name: str) -> str:
    """Return `log` with the numbered line of `source` that each message refers to below it.

    If the program is a string literal in a caller's file, that file and line are added, too.

    Parameters
    ----------
    log : str
        The log of NVRTC or nvJitLink.
    source : str
        The source of the program.
    name : str
        The program's name in the log; messages about other files (headers) are not annotated.
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
            # The log contains the source line, too, with its own indentation.
            indent = len(messages[index].rstrip()) - len(line)
            result.append(f"      | {messages[index + 1][indent:]}")
            index += 2
        if literal is not None:
            result.append(f"      --> {literal[0]}:{literal[1] + number - 1}")
    return "\n".join(result).strip("\n")


def summary(log: str) -> str:
    """Return a phrase with the number of errors in a log."""
    count = len(re.findall(r"(?:^|\s)(?:catastrophic )?error\s*:", log))
    return "1 error" if count == 1 else f"{count} errors" if count else "failed"


class _Source(NamedTuple):
    """The source of a program, and the files on the call stack at its creation, which may contain it as a literal."""

    name: str
    code: bytes
    files: tuple[str, ...]

    @property
    def text(self) -> str:
        """Return the program as text."""
        return self.code.decode(errors="replace")


# The most recently created programs, for messages about faults.
_sources: deque[_Source] = deque(maxlen=100)
MOST_CODE = 1 << 20  # bytes
_FAULT_LINE = re.compile(r"^kernel '(?P<kernel>[^']+)', .*\((?P<path>.+) line (?P<line>\d+)\)", re.MULTILINE)
_MANGLED = re.compile(r"_ZN?(\d+)")


def remember(name: str, code: bytes) -> None:
    """Store a program for `locate`, unless it is large."""
    files = []
    if len(code) > MOST_CODE:
        return
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        files.append(frame.f_code.co_filename)
        frame = frame.f_back
    _sources.append(_Source(name, code, tuple(dict.fromkeys(files))))


def locate(message: str) -> str:
    """Return the CPU device's message about a fault with the source line, and its position in a Python file, added."""
    match = _FAULT_LINE.search(message)
    if match is None:
        return message
    number = int(match["line"])
    found = [each for each in _sources if _is_meant(each, match["path"], match["kernel"])]
    if not found or any(each.code != found[0].code for each in found):
        return message
    lines = found[0].text.splitlines()
    if not 1 <= number <= len(lines):
        return message
    message += f"\n{number:5} | {lines[number - 1].rstrip()}"
    for path in dict.fromkeys(path for each in found for path in each.files):
        start = _line_of_literal(found[0].text, "".join(linecache.getlines(path)))
        if start:
            return f"{message}\n      --> {path}:{start + number - 1}"
    return message


def _is_meant(source: _Source, path: str, kernel: str) -> bool:
    """Return whether `path` is the compiler's name for a program, and the program contains the kernel."""
    mangled = _MANGLED.match(kernel)
    word = kernel[mangled.end() : mangled.end() + int(mangled[1])] if mangled else kernel
    return word.encode() in source.code and (path == source.name or path.endswith("/" + source.name))
