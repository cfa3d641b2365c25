# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Who is told of a regression, from a TOML file.

[[rule]]                            # the first rule that matches decides
benchmarks = ["gemm*", "attention*"]   # patterns of names, with their points: "gemm[m=128,type=f32]"
metrics = ["*"]                     # default: all
least = 0.03                        # smaller changes of times are not told; default 0.02
owners = ["kernels@example.org"]
channels = ["mail"]

[channel.mail]
command = ["mail", "-s", "{subject}", "{owners}"]  # the report is its input
[channel.log]
file = "alerts.md"                  # the report is appended
[channel.console]
stdout = true
"""

from __future__ import annotations

import dataclasses
import fnmatch
import os
import pathlib
import re
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from cuda.perf import schema
from cuda.perf.errors import CommandError

SECONDS_OF_A_COMMAND = 60


class RulesError(CommandError):
    """A file of rules that is wrong; the message names the file and the key."""


@dataclass
class Rule:
    """Who is told of changes of which benchmarks."""

    benchmarks: list[str]
    owners: list[str] = field(default_factory=list)
    channels: list[str] = field(default_factory=list)
    metrics: list[str] = field(default_factory=lambda: ["*"])
    least: float = 0.02

    def matches(self, benchmark: str, metric: str) -> bool:
        return _any(self.benchmarks, benchmark) and _any(self.metrics, metric)


@dataclass
class Channel:
    """How a report is delivered; exactly one field is set."""

    command: list[str] = field(default_factory=list)
    file: str = ""
    stdout: bool = False


@dataclass
class Rules:
    """All rules of a file."""

    rule: list[Rule] = field(default_factory=list)
    channel: dict[str, Channel] = field(default_factory=dict)

    def of(self, benchmark: str, metric: str) -> Rule:
        """Return the first rule that matches; without one, reports go to the console only."""
        return next((each for each in self.rule if each.matches(benchmark, metric)), Rule(["*"], [], ["console"]))


def read(path: str | os.PathLike[str] | None) -> Rules:
    """Read a file of rules; None: without rules, all reports go to the console.

    Raises
    ------
    RulesError
        The file is missing or wrong.
    """
    rules = Rules()
    if path is not None:
        try:
            rules = schema.build(Rules, tomllib.loads(pathlib.Path(path).read_text(encoding="utf-8")))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, schema.SchemaError) as error:
            raise RulesError(f"rules {path}: {error}") from None
    for name, channel in rules.channel.items():
        if sum(bool(each) for each in dataclasses.astuple(channel)) != 1:
            raise RulesError(f"rules {path}: channel.{name} needs one of command, file, stdout")
    rules.channel.setdefault("console", Channel(stdout=True))
    for number, rule in enumerate(rules.rule):
        unknown = next((each for each in rule.channels if each not in rules.channel), None)
        if unknown is not None:
            raise RulesError(
                f"rules {path}: rule[{number}].channels names {unknown!r}; there is no [channel.{unknown}]"
            )
    return rules


def _any(patterns: Sequence[str], text: str) -> bool:
    """Match shell patterns in which brackets are plain characters, since names of benchmarks have them."""
    return any(re.fullmatch(fnmatch.translate(each.replace("[", "[[]")), text, re.DOTALL) for each in patterns)


def deliver(rules: Rules, rule: Rule, subject: str, report: str) -> list[str]:
    """Send a report through the channels of a rule; return what went wrong, one line for each channel."""
    problems = []
    for name in rule.channels:
        try:
            _send(rules.channel[name], rule, subject, report)
        except (OSError, subprocess.SubprocessError) as error:
            problems.append(f"channel {name}: {_shown(error)}")
    return problems


def _send(channel: Channel, rule: Rule, subject: str, report: str) -> None:
    if channel.stdout:
        sys.stdout.write(report)
    elif channel.file:
        with open(channel.file, "a", encoding="utf-8") as file:
            file.write(report)
    else:
        values = {"subject": subject, "owners": ",".join(rule.owners)}
        command = [_filled(each, values) for each in channel.command]
        subprocess.run(command, input=report, text=True, check=True, capture_output=True, timeout=SECONDS_OF_A_COMMAND)


def _filled(text: str, values: dict[str, str]) -> str:
    return re.sub(r"\{(\w+)\}", lambda found: values.get(found[1], found[0]), text)


def _shown(error: Any) -> str:
    output = getattr(error, "stderr", None)
    return f"{error}: {output.strip()}" if output else str(error)
