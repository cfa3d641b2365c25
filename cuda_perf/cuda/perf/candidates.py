# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""What `bisect` searches: commits of a checkout, versions of a package, compiler options; and how each is measured."""

from __future__ import annotations

import contextlib
import os
import pathlib
import re
import shlex
import statistics
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass

from cuda.perf import exchange
from cuda.perf.bisection import BisectionError, Skip
from cuda.perf.files import FileError
from cuda.perf.history import SECONDS

CANNOT_BE_MEASURED = 125  # exit code, as in `git bisect run`


def git(folder: str | os.PathLike[str], *arguments: str) -> str:
    """Return what a Git command prints."""
    done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise BisectionError(f"git {' '.join(arguments)} in {folder}: {done.stderr.strip()}")
    return done.stdout.strip()


def commits(folder: str, good: str, bad: str) -> list[str]:
    """Return the commits from the good one to the bad one, along first parents."""
    first, last = (git(folder, "rev-parse", "--verify", f"{each}^{{commit}}") for each in (good, bad))
    found = git(folder, "rev-list", "--reverse", "--first-parent", f"{first}..{last}").split()
    parents = git(folder, "rev-list", "--first-parent", last).split()
    if first not in parents or not found:
        raise BisectionError(f"{good} is no first-parent ancestor of {bad}")
    return [first, *found]


def prefixes(options: str) -> list[str]:
    """Return the first 0, 1, 2, ... of some options: the culprit is the option that only the bad candidate has."""
    words = shlex.split(options)
    return [shlex.join(words[:number]) for number in range(len(words) + 1)]


@dataclass
class Measurement:
    """How a candidate is prepared and measured; `{candidate}` and `{json}` are replaced in the commands.

    With a benchmark, the command writes a result file to `{json}`; without, the last word that it prints is the value.
    """

    command: str
    setup: str = ""
    benchmark: str = ""
    metric: str = SECONDS
    folder: str = "."
    timeout: float = 1800
    checkout: bool = False  # candidates are commits

    def __post_init__(self) -> None:
        self._prepared = ""

    def __call__(self, candidate: str) -> float:
        """Return the value of a candidate.

        Raises
        ------
        Skip
            It cannot be prepared, or its command ends with exit code 125.
        BisectionError
            The command fails otherwise, or gives no value.
        """
        if candidate != self._prepared:
            self._prepare(candidate)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "result.json"
            done = self._run(self.command, candidate, path)
            if done.returncode == CANNOT_BE_MEASURED:
                raise Skip
            if done.returncode:
                raise BisectionError(f"the command failed for {candidate}: {(done.stderr or done.stdout).strip()}")
            return self._from_file(path, candidate) if self.benchmark else _last_number(done.stdout, candidate)

    def _prepare(self, candidate: str) -> None:
        self._prepared = ""
        if self.checkout:
            git(self.folder, "checkout", "--quiet", "--detach", candidate)
        if self.setup and self._run(self.setup, candidate, pathlib.Path()).returncode:
            raise Skip
        self._prepared = candidate

    def _run(self, command: str, candidate: str, path: pathlib.Path) -> subprocess.CompletedProcess[str]:
        values = {"candidate": candidate, "json": str(path)}
        text = re.sub(r"\{(candidate|json)\}", lambda found: values[found[1]], command)
        try:
            return subprocess.run(
                text, shell=True, cwd=self.folder, capture_output=True, text=True, timeout=self.timeout
            )
        except subprocess.TimeoutExpired:
            raise BisectionError(f"the command for {candidate} took more than {self.timeout:g} s (--timeout)") from None

    def _from_file(self, path: pathlib.Path, candidate: str) -> float:
        try:
            results = exchange.read(path).by_key()
        except (OSError, FileError) as error:
            raise BisectionError(f"the result file of {candidate}: {error}") from None
        result = results.get(self.benchmark)
        if result is None:
            raise BisectionError(f"{candidate} has no benchmark {self.benchmark}; it has: {', '.join(results)}")
        if self.metric != SECONDS and result.counters and self.metric in result.counters.metrics:
            return result.counters.metrics[self.metric]
        if self.metric == SECONDS and result.seconds():
            return statistics.median(result.seconds())
        known = ", ".join(sorted(result.counters.metrics if result.counters else ()))
        why = result.message or f"it has: {known or 'nothing'}"
        raise BisectionError(f"{self.benchmark} of {candidate} ({result.status}) has no {self.metric}: {why}")


def _last_number(text: str, candidate: str) -> float:
    words = text.split()
    try:
        return float(words[-1])
    except (IndexError, ValueError):
        raise BisectionError(
            f"the last word that the command prints for {candidate} is no number: {words[-1:]}"
        ) from None


@contextlib.contextmanager
def clean_checkout(folder: str) -> Iterator[None]:
    """Require a checkout without changes, and check out at the end what was checked out before."""
    changed = git(folder, "status", "--porcelain", "--untracked-files=no")
    if changed:
        raise BisectionError(f"{folder} has changes that are not committed; use a clone of its own:\n{changed}")
    branch = git(folder, "rev-parse", "--abbrev-ref", "HEAD")
    before = git(folder, "rev-parse", "HEAD") if branch == "HEAD" else branch
    try:
        yield
    finally:
        git(folder, "checkout", "--quiet", *(["--detach"] if branch == "HEAD" else []), before)
