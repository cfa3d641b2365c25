# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A kernel's result does not depend on path, SIMD width, optimisation level, number of workers or cache.

`nox -s differential` runs the tests of whole programs with each of these settings.
"""

from __future__ import annotations

import time
from random import Random

import pytest

pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")
pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from support.loaded import Loaded
from support.random_jumps import unstructured
from support.random_ptx import structured

from cuda.cpu.compile import jit, tier_up
from cuda.cpu.emit import Settings, emit_kernel
from cuda.cpu.ptx.program import build
from cuda.cpu.runtime import _runtime as runtime

pytestmark = pytest.mark.cpu_only
SETTINGS = ("CUDA_CPU_PATH", "CUDA_CPU_WIDTH", "CUDA_CPU_LEVEL", "CUDA_CPU_CACHE")


# Smaller SIMD groups in seven regions, whole warps in eight, fibers, unstructured jumps.
@pytest.fixture(params=["structured 15", "structured 18", "structured 21", "unstructured 6"])
def known(request):
    """A kernel and its results in the plain interpreter."""
    kind, seed = request.param.split()
    case = {"structured": structured, "unstructured": unstructured}[kind](Random(int(seed)))
    return case, case.interpreted()


@pytest.fixture(autouse=True)
def _workers(monkeypatch):
    for name in SETTINGS[:3]:
        monkeypatch.delenv(name, raising=False)
    count = runtime.workers()
    yield
    runtime.set_workers(count)


def test_results_do_not_depend_on_the_number_of_workers(known, monkeypatch):
    case, expected = known
    loaded = Loaded(case.text.encode())
    for workers in (1, 2, 8, 1):
        runtime.set_workers(workers)
        for _ in range(5):
            case.check(loaded, expected, f"{workers} workers")


@pytest.mark.parametrize("level", ["", "1", "3"])
def test_results_do_not_depend_on_the_cache(known, level, monkeypatch, tmp_path):
    """With a cold cache, a warm one, one with the entry of another setting, and without a cache."""
    case, expected = known
    monkeypatch.setenv("CUDA_CPU_LEVEL", level)
    folder = tmp_path / "kernels"
    for cache, path in ((folder, "region"), (folder, "region"), (folder, "fiber"), (folder, "region"), ("0", "region")):
        monkeypatch.setenv("CUDA_CPU_CACHE", str(cache))
        monkeypatch.setenv("CUDA_CPU_PATH", path)
        case.check(Loaded(case.text.encode()), expected, f"cache {cache}, {path}")
    assert len(list(folder.iterdir())) == 2


@pytest.mark.parametrize("width", ["1", "2", "native"])
def test_results_do_not_depend_on_the_simd_width(known, width, monkeypatch):
    case, expected = known
    for path in ("region", "fiber"):
        monkeypatch.setenv("CUDA_CPU_WIDTH", width)
        monkeypatch.setenv("CUDA_CPU_PATH", path)
        case.check(Loaded(case.text.encode()), expected, f"{width} lanes, {path}")


def test_optimised_code_arrives_while_the_kernel_runs(known, monkeypatch, tmp_path):
    case, expected = known
    monkeypatch.setattr(tier_up, "ENOUGH", 1)
    monkeypatch.setenv("CUDA_CPU_CACHE", str(tmp_path / "kernels"))
    loaded = Loaded(case.text.encode())
    machine = loaded.code.compile("k")
    case.check(loaded, expected, "quick code")
    tier_up.watch(loaded.grid("k"), machine, "k")
    quick, end, more = machine.address, time.monotonic() + 120, 20
    while more and time.monotonic() < end:
        case.check(loaded, expected, "while it is exchanged")
        more -= machine.address != quick
    assert machine.address != quick


# --- the width of SIMD groups ------------------------------------------------------------------------------------

KERNEL = """.version 8.5
.target sm_90
.address_size 64
.func (.param .b32 out) f(.param .b32 a) {{ .reg .b32 %r1; ld.param.b32 %r1, [a]; st.param.b32 [out], %r1; ret; }}
.visible .entry k(.param .u64 data) {{
    .reg .b64 %d<4>; .reg .b32 %r<9>; .reg .pred %p<4>;
    ld.param.u64 %d1, [data]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.s64 %d3, %d1, %d2;
    setp.gt.u32 %p1, %r1, 5; mov.u32 %r2, 7;
    {code}
    st.global.u32 [%d3], %r2;
    ret;
}}
"""
EXCHANGES = {
    "shfl": "shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1;",
    "vote": "vote.sync.ballot.b32 %r2, %p1, -1;",
    "match": "match.any.sync.b32 %r2, %r1, -1;",
    "redux": "redux.sync.add.u32 %r2, %r1, -1;",
    "activemask": "activemask.b32 %r2;",
    "elect": "elect.sync %r2|%p2, -1;",
    "barrier of the warp": "bar.warp.sync -1;",
    "lanemask": "mov.u32 %r2, %lanemask_lt;",
    "call": "{ .param .b32 a; .param .b32 o; st.param.b32 [a], %r1; call (o), f, (a); ld.param.b32 %r2, [o]; }",
    "loop that waits": "L: ld.volatile.global.u32 %r2, [%d1]; setp.eq.u32 %p2, %r2, 0; @%p2 bra L;",
}
ALONE = {
    "nothing": "",
    "barrier": "bar.sync 0;",
    "atomic": "atom.global.add.u32 %r2, [%d1], 1;",
    "branch": "@%p1 bra S; add.u32 %r2, %r2, %r1; S:",
    "lane": "mov.u32 %r2, %laneid;",
}


@pytest.mark.parametrize("name", [*EXCHANGES, *ALONE])
def test_communicating_lanes_are_in_one_simd_group(name):
    program = build([KERNEL.format(code=(EXCHANGES | ALONE)[name])])
    notes = emit_kernel(program, "k", Settings(width=1)).notes
    assert f"; SIMD groups of {32 if name in EXCHANGES else 1} lanes; " in notes[0]


def test_fibers_use_whole_warps(monkeypatch):
    program = build([KERNEL.format(code="")]).laid_out("k")
    monkeypatch.setenv("CUDA_CPU_PATH", "fiber")
    wide = jit.kernel_text(program, "k").text
    monkeypatch.setenv("CUDA_CPU_WIDTH", "1")
    assert jit.kernel_text(program, "k").text == wide


def test_simd_groups_without_lanes_stay_empty_after_a_barrier():
    """Their lane mask after the barrier is stored before they are skipped, else stale stack contents would be used."""
    code = "setp.eq.u32 %p2, %r1, 3; @%p2 ret; bar.sync 0; red.global.add.u32 [%d1+256], 1;"
    text = emit_kernel(build([KERNEL.format(code=code)]), "k", Settings(width=1)).text
    skip = text[text.index("\ngroup0:") :].partition("br i1")[0]
    assert "store i1 %" in skip
