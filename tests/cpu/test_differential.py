# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Random kernels give the same bits on the CPU device, whichever way they run, as in a plain interpreter.

CUDA_CPU_RANDOM_PROGRAMS sets how many of each kind are tried: each takes some 4 seconds of one core.
"""

from __future__ import annotations

import os
from random import Random

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")
pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from support.loaded import Loaded
from support.random_case import Case
from support.random_jumps import unstructured
from support.random_ptx import streaming, structured

from cuda.cpu import jit
from cuda.cpu.code import NARROW, WIDE
from cuda.cpu.runtime import _runtime as runtime

COUNT = int(os.environ.get("CUDA_CPU_RANDOM_PROGRAMS", "6"))
# Level, path, packet width, for which blocks, whether the CPU has gathers. No level: code that comes soon.
WAYS = [
    ("", "region", "32", WIDE, True), ("", "region", "32", NARROW, True), ("0", "region", "32", WIDE, True),
    ("0", "region", "32", WIDE, False), ("0", "region", "32", NARROW, True), ("0", "region", "1", WIDE, True),
    ("0", "region", "4", NARROW, False), ("0", "region", "native", WIDE, True), ("0", "fiber", "32", WIDE, True),
    ("3", "region", "32", WIDE, True), ("3", "region", "32", NARROW, True), ("3", "region", "native", WIDE, True),
    ("3", "fiber", "32", WIDE, True),
]  # fmt: skip
if os.environ["CUDA_PYTHON_DRIVER"] == "nvidia":
    WAYS = WAYS[:1]


def check(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    note(case.text)
    note(f"{case.grid} blocks of {case.block}")
    expected = case.interpreted()
    for way in WAYS:
        level, path, width, row, gathers = way
        with monkeypatch.context() as patch:
            patch.setenv("CUDA_CPU_LEVEL", level)
            patch.setenv("CUDA_CPU_PATH", path)
            patch.setenv("CUDA_CPU_WIDTH", width)
            if not gathers:
                patch.setattr(jit, "_has_gathers", lambda: False)
                patch.setenv("CUDA_CPU_CACHE", "0")  # whose keys say which CPU this is
            for workers in (1, 2):
                loaded = Loaded(case.text.encode(), row)  # compiled by the first, from the disk cache for the second
                runtime.set_workers(workers)
                for time in ("first", "second"):  # then it is known how long blocks take
                    case.check(loaded, expected, f"{way}, {workers} workers, {time} launch")


@pytest.fixture(autouse=True)
def _workers():
    count = runtime.workers()
    yield
    runtime.set_workers(count)


@pytest.mark.timeout(120 + 60 * COUNT)
@pytest.mark.parametrize("kind", [structured, streaming, unstructured])
def test_every_way_gives_the_interpreters_bits(kind, monkeypatch, tmp_path_factory):
    monkeypatch.setenv("CUDA_CPU_CACHE", str(tmp_path_factory.mktemp("kernels")))

    @settings(max_examples=-(-COUNT // (4 if kind is streaming else 1)), derandomize=COUNT <= 6, database=None)
    @given(st.integers(0, 1 << 32).map(Random) | st.randoms(use_true_random=False))  # the latter ones shrink
    def run(random):
        check(kind(random), monkeypatch)

    run()
