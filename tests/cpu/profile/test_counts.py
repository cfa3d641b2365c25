# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Profiles of kernels whose counts are known in closed form."""

import itertools
from collections import Counter

import pytest
from support.profile_cases import ATOMICS, CASES, GLOBAL, HEAD, SHARED, TAIL

from cuda.cpu import driver
from cuda.cpu.counters import instrument
from cuda.cpu.profile import Profile


def profiled(launcher, case):
    function = launcher.function(case.text)
    with Profile() as profile:
        launcher.launch(function, case.grid, case.block)
    return profile.launches[0]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_counts_are_exact(launcher, case):
    launch = profiled(launcher, case)
    found = {name: launch.metric(name) for name in case.expected}
    assert found == {name: value * case.warps for name, value in case.expected.items()}


def without_regular_requests(monkeypatch):
    """Count every request of every access by the addresses of its lanes."""
    monkeypatch.setattr(instrument, "can_be_regular", lambda access: False)
    monkeypatch.setattr(instrument, "groups_of", lambda block: {})


@pytest.mark.parametrize("case", [*GLOBAL, *SHARED, *ATOMICS], ids=lambda case: case.name)
def test_regular_requests_are_counted_as_lane_by_lane(launcher, monkeypatch, case):
    found = profiled(launcher, case)
    without_regular_requests(monkeypatch)
    expected = profiled(launcher, case)
    for one, other in zip(found.instructions, expected.instructions, strict=True):
        assert one.accesses == other.accesses


TILES = [
    (column, row, size)
    for column in (0, 1, 2, 4, 16, -4)
    for row in (0, 64, 68, 132, 520, 4096)
    for size in (1, 4, 8)
    if column % size == row % size == 0
]


@pytest.mark.parametrize("block", [(16, 4), (8, 8)], ids=str)
@pytest.mark.parametrize("size", [1, 4, 8])
def test_tiles_are_counted_as_lane_by_lane(launcher, monkeypatch, block, size):
    """Accesses at threadIdx.x * column + threadIdx.y * row, which two rows of a warp may share."""
    type_, register = {1: ("u8", "%h0"), 4: ("u32", "%r12"), 8: ("f64", "%d0")}[size]
    body = "mov.u32 %r5, %tid.y; mov.u32 %r10, s;\n"
    for column, row in [(column, row) for column, row, of in TILES if of == size]:
        body += f"""
            mul.lo.s32 %r6, %r5, {row}; mad.lo.s32 %r6, %r0, {column}, %r6; add.s32 %r7, %r6, 512;
            mul.wide.s32 %rd1, %r7, 1; add.s64 %rd1, %rd0, %rd1; ld.global.{type_} {register}, [%rd1];
            and.b32 %r6, %r6, 16383; add.u32 %r11, %r10, %r6;"""
        if row * 8 + abs(column) * 32 < 8192:
            body += f"mad.lo.s32 %r11, %r0, {column}, %r10; mad.lo.s32 %r11, %r5, {row}, %r11; "
            body += f"add.u32 %r11, %r11, 4096; st.shared.{type_} [%r11], {register};"
    function, found = launcher.function(HEAD + body + TAIL), []
    for _ in range(2):
        with Profile() as profile:
            launcher.launch(function, 2, block)
        found.append([each.accesses for each in profile.launches[0].instructions])
        driver.cuModuleUnload(launcher.modules.pop())
        without_regular_requests(monkeypatch)
        function = launcher.function(HEAD + body + TAIL)
    assert found[0] == found[1]
    assert sum(bool(accesses) for accesses in found[0]) >= 5


