# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Scattered atomic operations of the only worker: the results of random ones, and which of them use no locks."""

from __future__ import annotations

import numpy as np
import pytest
from support.warps import Kernel, compiled

from cuda.cpu.emit.instructions.memory import atomics

pytestmark = pytest.mark.cpu_only

KERNEL = """
.visible .entry k(.param .u64 words, .param .u64 index, .param .u64 values, .param .u64 runs)
{{
    .reg .b32 %r<9>; .reg .b64 %rd<12>; .reg .{reg} %v<4>; .reg .pred %p<2>;
    ld.param.u64 %rd1, [words]; ld.param.u64 %rd2, [index]; ld.param.u64 %rd3, [values]; ld.param.u64 %rd4, [runs];
    mov.u32 %r1, %tid.x; mul.wide.u32 %rd5, %r1, 4; mul.wide.u32 %rd6, %r1, {size};
    add.u64 %rd7, %rd2, %rd5; add.u64 %rd8, %rd3, %rd6; add.u64 %rd9, %rd4, %rd5;
    ld.global.u32 %r2, [%rd7]; ld.global.{reg} %v1, [%rd8]; ld.global.u32 %r3, [%rd9];
    mul.wide.u32 %rd10, %r2, {size}; add.u64 %rd11, %rd1, %rd10; setp.ne.u32 %p1, %r3, 0;
    {guard} red{options}.global.{op}.{type} [%rd11], %v1;
    ret;
}}
"""
DTYPES = {"u32": np.uint32, "s32": np.int32, "b32": np.uint32, "u64": np.uint64, "f32": np.float32, "f64": np.float64}
FUNCTIONS = {
    "add": np.add, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and, "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}  # fmt: skip
FORMS = [
    ("add", "u32"), ("add", "u64"), ("add", "f32"), ("add", "f64"), ("min", "s32"), ("max", "s32"), ("min", "u32"),
    ("max", "u64"), ("and", "b32"), ("or", "b32"), ("xor", "b32"),
]  # fmt: skip
WORDS = 64


def text_of(op: str, type_: str, options: str = "", guard: str = "@%p1") -> str:
    size = DTYPES[type_](0).itemsize
    return KERNEL.format(op=op, type=type_, size=size, reg=f"b{8 * size}", options=options, guard=guard)


def differs(kernel: Kernel, op: str, type_: str, sole: np.ndarray, seed: int, guarded: bool = True) -> bool:
    """Run a block of random indices, values and active lanes; return whether the result is wrong."""
    random, threads = np.random.default_rng(seed), 96
    spread = [WORDS, WORDS, 7, 2][seed % 4]
    index = random.integers(0, spread, threads).astype(np.uint32)
    values = random.integers(0, 1000, threads).astype(DTYPES[type_])
    runs = (
        np.ones(threads, np.uint32)
        if seed % 3 == 0 or not guarded
        else random.integers(0, 2, threads).astype(np.uint32)
    )
    words = random.integers(0, 1000, WORDS).astype(DTYPES[type_])
    expected = words.copy()
    FUNCTIONS[op].at(expected, index[runs > 0], values[runs > 0])
    kernel(words, index, values, runs, threads=threads, sole=sole)
    return not np.array_equal(words, expected)


@pytest.mark.parametrize(("op", "type_"), FORMS)
@pytest.mark.parametrize("guard", ["@%p1", ""], ids=["guarded", "all lanes"])
@pytest.mark.parametrize("valid", [1, 0], ids=["only worker", "no longer the only worker"])
def test_random_operations(op, type_, valid, guard):
    kernel = compiled(text_of(op, type_, guard=guard))
    for seed in range(24):
        sole = np.array([valid, 0], np.uint32)
        assert not differs(kernel, op, type_, sole, seed, bool(guard))
        np.testing.assert_array_equal(sole, [valid, 0])  # complete
        assert kernel.scattered or valid


def run_distinct(options: str, sole: np.ndarray | None) -> bool:
    """Add one to 32 words; return whether locks were used."""
    kernel = compiled(text_of("add", "u32", options))
    words, index, ones = np.zeros(WORDS, np.uint32), np.arange(32, dtype=np.uint32), np.ones(32, np.uint32)
    kernel(words, index, ones, ones, sole=sole)
    np.testing.assert_array_equal(words, np.arange(WORDS) < 32)
    return kernel.scattered


@pytest.mark.parametrize("options", ["", ".relaxed.gpu", ".relaxed.cta", ".relaxed.cluster"])
def test_only_worker_uses_no_locks(options):
    assert not run_distinct(options, np.array([1, 0], np.uint32))
    assert run_distinct(options, np.array([0, 0], np.uint32))
    assert run_distinct(options, None)


@pytest.mark.parametrize("options", [".relaxed.sys", ".release.gpu", ".release.sys"])
def test_operations_beyond_the_device_or_with_an_order_always_use_locks(options):
    text = text_of("add", "u32", options)
    run_distinct(options, np.array([1, 0], np.uint32))
    assert compiled(text).scattered is False  # they do not ask for it either


@pytest.mark.parametrize("number", range(3))
def test_random_operations_find_planted_faults(number, monkeypatch):
    plain = atomics._plain

    def faulty(name: str, element: str, pointer: str, value: str) -> str:
        before, after = (
            (f"load {element}, ptr {pointer}, align 4", f"add {element} {value}, 0"),  # the word is not read
            (f"add {element} %r, {value}", f"sub {element} %r, {value}"),  # another operation
            (f"store {element} %n", f"store {element} {value}"),  # the sum is not written
        )[number]
        text = plain(name, element, pointer, value)
        assert text.count(before) == 1
        return text.replace(before, after)

    monkeypatch.setattr(atomics, "_plain", faulty)
    kernel = Kernel(text_of("add", "u32"))
    assert any(differs(kernel, "add", "u32", np.array([1, 0], np.uint32), seed) for seed in range(24))
    assert not any(differs(kernel, "add", "u32", np.array([0, 0], np.uint32), seed) for seed in range(24))
