# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Timelines of GPUs, by events: the CPU device stands in for one, as a driver that is named by its path."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")
pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")
pytest.importorskip("cuda.core", reason="cuda.core is not installed")

import cuda.cpu

pytestmark = [pytest.mark.cpu_only, pytest.mark.needs_nvrtc]

SCRIPT = r'''
import sys

import numpy as np

from cuda.core import Device, LaunchConfig, Program, launch

SOURCE = """extern "C" __global__ void spin(int *out, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) sum = sum * 3 + i;
    out[threadIdx.x] = sum;
}"""
device = Device()
device.set_current()
first, second = device.create_stream(), device.create_stream()
kernel = Program(SOURCE, "c++").compile("ptx").get_kernel("spin")
buffer = device.allocate(4000, stream=first)
buffer.fill(0, stream=first)
first.sync()
config = LaunchConfig(grid=(2, 1), block=32)
launch(first, config, kernel, buffer, np.int32(300_000))
launch(second, config, kernel, buffer, np.int32(10))
builder = second.create_graph_builder()
builder.begin_building()
launch(builder, config, kernel, buffer, np.int32(10))
graph = builder.end_building().complete()
graph.launch(second)
host = np.empty(1000, np.int32)
buffer.copy_to(host, stream=first)
first.sync()
'''


def timeline(tmp_path, body, *options, **variables):
    script = tmp_path / "script.py"
    script.write_text(body)
    command = [sys.executable, "-m", "cuda.cpu", "timeline", *options, str(script), "an argument"]
    environment = os.environ | {"CUDA_PYTHON_DRIVER": cuda.cpu.library_path()} | variables
    return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path, timeout=200)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("timeline")
    done = timeline(folder, SCRIPT, "-o", "trace.json", "-o", "page.html")
    assert done.returncode == 0, done.stderr
    entries = json.loads((folder / "trace.json").read_text())["traceEvents"]
    rows = {each["tid"]: each["args"]["name"] for each in entries if each["name"] == "thread_name"}
    work = [each | {"row": rows[each["tid"]]} for each in entries if each["ph"] == "X"]
    return done.stderr, (folder / "page.html").read_text(), work


def of(work, category):
    return [each for each in work if each["cat"] == category]


def test_work_of_streams_has_times_by_events(recorded):
    _, _, work = recorded
    long, short = of(work, "kernel")
    assert (long["name"], long["args"]) == ("spin", {"grid": [2, 1, 1], "block": [32, 1, 1]})
    assert long["row"] != short["row"]
    assert long["dur"] > 10 * short["dur"] > 0
    (fill,), (copy,), (graph,) = of(work, "fill"), of(work, "copy"), of(work, "graph")
    assert (fill["args"], copy["args"]) == ({"bytes": 4000}, {"bytes": 4000})
    assert fill["row"] == long["row"] == copy["row"]
    assert graph["row"] == short["row"]  # and its kernel, which was captured, has no events
    assert fill["ts"] + fill["dur"] <= long["ts"] + 1
    assert long["ts"] + long["dur"] <= copy["ts"] + 1


def test_calls_of_the_host_are_on_the_same_clock(recorded):
    _, _, work = recorded
    calls = [each for each in work if each["name"] == "cuLaunchKernelEx"]
    assert len(calls) == 3  # one of them is captured
    assert {each["row"] for each in calls} == {"MainThread"}
    long = of(work, "kernel")[0]
    waits = [each for each in work if each["name"] == "cuStreamSynchronize"]
    assert calls[0]["ts"] <= long["ts"] + 100
    assert any(each["ts"] + each["dur"] >= long["ts"] + long["dur"] - 100 for each in waits)
    assert of(work, "memory call")


def test_reports_have_the_summary(recorded):
    text, page, _ = recorded
    assert any(row.startswith("kernel spin") and row.split("%")[1].split()[0] == "2" for row in text.splitlines())
    assert "kernel spin" in page


def test_work_of_a_failed_context_is_left_out(tmp_path):
    body = SCRIPT + "launch(first, config, kernel, 64, np.int32(1))\nfirst.sync()\n"
    done = timeline(tmp_path, body, "-o", "trace.json")
    assert done.returncode == 1
    assert "CUDA_ERROR_ILLEGAL_ADDRESS" in done.stderr
    assert "driver call cuLaunchKernelEx" in done.stderr
    assert json.loads((tmp_path / "trace.json").read_text())["traceEvents"]


def test_child_processes_have_files_of_their_own(tmp_path):
    child = "subprocess.run([sys.executable, __file__, 'child', '2'], check=True)"
    done = timeline(tmp_path, f"{SCRIPT}import subprocess\nif len(sys.argv) == 2: {child}\n", "-o", "trace.json")
    assert done.returncode == 0, done.stderr
    assert len(list(tmp_path.glob("trace.*.json"))) == 2
    assert "script.py child 2\n" in done.stderr


def test_programs_that_call_nothing(tmp_path):
    done = timeline(tmp_path, "raise SystemExit(3)")
    assert done.returncode == 3
    assert "no call of the driver through cuda.bindings was recorded" in done.stderr


def test_a_part_of_a_program_is_refused(tmp_path):
    done = timeline(tmp_path, SCRIPT, "--profile-from-start", "off")
    assert done.returncode == 2
    assert "on a GPU everything is recorded" in done.stderr
