# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""racecheck across launches: programs with a race and their correct look-alikes, and the reports."""

import json
import pathlib
import re
import subprocess
import sys
import threading
from xml.etree import ElementTree

import pytest
from support.corpus_order import CORRECT, TABLES, Case, Program, cases, found

from cuda.cpu import driver
from cuda.cpu.check import Check
from cuda.cpu.check.pageable import Pageable
from cuda.cpu.check.suppressions import rule_for
from cuda.cpu.driver.stream.stream import streams

pytestmark = pytest.mark.cpu_only
KINDS = {
    "unordered_read_after_write", "unordered_write_after_read", "unordered_write_after_write", "freed_in_use",
    "used_before_allocation",
}  # fmt: skip
CASES = list(cases())


@pytest.fixture(autouse=True)
def _device():
    driver.cuInit(0)


@pytest.mark.parametrize(
    "case", CASES, ids=[f"{each.name}, {'faulty' if each.faulty else 'correct'}" for each in CASES]
)
def test_race_is_reported_and_correct_program_is_not(case):
    findings = found(case)
    assert bool(findings) is case.faulty, [str(each) for each in findings]
    assert all(each.checker == "racecheck" and each.kind in KINDS for each in findings)


def test_corpus_has_a_correct_program_for_each_faulty_one():
    names = {each.name: set() for each in CASES}
    for each in CASES:
        names[each.name].add(each.text)
    assert all(len(texts) == 2 for name, texts in names.items() if not name.startswith("correct"))
    assert len(names) >= 50 + len(CORRECT)


def test_guide_has_the_rates():
    text = (pathlib.Path(__file__).parents[3] / "docs/guides/checking.md").read_text()
    pairs = sum(map(len, TABLES.values()))
    assert f"there are {pairs} pairs of programs and {len(CORRECT)} correct programs alone" in text
    sizes = [f"{len(table)} of {len(table)}" for table in TABLES.values()]
    assert re.findall(r"\| `racecheck` \| .*?(?:events|memsets|pinned memory|graphs) \| (.*?) \|", text) == sizes


def test_finding_names_both_kernels_streams_and_calls():
    [finding] = found(Case("two", True, "put(a, x)\nget(b, x, y)"))
    assert finding.kind == "unordered_read_after_write"
    assert (finding.kernel, finding.size, finding.severity) == ("get", 1024, "error")
    assert "ld.global.u32" in finding.instruction
    assert finding.stream != finding.other_stream
    assert "kernel 'put'" in finding.message
    assert "record an event in" in finding.message
    assert f"byte 0 of the allocation of 1024 bytes at 0x{finding.allocation_address:x} made by" in finding.message
    assert finding.allocation_size == 1024
    lines = [next(frame.line for frame in stack if frame.file == "two") for stack in
             (finding.launch_stack, finding.other_launch_stack)]  # fmt: skip
    assert lines == [2, 1]


def test_copy_is_named_by_its_function():
    [finding] = found(Case("copy", True, "cuMemcpyHtoDAsync(x, h, 512, a)\ncuMemcpyDtoHAsync(h + 256, y, 512, b)"))
    assert finding.kind == "unordered_write_after_read"
    assert finding.kernel == ""
    assert finding.message.startswith("cuMemcpyDtoHAsync in stream ")
    assert "cuMemcpyHtoDAsync in stream " in finding.message
    assert finding.size == 256


def test_copies_of_pageable_memory():
    text = "p = buffer()\ncuMemcpyDtoHAsync(p + 8, x, 512, a)\ncuMemcpyHtoD(y, p, 16)\nput(b, y)"
    [finding] = found(Case("pageable", True, text))
    assert (finding.kind, finding.severity, finding.size) == ("unordered_read_after_write", "warning", 8)
    assert ", pageable memory of the host: nothing orders it after cuMemcpyDtoHAsync in stream " in finding.message
    assert finding.message.startswith("cuMemcpyHtoD in ")
    assert finding.address % 16 == 8
    assert (finding.kernel, finding.allocation_address, finding.allocation_stack) == ("", 0, ())
    assert [stack[0].line for stack in (finding.launch_stack, finding.other_launch_stack)] == [3, 2]


def test_large_copies_of_pageable_memory_have_a_common_area():
    first, later = Pageable(1, 3 << 20, 1 << 21, writes=True), Pageable(2, (5 << 20) - 4, 8, writes=False)
    assert first.allocations() & later.allocations()
    assert [each[:2] for each in first.conflicts(later)] == [((5 << 20) - 4, 5 << 20)]
    behind = Pageable(3, 5 << 20, 4, writes=True)
    assert not first.allocations() & behind.allocations()
    assert first.conflicts(behind) == later.conflicts(first) == []


def test_node_has_the_stack_of_the_call_that_made_it():
    [finding] = found(Case("nodes", True, "g = graph()\nnode(g, 'put', x)\nnode(g, 'get', x, y)\nlaunch(g, a)"))
    assert "add an edge" in finding.message
    assert [next(frame.line for frame in stack if frame.file == "nodes") for stack in
            (finding.launch_stack, finding.other_launch_stack)] == [3, 2]  # fmt: skip


