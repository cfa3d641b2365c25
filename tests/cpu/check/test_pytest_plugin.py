# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""`pytest --cuda-check=...`: errors fail the test in which they occur; the plugin costs nothing without the option."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys
import tomllib

import pytest

pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")
pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

pytestmark = pytest.mark.cpu_only

TESTS = """\
import ctypes, subprocess, sys
import pytest
from cuda.cpu import driver

PTX = b'''.version 8.0
.target sm_90
.address_size 64
.visible .entry store(.param .u64 p) { .reg .b64 %d<2>;
 ld.param.u64 %d1, [p];
 st.global.u32 [%d1], 1;
 ret; }
.visible .entry trap(.param .u64 p) { trap; }
'''

def load():
    driver.cuInit(0)
    driver.cuCtxCreate_v2(0, 0)
    image = ctypes.create_string_buffer(PTX)
    module = driver.cuModuleLoadData(ctypes.addressof(image))
    return {name: driver.cuModuleGetFunction(module, name.encode()) for name in ("store", "trap")}

kernels = pytest.fixture(scope="module")(load)

def launch(kernels, size, name="store"):
    value = ctypes.c_uint64(driver.cuMemAlloc(64) + size)
    values = (ctypes.c_void_p * 1)(ctypes.addressof(value))
    driver.cuLaunchKernel(kernels[name], 1, 1, 1, 1, 1, 1, 0, 0, ctypes.addressof(values), 0)

@pytest.fixture
def bad_setup(kernels):
    launch(kernels, 64)

@pytest.fixture
def bad_teardown(kernels):
    yield
    launch(kernels, 64)

def test_good(kernels):
    launch(kernels, 60)

def test_bad(kernels):
    launch(kernels, 64)

def test_good_after_bad(kernels):
    launch(kernels, 60)

def test_bad_and_failing(kernels):
    launch(kernels, 64)
    assert not "own failure"

def test_bad_and_skipped(kernels):
    launch(kernels, 64)
    pytest.skip("no reason")

@pytest.mark.xfail(strict=True)
def test_bad_as_expected(kernels):
    launch(kernels, 64)

def test_with_bad_setup(bad_setup): pass
def test_with_bad_teardown(bad_teardown): pass

def test_bad_child():
    code = "import test_it; test_it.launch(test_it.load(), 64); test_it.driver.cuCtxSynchronize()"
    subprocess.run([sys.executable, "-c", code], check=True)
"""


def run(tmp_path, *arguments, driver="cpu", text=TESTS):
    (tmp_path / "test_it.py").write_text(text)
    command = [sys.executable, "-m", "pytest", "-c", os.devnull, "--rootdir", str(tmp_path), "-p", "no:cacheprovider"]
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "CUDA_"))}
    if driver:
        variables["CUDA_PYTHON_DRIVER"] = driver
    return subprocess.run(
        [*command, "-p", "cuda.cpu.pytest_plugin", *arguments, "-rA", "test_it.py"],
        capture_output=True, text=True, cwd=tmp_path, env=variables, timeout=100,
    )  # fmt: skip


def outcomes(done):
    found = re.findall(r"^(PASSED|FAILED|ERROR|SKIPPED|XFAIL) test_it.py::(\w+)", done.stdout, re.MULTILINE)
    return {name: outcome for outcome, name in found}


EXPECTED = {
    "test_good": "PASSED",
    "test_bad": "FAILED",
    "test_good_after_bad": "PASSED",
    "test_bad_and_failing": "FAILED",
    "test_bad_and_skipped": "FAILED",
    "test_bad_as_expected": "XFAIL",
    "test_with_bad_setup": "ERROR",
    "test_with_bad_teardown": "ERROR",
    "test_bad_child": "FAILED",
}


def test_the_test_with_the_error_fails(tmp_path):
    done = run(tmp_path, "--cuda-check=memcheck")
    assert outcomes(done) == EXPECTED, done.stdout + done.stderr
    assert "cuda-check: memcheck" in done.stdout
    report = done.stdout.partition("_ test_bad _")[2].partition("_ test_bad_and_failing _")[0]
    assert "--cuda-check: 1 finding: memcheck outside in store" in report
    assert "Captured cuda-check call" in report
    stacks = re.findall(r"(launched by|allocated by)? +(launch|test_bad) at .*test_it.py:\d+\n", report)
    assert stacks == [("launched by", "launch"), ("", "test_bad"), ("allocated by", "launch"), ("", "test_bad")], report
    own = done.stdout.partition("_ test_bad_and_failing _")[2].partition("_ test_bad_and_skipped _")[0]
    assert "own failure" in own
    assert "memcheck: kernel 'store'" in own


