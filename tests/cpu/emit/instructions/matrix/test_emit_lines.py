# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""wmma.load and wmma.store by the lines of a matrix, beside the same by the elements of each lane."""

from __future__ import annotations

import numpy as np
import pytest
from support.loaded import Loaded
from support.warps import HEAD

from cuda.cpu.compile import jit
from cuda.cpu.emit.instructions.matrix import lines
from cuda.cpu.ptx.program import build

pytestmark = pytest.mark.cpu_only

# Each of four warps has a matrix of its own; registers and matrices of different warps are far apart.
KERNEL = """
.visible .entry k(.param .u64 matrix, .param .u64 registers, .param .u32 stride)
{{
    .reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .b32 %a<9>; .reg .f32 %f<9>; .reg .f64 %e<3>;
    ld.param.u64 %rd1, [matrix]; ld.param.u64 %rd2, [registers]; ld.param.u32 %r3, [stride];
    mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 5; mul.wide.u32 %rd3, %r2, 8192; add.u64 %rd1, %rd1, %rd3;
    mul.wide.u32 %rd4, %r1, {size}; add.u64 %rd2, %rd2, %rd4;
    {body}
    ret;
}}
"""
# Shape, type, and registers of A, B and of C and D where there are any.
FORMS = [
    ("m16n16k16", "f16", {"a": 8, "b": 8, "c": 4}), ("m32n8k16", "f16", {"a": 8, "b": 8, "c": 4}),
    ("m8n32k16", "f16", {"a": 8, "b": 8, "c": 4}), ("m16n16k16", "bf16", {"a": 4, "b": 4}),
    ("m32n8k16", "bf16", {"a": 8, "b": 2}), ("m8n32k16", "bf16", {"a": 2, "b": 8}),
    ("m16n16k16", "s8", {"a": 2, "b": 2}), ("m32n8k16", "u8", {"a": 4, "b": 1}), ("m8n32k16", "s8", {"a": 1, "b": 4}),
    ("m16n16k8", "tf32", {"a": 4, "b": 4}), ("m8n8k4", "f64", {"a": 1, "b": 1, "c": 2}),
    ("m16n16k16", "f32", {"c": 8}), ("m32n8k16", "f32", {"c": 8}), ("m8n32k16", "s32", {"c": 8}),
]  # fmt: skip
CASES = [
    (shape, type_, part, count, layout)
    for shape, type_, parts in FORMS
    for part, count in parts.items()
    for layout in ("row", "col")
]
BITS = {"f64": "f64", "f32": "f32", "s32": "b32"}


def text_of(shape: str, type_: str, part: str, count: int, layout: str, *, load: bool) -> str:
    word, size = BITS.get(type_, "b32"), 8 if type_ == "f64" else 4
    prefix = {"f64": "e", "f32": "f"}.get(word, "a")
    names = [f"%{prefix}{number}" for number in range(count)]
    fragment, slots = f"{{{', '.join(names)}}}", [f"[%rd2+{number * size * 128}]" for number in range(count)]
    if load:
        body = [f"wmma.load.{part}.sync.aligned.{layout}.{shape}.global.{type_} {fragment}, [%rd1], %r3;"]
        body += [f"st.global.{word} {slot}, {name};" for name, slot in zip(names, slots, strict=True)]
    else:
        body = [f"ld.global.{word} {name}, {slot};" for name, slot in zip(names, slots, strict=True)]
        body += [f"wmma.store.d.sync.aligned.{layout}.{shape}.global.{type_} [%rd1], {fragment}, %r3;"]
    return HEAD + KERNEL.format(size=size, body="\n    ".join(body))


def run(text: str, stride: int, *, load: bool) -> np.ndarray:
    """Return the registers that four warps load, or the memory to which they store."""
    random = np.random.default_rng(4)
    matrix, registers = (random.integers(0, 256, 1 << 16).astype(np.uint8) for _ in range(2))
    Loaded(text.encode()).launch("k", (1, 1, 1), (128, 1, 1), matrix, registers, np.uint32(stride))
    return registers if load else matrix


@pytest.mark.parametrize(
    ("case", "load"), [(case, True) for case in CASES] + [(case, False) for case in CASES if case[2] == "c"], ids=str
)
def test_fragments_are_as_by_elements(monkeypatch, case, load):
    monkeypatch.setenv("CUDA_CPU_LEVEL", "1")  # the code of hot kernels
    monkeypatch.setenv("CUDA_CPU_CACHE", "0")  # which would give the second run the code of the first one
    text = text_of(*case, load=load)
    for stride in (48, 64):
        with monkeypatch.context() as patch:
            patch.setattr(lines, "_is_possible", lambda frame, form: False)
            expected = run(text, stride, load=load)
        np.testing.assert_array_equal(run(text, stride, load=load), expected)


@pytest.mark.parametrize("layout", ["row", "col"])
@pytest.mark.parametrize("load", [True, False])
def test_matrices_are_accessed_by_lines(layout, load):
    """The exception are results stored by columns, of which lanes have no consecutive elements."""
    text = jit.kernel_text(build([text_of("m16n16k16", "f16", "c", 4, layout, load=load)]), "k").text
    assert ('call void @"wmma.' in text) == (load or layout == "row")
