# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Compare NVRTC and clang by random CUDA C++ programs: `python -m ci.random_programs [--count N] [--seed S]`.

Each program is compiled by both and runs on the CPU device: integers, conversions, structures, arrays, loops,
functions, classes, templates, lambdas, warp functions, atomics, shared memory, 16-bit floats and printf must have equal
results, functions whose errors the documentation bounds results within twice the bound. NVRTC's code runs as it does
when it is launched for the first time, clang's as that of a hot kernel. A program with a difference is
cut down and printed; the exit status is then 1. `--show SEED` prints a program. A program takes about a second.
"""

from __future__ import annotations

import argparse
import os
import sys
import time

from ci.random_programs.classes import HELPERS
from ci.random_programs.minimise import minimise
from ci.random_programs.program import Program, write
from ci.random_programs.run import Device, differences
from ci.random_programs.types import PREAMBLE


def examine(program: Program, device: Device) -> list[str]:
    """Return what differs, or that a compiler or the device rejects the program."""
    try:
        return differences(program, device)
    except Exception as error:  # of compilers and of the driver
        return [f"{type(error).__name__}: {str(error)[:1500]}"]


def report(program: Program, found: list[str], device: Device, cut: bool) -> None:
    print(f"seed {program.seed}, {program.arch}, {program.std}, {'-O3' if program.optimise else '-O0'}:")
    print("\n".join(f"  {line}" for line in found))
    if cut:
        smaller = minimise(program, lambda part: _fails_alike(part, device, found[0]))
        print("\n".join(f"  {line}" for line in examine(smaller, device)))
        print(smaller.text().removeprefix(PREAMBLE + HELPERS))


def _fails_alike(program: Program, device: Device, first: str) -> bool:
    """Return whether a smaller program fails in the same way: not because it became invalid."""
    found = examine(program, device)
    return bool(found) and _kind(found[0]) == _kind(first)


def _kind(line: str) -> str:
    return line.partition("error: ")[2][:30] if "Error: " in line else line.split(":")[0].split(" ")[0]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m ci.random_programs", description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0, help="of the first program; the next ones follow")
    parser.add_argument("--show", type=int, metavar="SEED", help="print this program")
    parser.add_argument("--whole", action="store_true", help="do not cut failing programs down")
    options = parser.parse_args()
    if options.show is not None:
        print(write(options.show).text())
        return 0
    os.environ["CUDA_PYTHON_DRIVER"] = "cpu"
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]  # or forked processes write it again
    device, failed, begin = Device(), 0, time.monotonic()
    for seed in range(options.seed, options.seed + options.count):
        program = write(seed)
        found = examine(program, device)
        if found:
            failed += 1
            report(program, found, device, not options.whole)
        if seed % 50 == 49:
            print(f"{seed + 1 - options.seed} programs, {failed} differ, {time.monotonic() - begin:.0f} s")
    print(f"{options.count} programs, {failed} differ, {time.monotonic() - begin:.0f} s")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
