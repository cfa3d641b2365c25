# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Random kernels give the same bits on the CPU device, with every compiler setting, as in a plain interpreter.

CUDA_CPU_RANDOM_PROGRAMS sets how many of each kind are tried in every way, each for some 4 seconds of one core; twice
as many are tried in a few ways.
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
from support.random_uniform_tile import tiled

from cuda.cpu.compile import jit
from cuda.cpu.emit.simt import interleaving
from cuda.cpu.runtime import _runtime as runtime
from cuda.cpu.runtime.kernel_abi import FULL_RUN, HALF_RUN, QUARTER_RUN, WHOLE_RUN

COUNT = int(os.environ.get("CUDA_CPU_RANDOM_PROGRAMS", "4"))
# Level (empty: quick code first; or brief code), path, SIMD width, lane run, whether the CPU has gathers, iterations of
# an interleaved slice.
WAYS = [
    ("", "region", "32", WHOLE_RUN, True, 8), ("", "region", "32", HALF_RUN, True, 8),
    ("brief", "region", "32", WHOLE_RUN, False, 8), ("brief", "region", "native", HALF_RUN, True, 8),
    ("0", "region", "32", FULL_RUN, True, 8), ("0", "region", "32", WHOLE_RUN, False, 2),
    ("0", "region", "32", HALF_RUN, True, 8), ("0", "region", "32", QUARTER_RUN, False, 8),
    ("0", "region", "1", WHOLE_RUN, True, 8), ("0", "region", "4", HALF_RUN, False, 8),
    ("0", "region", "native", FULL_RUN, True, 2), ("0", "fiber", "32", WHOLE_RUN, True, 8),
    ("3", "region", "32", WHOLE_RUN, True, 2), ("3", "region", "32", HALF_RUN, True, 8),
    ("3", "region", "native", FULL_RUN, True, 8), ("3", "fiber", "32", FULL_RUN, True, 8),
]  # fmt: skip
# The settings that cover most of the compiler, for the additional kernels.
FEW = [("0", "region", "32", WHOLE_RUN, True, 2), ("0", "region", "32", HALF_RUN, True, 8),
       ("0", "region", "32", QUARTER_RUN, True, 8)]  # fmt: skip
if os.environ["CUDA_PYTHON_DRIVER"] == "nvidia":
    WAYS, FEW = WAYS[:1], FEW[:1]


def check(case: Case, monkeypatch: pytest.MonkeyPatch, *, every: bool) -> None:
    note(case.text)
    note(f"{case.grid} blocks of {case.block}")
    expected = case.interpreted()
    for way in WAYS if every else FEW:
        level, path, width, row, gathers, rounds = way
        with monkeypatch.context() as patch:
            patch.setenv("CUDA_CPU_LEVEL", level.removeprefix("brief"))
            patch.setattr(jit, "most_threads", lambda program, name: 1)
            patch.setenv("CUDA_CPU_PATH", path)
            patch.setenv("CUDA_CPU_WIDTH", width)
            if rounds != interleaving.ITERATIONS:  # so that loops need not be long
                patch.setattr(interleaving, "ITERATIONS", rounds)
                patch.setattr(interleaving, "FAR", 256)
            if not gathers:
                patch.setattr(jit, "_has_gathers", lambda: False)
            if not gathers or rounds != 8 or not every:
                patch.setenv("CUDA_CPU_CACHE", "0")  # whose keys identify the CPU and the compiler
            for workers in (1, 2) if every else (1,):
                # Compiled by the first, from the disk cache for the second.
                loaded = Loaded(case.text.encode(), row, 1 if level == "brief" else None)
                runtime.set_workers(workers)
                for time in ("first", "second") if every else ("only",):  # then the duration of a block is known
                    case.check(loaded, expected, f"{way}, {workers} workers, {time} launch")


@pytest.fixture(autouse=True)
def _workers():
    count = runtime.workers()
    yield
    runtime.set_workers(count)


KINDS = [structured, streaming, tiled, unstructured]


@pytest.mark.timeout(120 + 60 * COUNT)
@pytest.mark.parametrize("every", [True, False], ids=["every way", "few ways"])
@pytest.mark.parametrize("kind", KINDS)
def test_all_compiler_settings_match_the_interpreter(kind, every, monkeypatch, tmp_path_factory):
    monkeypatch.setenv("CUDA_CPU_CACHE", str(tmp_path_factory.mktemp("kernels")))
    count = (1 if every else 2) * -(-COUNT // (4 if kind is streaming else 1))
    other = 0 if every else 0x9E3779B9  # so that these are not the same kernels

    @settings(max_examples=count, derandomize=COUNT <= 6, database=None)
    @given(st.integers(0, 1 << 32).map(lambda seed: Random(seed ^ other)) | st.randoms(use_true_random=False))
    def run(random):  # examples of st.randoms can shrink
        check(kind(random), monkeypatch, every=every)

    run()
