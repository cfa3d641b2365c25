# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Profiles of kernels whose counts are known in closed form."""

import pytest
from support.profile_cases import CASES

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