def test_loop_reports_a_race_once():
    assert len(found(Case("loop", True, "for _ in range(20):\n  put(a, x)\n  get(b, x, y)"))) == 2


def test_loop_without_a_wait_of_the_host_is_compared():
    text = "for k in range(700):\n  put(a, z)\nput(a, x)\nget(b, x, y)"
    assert [each.kind for each in found(Case("long", True, text))] == ["unordered_read_after_write"]


def test_loop_of_a_graph_is_ordered_by_its_rounds():
    text = "g = graph(); p, body = conditional(g, 1, 0); node(body, 'put', x); node(body, 'get', z, y); launch(g, a)"
    assert found(Case("while", False, text)) == []


@pytest.mark.parametrize("wait", ["cuCtxSynchronize()", "cuMemFree(x)", ""])
@pytest.mark.parametrize("is_idle", [True, False])
def test_who_waits_for_the_context_has_waited_for_destroyed_streams(wait, is_idle):
    program = Program()
    with Check("racecheck") as checked:
        stream = driver.cuStreamCreate(1)
        queue = streams.find(stream).queue
        program.put(stream, program.y)
        if is_idle:
            queue.wait(-1)  # which is no call of the API
        driver.cuStreamDestroy(stream)
        queue.wait(-1)
        driver.cuStreamCreate(1)  # which looks for destroyed streams whose work is done
        if wait:
            eval(f"driver.{wait}", {"driver": driver, "x": program.x})
        program.get(program.b, program.y, program.z)
        driver.cuCtxSynchronize()
    program.end()
    assert [each.kind for each in checked.findings] == ([] if wait else ["unordered_read_after_write"])


def test_threads_of_the_host_count_as_ordered():
    program = Program()
    try:
        with Check("racecheck") as checked:
            program.put(program.a, program.x)
            thread = threading.Thread(target=driver.cuStreamSynchronize, args=(program.a,))
            thread.start()
            thread.join()
            program.get(program.b, program.x, program.y)
    finally:
        program.end()
    assert checked.findings == []


def test_other_checks_do_not_look_for_races():
    program = Program()
    try:
        with Check("memcheck,synccheck") as checked:
            program.put(program.a, program.x)
            program.get(program.b, program.x, program.y)
    finally:
        program.end()
    assert checked.findings == []


SCRIPT = """
from cuda.core import Device, LaunchConfig, Module, launch
device = Device()
device.set_current()
first, second = device.create_stream(), device.create_stream()
module = Module.from_source('''
extern "C" __global__ void fill(int *x) { x[threadIdx.x] = 1; }
extern "C" __global__ void copy(int *x, int *y) { y[threadIdx.x] = x[threadIdx.x]; }
''')
x, y = device.allocate(128, stream=first), device.allocate(128, stream=second)
device.sync()
launch(first, LaunchConfig(grid=1, block=32), module.fill, x)
launch(second, LaunchConfig(grid=1, block=32), module.copy, x, y)
device.sync()
"""


def run(folder: pathlib.Path, *options: str) -> subprocess.CompletedProcess:
    (folder / "two.py").write_text(SCRIPT)
    command = [sys.executable, "-m", "cuda.cpu", "check", "--checks=racecheck", *options, "two.py"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)


@pytest.mark.needs_nvrtc
def test_reports_and_suppressions(tmp_path):
    done = run(tmp_path, "--json=r.json", "--xml=r.xml", "--write-suppressions=known.txt")
    assert done.returncode == 1, done.stderr
    [finding] = json.loads((tmp_path / "r.json").read_text())["findings"]
    assert finding["kind"] == "unordered_read_after_write"
    assert finding["launch_stack"][0]["line"] == 13
    assert finding["other_launch_stack"][0]["line"] == 12
    assert "(created at two.py:5)" in finding["stream"]
    assert finding["device_stack"][0]["function"] == "copy"
    assert finding["other_stack"][0]["function"] == "fill"
    record = ElementTree.fromstring((tmp_path / "r.xml").read_text()).find("record")
    assert record.findtext("otherLaunchStack/frame/line") == "12"
    assert record.findtext("what/otherStream") == finding["other_stream"]
    assert "the other call" in done.stderr
    assert run(tmp_path, "--suppressions=known.txt").returncode == 0


@pytest.mark.needs_nvrtc
def test_kernel_filter_applies(tmp_path):
    assert run(tmp_path, "--kernel=^fill$").returncode == 0


def test_suppression_of_a_copy_names_its_line():
    [finding] = found(Case("copy.py", True, "cuMemcpyHtoDAsync(x, h, 512, a)\ncuMemcpyDtoHAsync(h, y, 512, b)"))
    assert rule_for(finding) == "checker=racecheck kind=unordered_write_after_read launched=copy.py:2"


def test_use_of_freed_memory_names_the_streams():
    [finding] = found(Case("free", True, "m = cuMemAllocAsync(1024, a); order(a, b); put(b, m); cuMemFreeAsync(m, a)"))
    assert finding.kind == "freed_in_use"
    assert finding.message.startswith("cuMemFreeAsync in stream ")
