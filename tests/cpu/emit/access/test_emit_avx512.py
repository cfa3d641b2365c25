# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""AVX-512 instructions give the same bits as LLVM's general code, for SIMD groups of every width and for scalars."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from support.warps import compiled

from cuda.cpu.compile import identity, jit
from cuda.cpu.ptx import program as ptx_program

pytestmark = pytest.mark.skipif(not identity.cpu_has("avx512f"), reason="the CPU has no AVX-512")

OPERATIONS = [f"{name}.{mode}" for mode in ("rz", "rm", "rp") for name in ("add", "mul", "div", "fma", "sqrt")]
SOURCES = {"add": "%a, %b", "mul": "%a, %b", "div": "%a, %b", "fma": "%a, %b, %c", "sqrt": "%a"}
OPERATIONS_F32 = [*OPERATIONS, "ex2.approx", "ex2.approx.ftz"]


def kernel(operations: list[str], type_: str, *, uniform: bool) -> str:
    """Return a kernel that stores each operation of x[i], y[i] and z[i], or of the first of each."""
    size = int(type_[1:]) // 8
    lines = []
    for operation in operations:
        sources = SOURCES.get(operation.partition(".")[0], "%a")
        lines += [f"{operation}.{type_} %d, {sources}; st.global.{type_} [%r8], %d; add.u64 %r8, %r8, {32 * size};"]
    where = "mov.u64 %r5, 0;" if uniform else f"mul.wide.u32 %r5, %t, {size};"
    return f"""
.visible .entry k(.param .u64 x, .param .u64 y, .param .u64 z, .param .u64 out)
{{
    .reg .b32 %t; .reg .{type_} %a, %b, %c, %d; .reg .b64 %r<9>;
    ld.param.u64 %r1, [x]; ld.param.u64 %r2, [y]; ld.param.u64 %r3, [z]; ld.param.u64 %r4, [out];
    mov.u32 %t, %tid.x; {where} mul.wide.u32 %r8, %t, {size}; add.u64 %r8, %r4, %r8;
    add.u64 %r1, %r1, %r5; add.u64 %r2, %r2, %r5; add.u64 %r3, %r3, %r5;
    ld.global.{type_} %a, [%r1]; ld.global.{type_} %b, [%r2]; ld.global.{type_} %c, [%r3];
    {" ".join(lines)}
    ret;
}}
"""


def patterns(type_: str, count: int) -> list[np.ndarray]:
    """Return numbers of all magnitudes, including subnormal numbers, infinities, zeros and NaNs."""
    word, number = (np.uint32, np.float32) if type_ == "f32" else (np.uint64, np.float64)
    random = np.random.default_rng(5)
    found = [random.integers(0, 2 ** (word().nbytes * 8), count, dtype=word).view(number) for _ in range(3)]
    edges = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, np.finfo(number).smallest_subnormal, -150.5, 128.5], number)
    for each, turned in zip(found, (0, 3, 5), strict=True):
        each[: 2 * len(edges) : 2] = np.roll(edges, turned)
        each[1 : 2 * len(edges) : 2] = random.uniform(-20, 20, len(edges)).astype(number)
    return found


@pytest.mark.parametrize("uniform", [False, True])
@pytest.mark.parametrize("width", ["32", "16", "8", "4", "1"])
@pytest.mark.parametrize(("type_", "operations"), [("f32", OPERATIONS_F32), ("f64", OPERATIONS)])
def test_results_are_identical_without_avx512(type_, operations, width, uniform, monkeypatch):
    monkeypatch.setenv("CUDA_CPU_WIDTH", width)
    values = patterns(type_, 32)
    text, found = kernel(operations, type_, uniform=uniform), []
    for has in (True, False):
        monkeypatch.setattr(jit, "_has_gathers", lambda has=has: has)
        out = np.zeros((len(operations), 32), values[0].dtype)
        compiled(text)(*values, out)
        found.append(out)
    for operation, here, there in zip(operations, *found, strict=True):
        np.testing.assert_array_equal(here, there, err_msg=operation)  # NaNs are equal
        np.testing.assert_array_equal(np.signbit(here), np.signbit(there), err_msg=operation)


def test_rounding_modes_need_no_mode_change():
    """The machine code has no instruction that changes the CPU's rounding mode."""
    program = ptx_program.build(
        [".version 8.5\n.target sm_90\n.address_size 64\n" + kernel(OPERATIONS_F32, "f32", uniform=False)]
    )
    text = jit.disassemble(jit.kernel_text(program, "k").text, 3)
    assert "ldmxcsr" not in text
    assert "{rd-sae}" in text
    assert "vscalefps" in text
