# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Run the public programs of a stack and print a table: `python -m ci.public_programs triton --python P --checkout C`.

The interpreter has the stack installed; the checkout is one of the stack's repository, where programs.py names one. For
the stack `samples`, NVIDIA's samples of CUDA C++, it has what `python -m cuda.cpu cc` needs, and samples.py says which
repository.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial

from ci.public_programs import samples
from ci.public_programs.probe import MEASURED
from ci.public_programs.processes import output
from ci.public_programs.programs import PROGRAMS, STACKS, Program, Stack

ROOT = pathlib.Path(__file__).parents[2]
PROBE = pathlib.Path(__file__).with_name("probe.py")
NUMBER = re.compile(r"-?\d+\.?\d*(?:e[-+]?\d+)?")
ADDRESS = re.compile(r" at 0x[0-9a-f]+")
IGNORED = re.compile(r"^(Warp |Module |\[Taichi\]|\[I |   )|\b(ms|seconds|s)\b|took")  # start-up lines and times


def command(program: Program, stack: Stack, python: str, own: bool) -> list[str]:
    """Return the command that runs a program on the CPU device, or by the stack's own back-end."""
    start = [python] if own else [sys.executable, "-m", "cuda.cpu", "run", *stack.options, "--python", python]
    if program.compared:
        frames = ["--frames", str(program.frames)] if program.frames else []
        return [*start, str(PROBE), *frames, program.path, *program.arguments, *(stack.own_arguments if own else ())]
    if program.measured:
        return [*start, str(PROBE), "--measured", program.path, *program.arguments]
    if program.pytest:
        return [*start, "-m", "pytest", "-q", "-p", "no:cacheprovider", *program.arguments, program.path]
    return [*start, *(["-m", program.runner] if program.runner else []), program.path, *program.arguments]


def differences(found: str, expected: str, tolerance: float) -> str:
    """Return "" if two outputs have the same lines but for small differences of numbers, else the first other line."""
    lines = [
        [re.sub(r"(?<=[\[\d.]) +(?=\])", "", line) for line in text.splitlines() if not IGNORED.search(line)]
        for text in (ADDRESS.sub("", found), ADDRESS.sub("", expected))
    ]
    if len(lines[0]) != len(lines[1]):
        return f"{len(lines[0])} lines, {len(lines[1])} expected"
    for ours, theirs in zip(*lines, strict=True):
        same_text = NUMBER.sub("#", ours).split() == NUMBER.sub("#", theirs).split()
        pairs = zip(map(float, NUMBER.findall(ours)), map(float, NUMBER.findall(theirs)), strict=False)
        if not same_text or not all(abs(x - y) <= tolerance * max(1.0, abs(x), abs(y)) for x, y in pairs):
            return f"{ours!r}, {theirs!r} expected"
    return ""


def outcome(program: Program, stack: Stack, python: str, checkout: pathlib.Path, limit: float) -> str:
    folder = checkout / program.folder
    variables = os.environ | {"PYTHONUNBUFFERED": "1"} | dict(stack.variables)
    argv = command(program, stack, python, own=False)
    text, errors, status = output(argv, folder, variables, limit, program.until, program.times)
    if status is None:
        return f"not finished after {limit:g} s"
    last = ((text if program.pytest else errors or text).strip().splitlines() or [""])[-1]
    if status != 0:
        return f"failed: {last}"
    if "Skipped test" in text:
        return f"skipped by itself: {text.strip().splitlines()[-1]}"
    if program.pytest:
        return next((line for line in text.splitlines()[::-1] if re.search(r"\d+ (passed|skipped)", line)), last)
    if program.runner:
        ran = re.search(r"Ran (\d+) tests?[^\n]*\s+(OK[^\n]*)", text + errors)
        return f"tests: {ran[1]}, {ran[2]}" if ran else f"failed: {last}"
    if program.measured:
        return "runs to its benchmarks" if MEASURED in text else f"failed: did not print {MEASURED!r}"
    if program.until and text.count(program.until) < program.times:
        return f"failed: {text.count(program.until)} of {program.times} checks"
    if program.compared:
        argv = command(program, stack, python, own=True)
        expected, errors, other = output(argv, folder, variables | dict(stack.own), limit, program.until, program.times)
        if other != 0:
            return f"the stack's own back-end failed: {errors.strip().splitlines()[-1]}"
        different = differences(text, expected, program.tolerance)
        return f"differs: {different}" if different else f"as its own back-end: {len(expected.splitlines())} lines"
    return f"passes its {program.times} checks" if program.until else "passes"


def selected(given: argparse.Namespace) -> Iterator[tuple[str, Callable[[], str]]]:
    """Yield the path of each program, and a function that runs it."""
    common = (given.python, given.checkout, given.seconds)
    if given.stack == samples.NAME:
        for sample in samples.found(given.checkout):
            yield sample.path, partial(samples.outcome, sample, *common)
        return
    stack = STACKS[given.stack]
    for program in PROGRAMS[given.stack]:
        yield program.path, partial(outcome, program, stack, *common)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m ci.public_programs", description=__doc__)
    parser.add_argument("stack", choices=[*PROGRAMS, samples.NAME])
    parser.add_argument("--only", nargs="+", metavar="NAME", help="programs whose paths contain one of these")
    parser.add_argument("--python", default=sys.executable, help="the interpreter that has the stack")
    parser.add_argument("--checkout", default=".", type=pathlib.Path, help="a checkout of the stack's repository")
    parser.add_argument("--seconds", default=300.0, type=float, help="limit of each program")
    given = parser.parse_args()
    counts: Counter[str] = Counter()
    for path, run in selected(given):
        if given.only and not any(name in path for name in given.only):
            continue
        begin = time.monotonic()
        found = run()
        bad = found.startswith(("failed", "differs", "not finished", "not compiled"))
        counts["bad" if bad else "needs other libraries" if found.startswith("needs") else "good"] += 1
        print(f"| `{path}` | {found} | {time.monotonic() - begin:.0f} s |", flush=True)
    print(", ".join(f"{count} {name}" for name, count in sorted(counts.items())), file=sys.stderr)
    return counts["bad"]


if __name__ == "__main__":
    sys.exit(main())
