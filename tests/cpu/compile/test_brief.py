# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Launches with few threads run brief code, other launches the usual code."""

from __future__ import annotations

from unittest.mock import Mock

import numpy as np
import pytest

pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")
pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from support.loaded import Loaded
from support.scripts import run_script
from support.warps import HEAD

from cuda.bindings import driver
from cuda.core import Device, LaunchConfig, LegacyPinnedMemoryResource, ObjectCode, launch
from cuda.cpu.compile import brief, jit, tier_up
from cuda.cpu.driver.code.function import functions
from cuda.cpu.driver.code.launch import LARGE
from cuda.cpu.ptx.layout import parameter_layout
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


NESTED = """
.visible .entry k()
{
    .reg .pred %p<2>; .reg .b32 %r<2>;
    mov.u32 %r1, 0;
OUTER:
    mov.u32 %r1, 0;
INNER:
    add.u32 %r1, %r1, 1;
    @%p1 bra INNER;
    @%p1 bra INNER;
    @%p1 bra OUTER;
    ret;
}
"""
WORK = {
    "loop": (LOOP, {1: 4}),  # with the label and the branch
    "branch ahead": (LOOP.replace("bra AGAIN", "bra END").replace("ret;", "END: ret;"), {}),
    "nested loops": (NESTED, {1: 3, 2: 4}),
    "call": (CALL, {}),
    "loop in a function": (CALL.replace("ret; }", "A: bra A; }", 1), {1: 2}),
    "table with a loop": (TABLE.replace("NAME", "SECOND"), {1: 4}),
    "table ahead": (TABLE.replace("NAME", "LAST"), {}),
}


@pytest.mark.parametrize(("text", "in_loops"), WORK.values(), ids=WORK)
def test_loops_are_assumed_to_have_some_iterations(text, in_loops):
    """`in_loops`: how many statements lie in one loop, or in two."""
    program = build([HEAD + text])
    bodies = [program.functions[name].body for name in program.reachable("k")]
    expected = sum(map(len, bodies))
    expected += sum(count * (brief.ITERATIONS**depth - 1) for depth, count in in_loops.items())
    assert sum(map(brief.work_of, bodies)) == expected
    assert brief.most_threads(program, "k") == brief.MOST_WORK // expected


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
    assert brief.needs_whole_warps(program, "k") == needs
    notes = jit.kernel_text(program, "k", quick=True, brief=True).notes
    width = 32 if needs else jit._width("native")
    assert any(f"SIMD groups of {width} lanes" in note for note in notes)


def test_functions_may_share_memory_too():
    text = CALL.replace("{ ret; }", "{ .reg .b32 %r<2>; .reg .b64 %d<2>; ld.volatile.u32 %r1, [%d1]; ret; }", 1)
    assert brief.needs_whole_warps(build([HEAD + text]), "k")


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


SUMS = (
    HEAD
    + """
.func (.param .u32 result) square(.param .u32 x)
{
    .reg .b32 %r<3>; ld.param.u32 %r1, [x]; mul.lo.u32 %r2, %r1, %r1; st.param.u32 [result], %r2; ret;
}
.visible .entry k(.param .u64 p, .param .u32 n)
{
    .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %d<4>;
    ld.param.u64 %d1, [p]; mov.u32 %r2, %tid.x; mov.u32 %r3, 0; mov.u32 %r4, 0; setp.eq.u32 %p1, %r2, 0;
    @%p1 bra END;
AGAIN:
    add.u32 %r3, %r3, 1;
    { .param .u32 a; .param .u32 b; st.param.u32 [a], %r3; call.uni (b), square, (a); ld.param.u32 %r5, [b]; }
    add.u32 %r4, %r4, %r5; setp.lt.u32 %p2, %r3, %r2;
    @%p2 bra AGAIN;
END:
    mul.wide.u32 %d2, %r2, 4; add.u64 %d3, %d1, %d2; st.global.u32 [%d3], %r4;
    ret;
}
"""
)


def test_brief_code_with_a_loop_and_calls_computes_the_same():
    loaded, found = Loaded(SUMS.encode(), threads=64), np.zeros(64, np.uint32)
    assert loaded.code.compile("k", threads=64).most_threads
    loaded.launch("k", 1, 64, found, np.uint32(0))
    np.testing.assert_array_equal(found, np.cumsum(np.arange(64) ** 2))


@pytest.mark.parametrize(("threads", "enough"), [(64, tier_up.ENOUGH_BRIEF), (None, tier_up.ENOUGH)])
def test_brief_code_is_optimised_earlier(monkeypatch, threads, enough):
    watched = []
    monkeypatch.setattr(tier_up, "_has_interpreter", lambda: True)
    machine = Loaded(ADD.encode()).code.compile("k", threads=threads)
    tier_up.watch(Mock(watch=watched.append), machine, "k")
    assert watched == [enough]


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

    def run(blocks, n=None):
        buffer = LegacyPinnedMemoryResource().allocate(128 * blocks, stream=stream)
        values = np.frombuffer(memoryview(buffer), np.uint32)
        values[:] = 5
        launch(stream, LaunchConfig(grid=blocks, block=32), kernel, buffer, np.uint32(n or values.size))
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


def test_a_launch_with_a_large_number_runs_the_usual_code(add):
    """It may be that of a loop's iterations."""
    run, function, *_ = add
    run(1, LARGE + 1)
    assert not function.brief
    assert function.compiled


def test_floats_and_pointers_are_no_numbers_of_iterations(add):
    assert [parameter.is_integer for parameter in add[1].kernel.parameters] == [False, True]
    text = HEAD + ".visible .entry k(.param .f32 a, .param .b8 b[4], .param .s32 c) { ret; }"
    parameters, _ = parameter_layout(build([text]).functions["k"].parameters)
    assert [parameter.is_integer for parameter in parameters] == [False, False, True]


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
