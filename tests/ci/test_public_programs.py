# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The runner of public programs notices wrong results, errors and programs that do not end."""

import sys

import pytest

from ci.public_programs.__main__ import differences, outcome
from ci.public_programs.programs import PROGRAMS, STACKS, Program, Stack

pytestmark = pytest.mark.cpu_only


def test_outputs_are_compared_with_tolerance():
    assert differences("Warp 1.19\nloss 1.00001 [2. 3.]", "loss 1.00002 [2.  3.]", 1e-4) == ""
    assert differences("loss 1.1", "loss 1.2", 1e-4) == "'loss 1.1', 'loss 1.2' expected"
    assert differences("gain 1", "loss 1", 1e-4)
    assert differences("loss 1\nloss 2", "loss 1", 1e-4) == "2 lines, 1 expected"
    assert differences("nan 1", "1 1", 1e-4)


CHECKS = "import time; print('good', flush=True); print('good', flush=True); time.sleep(100)"


@pytest.mark.parametrize(
    ("code", "program", "expected"),
    [
        ("print('good')", {"until": "good"}, "passes its 1 checks"),
        ("print('good')", {"until": "good", "times": 2}, "failed: 1 of 2 checks"),
        (CHECKS, {"until": "good", "times": 2}, "passes its 2 checks"),
        ("import time; time.sleep(100)", {}, "not finished after 4 s"),
        ("raise ValueError('odd')", {}, "failed: ValueError: odd"),
        ("print('Skipped test: no')", {}, "skipped by itself: Skipped test: no"),
        ("pass", {}, "passes"),
    ],
)
def test_outcomes(tmp_path, code, program, expected):
    (tmp_path / "program.py").write_text(code)
    found = outcome(Program("program.py", **program), Stack("", ""), sys.executable, tmp_path, 4)
    assert found == expected


TRITON = "class Mark:\n    def run(self): ..."


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import triton.testing as t; t.Mark().run(); raise ValueError('measured')", "runs to its benchmarks"),
        ("raise AssertionError('odd')", "failed: AssertionError: odd"),
        ("pass", "failed: program.py has no benchmark"),
        ("raise SystemExit(0)", "failed: did not print 'the benchmarks begin'"),
    ],
)
def test_programs_are_ended_where_their_benchmarks_begin(tmp_path, monkeypatch, code, expected):
    (tmp_path / "triton").mkdir()
    (tmp_path / "triton" / "__init__.py").touch()
    (tmp_path / "triton" / "testing.py").write_text(TRITON)
    (tmp_path / "program.py").write_text(code)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":")
    found = outcome(Program("program.py", measured=True), Stack("", ""), sys.executable, tmp_path, 20)
    assert found == expected


def test_arguments_select_tests(tmp_path):
    (tmp_path / "test_two.py").write_text("def test_a(): ...\ndef test_b(): raise ValueError")
    program = Program("test_two.py", ("-k", "test_a"), pytest=True)
    assert "1 passed" in outcome(program, Stack("", ""), sys.executable, tmp_path, 60)


@pytest.mark.parametrize(
    ("code", "expected"), [("...", "tests: 1, OK"), ("raise ValueError", "failed: FAILED (errors=1)")]
)
def test_a_runner_of_tests(tmp_path, monkeypatch, code, expected):
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":")
    lines = "import unittest", "class Test(unittest.TestCase):", f"    def test_it(self): {code}"
    (tmp_path / "some_tests.py").write_text("\n".join(lines))
    program = Program("some_tests", runner="unittest")
    assert outcome(program, Stack("", ""), sys.executable, tmp_path, 20) == expected


def test_results_are_compared_with_the_own_back_end(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":")
    (tmp_path / "compared_program.py").write_text("import os; print('sum', os.environ.get('SUM', 3))")
    program = Program("compared_program", compared=True)
    right = outcome(program, Stack("", ""), sys.executable, tmp_path, 20)
    assert right == "as its own back-end: 1 lines"
    wrong = outcome(program, Stack("", "", own=(("SUM", "4"),)), sys.executable, tmp_path, 20)
    assert wrong == "differs: 'sum 3', 'sum 4' expected"


def test_each_stack_has_ten_programs():
    assert STACKS.keys() == PROGRAMS.keys()
    assert all(len(programs) >= 10 for programs in PROGRAMS.values())
