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
