# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Run Lightning Thunder's own tests with the executors of `cuda.interop.thunder`, and print a table of the files.

The interpreter has PyTorch, lightning-thunder, pytest, pytest-benchmark, pytest-timeout, fdm, and for some files einops
and litgpt; the checkout is one of Lightning-AI/lightning-thunder at the tag of the installed release. Tests that fail
are run again without the executors: "fail anyway" are those that fail there, too.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as xml
from typing import NamedTuple

ROOT = pathlib.Path(__file__).parents[2]
FOLDER = "thunder/tests"
# Files of tests that need no GPU -> which of their tests; of operations, those of two types, as each is traced alone
FILES = {
    "test_elementwise.py": "",
    "test_reductions.py": "",
    "test_shape_ops.py": "",
    "test_core.py": "",
    "test_extend.py": "",
    "test_inplace_copy.py": "",
    "test_patterns.py": "",
    "test_autocast.py": "",
    "test_randomness.py": "",
    "test_check_trace.py": "",
    "test_transforms.py": "",
    "test_jit_general.py": "",
    "test_networks.py": "not hf_for_nemo",
    "test_grad.py": "not vjp_correctness",
    "test_ops.py": "consistency and float32",
}


class Result(NamedTuple):
    """The outcome of a test, the last line of its error, and how many calls of the executors' kernels it traced."""

    outcome: str
    message: str
    kernels: int


def run(
    python: str, checkout: pathlib.Path, arguments: list[str], with_executors: bool, limit: int
) -> dict[str, Result]:
    """Run tests; return their results by name."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.xml"
        command = [python, "-m", "pytest", "-q", "-W", "ignore", "-p", "no:cacheprovider", f"--junitxml={report}"]
        command += [f"--timeout={limit}", "-o", "junit_family=xunit1", *arguments]
        command += ["-p", "ci.thunder_tests.plugin"] if with_executors else []
        variables = os.environ | {"PYTHONPATH": str(ROOT)}
        done = subprocess.run(command, cwd=checkout, env=variables, capture_output=True, text=True)
        if not report.exists():
            raise RuntimeError(
                f"pytest ended with status {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
            )
        return {_name(each): _result(each) for each in xml.parse(report).iter("testcase")}


def _name(case: xml.Element) -> str:
    """Return the name by which pytest selects a test."""
    parts = case.get("classname", "").split(".")
    of_class = parts[-1:] if parts[-1][:1].isupper() else []
    return "::".join([*of_class, case.get("name", "")])


def _result(case: xml.Element) -> Result:
    outcome, message = "passed", ""
    for kind, word in (("skipped", "skipped"), ("failure", "failed"), ("error", "failed")):
        if (found := case.find(kind)) is not None:
            outcome, message = word, (found.get("message") or "").strip().split("\n")[0]
            if found.get("type") == "pytest.xfail":
                outcome = "expected to fail"
    kernels = [int(each.get("value", 0)) for each in case.iter("property") if each.get("name") == "cuda_core"]
    return Result(outcome, message, sum(kernels))


def row(name: str, found: dict[str, Result], anyway: set[str], seconds: float) -> str:
    """Return a line of the table."""
    count = {each: sum(result.outcome == each for result in found.values()) for each in ("passed", "failed", "skipped")}
    ours = sum(result.kernels > 0 and result.outcome == "passed" for result in found.values())
    cells = [f"`{name}`", count["passed"], ours, count["failed"] - len(anyway), len(anyway), count["skipped"]]
    return "| " + " | ".join(map(str, cells)) + f" | {seconds:.0f} s |"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m ci.thunder_tests", description=__doc__)
    parser.add_argument("--python", default=sys.executable, help="the interpreter that has Thunder")
    parser.add_argument("--checkout", required=True, type=pathlib.Path, help="a checkout of Thunder's repository")
    parser.add_argument("--only", nargs="+", default=list(FILES), choices=FILES, metavar="FILE", help="these files")
    parser.add_argument("-k", default="", metavar="EXPRESSION", help="select tests by pytest's option of this name")
    parser.add_argument("--seconds", default=300, type=int, help="limit of each test")
    given = parser.parse_args()
    print("| file | passed | with kernels | failed | fail anyway | skipped | time |\n|---|---|---|---|---|---|---|")
    bad: list[str] = []
    for name in given.only:
        begin, path = time.monotonic(), f"{FOLDER}/{name}"
        chosen = given.k or FILES[name]
        found = run(given.python, given.checkout, [path, *(("-k", chosen) if chosen else ())], True, given.seconds)
        failed = {test: result for test, result in found.items() if result.outcome == "failed"}
        alone = (
            run(given.python, given.checkout, [f"{path}::{each}" for each in failed], False, given.seconds)
            if failed
            else {}
        )
        anyway = {test for test in failed if test not in alone or alone[test].outcome == "failed"}
        print(row(name, found, anyway, time.monotonic() - begin), flush=True)
        bad += [f"{name}::{test}: {result.message}" for test, result in failed.items() if test not in anyway]
    print("\n" + "\n".join(bad) if bad else "", flush=True)
    return min(len(bad), 1)


if __name__ == "__main__":
    sys.exit(main())
