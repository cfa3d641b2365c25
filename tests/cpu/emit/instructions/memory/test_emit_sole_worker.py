# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Scattered atomic operations of the only worker: the results of random ones, and which of them use no locks."""

from __future__ import annotations

import mmap

import numpy as np
import pytest
from support.warps import Kernel, compiled

from cuda.cpu.emit.instructions.memory import atomics

pytestmark = pytest.mark.cpu_only

KERNEL = """
.visible .entry k(.param .u64 words, .param .u64 index, .param .u64 values, .param .u64 runs, .param .u64 expected,
                  .param .u64 old)
{{
    .reg .b32 %r<9>; .reg .b64 %rd<20>; .reg .{reg} %v<4>; .reg .pred %p<2>;
    ld.param.u64 %rd1, [words]; ld.param.u64 %rd2, [index]; ld.param.u64 %rd3, [values]; ld.param.u64 %rd4, [runs];
    ld.param.u64 %rd12, [expected]; ld.param.u64 %rd13, [old];
    mov.u32 %r1, %tid.x; mul.wide.u32 %rd5, %r1, 4; mul.wide.u32 %rd6, %r1, {size};
    add.u64 %rd7, %rd2, %rd5; add.u64 %rd8, %rd3, %rd6; add.u64 %rd9, %rd4, %rd5;
    add.u64 %rd12, %rd12, %rd6; add.u64 %rd13, %rd13, %rd6;
    ld.global.u32 %r2, [%rd7]; ld.global.{reg} %v1, [%rd8]; ld.global.u32 %r3, [%rd9]; ld.global.{reg} %v2, [%rd12];
    mul.wide.u32 %rd10, %r2, {size}; add.u64 %rd11, %rd1, %rd10; setp.ne.u32 %p1, %r3, 0;
    {operation}
    ret;
}}
"""
DTYPES = {
    "u32": np.uint32, "s32": np.int32, "b32": np.uint32, "u64": np.uint64, "b64": np.uint64, "f32": np.float32,
    "f64": np.float64,
}  # fmt: skip
# What becomes of the word, the lane's value and the value that `cas` expects.
FUNCTIONS = {
    "add": lambda word, value, expected: word + value,
    "min": lambda word, value, expected: min(word, value),
    "max": lambda word, value, expected: max(word, value),
    "and": lambda word, value, expected: word & value,
    "or": lambda word, value, expected: word | value,
    "xor": lambda word, value, expected: word ^ value,
    "inc": lambda word, value, expected: 0 if word >= value else word + 1,
    "dec": lambda word, value, expected: value if word == 0 or word > value else word - 1,
    "exch": lambda word, value, expected: value,
    "cas": lambda word, value, expected: value if word == expected else word,
}
FORMS = [
    ("add", "u32"), ("add", "u64"), ("add", "f32"), ("add", "f64"), ("min", "s32"), ("max", "s32"), ("min", "u32"),
    ("max", "u64"), ("and", "b32"), ("or", "b32"), ("xor", "b32"), ("inc", "u32"), ("dec", "u32"), ("exch", "b32"),
    ("exch", "b64"), ("cas", "b32"), ("cas", "b64"),
]  # fmt: skip
WORDS = 64


def text_of(op: str, type_: str, options: str = "", guard: str = "@%p1", wanted: bool = False) -> str:
    size = DTYPES[type_](0).itemsize
    opcode = "atom" if wanted or op in ("exch", "cas") else "red"
    target = "%v3, " if wanted else "_, " if opcode == "atom" else ""
    operation = f"{guard} {opcode}{options}.global.{op}.{type_} {target}[%rd11], {'%v2, ' * (op == 'cas')}%v1;"
    if wanted:
        operation += f"\n    {guard} st.global.b{8 * size} [%rd13], %v3;"
    return KERNEL.format(size=size, reg=f"b{8 * size}", operation=operation)


