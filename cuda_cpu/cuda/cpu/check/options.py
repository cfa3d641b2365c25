# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Options of checks, which reach the program and its child processes in the environment."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, fields

from cuda.cpu.check import pattern_of
from cuda.cpu.check.finding import SEVERITIES

VARIABLE = "CUDA_CPU_CHECK_OPTIONS"  # JSON


class OptionError(Exception):
    """An option that cannot be followed; the message names it."""


@dataclass
class Options:
    """What is checked and reported."""

    kernel: str = ""  # regular expression for names of kernels
    launch: int | None = None  # the only launch of such kernels in a process to report, from 1; None: all
    severity: str = "info"  # the least to report
    suppressions: str = ""  # file
    records: str = ""  # folder in which each process of the program records its findings
    print_limit: int = 0  # findings that a process prints; 0: all
    quiet: bool = False  # print nothing

    def check(self) -> None:
        """Raise an OptionError if an option is wrong."""
        try:
            pattern_of(self.kernel, "--kernel")
        except ValueError as error:
            raise OptionError(str(error)) from None
        if self.launch is not None and self.launch < 1:
            raise OptionError(f"--launch is {self.launch}; launches are counted from 1")
        if self.print_limit < 0:
            raise OptionError(f"--print-limit is {self.print_limit}, must be at least 0")
        if self.severity not in SEVERITIES:
            raise OptionError(f"--severity {self.severity!r} is not known; there are {', '.join(SEVERITIES)}")

    def to_json(self) -> str:
        return json.dumps(asdict(self))


def from_environment() -> Options | None:
    """Return the options that the environment has, None if it has none."""
    text = os.environ.get(VARIABLE)
    if not text:
        return None
    known = {each.name for each in fields(Options)}
    return Options(**{name: value for name, value in json.loads(text).items() if name in known})
