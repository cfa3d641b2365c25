# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The kernels of the workloads and the textbooks in benchmarks/cpu_kernels compute what their peers in C do."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from benchmarks.cpu_kernels.__main__ import Bench, check_results
from benchmarks.cpu_kernels.cases import c_argument
from benchmarks.cpu_kernels.data import arrays_of
from benchmarks.cpu_kernels.textbook.cases import textbook
from benchmarks.cpu_kernels.workloads.cases import workloads

ALL = [*workloads(), *textbook()]
CASES = {case.name: case for case in ALL}


@pytest.fixture(scope="module")
def bench():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CUDA_CPU_LEVEL", "3")  # of hot kernels: the first launches have simpler code
        yield Bench()


def test_names_are_different():
    assert len(CASES) == len(ALL)


@pytest.mark.cpu_only
@pytest.mark.needs_nvrtc
@pytest.mark.skipif(not shutil.which("gcc"), reason="compiles C with gcc")
@pytest.mark.parametrize("name", CASES)
def test_the_device_computes_what_c_does(bench, name):
    case = CASES[name]
    bench.allocate(case)
    run, _path = bench.launches(case)
    found = check_results(case, bench.arrays, run, {"c": bench.peer(case)})
    before = arrays_of(case)
    assert [result for result in case.results if np.array_equal(found[result], before[result])] == []


@pytest.mark.parametrize("value", [np.float32(0.5), np.float64(0.1), np.int32(-7), np.uint64(1 << 40)])
def test_c_gets_scalars_of_the_type_that_kernels_get(value):
    argument = c_argument(value)
    assert argument.value == value
    assert np.dtype(type(argument)) == value.dtype
