# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Atomic operations on one address by all lanes, on separate addresses, and on types that need a loop."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.warps import compiled

LANES = 32
TYPES = {"u32": np.uint32, "s32": np.int32, "u64": np.uint64, "s64": np.int64, "f32": np.float32, "f64": np.float64}
TYPES |= {"b32": np.uint32, "b64": np.uint64, "b16": np.uint16, "f16": np.float16}
MASKS = {8: 0xFF, 16: 0xFFFF, 32: 0xFFFFFFFF}

KERNEL = """
.visible .entry k(.param .u64 out_ptr, .param .u64 values, .param .u64 old, .param .u32 step)
{{
    .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .{reg} %v<4>;
    ld.param.u64 %rd1, [out_ptr]; ld.param.u64 %rd2, [values]; ld.param.u64 %rd3, [old]; ld.param.u32 %r1, [step];
    mov.u32 %r2, %tid.x; mul.lo.u32 %r3, %r2, %r1; cvt.u64.u32 %rd4, %r3; add.u64 %rd5, %rd1, %rd4;
    mul.wide.u32 %rd6, %r2, {size}; add.u64 %rd7, %rd2, %rd6; add.u64 %rd8, %rd3, %rd6;
    ld.global.{reg} %v1, [%rd7];
    {instruction}
    st.global.{reg} [%rd8], %v2;
    ret;
}}
"""


def run(instruction: str, type_: str, values: np.ndarray, memory: np.ndarray, *, step: int = 0, threads: int = LANES):
    """Run one atomic instruction per lane on memory[0], or `step` bytes apart; return the old values of the lanes."""
    size = values.itemsize
    text = KERNEL.format(instruction=instruction, size=size, reg=f"b{8 * size}")
    old = np.zeros(LANES, values.dtype)
    compiled(text)(memory, values, old, np.uint32(step), threads=threads)
    return old


INTEGERS = ["u32", "s32", "u64", "s64"]
FORMS = [(op, type_) for op in ("add", "min", "max") for type_ in INTEGERS] + [("add", "f32"), ("add", "f64")]


@pytest.mark.parametrize(("op", "type_"), FORMS)
@pytest.mark.parametrize("threads", [32, 7])
def test_arithmetic_on_one_address(op, type_, threads):
    dtype = TYPES[type_]
    values = (np.arange(LANES) * 7 % 11 - (5 if type_[0] != "u" else 0)).astype(dtype)
    memory = np.array([3, 99], dtype)
    old = run(f"atom.global.{op}.{type_} %v2, [%rd5], %v1;", type_, values, memory, threads=threads)
    function = {"add": np.add, "min": np.minimum, "max": np.maximum}[op]
    running = function.accumulate(np.concatenate([[dtype(3)], values[:threads]]))
    assert memory[0] == running[-1]
    assert memory[1] == 99
    np.testing.assert_array_equal(np.sort(old[:threads]), np.sort(running[:-1]))  # in some order, each state once
    assert not old[threads:].any()


@pytest.mark.parametrize(("op", "function"), [("and", np.bitwise_and), ("or", np.bitwise_or), ("xor", np.bitwise_xor)])
@pytest.mark.parametrize("type_", ["b32", "b64"])
def test_logic(op, function, type_):
    values = (np.uint64(0x9E3779B97F4A7C15) * np.arange(1, LANES + 1, dtype=np.uint64)).astype(TYPES[type_])
    memory = np.array([0x0F0F0F0F], TYPES[type_])
    run(f"atom.global.{op}.{type_} %v2, [%rd5], %v1;", type_, values, memory)
    assert memory[0] == function.reduce(np.concatenate([np.array([0x0F0F0F0F], TYPES[type_]), values]))


@pytest.mark.parametrize(("op", "expected"), [("inc", (3 + 32) % 6), ("dec", (3 - 32) % 6)])
def test_counters_wrap_around(op, expected):
    memory = np.array([3], np.uint32)
    old = run(f"atom.global.{op}.u32 %v2, [%rd5], %v1;", "u32", np.full(LANES, 5, np.uint32), memory)
    assert memory[0] == expected
    assert set(old) == set(range(6))


@pytest.mark.parametrize(("start", "op", "after"), [(9, "inc", 0), (9, "dec", 5), (0, "dec", 5), (5, "inc", 0)])
def test_counters_above_their_limit(start, op, after):
    memory = np.array([start], np.uint32)
    run(f"atom.global.{op}.u32 %v2, [%rd5], %v1;", "u32", np.full(LANES, 5, np.uint32), memory, threads=1)
    assert memory[0] == after


