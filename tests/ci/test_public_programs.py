# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The runner of public programs notices wrong results, errors and programs that do not end."""

import os
import subprocess
import sys

import pytest

from ci.public_programs.__main__ import PROBE, differences, outcome
from ci.public_programs.programs import PROGRAMS, STACKS, Program, Stack

pytestmark = pytest.mark.cpu_only


def test_outputs_are_compared_with_tolerance():
    assert differences("Warp 1.19\nloss 1.00001 [2. 3.]", "loss 1.00002 [2.  3.]", 1e-4) == ""
    assert differences("loss 1.1", "loss 1.2", 1e-4) == "'loss 1.1', 'loss 1.2' expected"
    assert differences("gain 1", "loss 1", 1e-4)
    assert differences("loss 1\nloss 2", "loss 1", 1e-4) == "2 lines, 1 expected"
    assert differences("nan 1", "1 1", 1e-4)
    assert differences("<f at 0x7f01> 1", "<f at 0x7f02> 1", 1e-4) == ""


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


PAGE = """
```{code-cell}
:tags: [hide-output]

%timeit -n 5 numbers = [1, 2]
!pip install odd
numbers = [1, 2]
sum(numbers)
```

Text.

```{code-cell} ipython3
---
tags: [raises-exception]
---
numbers + 1
```

```python
raise KeyError("no cell")
```

```{code-cell}
print(len(numbers))
```
"""


def test_pages_are_run_cell_by_cell(tmp_path):
    (tmp_path / "page.md").write_text(PAGE)
    found = subprocess.run([sys.executable, PROBE, "page.md"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert found.stdout.splitlines() == ["3", "cell 2 raises TypeError", "2"]
    (tmp_path / "page.md").write_text(PAGE.replace("raises-exception", "other"))
    found = subprocess.run([sys.executable, PROBE, "page.md"], cwd=tmp_path, capture_output=True, text=True)
    assert found.returncode == 1
    assert 'File "page.md, cell 2", line 1' in found.stderr


TAICHI = """
import numpy
class GUI:
    def __init__(self, title, show_gui=True): assert not show_gui
    def show(self, file=None): print("shown")
    def get_image(self): return numpy.full((2, 3, 4), 0.5)
"""
PROGRAM = """
import taichi as ti
def main():
    window = ti.GUI("title")
    while True:
        window.show()
main()
"""


def test_windows_are_closed_after_some_frames(tmp_path):
    (tmp_path / "taichi.py").write_text(TAICHI)
    (tmp_path / "program.py").write_text(PROGRAM)
    command = [sys.executable, PROBE, "--frames", "3", "program"]
    found = subprocess.run(command, cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(tmp_path)}, capture_output=True)
    assert found.stdout.decode().splitlines() == ["shown", "shown", "array window (2, 3, 4) 0.5 0"], found.stderr
