# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Random CUDA C++ programs, compiled by NVRTC and by clang, and what compares them."""

from __future__ import annotations

import os

import numpy as np
import pytest

pytest.importorskip("ci.random_programs", reason="runs in a checkout")
pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")
pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from ci.random_programs import run
from ci.random_programs.minimise import minimise
from ci.random_programs.program import Program, write
from ci.random_programs.statements import Node
from cuda.core._program._clang import _find

pytestmark = [pytest.mark.needs_nvrtc, pytest.mark.cpu_only]
if not _find.is_installed():
    pytest.skip("clang is not installed: pip install ziglang", allow_module_level=True)
# What clang's headers had wrong, and what they must do: a line of a program, its replacement for clang only.
FAULTS = {
    "an operator": ("b + 1u", "b - 1u"),
    "a rounding": ("__float2int_rn(f)", "__float2int_rz(f)"),
    "a lane": ("__shfl_xor_sync(~0u, a, 3)", "__shfl_xor_sync(~0u, a, 5)"),
    "a function": ("sinf(f)", "sinf(f) * 1.000001f"),
    "a printed number": ("7, a", "8, a"),
}
SOURCE = """unsigned a = (unsigned)in[t], b = a * 3u; float f = (float)t + 0.75f; out[t] = b + 1u;
    out[64 + t] = __float2int_rn(f); out[128 + t] = __shfl_xor_sync(~0u, a, 3); floats[t] = sinf(f);
    if (t == 3) printf("%d %u", 7, a);"""


@pytest.fixture(scope="module")
def device():
    return run.Device()


@pytest.mark.parametrize("seed", range(20))
def test_programs_have_equal_results(device, seed):
    assert not run.differences(write(seed), device)


def by_hand(body: str) -> Program:
    kernel = Node('extern "C" __global__ void k(const u64 *in, u64 *out, float *floats, double *doubles)')
    kernel.body = [
        Node("int t = threadIdx.x;"),
        *(Node(f"{line.strip()}\n;") for line in body.split(";") if line.strip()),
    ]
    return Program(1, "sm_80", "c++17", True, [kernel], {"float": [("sinf", 2)], "double": []})


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_noticed(device, fault):
    right, wrong = FAULTS[fault]
    body = SOURCE.replace(right, f"\n#ifdef __OPEN_CUDA_FN\n{wrong}\n#else\n{right}\n#endif\n")
    assert body != SOURCE
    assert not run.differences(by_hand(SOURCE), device)
    assert run.differences(by_hand(body), device)


def test_the_environment_stays_as_it_is(device):
    before = dict(os.environ)
    device.run(write(1), "clang")
    assert dict(os.environ) == before


def test_a_failing_program_is_cut_down():
    program = write(3)
    last = program.parts[-1].body[-1].text
    smaller = minimise(program, lambda part: last in part.text())
    assert [line for node in smaller.parts for line in node.lines()] == [last]
    assert program.text() == write(3).text()


def test_functions_keep_their_results_when_a_program_is_cut_down():
    program = Program(0, "", "", True, [Node("int f()", [Node("int a;"), Node("return a;")])], {})
    smaller = minimise(program, lambda part: "int f()" in part.text())
    assert smaller.parts == [Node("int f()", [Node("return a;")])]


def test_programs_are_those_of_their_seeds():
    assert write(5) == write(5)
    assert write(5).text() != write(6).text()


def test_no_variable_has_the_name_of_a_type():
    """Names are a letter and a number; a program of this seed had a variable u64."""
    text = write(6041).text()
    assert "auto [" in text
    assert "} u64" not in text


def test_numbers_are_compared_in_units_in_the_last_place():
    one = np.array([1, np.nan, np.inf, 0, -0.0], np.float32)
    assert not run._apart(one, one.copy(), 0)
    assert not run._apart(one, np.nextafter(one, np.float32(np.inf)), 1)
    assert len(run._apart(one, np.array([1.00001, 1, 1, 1e-30, 0], np.float32), 5)) == 4


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_numbers_some_units_apart(kind):
    """One compiler's result may overflow where the other's is the greatest number."""
    most, one, inf = np.finfo(kind).max, kind(1), kind(np.inf)
    near = [(inf, most), (-most, -inf), (one, np.nextafter(one, kind(2))), (kind(0), kind(-0.0)), (kind(np.nan),) * 2]
    far = [(inf, -inf), (inf, one), (kind(np.nan), one), (inf, kind(np.nan)), (one, -one), (one, kind(1.0001))]
    for pairs, count in ((near, 0), (far, len(far))):
        a, b = np.array(pairs, kind).T.copy()
        assert len(run._apart(a, b, 1)) == count