@pytest.mark.parametrize("type_", ["b32", "b64"])
def test_exchanges_of_lanes_form_a_chain(type_):
    values = np.arange(100, 100 + LANES).astype(TYPES[type_])
    memory = np.array([7], TYPES[type_])
    old = run(f"atom.global.exch.{type_} %v2, [%rd5], %v1;", type_, values, memory)
    assert sorted([*old, memory[0]]) == sorted([7, *values])


@pytest.mark.parametrize("type_", ["b16", "b32", "b64"])
def test_compare_and_swap_succeeds_once(type_):
    values = np.arange(100, 100 + LANES).astype(TYPES[type_])
    memory = np.array([7], TYPES[type_])
    old = run(f"atom.global.cas.{type_} %v2, [%rd5], 7, %v1;", type_, values, memory)
    assert memory[0] in values
    assert list(old).count(7) == 1
    assert set(old) == {7, memory[0]}


@pytest.mark.parametrize("order", ["relaxed.gpu", "acquire.cta", "release.sys", "acq_rel.cluster"])
def test_memory_orders(order):
    memory = np.zeros(LANES, np.uint32)
    run(f"atom.{order}.global.add.u32 %v2, [%rd5], %v1;", "u32", np.arange(LANES, dtype=np.uint32), memory, step=4)
    np.testing.assert_array_equal(memory, np.arange(LANES))
    run(f"atom.{order}.global.cas.b32 %v2, [%rd5], %v1, 5;", "b32", np.arange(LANES, dtype=np.uint32), memory, step=4)
    assert set(memory) == {5}


def test_red_changes_memory_without_a_result():
    memory = np.array([1], np.uint32)
    old = run("red.global.add.u32 [%rd5], %v1; mov.b32 %v2, 0;", "u32", np.arange(LANES, dtype=np.uint32), memory)
    assert memory[0] == 1 + 31 * 16
    assert not old.any()


def test_half_additions_round_each_time():
    values = np.full(LANES, 0.001, np.float16)
    memory = np.array([1, 5], np.float16)
    run("atom.global.add.noftz.f16 %v2, [%rd5], %v1;", "f16", values, memory)
    expected = np.float16(1)
    for value in values:
        expected = np.float16(np.float32(expected) + np.float32(value))
    assert (memory[0], memory[1]) == (expected, 5)


def test_packed_half_additions():
    values = np.tile(np.array([1.5, -2], np.float16), LANES).view(np.uint32)
    memory = np.array([1, 2, 9, 9], np.float16)
    old = run("atom.global.add.noftz.f16x2 %v2, [%rd5], %v1;", "b32", values, memory).view(np.float16)
    assert list(memory) == [49, -62, 9, 9]
    assert set(zip(old[::2], old[1::2], strict=True)) == {(1 + 1.5 * n, 2 - 2 * n) for n in range(LANES)}


def test_bfloat16_additions():
    bfloat = np.array([1.0, 3.0], np.float32).view(np.uint32) >> 16
    memory = np.array([bfloat[0]], np.uint16)
    run("atom.global.add.noftz.bf16 %v2, [%rd5], %v1;", "b16", np.full(LANES, bfloat[1], np.uint16), memory)
    assert (memory.astype(np.uint32) << 16).view(np.float32)[0] == 97


def test_vectors_add_each_element():
    text = """
    .visible .entry k(.param .u64 out_ptr)
    {
        .reg .b64 %rd<3>; .reg .f32 %f<5>; .reg .b32 %r<2>;
        ld.param.u64 %rd1, [out_ptr]; mov.u32 %r1, %tid.x; cvt.rn.f32.u32 %f1, %r1; mov.f32 %f2, 0f40000000;
        atom.global.add.v2.f32 {%f3, %f4}, [%rd1], {%f1, %f2}; red.global.add.v2.f32 [%rd1+8], {%f2, %f1};
        ret;
    }
    """
    memory = np.zeros(5, np.float32)
    compiled(text)(memory)
    assert list(memory) == [496, 64, 64, 496, 0]


