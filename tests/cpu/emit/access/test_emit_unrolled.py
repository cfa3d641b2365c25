# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Gathers and scatters by any addresses, with and without instructions for them.

Without, lanes are accessed one after the other, in straight code where nearly all run. A few lanes are always stored
one after the other.
"""

from __future__ import annotations

import numpy as np
import pytest
from support.loaded import Loaded
from support.warps import HEAD

from cuda.cpu.compile import jit
from cuda.cpu.emit import Settings, emit_kernel
from cuda.cpu.ptx.program import build
from cuda.cpu.runtime.kernel_abi import FULL_RUN

# Lanes whose flag is set copy an element from and to an index; the loop keeps the branch from being a short one.
COPY = """
.visible .entry k(.param .u64 in, .param .u64 out, .param .u64 sources, .param .u64 targets, .param .u64 flags)
{{
    .reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<9>; .reg .b64 %d<12>;
    ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; ld.param.u64 %d3, [sources]; ld.param.u64 %d4, [targets];
    ld.param.u64 %d5, [flags]; mov.u32 %r1, %tid.x; mul.wide.u32 %d6, %r1, 8;
    add.u64 %d3, %d3, %d6; add.u64 %d4, %d4, %d6; add.u64 %d5, %d5, %d6;
    ld.global.u64 %d7, [%d3]; ld.global.u64 %d8, [%d4]; ld.global.u64 %d9, [%d5];
    mul.lo.u64 %d7, %d7, {size}; add.u64 %d7, %d7, %d1; mul.lo.u64 %d8, %d8, {size}; add.u64 %d8, %d8, %d2;
    setp.eq.u64 %p1, %d9, 0; mov.u32 %r5, 0;
    @%p1 bra END;
AGAIN:
    ld.global.u{bits} {value}, [%d7]; add.u{least} {value}, {value}, 1; st.global.u{bits} [%d8], {value};
    add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 2;
    @%p2 bra AGAIN;
END:
    ret;
}}
"""
COUNT = 64
LANES = np.arange(COUNT)


def text_of(size: int) -> str:
    value = {1: "%h1", 2: "%h1", 4: "%r8", 8: "%d11"}[size]
    return HEAD + COPY.format(size=size, bits=8 * size, value=value, least=max(16, 8 * size))


def swapped(warp: np.ndarray) -> np.ndarray:
    """Swap two lanes between the first and the last one, which stay as far apart as contiguous ones."""
    found = warp.copy()
    found[[5, 9, 37, 38]] = found[[9, 5, 38, 37]]
    return found


INDICES = {
    "contiguous": LANES,
    "permuted": np.random.default_rng(1).permutation(COUNT),
    "ends contiguous": swapped(LANES),
    "backwards": LANES[::-1],
    "some equal": LANES // 3 * 2,
    "all equal": np.full(COUNT, 7),
}
FLAGS = {
    "all": LANES >= 0,
    "none": LANES < 0,
    "one": LANES % 32 == 13,
    "one warp": LANES >= 32,
    "random": np.random.default_rng(2).integers(0, 2, COUNT) > 0,
    "all but two": (LANES % 32 != 0) & (LANES % 32 != 20),
    "last": LANES % 32 == 31,
    "as many as take the loop": (LANES % 32 != 5) & (LANES % 32 < 20),
    "as many as take straight code": (LANES % 16 > 1) & (LANES % 32 % 16 < 12),
    "three of sixteen": LANES % 16 % 6 == 2,
}


@pytest.fixture(autouse=True, params=[False, True], ids=["without gathers", "with gathers"])
def _with_or_without_gathers(monkeypatch, request, like_hot_kernels):
    if request.param and not jit._has_gathers():
        pytest.skip("the CPU has no AVX-512")
    monkeypatch.setattr(jit, "_has_gathers", lambda: request.param)


@pytest.mark.parametrize("width", ["32", "16"])
@pytest.mark.parametrize("size", [1, 2, 4, 8])
def test_elements_of_lanes_that_run_are_copied(monkeypatch, size, width, on_gpu):
    monkeypatch.setenv("CUDA_CPU_WIDTH", width)
    loaded = Loaded(text_of(size).encode(), FULL_RUN)
    values = np.random.default_rng(3).integers(0, 200, COUNT).astype(f"u{size}")
    for names in [(a, b, c) for a in INDICES for b in INDICES for c in FLAGS]:
        sources, targets, flags = INDICES[names[0]], INDICES[names[1]], FLAGS[names[2]]
        if on_gpu and len(np.unique(targets[flags])) < flags.sum():
            continue  # CUDA leaves open which lane's store is the last one
        found, expected = np.zeros(COUNT, f"u{size}"), np.zeros(COUNT, f"u{size}")
        for lane in LANES[flags]:  # the last lane of a warp wins; warps run in order
            expected[targets[lane]] = values[sources[lane]] + 1
        given = [np.ascontiguousarray(each, np.int64) for each in (sources, targets, flags)]
        loaded.launch("k", (1, 1, 1), (COUNT, 1, 1), values, found, *given)
        np.testing.assert_array_equal(found, expected, err_msg=str(names))


@pytest.mark.parametrize("width", ["32", "16"])
@pytest.mark.parametrize("size", [1, 2, 4, 8])
def test_lanes_that_do_not_run_access_nothing(monkeypatch, size, width):
    monkeypatch.setenv("CUDA_CPU_WIDTH", width)
    loaded, random = Loaded(text_of(size).encode(), FULL_RUN), np.random.default_rng(4)
    values = random.integers(0, 200, COUNT).astype(f"u{size}")
    for share in np.linspace(0, 1, 60):
        flags = random.random(COUNT) < share
        sources, targets = (np.where(flags, random.permutation(COUNT), 1 << 40) for _ in range(2))
        found, expected = np.zeros(COUNT, f"u{size}"), np.zeros(COUNT, f"u{size}")
        expected[targets[flags]] = values[sources[flags]] + 1
        loaded.launch("k", (1, 1, 1), (COUNT, 1, 1), values, found, sources, targets, flags.astype(np.int64))
        np.testing.assert_array_equal(found, expected, err_msg=str(flags))


# As COPY, with the same value for all lanes: its source is a parameter.
FILL = COPY.replace("[%d7]", "[%d1]")


@pytest.mark.parametrize("width", ["32", "16"])
@pytest.mark.parametrize("size", [1, 2, 4, 8])
def test_lanes_that_run_store_the_same_value(monkeypatch, size, width):
    monkeypatch.setenv("CUDA_CPU_WIDTH", width)
    value = {1: "%h1", 2: "%h1", 4: "%r8", 8: "%d11"}[size]
    text = HEAD + FILL.format(size=size, bits=8 * size, value=value, least=max(16, 8 * size))
    loaded, values = Loaded(text.encode(), FULL_RUN), np.array([41], f"u{size}")
    scattered = np.random.default_rng(6).permutation(3 * COUNT)[:COUNT]
    for targets in [*INDICES.values(), 3 * LANES, scattered]:
        for name, flags in FLAGS.items():
            found, expected = np.zeros(3 * COUNT, f"u{size}"), np.zeros(3 * COUNT, f"u{size}")
            expected[targets[flags]] = 42
            given = [np.ascontiguousarray(each, np.int64) for each in (LANES, targets, flags)]
            loaded.launch("k", (1, 1, 1), (COUNT, 1, 1), values, found, *given)
            np.testing.assert_array_equal(found, expected, err_msg=name)


@pytest.mark.parametrize("size", [1, 2])
def test_one_value_for_all_lanes_is_not_taken_out_of_a_vector(size):
    text = HEAD + FILL.format(size=size, bits=8 * size, value="%h1", least=16)
    emitted = emit_kernel(build([text]), "k", Settings(vector_bytes=64, native_gather=True)).text
    helper = emitted.partition(f"define internal void @scatter.i{8 * size}.same(i{8 * size} %one, ")[2]
    straight = helper.partition("\nstraight:")[2].partition("\n}")[0]
    assert straight.count(f"store i{8 * size} %one") == 32
    assert "load" not in straight


# As COPY in shared memory, 64 bytes after each of two arrays, of which all threads then store all bytes.
SHARED = """
.visible .entry k(.param .u64 in, .param .u64 out, .param .u64 sources, .param .u64 targets, .param .u64 flags)
{{
    .reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<16>; .reg .b64 %d<12>; .shared .align 4 .b8 a[256], b[256];
    ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; ld.param.u64 %d3, [sources]; ld.param.u64 %d4, [targets];
    ld.param.u64 %d5, [flags]; mov.u32 %r1, %tid.x; mul.wide.u32 %d6, %r1, 8; mul.wide.u32 %d7, %r1, {size};
    add.u64 %d3, %d3, %d6; add.u64 %d4, %d4, %d6; add.u64 %d5, %d5, %d6;
    ld.global.u32 %r3, [%d3]; ld.global.u32 %r4, [%d4]; ld.global.u64 %d9, [%d5];
    add.u64 %d8, %d1, %d7; ld.global.u{bits} %h1, [%d8]; add.u64 %d8, %d2, %d7; mov.u16 %h2, 0;
    mov.u32 %r6, a; mov.u32 %r7, b; mul.lo.u32 %r2, %r1, {size}; add.u32 %r8, %r6, %r2; add.u32 %r9, %r7, %r2;
    st.shared.u{bits} [%r8+64], %h1; st.shared.u{bits} [%r9+64], %h2; bar.sync 0;
    mad.lo.u32 %r10, %r3, {size}, %r6; mad.lo.u32 %r11, %r4, {size}, %r7;
    setp.eq.u64 %p1, %d9, 0; mov.u32 %r5, 0;
    @%p1 bra END;
AGAIN:
    ld.shared.u{bits} %h3, [%r10+64]; add.u16 %h3, %h3, 1; st.shared.u{bits} [%r11+64], %h3;
    add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 2;
    @%p2 bra AGAIN;
END:
    bar.sync 0; ld.shared.u{bits} %h1, [%r9+64]; st.global.u{bits} [%d8], %h1;
    ret;
}}
"""


SPREAD = INDICES | {"two apart": LANES % 32 * 2 + LANES // 32, "four apart": LANES % 16 * 4 + LANES // 16}


def shared_text(size: int) -> str:
    return HEAD + SHARED.format(size=size, bits=8 * size)


@pytest.mark.parametrize("width", ["32", "16"])
@pytest.mark.parametrize("size", [1, 2])
def test_elements_of_shared_memory_are_copied(monkeypatch, size, width, on_gpu):
    monkeypatch.setenv("CUDA_CPU_WIDTH", width)
    loaded = Loaded(shared_text(size).encode(), FULL_RUN)
    values = np.random.default_rng(8).integers(0, 1 << (8 * size), COUNT).astype(f"u{size}")
    for names in [(a, b, c) for a in SPREAD for b in SPREAD for c in FLAGS]:
        sources, targets, flags = SPREAD[names[0]], SPREAD[names[1]], FLAGS[names[2]]
        if on_gpu and len(np.unique(targets[flags])) < flags.sum():
            continue  # CUDA leaves open which lane's store is the last one
        found, expected = np.full(COUNT, 77, f"u{size}"), np.zeros(COUNT, f"u{size}")
        expected[targets[flags]] = values[sources[flags]] + 1  # the last lane wins
        given = [np.ascontiguousarray(each, np.int64) for each in (sources, targets, flags)]
        loaded.launch("k", (1, 1, 1), (COUNT, 1, 1), values, found, *given)
        np.testing.assert_array_equal(found, expected, err_msg=str(names))


@pytest.mark.parametrize("size", [1, 2])
def test_one_value_for_all_lanes_is_stored_to_shared_memory(size):
    loaded = Loaded(shared_text(size).replace(", %h3;", ", 42;").encode(), FULL_RUN)
    for targets in INDICES.values():
        found, expected = np.full(COUNT, 77, f"u{size}"), np.zeros(COUNT, f"u{size}")
        expected[targets] = 42
        given = [np.ascontiguousarray(each, np.int64) for each in (LANES, targets, FLAGS["all"])]
        loaded.launch("k", (1, 1, 1), (COUNT, 1, 1), found.copy(), found, *given)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("vector_bytes", "gathers", "straight"), [(32, False, True), (0, False, False), (64, True, True)]
)
@pytest.mark.parametrize("size", [1, 2])
def test_elements_of_shared_memory_are_accessed_by_offsets(size, vector_bytes, gathers, straight):
    settings = Settings(vector_bytes=vector_bytes, native_gather=gathers)
    text = emit_kernel(build([shared_text(size)]), "k", settings).text
    for opcode in ("load", "store"):
        helper = f"@lanes.{'gather' if opcode == 'load' else 'scatter'}.i{8 * size}."
        assert (helper in text) is straight
        body = text.partition(f" {helper}")[2].partition("\n}")[0]
        assert body.count(f"{opcode} i{8 * size}") == 32 * straight
        assert body.count("extractelement <16 x i64> %v1.w") == 16 * straight
    assert text.count("\ncontiguous") == 2 * straight
    assert f"@gather.i{8 * size}" in text  # where not all lanes run


LONG = (
    HEAD
    + """
