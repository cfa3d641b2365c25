# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The C functions that keep the order of kernels compute what the peers compute: benchmarks/cpu_kernels/workloads."""

from __future__ import annotations

import shutil

import pytest

from benchmarks.cpu_kernels.cases import check_equal
from benchmarks.cpu_kernels.data import arrays_of
from benchmarks.cpu_kernels.peers import function_of
from benchmarks.cpu_kernels.workloads.cases import IN_BLOCKS, workloads

CASES = {case.name: case for case in workloads() if case.in_blocks}


def results(case, source, function):
    arrays = arrays_of(case)
    function_of(case, arrays, source, function)()
    return [arrays[name] for name in case.results]


def test_names_are_workloads():
    assert set(CASES) == set(IN_BLOCKS)


@pytest.mark.skipif(not shutil.which("gcc"), reason="compiles C with gcc")
@pytest.mark.parametrize("name", CASES)
def test_c_in_the_order_of_the_kernel_computes_the_same(name):
    case = CASES[name]
    expected = results(case, case.source, case.peer)
    found = results(case, f"{case.source}_in_blocks", case.in_blocks)
    for result, array, other in zip(case.results, found, expected, strict=True):
        check_equal(case, array, other, f"{name}: {result}")
