# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Launches with few threads of kernels without loops run brief code, other launches the usual code."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")
pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from support.loaded import Loaded
from support.scripts import run_script
from support.warps import HEAD

from cuda.bindings import driver
from cuda.core import Device, LaunchConfig, LegacyPinnedMemoryResource, ObjectCode, launch
from cuda.cpu.compile import brief, jit
from cuda.cpu.driver.code.function import functions
from cuda.cpu.ptx.program import build

pytestmark = pytest.mark.cpu_only

# Each thread below n adds its number to an element.
ADD = (
    HEAD
    + """
.visible .entry k(.param .u64 p, .param .u32 n)
{
    .reg .pred %p<2>; .reg .b32 %r<9>; .reg .b64 %d<4>;
    ld.param.u64 %d1, [p]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x;
    mad.lo.u32 %r2, %r3, %r4, %r2; setp.ge.u32 %p1, %r2, %r1;
    @%p1 bra END;
    mul.wide.u32 %d2, %r2, 4; add.u64 %d3, %d1, %d2; ld.global.u32 %r5, [%d3]; add.u32 %r5, %r5, %r2;
    st.global.u32 [%d3], %r5;
END:
    ret;
}
"""
)
LOOP = """
.visible .entry k()
{
    .reg .pred %p<2>; .reg .b32 %r<2>;
    mov.u32 %r1, 0;
AGAIN:
    add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9;
    @%p1 bra AGAIN;
    ret;
}
"""
TABLE = """
.visible .entry k()
{
    .reg .pred %p<2>; .reg .b32 %r<2>;
    mov.u32 %r1, %tid.x;
FIRST:
    add.u32 %r1, %r1, 1;
SECOND:
    ret;
    list: .branchtargets NAME;
    brx.idx %r1, list;
LAST:
    ret;
}
"""
CALL = """
.func f() { ret; }
.visible .entry k() { call.uni f, (); ret; }
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("CUDA_CPU_CACHE", str(tmp_path / "kernels"))
    monkeypatch.delenv("CUDA_CPU_LEVEL", raising=False)
    return tmp_path / "kernels"


@pytest.mark.parametrize(
    ("body", "suits"),
    [
        (LOOP, False), (LOOP.replace("bra AGAIN", "bra END").replace("ret;", "END: ret;"), True), (CALL, False),
        (TABLE.replace("NAME", "SECOND"), False), (TABLE.replace("NAME", "LAST"), True),
    ],
    ids=["loop", "branch ahead", "call", "table with a loop", "table ahead"],
)  # fmt: skip
def test_kernels_without_loops_and_calls_are_suitable(body, suits):
    assert (brief.most_threads(build([HEAD + body]), "k") > 0) == suits


def test_the_number_of_threads_depends_on_the_length():
    length = len(build([ADD]).functions["k"].body)
    assert brief.most_threads(build([ADD]), "k") == brief.MOST_WORK // length


@pytest.mark.parametrize(
    ("instruction", "needs"),
    [
        ("ld.global.u32 %r5, [%d3];", False), ("ld.shared.u32 %r5, [s];", True), ("ld.volatile.u32 %r5, [%d3];", True),
        ("st.shared::cta.u32 [s], %r5;", True), ("cvta.shared.u64 %d3, %d3;", True),
    ],
)  # fmt: skip
def test_threads_that_share_memory_run_in_whole_warps(instruction, needs):
    text = ADD.replace("ld.global.u32 %r5, [%d3];", f".shared .b32 s; {instruction}")
    program = build([text])
    assert brief.needs_whole_warps(program.functions["k"].body) == needs
    notes = jit.kernel_text(program, "k", quick=True, brief=True).notes
    width = 32 if needs else jit._width("native")
    assert any(f"SIMD groups of {width} lanes" in note for note in notes)


def test_brief_code_is_shorter():
    """It has a copy of each block for any lanes only."""
    usual, short = (jit.kernel_text(build([ADD]), "k", quick=True, brief=each).text for each in (False, True))
    assert "store" in short
    assert short.count("\n") < 0.75 * usual.count("\n")


@pytest.mark.parametrize("count", [0, 1, 31, 32, 33, 64])
def test_brief_code_computes_the_same(count):
    loaded, found = Loaded(ADD.encode(), threads=64), np.arange(64, dtype=np.uint32)
    assert loaded.code.compile("k", threads=64).most_threads
    loaded.launch("k", 2, 32, found, np.uint32(count))
    np.testing.assert_array_equal(found, np.arange(64) + np.where(np.arange(64) < count, np.arange(64), 0))


def test_usual_code_in_the_disk_cache_is_preferred(folder):
    Loaded(ADD.encode()).code.compile("k")
    assert Loaded(ADD.encode()).code.compile("k", threads=32).most_threads == 0


def test_brief_code_is_cached_on_disk(monkeypatch):
    first = Loaded(ADD.encode()).code.compile("k", threads=32)
    monkeypatch.setattr(jit, "emit", lambda *args, **options: pytest.fail("compiled again"))
    second = Loaded(ADD.encode()).code.compile("k", threads=32)
    assert first.most_threads == second.most_threads > 0


def test_a_hot_kernel_replaces_the_usual_code_in_the_disk_cache(monkeypatch):
    """What tier-up has compiled is for any launches."""
    code = Loaded(ADD.encode()).code
    assert code.compile("k", threads=32).key == code.compile("k").key


@pytest.mark.parametrize("name", ["CUDA_CPU_LEVEL", "CUDA_CPU_EXPLAIN"])
def test_settings_that_choose_or_show_the_code_have_the_usual_code(monkeypatch, capfd, name):
    monkeypatch.setenv(name, "1")
    assert Loaded(ADD.encode()).code.compile("k", threads=32).most_threads == 0


# --- launches ----------------------------------------------------------------------------------------


@pytest.fixture
def add():
    """A function that launches ADD with a number of blocks of 32 threads and checks the result, and its Function."""
    device = Device()
    device.set_current()
    stream = device.create_stream()
    kernel = ObjectCode.from_ptx(ADD.encode()).get_kernel("k")
    error, handle = driver.cuKernelGetFunction(driver.CUkernel(int(kernel.handle)))
    assert error == driver.CUresult.CUDA_SUCCESS
    function = functions.find(int(handle))

    def run(blocks):
        buffer = LegacyPinnedMemoryResource().allocate(128 * blocks, stream=stream)
        values = np.frombuffer(memoryview(buffer), np.uint32)
        values[:] = 5
        launch(stream, LaunchConfig(grid=blocks, block=32), kernel, buffer, np.uint32(values.size))
        stream.sync()
        np.testing.assert_array_equal(values, 5 + np.arange(values.size))
        del values
        buffer.close()

    return run, function, stream, kernel


def test_launches_of_few_threads_run_brief_code(add):
    run, function, *_ = add
    for _ in range(30):
        run(1)
    assert function.brief
    assert not function.compiled


def test_a_launch_of_many_threads_runs_the_usual_code(add):
    run, function, *_ = add
    run(1)
    run(1)  # from here on by the fast path
    [(_, most)] = function.brief.values()
    run(most // 32)
    assert not function.compiled
    run(most // 32 + 1)
    assert function.compiled
    run(1)
    run(most // 32 + 1)


def test_a_fault_in_brief_code_names_its_instruction():
    script = """
import numpy as np
from cuda.core import Device, LaunchConfig, ObjectCode, launch
device = Device()
device.set_current()
stream = device.create_stream()
kernel = ObjectCode.from_ptx(TEXT).get_kernel("k")
launch(stream, LaunchConfig(grid=1, block=32), kernel, np.uint64(16), np.uint32(32))
stream.sync()
"""
    found = run_script(script.replace("TEXT", repr(ADD.encode()))).stderr
    line = next(number for number, text in enumerate(ADD.splitlines(), 1) if "ld.global" in text)
    assert f"PTX line {line} `" in found


def test_graphs_run_the_usual_code(add):
    _run, function, stream, kernel = add
    buffer = LegacyPinnedMemoryResource().allocate(128, stream=stream)
    builder = stream.create_graph_builder()
    builder.begin_building()
    launch(builder, LaunchConfig(grid=1, block=32), kernel, buffer, np.uint32(32))
    builder.end_building()
    graph = builder.complete()
    graph.launch(stream)
    stream.sync()
    assert function.compiled
    assert not function.brief
    graph.close()
    buffer.close()
