# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""`python -m cuda.core` reports on the environment, whatever is missing."""

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

OF_TESTS = ("CUDA_CPU_PEER", "CUDA_CPU_RANDOM_PROGRAMS")  # the report would call them unknown switches


def run(*arguments, **environment):
    ours = {name: value for name, value in os.environ.items() if name not in OF_TESTS}
    variables = ours | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)} | environment
    done = subprocess.run(
        [sys.executable, "-m", "cuda.core", *arguments], env=variables, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def report(**environment):
    lines = run(**environment).splitlines()
    return dict(line.split(maxsplit=1) for line in lines if not line.startswith(("device ", "PROBLEM")))


def facts(**environment):
    return json.loads(run("--json", **environment))


def test_report_text(device):
    facts = report()
    assert facts["cuda.core"] == "1.2.2"
    assert facts["driver"].startswith("CUDA ")
    assert facts["CUDA_PYTHON_DRIVER"] == os.environ["CUDA_PYTHON_DRIVER"]
    assert {"python", "system", "numpy", "nvrtc", "nvjitlink", "nvvm", "headers"} <= set(facts)


def test_report_without_a_driver():
    facts = report(CUDA_PYTHON_DRIVER="/nowhere/libcuda.so.1")
    assert facts["driver"].startswith("not available: CUDA_PYTHON_DRIVER='/nowhere/libcuda.so.1' cannot be opened")
    assert facts["devices"].startswith("not available: ")


@pytest.mark.cpu_only
@pytest.mark.needs_nvrtc
@pytest.mark.needs_nvjitlink
def test_report_as_json(device):
    from cuda.core import Device

    found = facts(CUDA_CPU_DEVICES="2")
    assert found["driver"]["kind"] == "the CPU device"
    assert found["driver"]["path"].endswith("libcuda.so.1")
    assert found["libraries"]["nvrtc"]["architectures"][0].startswith("sm_")
    assert os.path.exists(found["libraries"]["nvrtc"]["path"])
    assert [device["ordinal"] for device in found["devices"]] == [0, 1]
    assert found["devices"][0]["uuid"] == Device(0).uuid
    assert found["packages"]["numpy"]
    assert found["python"]["executable"] == os.path.normpath(sys.executable)  # it may be started as ../bin/python
    assert found["variables"]["CUDA_CPU_DEVICES"] == "2"
    assert found["problems"] == []


def test_problems_are_reported():
    problems = facts(CUDA_PYTHON_DRIVER="/nowhere/libcuda.so.1", CUDA_CPU_DEVICE="2", CUDA_HOME="/nowhere")["problems"]
    assert problems[0].startswith("There is no driver: CUDA_PYTHON_DRIVER='/nowhere/libcuda.so.1' cannot be opened")
    assert "CUDA_CPU_DEVICE is set, but there is no such switch" in problems
    assert "CUDA_HOME is '/nowhere', and there is no such folder" in problems


def test_problems_derived_from_the_environment():
    from cuda.core._utils._environment import _problems

    library = {"version": "13.5", "path": "/lib"}
    found = {
        "driver": {"kind": "a GPU driver", "path": "/libcuda.so.1", "version": "12.9"},
        "libraries": {"nvrtc": library, "nvjitlink": {"error": "not found"}, "clang": {"error": "not found"}},
        "packages": {"llvmlite": None},
        "variables": {},
        "devices": [],
    }
    problems = "\n".join(_problems(found, None))
    assert "There is no device: look at CUDA_VISIBLE_DEVICES" in problems
    assert "nvjitlink cannot be used: not found" in problems
    assert "NVRTC 13.5 is newer than the driver, which knows CUDA 12.9" in problems
    found["driver"] = {"kind": "the CPU device", "version": "13.5"}
    assert "The CPU device has no compiler: pip install 'open-cuda-python[cpu]'" in _problems(found, None)


def test_every_environment_variable_is_known():
    """A new environment variable must not be reported as a misspelling."""
    from cuda.core._utils._environment import _INTERNAL, _VARIABLES

    root = pathlib.Path(__file__).parents[2]
    sources = [path for path in root.glob("cuda_*/cuda/**/*") if path.suffix in (".py", ".pyx", ".c")]
    read = {name for path in sources if path.stat().st_size < 1 << 17
            for name in re.findall(r'"(CUDA_(?:CPU|PYTHON)_[A-Z0-9_]+)"', path.read_text())}  # fmt: skip
    assert len(read) > 8
    assert read <= {*_VARIABLES, *_INTERNAL}