def test_shared_histogram():
    text = """
    .visible .entry k(.param .u64 out)
    {
        .shared .align 4 .b8 bins[32]; .reg .b64 %rd<4>; .reg .b32 %r<9>; .reg .pred %p<2>;
        ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; rem.u32 %r2, %r1, 5; shl.b32 %r3, %r2, 2;
        shl.b32 %r6, %r1, 2; and.b32 %r6, %r6, 28; mov.u32 %r4, bins; add.s32 %r6, %r6, %r4; st.shared.u32 [%r6], 0;
        add.s32 %r5, %r4, %r3; setp.ne.u32 %p1, %r1, 3;
        @%p1 atom.shared.add.u32 %r6, [%r5], 1;
        setp.lt.u32 %p1, %r1, 8; @!%p1 bra END;
        shl.b32 %r3, %r1, 2; add.s32 %r5, %r4, %r3; ld.shared.u32 %r7, [%r5];
        mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r7;
    END:
        ret;
    }
    """
    out = np.zeros(8, np.uint32)
    compiled(text)(out)
    np.testing.assert_array_equal(out, np.bincount([n % 5 for n in range(32) if n != 3], minlength=8))


SHARED = {
    ("add", "u32"): lambda old, x: (old + x) & 0xFFFFFFFF,
    ("and", "b32"): lambda old, x: old & x,
    ("or", "b32"): lambda old, x: old | x,
    ("xor", "b64"): lambda old, x: old ^ x,
    ("exch", "b64"): lambda old, x: x,
    ("min", "u32"): min,
    ("max", "s32"): lambda old, x: max(old, x, key=lambda v: v ^ 0x80000000),
    ("min", "s64"): lambda old, x: min(old, x, key=lambda v: v ^ 1 << 63),
    ("max", "u64"): max,
}


@pytest.mark.cpu_only
@pytest.mark.parametrize(("operation", "type_"), SHARED)
@pytest.mark.parametrize("cluster", [False, True])
def test_shared_memory_atomics_are_applied_in_lane_order(operation, type_, cluster):
    """Without distributed shared memory no lock is taken; the results are the same."""
    size = int(type_[1:]) // 8
    other = ".reg .b32 %c; ld.shared::cluster.u32 %c, [bins];" if cluster else ""
    text = f"""
    .visible .entry k(.param .u64 in, .param .u64 out) {{
        .shared .align 8 .b8 bins[32]; .reg .b64 %d<9>; .reg .b32 %r<9>; .reg .b{8 * size} %v<4>; {other}
        ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out];
        mov.u32 %r1, %tid.x; mul.wide.u32 %d3, %r1, {size}; add.s64 %d4, %d1, %d3; add.s64 %d5, %d2, %d3;
        ld.global.b{8 * size} %v1, [%d4]; and.b32 %r2, %r1, 3; mul.lo.u32 %r2, %r2, {size};
        mov.u32 %r3, bins; add.u32 %r2, %r2, %r3; st.shared.b{8 * size} [%r2], 0;
        atom.shared.{operation}.{type_} %v2, [%r2], %v1;
        st.global.b{8 * size} [%d5], %v2; ld.shared.b{8 * size} %v3, [%r2]; st.global.b{8 * size} [%d4], %v3;
        ret;
    }}
    """
    values = np.random.default_rng(1).integers(0, 2 ** (8 * size) - 1, 32, dtype=f"u{size}")
    data, out, bins, old = values.copy(), np.zeros_like(values), [0] * 4, []
    for lane, value in enumerate(values):
        old.append(bins[lane % 4])
        bins[lane % 4] = SHARED[operation, type_](bins[lane % 4], int(value))
    compiled(text)(data, out)
    assert out.tolist() == old
    assert data.tolist() == bins * 8


