# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Make a compiler's log readable: each message with the numbered line of source that it is about."""

from __future__ import annotations

import re

# NVRTC: "name(3): error: ..." and then, unless asked to be brief, the line and a caret below it.
_NVRTC = re.compile(r"^(?P<name>.*)\((?P<line>\d+)\): (?:catastrophic )?(?:error|warning)\b")
# nvJitLink: "ptxas NAME, line 12; error   : ..."
_PTXAS = re.compile(r"^ptxas .*, line (?P<line>\d+); (?:error|fatal|warning)\b")
_CARET = re.compile(r"^\s*\^\s*$")


def annotate(log: str, source: str, name: str) -> str:
    """Return `log` with the lines of `source` that it names, numbered, below each message.

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
    return "\n".join(result).strip("\n")


def summary(log: str) -> str:
    """Return how many errors a log tells of, in words."""
    count = len(re.findall(r"(?:^|\s)(?:catastrophic )?error\s*:", log))
    return "1 error" if count == 1 else f"{count} errors" if count else "failed"
