# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Random kernels exercise the optimisations that apply to some kernels only."""

from __future__ import annotations

import re
from collections import Counter
from random import Random

import pytest

pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")
pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from support.loaded import Loaded
from support.random_jumps import unstructured
from support.random_ptx import streaming, structured
from support.random_uniform_tile import tiled

from cuda.cpu.emit import Settings, emit_kernel
from cuda.cpu.emit.access import affine, linear
from cuda.cpu.emit.simt import block_fusion, block_indices, function_facts, interleaving, predication, regions
from cuda.cpu.ptx.program import build
from cuda.cpu.runtime import _runtime as runtime
from cuda.cpu.runtime.kernel_abi import FULL_RUN, HALF_RUN, PADDED_ROW

pytestmark = pytest.mark.cpu_only
KERNELS = 40  # of each kind; some of them must contain each pattern
FEWEST = 2
OTHERS = ((HALF_RUN, 32), (PADDED_ROW, 32), (FULL_RUN, 16))  # each kernel is emitted for one of them as well

# Patterns in the LLVM IR or in the notes.
SHOWS = {
    "a loop for uniform tiles": r"^tile\d+:",
    "a SIMD group that leaves the loop for uniform tiles": r"^leave\d+\.\d+:",
    "interleaving in a loop": r"^resume_at\.\d+:",
    "block fusion in a loop": r"^fusion:",
    "a value that wraps around where it is made wider": r"^wraps\.\d+:",
    "a SIMD group that may reconverge": r"^general\.\d+:",
    "gathers by an index": r"call <32 x i32> @gather\.i32\.by4\(",
    "gathers by an index of other sizes": r"call <32 x i32> @gather\.i32\.by[128]\(",
    "two adjacent words loaded together": r"= call .* @adjacent\.2\(",
    "four adjacent words loaded together": r"= call .* @adjacent\.4\(",
    "atomics of all lanes on one address": r"call void @uniform\.\w+\.i32\.\w+\.red\(",
    "atomics of all lanes on one address, with results": r"= call <32 x i32> @uniform\.\w+\.i32\.\w+\(",
    "atomics with conflicts": r"call i32 @uniform\.\w+\.i32\.\w+\.red\.conflicts\(",
    "atomics with conflicts, with results": r"= call .* @uniform\.\w+\.i32\.\w+\.conflicts\(",
    "float sums at one address": r"@uniform\.fadd\.float\.",
    "contiguous atomics": r"call void @contiguous\.",
    "contiguous atomics, with results": r"= call .* @contiguous\.",
    "prefetches": r"call void @llvm\.prefetch",
    "vectors spilled at barriers": r"^  %a\d+ = alloca \[33 x <32 x i32>\]",
    "bases spilled at barriers": r"^  %a\d+ = alloca \[33 x i32\]",
    "many regions": r"; (?!1 )\d+ regions",
    "one region": r"; 1 regions",
    "a fiber for each warp": r"on fibers: ",
    "fibers for barriers in functions": r"on fibers: there is a barrier in the function",
    "fibers for loops that wait": r"on fibers: the loop at line \d+ of k may wait",
    "blocks in any order": r"blocks run in any order",
    "lanes apart at a barrier": r"lanes may diverge before the barrier",
    "calls through pointers": r"^called\.\d+:",
    "additions with carry": r"\buadd\.with\.overflow|zext <32 x i1> .* to <32 x i32>",
    "SIMD groups of 16 lanes": r"; SIMD groups of 16 lanes",
}
# Functions that return something when they apply.
APPLIES = {
    "registers that are computed anew": (function_facts, "find_recomputed", lambda found: bool(found[0])),
    "distances that are computed anew": (function_facts, "find_recomputed", lambda found: bool(found[1])),
    "short arms of a branch": (predication, "arms_of", bool),
    "addresses that advance evenly": (linear, "advance", lambda found: found is not None),
    "strided loads in loops": (interleaving, "strided_loads", bool),
    "blocks with a copy for consecutive lanes": (affine, "has_vector_access", bool),
}


@pytest.fixture(scope="module")
def found():
    """The number of kernels that contain each pattern."""
    counts: Counter[str] = Counter()
    here: set[str] = set()

    def watch(function, conditions):
        def watched(*args, **options):
            result = function(*args, **options)
            here.update(pattern for pattern, holds in conditions.items() if holds(result))
            return result

        return watched

    with pytest.MonkeyPatch.context() as patch:
        for owner, name in {(owner, name) for owner, name, _ in APPLIES.values()}:
            conditions = {pattern: holds for pattern, (o, n, holds) in APPLIES.items() if (o, n) == (owner, name)}
            patch.setattr(owner, name, watch(getattr(owner, name), conditions))
        for seed in range(KERNELS):
            for kind in (structured, unstructured, tiled, streaming):
                here.clear()
                program = build([kind(Random(seed)).text])
                for row, width in ((FULL_RUN, 32), OTHERS[seed % len(OTHERS)]):
                    kernel = emit_kernel(
                        program, "k", Settings(width=width, lane_run=row, native_gather=True, vector_bytes=64)
                    )
                    text = "\n".join((*kernel.notes, kernel.text))
                    here.update(pattern for pattern, how in SHOWS.items() if re.search(how, text, re.MULTILINE))
                counts.update(here)
    return counts


@pytest.mark.parametrize("pattern", [*SHOWS, *APPLIES])
def test_random_kernels_contain_every_pattern(found, pattern):
    assert found[pattern] >= FEWEST, f"{pattern} in {found[pattern]} of {4 * KERNELS} kernels"


def test_no_pattern_is_in_all_kernels(found):
    everywhere = {pattern for pattern, count in found.items() if count == 4 * KERNELS}
    assert everywhere == set()


# Functions whose code runs only if the optimisation applies.
TAKEN = {
    "a resumed SIMD group": (interleaving.Interleaving, "_resume"),
    "a SIMD group of fused blocks": (block_fusion.BlockFusion, "_begin_group"),
    "a SIMD group of a uniform tile": (regions.Regions, "begin_tile_group"),
    "a SIMD group that leaves the loop for uniform tiles": (block_indices.BlockIndices, "resume_group"),
    "predicated arms of a branch": (predication, "emit_arms"),
}


@pytest.fixture
def _one_worker():
    """One worker runs several blocks in one call."""
    count = runtime.workers()
    runtime.set_workers(1)
    yield
    runtime.set_workers(count)


@pytest.mark.usefixtures("_one_worker")
@pytest.mark.parametrize("pattern", TAKEN)
def test_random_kernels_execute_every_optimisation(pattern, monkeypatch):
    """Plant a trap in the code of the optimisation: one of the kernels must execute it."""
    owner, name = TAKEN[pattern]
    emit = getattr(owner, name)

    def emit_trap(first, *args, **options):
        here = first if owner is predication else first.frame
        here.module.declare("llvm.trap", "void", [])
        here.builder.line("call void @llvm.trap()")
        return emit(first, *args, **options)

    monkeypatch.setattr(owner, name, emit_trap)
    monkeypatch.setattr(interleaving, "ITERATIONS", 2)  # as in test_differential.py
    monkeypatch.setattr(interleaving, "FAR", 256)
    monkeypatch.setenv("CUDA_CPU_LEVEL", "0")
    monkeypatch.setenv("CUDA_CPU_CACHE", "0")
    for seed in range(2 * KERNELS):
        case = (streaming, tiled)[seed % 2](Random(seed))
        if Loaded(case.text.encode()).run("k", case.grid, case.block, *case.arguments()) is not None:
            return
    pytest.fail(f"none of {2 * KERNELS} kernels executes {pattern}")
