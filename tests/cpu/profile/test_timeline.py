# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Timelines: what is recorded, in which rows, the trace, the page, the summary, the command line."""

import ctypes
import json
import subprocess
import sys
import threading

import pytest
from support.profile_cases import HEAD, TAIL
from support.profile_reports import Balanced, script_of

from cuda.cpu import driver
from cuda.cpu.profile import Timeline

SLOW = HEAD + "mov.u32 %r5, 0;\nA: add.u32 %r5, %r5, 1; setp.lt.u32 %p0, %r5, 20000; @%p0 bra A;" + TAIL


def of_kind(timeline, category):
    return [event for event in timeline.events if event.category == category]


def test_work_of_two_streams_is_in_two_rows(launcher):
    function = launcher.function(SLOW)
    streams = [driver.cuStreamCreate(1) for _ in range(2)]
    with Timeline() as timeline:
        for stream in streams:
            launcher.launch(function, grid=3, block=64, stream=stream)
            driver.cuMemsetD8Async(launcher.memory, 1, 1000, stream)
    kernels, fills = of_kind(timeline, "kernel"), of_kind(timeline, "fill")
    assert [event.name for event in kernels] == ["k", "k"]
    assert {event.row for event in kernels} == {event.row for event in fills} == {"stream 1", "stream 2"}
    assert kernels[0].details == {"grid": (3, 1, 1), "block": (64, 1, 1)}
    assert [event.details for event in fills] == [{"bytes": 1000}] * 2
    for row in ("stream 1", "stream 2"):
        (kernel,), (fill,) = ([event for event in events if event.row == row] for events in (kernels, fills))
        assert kernel.duration > 0
        assert kernel.end <= fill.begin


def test_compilation_is_recorded_once(launcher):
    function = launcher.function(SLOW.replace("20000", "21"))
    with Timeline() as timeline:
        launcher.launch(function)
        launcher.launch(function)
    (compiled,) = of_kind(timeline, "compile")
    assert compiled.name == "k"
    assert compiled.end <= min(event.begin for event in of_kind(timeline, "kernel"))
    assert timeline.events[0].begin == 0


def test_waits_events_and_callbacks_are_recorded(launcher):
    function = launcher.function(SLOW)
    first, second = (driver.cuStreamCreate(1) for _ in range(2))
    event = driver.cuEventCreate(0)
    kind, called = ctypes.CFUNCTYPE(None, ctypes.c_void_p), threading.Event()
    callback, hold = kind(lambda _: None), kind(lambda _: called.wait(30) and None)
    with Timeline() as timeline:
        driver.cuLaunchHostFunc(first, ctypes.cast(hold, ctypes.c_void_p).value, 0)  # so that there is work to wait for
        launcher.launch(function, grid=200, stream=first)
        driver.cuEventRecord(event, first)
        driver.cuStreamWaitEvent(second, event, 0)
        driver.cuLaunchHostFunc(second, ctypes.cast(callback, ctypes.c_void_p).value, 0)
        called.set()
    assert {"record event", "wait for event", "host callback"} <= {each.category for each in timeline.events}
    (wait,), (kernel,) = of_kind(timeline, "wait for event"), of_kind(timeline, "kernel")
    assert wait.row != kernel.row
    assert wait.end >= kernel.end


def test_nothing_is_recorded_outside(launcher):
    function = launcher.function(SLOW)
    launcher.launch(function)
    with Timeline() as timeline:
        pass
    launcher.launch(function)
    assert timeline.events == []
    assert str(timeline) == "Nothing ran in any stream.\n"


def test_second_timeline_is_refused():
    with Timeline(), pytest.raises(RuntimeError, match="another timeline"), Timeline():
        pass


def test_trace_has_rows_and_microseconds(launcher):
    function = launcher.function(SLOW)
    with Timeline() as timeline:
        launcher.launch(function)
    entries = json.loads(timeline.to_json())["traceEvents"]
    names = {each["tid"]: each["args"]["name"] for each in entries if each["ph"] == "M"}
    (kernel,) = [each for each in entries if each.get("cat") == "kernel"]
    (event,) = of_kind(timeline, "kernel")
    assert names[kernel["tid"]] == "stream 1"
    assert (kernel["ts"], kernel["dur"]) == (event.begin / 1000, event.duration / 1000)


def test_summary_has_the_calls_of_each_kernel(launcher):
    first, second = launcher.function(SLOW), launcher.function(SLOW.replace("entry k(", "entry other("), "other")
    with Timeline() as timeline:
        for function in (first, first, second):
            launcher.launch(function)
    calls = {line.split(" %")[0].split()[1]: line.split(" %")[1].split()[0] for line in str(timeline).splitlines()[1:]
             if line.startswith("kernel")}  # fmt: skip
    assert calls == {"k": "2", "other": "1"}