PARTS = {
    "one lane": "setp.eq.u32 %p1, %r4, 31;", "first lanes": "setp.lt.u32 %p1, %r4, 11;",
    "last lanes": "setp.gt.u32 %p1, %r4, 8;", "some lanes": "and.b32 %r5, %r4, 5; setp.eq.u32 %p1, %r5, 1;",
    "no lane": "setp.gt.u32 %p1, %r4, 31;", "all lanes": "setp.lt.u32 %p1, %r4, 32;",
}  # fmt: skip


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("scale", [-8, 0, 4, 12, 36])
def test_parts_of_a_warp_are_counted_as_lane_by_lane(launcher, monkeypatch, part, scale):
    """Groups of accesses at the same register, in a block that some lanes run, whose address they may share."""
    body = f"""
        {PARTS[part]} mul.lo.s32 %r6, %r3, {scale}; add.s32 %r6, %r6, 4096; cvt.s64.s32 %rd1, %r6;
        add.s64 %rd1, %rd0, %rd1; mov.u32 %r10, s; shr.u32 %r11, %r0, 5;
        shl.b32 %r11, %r11, 2; add.u32 %r11, %r11, %r10;
        mul.lo.s32 %r12, %r4, {scale}; add.s32 %r12, %r12, %r10; add.s32 %r12, %r12, 512;
        @!%p1 bra E;
        ld.global.u32 %r20, [%rd1]; ld.global.u32 %r21, [%rd1+4]; ld.global.u32 %r22, [%rd1+64];
        st.global.u32 [%rd1+32], %r20; ld.shared.u32 %r23, [%r12]; st.shared.u32 [%r12+4], %r21;
        ld.shared.u8 %h0, [%r12+1]; ld.shared.u8 %h1, [%r12+5]; st.shared.u32 [%r11], %r22;
        ld.shared.u32 %r24, [%r11+8]; add.s64 %rd1, %rd1, 4; ld.global.u32 %r20, [%rd1+32];
        E: add.u32 %r7, %r6, 1;"""
    found = []
    for _ in range(2):
        function = launcher.function(HEAD + body + TAIL)
        with Profile() as profile:
            launcher.launch(function, 2, 64)
        found.append([each.accesses for each in profile.launches[0].instructions])
        driver.cuModuleUnload(launcher.modules.pop())
        without_regular_requests(monkeypatch)
    assert found[0] == found[1]
    assert sum(bool(accesses) for accesses in found[0]) == 11


@pytest.mark.parametrize("operation", ["red.shared.add", "red.global.add", "st.shared", "st.global"])
@pytest.mark.parametrize("factor", [1, 2, 3, 32, 33, 100])
@pytest.mark.parametrize("words", [8, 32, 100, 500])
def test_scattered_words(launcher, operation, factor, words):
    """Distinct words of the fullest bank are passes, and threads at a word that another one has taken collide."""
    chosen = [lane * factor % words for lane in range(32)]
    body = f"""
        mul.lo.s32 %r5, %r4, {factor}; rem.u32 %r5, %r5, {words}; shl.b32 %r5, %r5, 2; cvt.u64.u32 %rd1, %r5;
        add.u64 %rd1, %rd0, %rd1; mov.u32 %r6, s; add.s32 %r6, %r6, %r5;
        {operation}.u32 [{"%r6" if "shared" in operation else "%rd1"}], %r4;"""
    with Profile() as profile:
        launcher.launch(launcher.function(HEAD + body + TAIL), 1, 96)
    (found,) = [each for row in profile.launches[0].instructions for each in row.accesses.values()]
    passes, sectors = max(Counter(word % 32 for word in set(chosen)).values()), len({word // 8 for word in chosen})
    strides = {4 * abs(after - before) for before, after in itertools.pairwise(chosen)}
    differ = {after - before for before, after in itertools.pairwise(chosen)}
    stride = strides.pop() if len(differ) == 1 else 0
    of_space = (passes, passes - 1, 0, 0) if "shared" in operation else (0, 0, sectors, int(sectors > 4))
    collisions = 32 - len(set(chosen)) if operation.startswith("red") else 0
    expected = (1, 32, 128, *of_space, collisions, int(stride > 0), stride)
    of_three_warps = (
        found.requests, found.threads, found.bytes, found.wavefronts, found.conflicts, found.sectors, found.excess,
        found.collisions, found.strided, found.strides,
    )  # fmt: skip
    assert of_three_warps == tuple(3 * each for each in expected)


def test_there_are_at_least_forty_kernels():
    assert len(CASES) >= 40
    assert len({case.name for case in CASES} | {case.body for case in CASES}) > len(CASES)


@pytest.mark.parametrize("path", ["fiber", "region"])
@pytest.mark.parametrize("level", ["0", "2"])
def test_counts_do_not_depend_on_the_path_and_the_level(launcher, monkeypatch, path, level):
    monkeypatch.setenv("CUDA_CPU_PATH", path)
    monkeypatch.setenv("CUDA_CPU_LEVEL", level)
    for case in CASES[::7]:
        launch = profiled(launcher, case)
        assert {name: launch.metric(name) for name in case.expected} == {
            name: value * case.warps for name, value in case.expected.items()
        }
