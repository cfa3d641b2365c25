# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The profiler's API: which launches it counts, faults, threads, what it refuses."""

import threading

import pytest
from support.profile_cases import BEFORE, CASES, HEAD, INSTRUCTIONS, TAIL, access

from cuda.cpu import driver
from cuda.cpu.driver.base.error import CudaError
from cuda.cpu.profile import METRICS, Profile, session

ADD = HEAD + access("st.global.f32 [a], 0f3F800000;", 4) + TAIL
WILD = HEAD + "mov.u64 %rd1, 64; st.global.u32 [%rd1], %r0;" + TAIL
COUNT = BEFORE + 4  # instructions of ADD, for a warp


def counted(profile):
    return [launch.metric(INSTRUCTIONS) for launch in profile.launches]


def test_only_launches_within_the_statement_count(launcher):
    function = launcher.function(ADD)
    launcher.launch(function)
    with Profile() as profile:
        launcher.launch(function, grid=2)
        launcher.launch(function, grid=5)
    launcher.launch(function)
    assert counted(profile) == [2 * COUNT, 5 * COUNT]
    assert [launch.grid for launch in profile.launches] == [(2, 1, 1), (5, 1, 1)]


def test_a_second_statement_adds_to_the_launches(launcher):
    function, profile = launcher.function(ADD), Profile()
    for _ in range(2):
        with profile:
            launcher.launch(function)
    assert [launch.number for launch in profile.launches] == [1, 2]


def test_decorated_function(launcher):
    profile, function = Profile(), launcher.function(ADD)

    @profile
    def work(count):
        for _ in range(count):
            launcher.launch(function)

    work(3)
    assert counted(profile) == [COUNT] * 3


def test_kernels_are_selected_by_name(launcher):
    first, second = launcher.function(ADD), launcher.function(ADD.replace("entry k(", "entry other("), "other")
    with Profile("^oth") as profile:
        launcher.launch(first)
        launcher.launch(second)
    assert [launch.kernel for launch in profile.launches] == ["other"]


def test_launches_of_two_threads_are_counted(launcher):
    function = launcher.function(ADD)
    context = driver.cuCtxGetCurrent()

    def work():
        driver.cuCtxSetCurrent(context)
        stream = driver.cuStreamCreate(1)
        for _ in range(20):
            launcher.launch(function, grid=50, stream=stream)

    with Profile() as profile:
        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert counted(profile) == [50 * COUNT] * 40


def test_launches_of_a_graph_count(launcher):
    function = launcher.function(ADD)
    stream = driver.cuStreamCreate(1)
    with Profile() as profile:
        driver.cuStreamBeginCapture(stream, 0)
        launcher.launch(function, grid=3, stream=stream)
        launcher.launch(function, grid=4, stream=stream)
        graph = driver.cuStreamEndCapture(stream)
        executable = driver.cuGraphInstantiate(graph, 0)
        for _ in range(2):
            driver.cuGraphLaunch(executable, stream)
    assert counted(profile) == [3 * COUNT, 4 * COUNT] * 2


def test_fault_leaves_partial_counts(launcher):
    function, wild = launcher.function(ADD), launcher.function(WILD)
    with Profile() as profile:
        launcher.launch(function)
        launcher.launch(wild)
    assert [launch.fault for launch in profile.launches] == ["", "illegal_address"]
    with pytest.raises(CudaError, match=r"PTX line 18 .*: illegal memory access"):
        driver.cuCtxSynchronize()


def test_exception_in_the_statement_ends_the_profile(launcher):
    function = launcher.function(ADD)
    profile = Profile()

    @profile
    def work():
        launcher.launch(function)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        work()
    assert counted(profile) == [COUNT]
    with Profile() as profile:
        pass
    assert profile.launches == []


def test_results_are_those_of_the_kernel(launcher):
    function = launcher.function(ADD)
    with Profile():
        launcher.launch(function, grid=4)
        launcher.launch(function, grid=4)
    import ctypes

    host = (ctypes.c_float * 130)()
    driver.cuMemcpyDtoH(ctypes.addressof(host), launcher.memory, ctypes.sizeof(host))
    assert list(host) == [1.0] * 128 + [0.0] * 2


