# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Which device headers a program gets."""

from __future__ import annotations

import itertools
import subprocess

import pytest

from cuda.core import ProgramOptions
from cuda.core._program._clang import _find, _needed, _options, _precompiled
from cuda.core._program._clang._header_names import DECLARED

BASE = set(_needed.needed_headers(b""))


def needed(text: str) -> set[str]:
    """Return what a program gets in addition, without `open_cuda/` and `.h`."""
    found = _needed.needed_headers(text.encode())
    assert found is not None
    return {name.removeprefix("open_cuda/").removesuffix(".h") for name in found if name not in BASE}


PROGRAMS = [
    ("__global__ void k(float *x) { x[threadIdx.x] = x[0] + 1; }", set()),
    ("y = __shfl_sync(~0u, x, 0); __syncthreads();", {"warp"}),
    ("x = __ldg(p);", {"memory"}),
    ("x = atomicAdd(p, 1);", {"atomics"}),
    ("x = __ld\\\ng(p);", {"memory"}),
    ("x = __ld\\\r\ng(p);", {"memory"}),
    ("x = __ldg_mine(p) + my__ldg(p);", set()),
    ("x = sqrtf(y);", {"exact", "rounding", "conversions"}),
    # Both declare functions of this name.
    ("x = min(a, b);", {"integers", "exact_overloads", "exact", "rounding", "conversions"}),
]


@pytest.mark.parametrize(("text", "names"), PROGRAMS)
def test_headers_are_those_that_declare_what_a_program_names(text, names):
    assert needed(text) == names


@pytest.mark.parametrize(
    "text", ["#include <mine.h>", "#define F(a) __ld##a", "%:define A", "f<<<1, 1>>>(x);", "# import <a>"]
)
def test_programs_whose_names_are_unclear_get_all(text):
    assert _needed.needed_headers(text.encode()) is None


def test_every_name_brings_its_header():
    for header, (_, _, names) in DECLARED.items():
        for name in names.split():
            assert header in _needed.needed_headers(name.encode())


def test_headers_are_in_the_order_of_all():
    order = {name: index for index, name in enumerate(DECLARED)}
    found = _needed.needed_headers(b"min __shfl_sync tanhf atomicAdd __ldg make_int2 assert")
    assert all(order[a] < order[b] for a, b in itertools.pairwise(found))


@pytest.mark.skipif(not _find.is_installed(), reason="clang is not installed: pip install ziglang")
def test_each_header_can_be_parsed_without_the_others(tmp_path):
    command, version = _find.find()
    language = _options.language_options(ProgramOptions(compiler="clang", arch="sm_90"), version)
    for name, (_, _, names) in DECLARED.items():
        found = _needed.needed_headers((names.split() or ["x"])[0].encode())
        prelude = _precompiled.parsing([each for each in found if each in BASE or each == name], [], str(tmp_path))
        arguments = [*command, *language, *prelude, "-fsyntax-only", "-"]
        done = subprocess.run(arguments, input="", capture_output=True, text=True, env=_find.ENVIRONMENT)
        assert (done.returncode, done.stderr) == (0, ""), name
