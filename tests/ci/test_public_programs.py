# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The runner of public programs notices wrong results, errors and programs that do not end."""

import os
import subprocess
import sys

import pytest

from ci.public_programs import samples
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


CMAKE = """
# find_package(Odd)
set(CMAKE_CUDA_ARCHITECTURES 75 90 120)
find_package(CUDAToolkit REQUIRED)
set(CUDA_PTX_FILE "${CMAKE_CURRENT_BINARY_DIR}/other.ptx")
set(CUDA_KERNEL_SOURCE "${CMAKE_CURRENT_SOURCE_DIR}/other.cu")
add_executable(first main.cu
    part.cpp)
set_target_properties(first PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
target_include_directories(first PUBLIC
    ${CMAKE_CURRENT_SOURCE_DIR}/inc more ${CUDAToolkit_INCLUDE_DIRS})
target_link_libraries(first PUBLIC CUDA::cuda_driver)
    COMMAND ${CMAKE_CUDA_COMPILER} ${INCLUDES} -o ${CUDA_PTX_FILE} -ptx ${CUDA_KERNEL_SOURCE}
"""


@pytest.fixture
def checkout(tmp_path):
    """Return a checkout with one sample, and arguments of its runs."""
    (tmp_path / "Samples/0_Start/first/data").mkdir(parents=True)
    (tmp_path / "Common").mkdir()
    (tmp_path / "Samples/0_Start/first/CMakeLists.txt").write_text(CMAKE)
    (tmp_path / "Samples/0_Start/first/data/input.txt").write_text("4")
    (tmp_path / "test_args.json").write_text('{"first": {"min_gpus": 2, "runs": [{"args": ["-a"]}, {"args": ["-b"]}]}}')
    return tmp_path


def test_samples_are_what_cmake_builds(checkout):
    (sample,) = samples.found(checkout)
    assert sample.sources == ("main.cu", "part.cpp")
    assert sample.options == ("-arch=sm_90", "-I.", "-Iinc", "-Imore", "-rdc=true")
    assert sample.kernels == (("other.ptx", "-ptx", "other.cu"),)
    assert (sample.needs, sample.runs, sample.devices) == ((), (("-a",), ("-b",)), 2)


@pytest.mark.parametrize(
    ("old", "new", "needs"),
    [
        ("CUDA::cuda_driver", "CUDA::cublas", "cublas"),
        ("CUDAToolkit REQUIRED", "OpenGL", "OpenGL"),
        ("75 90 120", "87 110", "Tegra"),
        ("CUDA::cuda_driver", "${NVVM_LIB} ${CUDA_LIB}", "NVVM"),
        ("add_executable", "if(WIN32)\nadd_executable", "Windows"),
    ],
)
def test_samples_that_need_something(checkout, old, new, needs):
    path = checkout / "Samples/0_Start/first/CMakeLists.txt"
    path.write_text(CMAKE.replace(old, new))
    (sample,) = samples.found(checkout)
    assert samples.outcome(sample, sys.executable, checkout, 10) == f"needs {needs}"


COMPILER = """
import pathlib, sys
path = pathlib.Path(sys.argv[-1])
path.write_text("#!/bin/sh\\n" + pathlib.Path("program").read_text())
path.chmod(0o755)
"""


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("test $CUDA_CPU_DEVICES -eq 2 && grep -q 4 input.txt && ls other.ptx ../../../Common", "passes 2 runs"),
        ("echo Test FAILED", "failed: status 0: Test FAILED"),
        ("echo failed as expected", "passes 2 runs"),
        ("echo odd; exit 3", "failed: status 3: odd"),
        ("echo no such device; exit 2", "waives itself: no such device"),
        ("test $1 = -a", "failed: status 1: "),
        ("sleep 100", "not finished after 5 s"),
    ],
)
def test_outcomes_of_samples(checkout, tmp_path, program, expected):
    folder = checkout / "Samples/0_Start/first"
    (folder / "program").write_text(program)
    (tmp_path / "compiler.py").write_text(COMPILER)
    (tmp_path / "python").write_text(f'#!/bin/sh\nexec {sys.executable} {tmp_path}/compiler.py "$@"\n')
    (tmp_path / "python").chmod(0o755)
    (sample,) = samples.found(checkout)
    assert samples.outcome(sample, str(tmp_path / "python"), checkout, 5) == expected


def test_a_sample_that_does_not_compile(checkout, tmp_path):
    (tmp_path / "python").write_text('#!/bin/sh\necho "a.cu:1: error: odd" >&2; exit 1\n')
    (tmp_path / "python").chmod(0o755)
    (sample,) = samples.found(checkout)
    assert samples.outcome(sample, str(tmp_path / "python"), checkout, 5) == "failed: does not compile: error: odd"


def test_a_checkout_without_samples(tmp_path):
    with pytest.raises(SystemExit, match="no CMakeLists"):
        samples.found(tmp_path)