def test_with_xdist(tmp_path):
    pytest.importorskip("xdist", reason="pytest-xdist is not installed")
    done = run(tmp_path, "--cuda-check=memcheck", "-n", "2")
    assert outcomes(done) == EXPECTED, done.stdout + done.stderr


def test_a_fault_that_nobody_waits_for(tmp_path):
    """The findings of a launch that fails are those of its test as well."""
    text = TESTS.partition("def test_good(")[0]
    text = text.replace("{ trap; }", "{ .reg .b64 %d1; mov.u64 %d1, 0; st.global.u32 [%d1], 1; trap; }")
    text += "def test_fault(kernels): launch(kernels, 0, 'trap')\ndef test_next(): pass\n"
    done = run(tmp_path, "--cuda-check=memcheck", text=text)
    assert outcomes(done) == {"test_fault": "FAILED", "test_next": "PASSED"}, done.stdout
    assert "a null pointer" in done.stdout


def test_filters_and_suppressions(tmp_path):
    text = TESTS.partition("def test_good_after_bad(")[0]
    (tmp_path / "known.txt").write_text("kernel=store\n")
    done = run(tmp_path, "--cuda-check=all", "--cuda-check-suppressions=known.txt", text=text)
    assert set(outcomes(done).values()) == {"PASSED"}, done.stdout
    done = run(tmp_path, "--cuda-check=all", "--cuda-check-kernel=other", text=text)
    assert set(outcomes(done).values()) == {"PASSED"}, done.stdout


@pytest.mark.parametrize(
    ("arguments", "driver", "expected"),
    [
        (("--cuda-check=all",), "", "checkers need the CPU device: set CUDA_PYTHON_DRIVER=cpu"),
        (("--cuda-check=all",), "nvidia", "set CUDA_PYTHON_DRIVER=cpu (it is 'nvidia')"),
        (("--cuda-check=racechek",), "cpu", "there is no check 'racechek'; did you mean racecheck?"),
        (("--cuda-check=",), "cpu", "there is no check '', which names no check; it takes memcheck, "),
        (("--cuda-check-kernel=k",), "cpu", "--cuda-check-kernel: it is for --cuda-check, which is not given"),
        (("--cuda-check-suppressions=f",), "", "--cuda-check-suppressions: it is for --cuda-check, which is not"),
        (("--cuda-check=leakcheck",), "cpu", "leakcheck looks at the end of a context"),
        (("--cuda-check=all", "--cuda-check-kernel=("), "cpu", "--cuda-check-kernel is '(', which is no regular"),
        (("--cuda-check=all", "--cuda-check-suppressions=test_it.py"), "cpu", "test_it.py, line 1: "),
    ],
)
def test_wrong_options(tmp_path, arguments, driver, expected):
    done = run(tmp_path, *arguments, driver=driver)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert expected in done.stderr
    assert done.stderr.count("\n") <= 2


def test_without_the_option_nothing_is_imported(tmp_path):
    text = """\
import sys
def test_it():
    assert "cuda.cpu.pytest_plugin" in sys.modules
    assert [name for name in sys.modules if name.startswith("cuda.") and name.count(".") > 1] == [
        "cuda.cpu.pytest_plugin"
    ]
"""
    assert outcomes(run(tmp_path, text=text, driver="")) == {"test_it": "PASSED"}


def test_it_is_an_entry_point(tmp_path):
    """pytest finds the plugin of an installed package by itself; -p does not load it twice."""
    project = pathlib.Path(__file__).parents[3]
    plugins = [
        tomllib.loads((project / name).read_text())["project"]["entry-points"]["pytest11"]
        for name in ("pyproject.toml", "cuda_cpu/pyproject.toml")
    ]
    assert plugins[0] == plugins[1]
    (tmp_path / "x-1.dist-info").mkdir()
    (tmp_path / "x-1.dist-info/METADATA").write_text("Metadata-Version: 2.1\nName: x\nVersion: 1\n")
    (tmp_path / "x-1.dist-info/entry_points.txt").write_text(
        "[pytest11]\n" + "".join(f"{name} = {module}\n" for name, module in plugins[0].items())
    )
    (tmp_path / "test_it.py").write_text("def test_it(): pass\n")
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "CUDA_"))}
    path = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    for arguments in ([], ["-p", "cuda.cpu.pytest_plugin"]):
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-c", os.devnull, *arguments, "--cuda-check=memcheck", "test_it.py"],
            capture_output=True, text=True, cwd=tmp_path, timeout=100,
            env=variables | {"PYTHONPATH": path, "CUDA_PYTHON_DRIVER": "cpu"},
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        assert "cuda-check: memcheck" in done.stdout
