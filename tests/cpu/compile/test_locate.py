# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A fault names the PTX instruction and, where it is known, the line of the source; code is the same without."""

from __future__ import annotations

from random import Random
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")
pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from support.loaded import Loaded
from support.random_jumps import unstructured
from support.random_ptx import structured

from cuda.cpu.compile import jit, locate
from cuda.cpu.ptx.image import elf
from cuda.cpu.ptx.program import build
from cuda.cpu.runtime import _runtime as runtime

pytestmark = pytest.mark.cpu_only

# `which` tells the instruction that uses `p`.
WILD = """.version 8.5
.target sm_90
.address_size 64
.func (.reg .b32 %r) put(.reg .b64 %d, .reg .b32 %v)
{
    mov.u32 %r, 1;
    st.global.u32 [%d], %v;
}
.visible .entry wild(.param .u64 p, .param .u32 which) {
    .reg .b64 %d<5>; .reg .b32 %r<9>; .reg .pred %p<5>;
    ld.param.u64 %d1, [p]; ld.param.u32 %r1, [which]; mov.u32 %r2, %tid.x;
    mul.wide.u32 %d2, %r2, 4; add.s64 %d3, %d1, %d2;
    xor.b32 %r3, %r2, 5; mul.wide.u32 %d4, %r3, 4; add.s64 %d4, %d1, %d4;
    setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r1, 1; setp.eq.u32 %p3, %r1, 2; setp.eq.u32 %p4, %r1, 3;
@%p1 ld.global.u32 %r4, [%d4];
    .loc 1 70 3
@%p1 atom.global.add.u32 %r4, [%d1], %r4;
    bar.sync 0;
    .loc 1 71 0
@%p2 st.global.u32 [%d3], %r2;
@%p3 call (%r5), put, (%d3, %r2);
@%p4 st.global.v2.u32 [%d1], {%r2,   %r5};
@%p4 bra TWICE;
    ret;
TWICE:
    trap;
}
.file 1 "wild.cu"
"""
INSTRUCTIONS = [
    "PTX line 15 `@%p1 ld.global.u32 %r4, [%d4];`",
    "PTX line 20 `@%p2 st.global.u32 [%d3], %r2;` (wild.cu line 71)",
    "PTX line 7 `st.global.u32 [%d], %v;`",
    "PTX line 22 `@%p4 st.global.v2.u32 [%d1], {%r2, %r5};` (wild.cu line 71)",
]


@pytest.fixture(autouse=True)
def no_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("CUDA_CPU_CACHE", str(tmp_path / "cache"))


@pytest.mark.parametrize("path", ["region", "fiber"])
@pytest.mark.parametrize("level", ["", "1", "3"])
@pytest.mark.parametrize("which", range(len(INSTRUCTIONS)))
def test_a_fault_names_its_instruction(which, level, path, monkeypatch):
    monkeypatch.setenv("CUDA_CPU_LEVEL", level)
    monkeypatch.setenv("CUDA_CPU_PATH", path)
    loaded = Loaded(WILD.encode())
    fault = loaded.run("wild", 2, 64, np.uint64(64), np.uint32(which))
    assert loaded.code.locate(fault) == INSTRUCTIONS[which]


def test_what_the_code_itself_reports_names_its_instruction():
    loaded = Loaded(WILD.encode())
    fault = loaded.run("wild", 1, 1, np.zeros(64, np.uint32), np.uint32(3))
    assert loaded.code.locate(fault) == "PTX line 26 `trap;` (wild.cu line 71)"


def object_of(text: str, level: int, name: str = "wild", *, locations: bool) -> bytes:
    program = build([text], capability=90)
    code = jit.kernel_text(program.laid_out(name), name, locations=[] if locations else None).text
    return jit.assemble(locate.with_locations(code) if locations else code, level)


def test_code_is_known_by_its_bytes():
    code = locate.Code(object_of(WILD, jit.BEST, locations=True), "wild")
    images = [runtime.Image(object_of(WILD, level, locations=False)) for level in (jit.QUICK, jit.BEST)]
    assert [code.is_of(image) for image in images] == [False, True]
    other = WILD.replace("    bar.sync 0;\n", "")
    assert not code.is_of(runtime.Image(object_of(other, jit.BEST, locations=False)))


def test_an_address_elsewhere_has_no_instruction():
    loaded = Loaded(WILD.encode())
    machine = loaded.code.compile("wild")
    fault = SimpleNamespace(kernel="wild", line=0, pc=machine.images()[0].base - 1, callers=())
    assert loaded.code.locate(fault) == ""


def test_a_fault_in_another_library_names_the_call():
    loaded = Loaded(WILD.encode())
    fault = loaded.run("wild", 2, 64, np.uint64(64), np.uint32(1))
    elsewhere = loaded.code.compile("wild").images()[0].base - 1
    copied = SimpleNamespace(kernel="wild", line=0, pc=elsewhere, callers=(elsewhere, fault.pc + 1))
    assert loaded.code.locate(copied) == INSTRUCTIONS[1]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("make", [structured, unstructured])
def test_locations_leave_the_code_as_it_is(make, seed):
    text = make(Random(seed)).text
    for level in (jit.QUICK, jit.BEST):
        code = locate.Code(object_of(text, level, "k", locations=True), "k")
        assert code.code == dict(elf.Sections(object_of(text, level, "k", locations=False)))[".text"]
        assert len(set(code.lines)) > 20
