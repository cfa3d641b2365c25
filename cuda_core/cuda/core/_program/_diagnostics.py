# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Source lines for diagnostics: annotation of compilers' logs, and location of faults in programs."""

from __future__ import annotations

import linecache
import re
import sys
from collections import Counter, deque
from functools import lru_cache
from types import FrameType
from typing import Any, NamedTuple

# NVRTC and clang: "name(3): error: ..." and then, unless diagnostics are brief, the source line and a caret below it.
_NVRTC = re.compile(r"^(?P<name>.*)\((?P<line>\d+)\): (?:catastrophic |fatal )?(?:error|warning)\b")
# nvJitLink: "ptxas NAME, line 12; error   : ..."
_PTXAS = re.compile(r"^ptxas .*, line (?P<line>\d+); (?:error|fatal|warning)\b")
QUOTES = ("'", '"')
LEAST_EQUAL = 0.6  # share of the lines of a program that its template has, too
_CARET = re.compile(r"^[\s~]*\^[\s~]*$")  # clang underlines, too


# The name of a kernel, in C++ and PTX.
_KERNEL = re.compile(
    r"__global__\b(?:__launch_bounds__\s*\([^)]*\)|[^({;])*?\b(?!__launch_bounds__\b)(?P<cu>\w+)\s*\("
    r"|\.entry\s+(?P<ptx>[\w$]+)"
)


def file_name(source: Any) -> str:
    """Return a name for a program: that of its first kernel, as a file; "" if none is found."""
    found = _KERNEL.search(source) if isinstance(source, str) else None
    return f"{found[found.lastgroup]}.{found.lastgroup}" if found and found.lastgroup else ""


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


@lru_cache(maxsize=100)
def _line_of_template(source: str, text: str) -> int:
    """Return the line of `text` in which a literal begins that a program was made from, by replacing a part of it.

    At least `LEAST_EQUAL` of the program's lines must be there, at equal distances, and in one part of the text only.
    """
    lines = [_without_indent(line) for line in source.splitlines()]
    where: dict[str, list[int]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        where.setdefault(_without_indent(line), []).append(number)
    wanted = [(index, line) for index, line in enumerate(lines) if len(line) > 1]  # not only a brace
    starts = Counter(number - index for index, line in wanted for number in where.get(line, ()))
    (best, votes), (_, second) = (*starts.most_common(2), (0, 0), (0, 0))[:2]
    return best if len(wanted) > 2 and votes >= LEAST_EQUAL * len(wanted) and votes > second and best > 0 else 0


def _without_indent(line: str) -> str:
    return line.strip().replace("{{", "{").replace("}}", "}").replace("\\\\", "\\")  # as in an f-string


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
    found = find_line(match["path"], int(match["line"]), match["kernel"])
    if found is None:
        return message
    message += f"\n{match['line']:>5} | {found.text}"
    return f"{message}\n      --> {found.path}:{found.line}" if found.in_python else message


class SourceLine(NamedTuple):
    """A line of a program: in the Python file that has the program as a literal, or in the program."""

    path: str
    line: int
    text: str
    in_python: bool


def find_line(path: str, line: int, function: str) -> SourceLine | None:
    """Return a line of a program of this process, as the reports of the CPU device show it; None if it is not known.

    Parameters
    ----------
    path : str
        The program's file by the compiler: its name, in the working directory.
    line : int
        The line in the program, from 1.
    function : str
        A function of the program, mangled or not. Programs often have the same name.
    """
    found = {each.code: each for each in _sources if _is_meant(each, path, function)}
    lines = {_line_in(each, line) for each in found.values()}
    if len({each and each.text for each in lines}) != 1:
        return None
    known = lines.pop()
    if known is None or not lines:
        return known
    return SourceLine(found.popitem()[1].name, line, known.text, False)  # several programs with the same line


def _line_in(source: _Source, number: int) -> SourceLine | None:
    lines = source.text.splitlines()
    if not 1 <= number <= len(lines):
        return None
    text = lines[number - 1].rstrip()
    for path in source.files:
        contents = "".join(linecache.getlines(path))
        start = _line_of_literal(source.text, contents) or _line_of_template(source.text, contents)
        if start:
            return SourceLine(path, start + number - 1, text, True)
    return SourceLine(source.name, number, text, False)


def _is_meant(source: _Source, path: str, kernel: str) -> bool:
    """Return whether `path` is the compiler's name for a program, and the program contains the kernel."""
    mangled = _MANGLED.match(kernel)
    word = kernel[mangled.end() : mangled.end() + int(mangled[1])] if mangled else kernel
    return word.encode() in source.code and (path == source.name or path.endswith("/" + source.name))
