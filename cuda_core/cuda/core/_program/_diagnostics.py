# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Make a compiler's log readable: each message with the numbered line of source that it is about."""

from __future__ import annotations

import linecache
import re
import sys
from collections import deque
from types import FrameType
from typing import NamedTuple

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
            line = _line_of_literal(source, "".join(linecache.getlines(path, frame.f_globals)))
            if line:
                return path, line
        frame = frame.f_back
    return None


def _line_of_literal(source: str, text: str) -> int:
    """Return the line of `text` in which a literal with a program begins, 0 if there is none or are several."""
    start = text.find(source)
    end = start + len(source)
    quoted = start > 0 and text[start - 1] in QUOTES and text[end : end + 1] in QUOTES
    return text.count("\n", 0, start) + 1 if source and quoted and text.count(source) == 1 else 0


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


class _Source(NamedTuple):
    """A program as it was made, with the files of the callers, in which it may be a literal."""

    name: str
    code: bytes
    files: tuple[str, ...]

    @property
    def text(self) -> str:
        """Return the program as a literal has it."""
        return self.code.decode(errors="replace")


# The programs made last, for the messages of faults.
_sources: deque[_Source] = deque(maxlen=100)
MOST_CODE = 1 << 20  # bytes
_FAULT_LINE = re.compile(r"^kernel '(?P<kernel>[^']+)', .*\((?P<path>.+) line (?P<line>\d+)\)", re.MULTILINE)
_MANGLED = re.compile(r"_ZN?(\d+)")


def remember(name: str, code: bytes) -> None:
    """Keep a program, unless it is large, for `locate`."""
    files = []
    if len(code) > MOST_CODE:
        return
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        files.append(frame.f_code.co_filename)
        frame = frame.f_back
    _sources.append(_Source(name, code, tuple(dict.fromkeys(files))))


def locate(message: str) -> str:
    """Return what the CPU device says of a fault with the line of the program, and where that is in a Python file."""
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
    """Return whether the compiler names a program by this path, and the program has the kernel."""
    mangled = _MANGLED.match(kernel)
    word = kernel[mangled.end() : mangled.end() + int(mangled[1])] if mangled else kernel
    return word.encode() in source.code and (path == source.name or path.endswith("/" + source.name))