def test_nested_profile_is_refused():
    with Profile(), pytest.raises(RuntimeError, match="another profile is active"), Profile():
        pass


def test_wrong_pattern_is_refused():
    with pytest.raises(ValueError, match=r"kernels is '\(', which is no regular expression: "):
        Profile("(")
    with pytest.raises(TypeError, match="kernels is 3, must be a regular expression"):
        Profile(3)


def test_unknown_metric_names_similar_ones(launcher):
    function = launcher.function(ADD)
    with Profile() as profile:
        launcher.launch(function)
    with pytest.raises(KeyError, match=r"similar ones are .*ptx__inst_executed\.sum"):
        profile.launches[0].metric("ptx__inst_executed.su")


def test_every_metric_has_a_value_for_every_kernel(launcher):
    with Profile() as profile:
        for case in CASES[::4]:
            launcher.launch(launcher.function(case.text), case.grid, case.block)
    for launch in profile.launches:
        assert all(metric.value(launch) >= 0 for metric in METRICS.values())


def test_counts_by_line_are_those_of_the_instructions(launcher):
    with Profile() as profile:
        launcher.launch(launcher.function(ADD))
    (launch,) = profile.launches
    lines = launch.lines()
    assert sum(each.warps for line in lines.values() for each in line) == launch.metric(INSTRUCTIONS)
    assert {source.file for source in lines} == {"PTX"}
    store = next(each for each in launch.instructions if each.opcode == "st")
    assert store.text.startswith("mul.wide.u32")  # the whole line
    assert store.accesses["global", "st"].stride == 4


@pytest.mark.parametrize(
    ("block", "shared", "architecture", "registers", "expected"),
    [
        (256, False, "sm_90", None, (8, 64, 1.0, "warps")),
        (32, True, "sm_90", None, (13, 13, 13 / 64, "shared memory")),  # 17 of 228 KiB each: the system takes one
        (32, True, "sm_75", None, (4, 4, 4 / 32, "shared memory")),
        (32, False, "sm_75", None, (16, 16, 0.5, "blocks")),
        (256, False, "sm_90", 128, (2, 16, 0.25, "registers")),
        (256, False, "sm_90", 33, (6, 48, 0.75, "registers")),  # each thread gets 40
        (96, True, "sm_86", None, (5, 15, 15 / 48, "shared memory")),
    ],
)
def test_occupancy(launcher, block, shared, architecture, registers, expected):
    """The kernel declares 16 KiB of shared memory, which count if it uses them."""
    text = ADD.replace("add.s64 %rd2", "mov.u32 %r10, s; add.s64 %rd2") if shared else ADD
    with Profile() as profile:
        launcher.launch(launcher.function(text), block=block)
    (launch,) = profile.launches
    assert launch.shared_bytes == (16384 if shared else 0)
    assert launch.occupancy(architecture, registers) == expected


@pytest.mark.parametrize(("architecture", "registers"), [("90", None), ("sm_10", None), ("sm_90", 0), ("sm_90", 256)])
def test_impossible_occupancy_is_refused(launcher, architecture, registers):
    with Profile() as profile:
        launcher.launch(launcher.function(ADD))
    with pytest.raises(ValueError, match=r"(architecture|registers) is"):
        profile.launches[0].occupancy(architecture, registers)


def test_a_profile_is_refused_with_initcheck(monkeypatch):
    monkeypatch.setenv("CUDA_CPU_CHECK", "initcheck")
    with pytest.raises(RuntimeError, match="does not see what profiled kernels write"):
        Profile().__enter__()
    with pytest.raises(session.ProfileError, match="does not see what profiled kernels write"):
        session.Options().check()
    monkeypatch.setenv("CUDA_CPU_CHECK", "memcheck")
    with Profile():
        pass