def differs(
    kernel: Kernel, op: str, type_: str, sole: np.ndarray, seed: int, guarded: bool = True, wanted: bool = False
) -> bool:
    """Run a block of random indices, values and active lanes; return whether a result is wrong."""
    random, threads, dtype = np.random.default_rng(seed), 96, DTYPES[type_]
    spread, largest = [WORDS, WORDS, 7, 2][seed % 4], 1000 if op not in ("inc", "dec", "cas") else 4
    index = random.integers(0, spread, threads).astype(np.uint32)
    runs = np.ones(threads, np.uint32)
    if seed % 3 and guarded:
        runs = random.integers(0, 2, threads).astype(np.uint32)
    values, compared = (random.integers(0, largest, threads).astype(dtype) for _ in range(2))
    words, old = random.integers(0, largest, WORDS).astype(dtype), np.zeros(threads, dtype)
    expected, results = words.tolist(), old.tolist()
    for thread, (at, value, other) in enumerate(zip(index, values.tolist(), compared.tolist(), strict=True)):
        if runs[thread]:
            results[thread] = expected[at] if wanted else 0
            expected[at] = FUNCTIONS[op](expected[at], value, other)
    kernel(words, index, values, runs, compared, old, threads=threads, sole=sole)
    return words.tolist() != expected or old.tolist() != results


@pytest.mark.parametrize(("op", "type_"), FORMS)
@pytest.mark.parametrize("guard", ["@%p1", ""], ids=["guarded", "all lanes"])
@pytest.mark.parametrize("valid", [1, 0], ids=["only worker", "no longer the only worker"])
@pytest.mark.parametrize("wanted", [False, True], ids=["no results", "results"])
def test_random_operations(op, type_, valid, guard, wanted):
    kernel = compiled(text_of(op, type_, guard=guard, wanted=wanted))
    for seed in range(24):
        sole = np.array([valid, 0], np.uint32)
        assert not differs(kernel, op, type_, sole, seed, bool(guard), wanted)
        np.testing.assert_array_equal(sole, [valid, 0])  # complete
        assert kernel.scattered or valid


@pytest.mark.parametrize("index_type", ["u8", "s8", "u16", "s16", "u32", "s32"])
@pytest.mark.parametrize("type_", ["f32", "u32", "u64", "f64"])
@pytest.mark.parametrize("wanted", [False, True], ids=["no results", "results"])
def test_narrow_indices(index_type, type_, wanted):
    """Addresses base + index + offset; lanes with equal indices change one word."""
    size, signed, bits = DTYPES[type_](0).itemsize, index_type[0] == "s", int(index_type[1:])
    low = -WORDS // 2 if signed else (1 << bits) - WORDS
    text = text_of("add", type_, guard="", wanted=wanted).replace("[%rd11]", "[%rd11+16]")
    text = text.replace("[words];", f"[words]; add.s64 %rd1, %rd1, {-low * size - 16};")
    text = text.replace("ld.global.u32 %r2", f"ld.global.{index_type} %r2")
    text = text.replace("mul.wide.u32 %rd10", f"mul.wide.{index_type[0]}32 %rd10")
    kernel, random = compiled(text), np.random.default_rng(bits)
    index = random.integers(low, low + WORDS, 96, dtype=np.int64)
    stored = (index + (random.integers(0, 100, 96) << bits)).astype(np.uint32)  # the bits above are not read
    words, values, old = np.zeros(WORDS, DTYPES[type_]), np.arange(1, 97, dtype=DTYPES[type_]), np.zeros(96, np.int64)
    zeros, expected = np.zeros(96, np.int64), np.zeros(WORDS, DTYPES[type_])
    np.add.at(expected, index - low, values)
    ones, sole = np.ones(96, np.uint32), np.array([1, 0], np.uint32)
    kernel(words, stored, values, ones, zeros, old, threads=96, sole=sole)
    np.testing.assert_array_equal(words, expected)
    assert not kernel.scattered
    if wanted:
        seen = dict.fromkeys(index.tolist(), 0)
        for at, value, before in zip(index.tolist(), values, old.view(DTYPES[type_])[:96], strict=True):
            assert before == seen[at]
            seen[at] += value


