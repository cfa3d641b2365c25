# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Parts of programs that are recorded: `--profile-from-start off`, cuProfilerStart, cuProfilerStop."""

import json
import os
import subprocess
import sys

import pytest
from support.profile_cases import HEAD, TAIL

pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")
pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from cuda.cpu import driver
from cuda.cpu.counters import state
from cuda.cpu.profile import Profile

SCRIPT = f"""
import ctypes
from cuda.cpu import driver
TEXT = {HEAD + TAIL!r}
driver.cuInit(0)
driver.cuCtxCreate_v2(0, 0)
image = ctypes.create_string_buffer(TEXT.encode())
function = driver.cuModuleGetFunction(driver.cuModuleLoadData(ctypes.addressof(image)), b"k")
memory = ctypes.c_uint64(driver.cuMemAlloc(4096))
values = (ctypes.c_void_p * 1)(ctypes.addressof(memory))
def launch(blocks):
    driver.cuLaunchKernel(function, blocks, 1, 1, 32, 1, 1, 0, 0, ctypes.addressof(values), 0)
launch(1)
driver.cuProfilerStart()
launch(2)
launch(3)
driver.cuProfilerStop()
launch(4)
driver.cuProfilerStart()
launch(5)
"""


def run(tmp_path, command, option, *, variables=None):
    script, output = tmp_path / "script.py", tmp_path / "out.json"
    script.write_text(SCRIPT)
    name = {"profile": "--json", "timeline": "-o"}[command]
    done = subprocess.run(
        [sys.executable, "-m", "cuda.cpu", command, name, str(output), *option, str(script)],
        capture_output=True, text=True, env=os.environ | (variables or {}),
    )  # fmt: skip
    return done, json.loads(output.read_text()) if output.exists() else None


@pytest.mark.parametrize(
    ("option", "blocks"),
    [(["--profile-from-start", "off"], [2, 3, 5]), (["--profile-from-start=on"], [1, 2, 3, 5]), ([], [1, 2, 3, 5])],
    ids=["off", "on", "default"],
)
@pytest.mark.parametrize("command", ["profile", "timeline"])
def test_recorded_launches(tmp_path, command, option, blocks):
    done, data = run(tmp_path, command, option)
    assert done.returncode == 0, done.stderr
    if command == "profile":
        found = [(number, entry["grid"][0]) for entry in data["launches"] for number in entry["numbers"]]
        assert [grid for _, grid in sorted(found)] == blocks
    else:
        found = [each["args"]["grid"][0] for each in data["traceEvents"] if each.get("cat") == "kernel"]
        assert found == blocks


def test_start_and_stop_do_not_disturb_a_profile(launcher):
    function = launcher.function(HEAD + TAIL)
    with Profile() as profile:
        driver.cuProfilerStop()
        launcher.launch(function)
        driver.cuProfilerStart()
    assert len(profile.launches) == 1
    driver.cuProfilerStart()
    assert not state.active


def test_gpu_is_refused(tmp_path):
    done, data = run(tmp_path, "profile", [], variables={"CUDA_PYTHON_DRIVER": "nvidia"})
    assert (done.returncode, data) == (2, None)
    assert "records the CPU device only; unset CUDA_PYTHON_DRIVER, or use Nsight Compute on the GPU" in done.stderr


def test_other_values_are_refused(tmp_path):
    done, _ = run(tmp_path, "profile", ["--profile-from-start", "maybe"])
    assert done.returncode == 2
    assert "invalid choice: 'maybe'" in done.stderr