COLLISIONS = """
.visible .entry k(.param .u64 addresses, .param .u64 values, .param .u64 old, .param .u64 slots, .param .u32 most)
{{
    .shared .align 8 .b8 bins[256];
    .reg .b32 %r<9>; .reg .b64 %rd<12>; .reg .b{bits} %v<4>; .reg .pred %p<3>;
    ld.param.u64 %rd1, [addresses]; ld.param.u64 %rd2, [values]; ld.param.u64 %rd3, [old]; ld.param.u64 %rd4, [slots];
    ld.param.u32 %r1, [most];
    mov.u32 %r2, %tid.x; mul.wide.u32 %rd5, %r2, {size}; add.u64 %rd6, %rd2, %rd5; add.u64 %rd7, %rd3, %rd5;
    mul.wide.u32 %rd8, %r2, 4; add.u64 %rd9, %rd4, %rd8;
    ld.global.u32 %r3, [%rd9]; mul.lo.u32 %r3, %r3, {size}; mov.u32 %r4, bins; add.u32 %r5, %r4, %r3;
    cvt.u64.u32 %rd10, %r3; add.u64 %rd11, %rd1, %rd10;
    mad.lo.u32 %r6, %r2, {size}, %r4; add.u64 %rd8, %rd1, %rd5; ld.global.b{bits} %v3, [%rd8];
    st.shared.b{bits} [%r6], %v3; bar.sync 0;
    ld.global.b{bits} %v1, [%rd6]; mov.b{bits} %v2, 0;
    setp.eq.u32 %p2, {shared}, 1; setp.lt.u32 %p1, %r2, %r1; @!%p1 bra END;
    {instruction}
END:
    st.global.b{bits} [%rd7], %v2; bar.sync 0;
    ld.shared.b{bits} %v3, [%r6]; @%p2 st.global.b{bits} [%rd8], %v3;
    ret;
}}
"""
# The result of each operation on an old and a given number, as Python integers.
RULES = {
    "add": lambda old, x: old + x,
    "min": min,
    "max": max,
    "and": lambda old, x: old & x,
    "or": lambda old, x: old | x,
    "xor": lambda old, x: old ^ x,
    "exch": lambda old, x: x,
    "inc": lambda old, x: 0 if old >= x else old + 1,
    "dec": lambda old, x: x if old == 0 or old > x else old - 1,
}
KINDS = [(op, type_) for op in ("add", "min", "max") for type_ in INTEGERS] + [("add", "f32"), ("add", "f64")]
KINDS += [(op, type_) for op in ("and", "or", "xor", "exch") for type_ in ("b32", "b64")] + [
    ("inc", "u32"),
    ("dec", "u32"),
]


def apply(rule, dtype, old, value):
    """Return the new number; integers wrap around, floats round."""
    if dtype.kind == "f":
        return dtype.type(old) + dtype.type(value)
    bits = 8 * dtype.itemsize
    number = rule(int(old), int(value)) & ((1 << bits) - 1)
    return dtype.type(number - (1 << bits) if dtype.kind == "i" and number >> (bits - 1) else number)


SLOTS = st.one_of(
    st.just([5] * LANES),  # all at one address
    st.permutations(range(LANES)),
    st.lists(st.integers(0, 2), min_size=LANES, max_size=LANES),
    st.lists(st.integers(0, LANES - 1), min_size=LANES, max_size=LANES),
    st.integers(0, LANES - 1).map(lambda n: [0] * n + list(range(LANES - n))),
)


@pytest.mark.cpu_only
@pytest.mark.parametrize("space", ["global", "shared", "one shared"])
@pytest.mark.parametrize(("op", "type_"), KINDS)
def test_conflicting_lanes_are_applied_in_lane_order(op, type_, space):
    """Old values and memory are as if lanes were applied in order, even where conflicting lanes are combined."""
    dtype = np.dtype(TYPES[type_])
    size, what = dtype.itemsize, space.split()[-1]
    address = {"global": "%rd11", "shared": "%r5", "one shared": "bins+8"}[space]
    with_old = f"atom.{what}.{op}.{type_} %v2, [{address}], %v1;"
    texts = [with_old]
    if op not in ("exch", "inc", "dec"):
        texts.append(f"red.{what}.{op}.{type_} [{address}], %v1;")
    form = {"size": size, "bits": 8 * size, "shared": int(what == "shared")}
    kernels = [compiled(COLLISIONS.format(instruction=text, **form)) for text in texts]
    numbers = st.integers(0, 9) if dtype.kind == "f" or op in ("inc", "dec") else st.integers(0, 2 ** (8 * size) - 1)
    vectors = st.lists(numbers, min_size=LANES, max_size=LANES)

    @settings(max_examples=12, derandomize=True, database=None)
    @given(slots=SLOTS, given_=vectors, before=vectors, threads=st.sampled_from([32, 32, 17, 1, 0]))
    def run(slots, given_, before, threads):
        if dtype.kind == "f":
            values, start = (np.array(each, dtype) * dtype.type(0.1) for each in (given_, before))
        else:
            values, start = (np.array(each, f"u{size}").view(dtype) for each in (given_, before))
        if space == "one shared":
            slots = [8 // size] * LANES
        for kernel, gives in zip(kernels, (True, False), strict=False):
            words, old = start.copy(), np.zeros(LANES, dtype)
            kernel(words, values, old, np.array(slots, np.uint32), np.uint32(threads), shared=256)
            expected, found = start.copy(), np.zeros(LANES, dtype)
            for lane in range(threads):
                found[lane] = expected[slots[lane]]
                expected[slots[lane]] = apply(RULES[op], dtype, expected[slots[lane]], values[lane])
            np.testing.assert_array_equal(words, expected)
            np.testing.assert_array_equal(old, found if gives else 0)

    run()