def test_indices_of_several_scales_in_one_kernel():
    near = "mul.wide.u32 %rd14, %r2, {}; add.u64 %rd15, %rd1, %rd14; red.global.add.f32 [%rd15], %v1;"
    text = KERNEL.format(size=4, reg="b32", operation=near.format(4) + near.format(8))
    kernel, index, values = compiled(text), np.arange(32, dtype=np.uint32), np.arange(1, 33, dtype=np.float32)
    words, zeros = np.zeros(WORDS, np.float32), np.zeros(32, np.uint32)
    kernel(words, index, values, zeros, zeros, zeros, sole=np.array([1, 0], np.uint32))
    expected = np.zeros(WORDS, np.float32)
    expected[index] += values
    expected[2 * index] += values
    np.testing.assert_array_equal(words, expected)


def test_elements_of_a_vector():
    pair = "red.global.add.v2.f32 [%rd11], {%v1, %v2};"
    kernel, index = compiled(KERNEL.format(size=4, reg="b32", operation=pair)), np.arange(0, 64, 2, dtype=np.uint32)
    words, values, zeros = np.zeros(WORDS, np.float32), np.arange(1, 33, dtype=np.float32), np.zeros(32, np.uint32)
    kernel(words, index, values, zeros, 100 * values, zeros, sole=np.array([1, 0], np.uint32))
    np.testing.assert_array_equal(words, np.stack([values, 100 * values], 1).ravel())


def run_distinct(options: str, sole: np.ndarray | None, op: str = "add", wanted: bool = False) -> bool:
    """Change 32 words from 0 to 1; return whether locks were used."""
    kernel = compiled(text_of(op, "b32" if op in ("cas", "exch") else "u32", options, wanted=wanted))
    words, index, ones = np.zeros(WORDS, np.uint32), np.arange(32, dtype=np.uint32), np.ones(32, np.uint32)
    kernel(words, index, ones, ones, np.zeros(32, np.uint32), np.zeros(32, np.uint32), sole=sole)
    np.testing.assert_array_equal(words, np.arange(WORDS) < 32)
    return kernel.scattered


@pytest.mark.parametrize("wanted", [False, True], ids=["no results", "results"])
@pytest.mark.parametrize("op", ["add", "max", "inc", "exch", "cas"])
@pytest.mark.parametrize("options", ["", ".relaxed.gpu", ".relaxed.cta", ".relaxed.cluster"])
def test_only_worker_uses_no_locks(options, op, wanted):
    assert not run_distinct(options, np.array([1, 0], np.uint32), op, wanted)
    assert run_distinct(options, np.array([0, 0], np.uint32), op, wanted)
    assert run_distinct(options, None, op, wanted)


@pytest.mark.parametrize("op", ["add", "cas"])
@pytest.mark.parametrize("options", [".relaxed.sys", ".release.gpu", ".release.sys"])
def test_operations_beyond_the_device_or_with_an_order_always_use_locks(options, op):
    # They do not ask to be the only worker either.
    assert run_distinct(options, np.array([1, 0], np.uint32), op, wanted=True) is False
    assert run_distinct(options, None, op, wanted=True) is False


def test_a_lane_that_does_not_swap_writes_nothing():
    """A host thread may write the word meanwhile: a kernel that waits for it compares again and again."""
    kernel = compiled(text_of("cas", "b32", wanted=True))
    pages = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ)
    words = np.frombuffer(pages, np.uint32)
    index, ones, old = np.arange(32, dtype=np.uint32), np.ones(32, np.uint32), np.full(32, 7, np.uint32)
    kernel(words, index, ones, ones, ones, old, sole=np.array([1, 0], np.uint32))
    assert not old.any()


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