.visible .entry k(.param .u64 in, .param .u64 out, .param .u64 numbers)
{
    .reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %d<12>; .reg .b128 %q<3>;
    ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; ld.param.u64 %d3, [numbers]; mov.u32 %r1, %tid.x;
    mul.wide.u32 %d4, %r1, 8; add.u64 %d3, %d3, %d4; ld.global.u64 %d5, [%d3]; setp.lt.s64 %p1, %d5, 0; mov.u32 %r5, 0;
    @%p1 bra END;
AGAIN:
    shl.b64 %d6, %d5, 4; add.u64 %d7, %d1, %d6; ld.global.b128 %q1, [%d7]; add.u64 %d8, %d2, %d6;
    st.global.b128 [%d8], %q1;
    add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 2;
    @%p2 bra AGAIN;
END:
    ret;
}
"""
)


@pytest.mark.parametrize("share", [0.2, 0.8, 1])
def test_elements_of_128_bits_are_copied(share):
    loaded, random = Loaded(LONG.encode(), FULL_RUN), np.random.default_rng(5)
    numbers = np.where(random.random(COUNT) < share, random.permutation(COUNT), -1)
    values, found = random.integers(0, 1 << 62, (COUNT, 2)), np.zeros((COUNT, 2), np.int64)
    loaded.launch("k", (1, 1, 1), (COUNT, 1, 1), values, found, numbers)
    expected = np.zeros_like(found)
    expected[numbers[numbers >= 0]] = values[numbers[numbers >= 0]]
    np.testing.assert_array_equal(found, expected)


# Bytes of vectors, whether there are gathers, and the sizes of elements that the CPU has no scatters of.
@pytest.mark.parametrize(
    ("vector_bytes", "gathers", "sizes"), [(32, False, (1, 2, 4, 8)), (0, False, ()), (64, True, (1, 2))]
)
def test_straight_code_is_for_elements_without_scatters(vector_bytes, gathers, sizes):
    settings = Settings(vector_bytes=vector_bytes, native_gather=gathers)
    texts = {size: emit_kernel(build([text_of(size)]), "k", settings).text for size in (1, 2, 4, 8)}
    assert [size for size, text in texts.items() if "straight:" in text] == list(sizes)
