# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Suppressions: rules for findings that are known and not to be reported.

A rule is a line of `name=value` pairs; a finding matches if all of them do. Values with spaces are quoted as in a
shell. `#` begins a comment.

    checker=racecheck kernel="sum_.*" source=reduce.cu:41    # benign: all threads write the same value
"""

from __future__ import annotations

import difflib
import fnmatch
import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass

from cuda.cpu import check
from cuda.cpu.check.finding import Finding, Frame
from cuda.cpu.signals import own

CHECKERS = [*check.NAMES, check.LEAKS]
FIELDS = {
    "checker": "name of the checker",
    "kind": "kind of the finding",
    "kernel": "regular expression, searched for in the kernel's name",
    "source": "file of a frame of the device code, with wildcards, and optionally its line: reduce.cu:41",
    "function": "name of a function in the device code's stack, with wildcards",
    "launched": "file of a frame of the launch's Python stack, with wildcards, and optionally its line",
}


class SuppressionError(Exception):
    """A suppressions file that cannot be read; the message has the line."""


@dataclass
class Rule:
    """A line of a suppressions file."""

    line: int
    text: str
    fields: dict[str, str]

    def matches(self, finding: Finding) -> bool:
        return all(_MATCHES[name](value, finding) for name, value in self.fields.items())


def _is_source(wanted: str, frames: Iterable[Frame]) -> bool:
    file, _, line = wanted.rpartition(":")
    if not line.isdigit():
        file, line = wanted, ""
    return any(
        (fnmatch.fnmatchcase(each.file, file) or fnmatch.fnmatchcase(each.file.rpartition("/")[2], file))
        and line in ("", str(each.line))
        for each in frames
    )


_MATCHES = {
    "checker": lambda wanted, finding: finding.checker == wanted,
    "kind": lambda wanted, finding: finding.kind == wanted,
    "kernel": lambda wanted, finding: re.search(wanted, finding.kernel) is not None,
    "source": lambda wanted, finding: _is_source(wanted, finding.device_stack),
    "function": lambda wanted, finding: any(
        fnmatch.fnmatchcase(each.function, wanted) for each in finding.device_stack
    ),
    "launched": lambda wanted, finding: _is_source(wanted, finding.launch_stack),
}


def read(path: str) -> list[Rule]:
    """Return the rules of a file.

    Raises
    ------
    SuppressionError
        The file cannot be read, or a line is wrong.
    """
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
    except own(OSError, UnicodeDecodeError) as error:
        raise SuppressionError(f"the suppressions file {path} cannot be read: {error}") from None
    rules = []
    for number, line in enumerate(lines, 1):
        try:
            fields = _parse(line)
        except ValueError as error:
            raise SuppressionError(f"{path}, line {number}: {error}") from None
        if fields:
            rules.append(Rule(number, line.strip(), fields))
    return rules


def _parse(line: str) -> dict[str, str]:
    """Return the fields of a line, none if it is empty or a comment; ValueError says what is wrong."""
    found: dict[str, str] = {}
    for word in shlex.split(line, comments=True):
        name, equals, value = word.partition("=")
        if not equals or not value:
            raise ValueError(f"{word!r} is no name=value")
        if name not in FIELDS:
            near = difflib.get_close_matches(name, FIELDS, 1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(FIELDS)}"
            raise ValueError(f"{name!r} is not known; {hint}")
        if name in found:
            raise ValueError(f"{name} is given twice")
        found[name] = value
    if found.get("checker", CHECKERS[0]) not in CHECKERS:
        near = difflib.get_close_matches(found["checker"], CHECKERS, 1)
        raise ValueError(f"checker={found['checker']} is not known; did you mean {', '.join(near or CHECKERS)}?")
    check.pattern_of(found.get("kernel", ""), "kernel=")
    return found


def rule_for(finding: Finding) -> str:
    """Return a line that suppresses a finding and little else."""
    fields = {"checker": finding.checker, "kind": finding.kind}
    if finding.kernel:
        fields["kernel"] = f"^{re.escape(finding.kernel)}$"
    top = next((each for each in finding.device_stack if each.file), None)
    if top is not None:
        fields["source"] = f"{top.file.rpartition('/')[2]}:{top.line}"
        fields["function"] = top.function
    if finding.stream and not finding.kernel and finding.launch_stack:
        frame = finding.launch_stack[0]
        fields["launched"] = f"{frame.file.rpartition('/')[2]}:{frame.line}"
    return " ".join(f"{name}={shlex.quote(value)}" for name, value in fields.items())


def unused(rules: Iterable[Rule], findings: Iterable[Finding]) -> list[Rule]:
    """Return the rules that have suppressed nothing."""
    used = {each.suppressed_by for each in findings}
    return [rule for rule in rules if rule.line not in used]