def test_sizes_of_pools_are_recorded(launcher):
    pool = driver.cuDeviceGetDefaultMemPool(0)
    driver.cuCtxSynchronize()
    driver.cuMemPoolTrimTo(pool, 0)
    with Timeline() as timeline:
        first, second = driver.cuMemAllocAsync(1 << 20, 0), driver.cuMemAllocAsync(5000, 0)
        driver.cuMemFreeAsync(first, 0)
        driver.cuMemFreeAsync(second, 0)
        driver.cuCtxSynchronize()
        driver.cuMemPoolTrimTo(pool, 0)
    sizes = timeline.pool_sizes
    assert {each.pool for each in sizes} == {"pool 1 on device 0"}
    base = sizes[0].used - (1 << 20)
    assert [each.used - base for each in sizes[:4]] == [1 << 20, (1 << 20) + 5000, 5000, 0]
    assert sizes[1].reserved >= (1 << 20) + 5000
    assert sizes[-1].reserved < 1 << 20
    assert [each.time for each in sizes] == sorted(each.time for each in sizes)
    counters = [each for each in json.loads(timeline.to_json())["traceEvents"] if each["ph"] == "C"]
    assert [each["args"] for each in counters] == [{"used": each.used, "reserved": each.reserved} for each in sizes]
    assert f"pool 1 on device 0 {sizes[1].used:16,} {sizes[1].reserved:16,}\n" in str(timeline)
    page = Balanced()
    page.feed(timeline.to_html())
    assert page.open == []
    assert f"at most {sizes[1].used:,} bytes in use (area), {sizes[1].reserved:,} bytes reserved (line)" in page.text
    with Timeline() as nothing:
        pass
    assert nothing.pool_sizes == []


def test_page_is_self_contained(launcher):
    function = launcher.function(SLOW)
    with Timeline() as timeline:
        launcher.launch(function)
    page = Balanced()
    page.feed(timeline.to_html())
    assert (page.open, page.links) == ([], [])
    assert "kernel: k" in page.text


def run(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "cuda.cpu", "timeline", *map(str, arguments)], capture_output=True, text=True
    )


def test_command_line_writes_trace_and_page(tmp_path):
    done = run("-o", tmp_path / "t.json", "-o", tmp_path / "t.html", script_of(tmp_path, "loop"), "hello")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "hello\n"
    assert "kernel k" in done.stderr
    assert {"kernel", "compile"} <= {
        each.get("cat") for each in json.loads((tmp_path / "t.json").read_text())["traceEvents"]
    }
    assert (tmp_path / "t.html").read_text().startswith("<!doctype html>")


@pytest.mark.parametrize("first", [True, False], ids=["and its parent", "alone"])
def test_child_processes_write_files_of_their_own(tmp_path, first):
    """Also if their parent uses no device."""
    script = script_of(tmp_path, "loop")
    parent = tmp_path / "parent.py"
    starts = f"import os, subprocess, sys\nfor _ in range(2): subprocess.run([sys.executable, {str(script)!r}, 'x'])\n"
    parent.write_text(starts + (script.read_text() if first else ""))
    done = run("-o", tmp_path / "t.json", "-o", tmp_path / "t.html", parent, "x")
    assert done.returncode == 0, done.stderr
    names = sorted(path.name for path in tmp_path.iterdir() if path.name.startswith("t."))
    numbers = {name.split(".")[1] for name in names if name.count(".") == 2}
    assert len(numbers) == 2
    expected = [f"t.{number}.{suffix}" for number in numbers for suffix in ("html", "json")]
    assert names == sorted(expected + (["t.html", "t.json"] if first else []))
    for name in names:
        if name.endswith("json"):
            kernels = [
                each for each in json.loads((tmp_path / name).read_text())["traceEvents"] if each.get("cat") == "kernel"
            ]
            assert kernels
    assert done.stderr.count("streams ") == 2 + first


def test_a_forked_child_without_work_writes_nothing(tmp_path):
    script = script_of(tmp_path, "loop")
    script.write_text(script.read_text() + "\nimport os\nif os.fork():\n    os.wait()\n")
    run("-o", tmp_path / "t.json", script, "x")
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".json"] == ["t.json"]
    assert "kernel" in (tmp_path / "t.json").read_text()


def test_names_of_files_may_contain_colons(tmp_path):
    done = run("-o", tmp_path / "a:b.json", "-o", tmp_path / "c:d.html", script_of(tmp_path, "loop"))
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a:b.json", "c:d.html", "script.py"]


def test_the_variable_names_files_with_colons_between(tmp_path, monkeypatch):
    monkeypatch.setenv("CUDA_CPU_TIMELINE", f"{tmp_path / 'a.json'}:{tmp_path / 'b.html'}")
    subprocess.run([sys.executable, str(script_of(tmp_path, "loop"))], check=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.json", "b.html", "script.py"]


def test_a_timeline_that_cannot_be_written(tmp_path):
    (tmp_path / "out.json").mkdir()
    done = run("-o", tmp_path / "out.json", script_of(tmp_path, "loop"))
    assert "the timeline could not be written" in done.stderr
    assert done.returncode == 2  # though the program succeeded


def test_a_missing_script_is_named_alone():
    done = run()
    assert done.returncode == 2
    assert done.stderr.endswith("error: the following arguments are required: SCRIPT\n")


def test_output_that_cannot_be_written_is_refused(tmp_path):
    done = run("-o", "/nowhere/t.json", script_of(tmp_path, "loop"))
    assert done.returncode == 2
    assert "is no folder in which files can be written" in done.stderr
