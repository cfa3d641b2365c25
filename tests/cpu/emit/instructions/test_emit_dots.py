# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""dp4a against Python's integers, by each of the ways in which it is emitted."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from support.warps import HEAD, LANES, compiled

from cuda.cpu.compile import identity, jit
from cuda.cpu.ptx.program import build

KINDS = list(itertools.product(("u32", "s32"), repeat=2))
CONSTANT = 0x80FF7F01  # of the last operands
OPERANDS = list(itertools.product(("%a", "%ua"), ("%b", "%ub", str(CONSTANT)), ("%c", "%uc")))
CASES = [(kinds, operands) for kinds in KINDS for operands in OPERANDS]
# Of each way the feature that it needs, whether the CPU is said to have VNNI, and the bytes of its vector registers.
WAYS = {
    "bytes": ("avx512_vnni", True, 64), "words": ("avx2", False, 32), "general": ("", False, 0),
}  # fmt: skip
CALLS = {"bytes": "vpdpbusd", "words": "pmadd.wd"}


def kernel(way: str) -> str:
    """Return a kernel with each case: of vectors and uniform numbers, in lanes with a flag; others keep c[lane].

    The way is a comment, so that `compiled` has a kernel for each.
    """
    lines = "".join(
        f"mov.b32 %d, %c; @%p dp4a.{kinds[0]}.{kinds[1]} %d, {', '.join(operands)};"
        f"st.global.u32 [%r8+{4 * LANES * number}], %d;\n"
        for number, (kinds, operands) in enumerate(CASES)
    )
    names = ("a", "b", "c", "f")
    loads = "".join(
        f"ld.param.u64 %r1, [{name}]; ld.global.u32 %u{name}, [%r1];"
        f"add.u64 %r1, %r1, %r5; ld.global.u32 %{name}, [%r1];\n"
        for name in names
    )
    return f"""{HEAD}// {way}
.visible .entry k({", ".join(f".param .u64 {name}" for name in (*names, "out"))})
{{
    .reg .pred %p; .reg .b32 %t, %d, %a, %b, %c, %f, %ua, %ub, %uc, %uf; .reg .b64 %r<9>;
    mov.u32 %t, %tid.x; mul.wide.u32 %r5, %t, 4; {loads} setp.ne.u32 %p, %f, 0;
    ld.param.u64 %r8, [out]; add.u64 %r8, %r8, %r5;
    {lines} ret;
}}
"""


def in_bytes(word: int, kind: str) -> list[int]:
    return [each - 256 * (kind == "s32" and each > 127) for each in word.to_bytes(4, "little")]


def expected(kinds: tuple[str, str], operands: tuple[str, str, str], columns: dict[str, list[int]], lane: int) -> int:
    def number(operand: str) -> int:
        if operand[0] != "%":
            return int(operand)
        return columns[operand[-1]][0 if operand[1] == "u" else lane]

    a, b, c = map(number, operands)
    if not columns["f"][lane]:
        return columns["c"][lane]
    products = zip(in_bytes(a, kinds[0]), in_bytes(b, kinds[1]), strict=True)
    return (c + sum(x * y for x, y in products)) % 2**32


EXTREMES = st.lists(st.sampled_from([0, 1, 127, 128, 129, 254, 255]), min_size=4, max_size=4).map(
    lambda each: int.from_bytes(bytes(each), "little")
)
WORDS = st.lists(EXTREMES | st.integers(0, 2**32 - 1), min_size=LANES, max_size=LANES)
SUMS = st.lists(
    st.sampled_from([0, 1, 2**31 - 1, 2**31, 2**32 - 1]) | st.integers(0, 2**32 - 1), min_size=LANES, max_size=LANES
)
FLAGS = st.just([1] * LANES) | st.lists(st.integers(0, 1), min_size=LANES, max_size=LANES)


@pytest.mark.parametrize("width", ["32", "16", "8", "4", "1"])
@pytest.mark.parametrize("way", WAYS)
@settings(
    max_examples=10,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(a=WORDS, b=WORDS, c=SUMS, f=FLAGS)
def test_results_are_those_of_integers(way, width, monkeypatch, a, b, c, f):
    needed, dots, size = WAYS[way]
    if needed and not identity.cpu_has(needed):
        pytest.skip(f"the CPU has no {needed}")
    monkeypatch.setenv("CUDA_CPU_WIDTH", width)
    monkeypatch.setattr(jit, "_has_dots", lambda: dots)
    monkeypatch.setattr(jit, "_vector_bytes", lambda: size)
    columns, out = {"a": a, "b": b, "c": c, "f": f}, np.zeros((len(CASES), LANES), np.uint32)
    compiled(kernel(way))(*(np.array(each, np.uint32) for each in columns.values()), out)
    for case, found in zip(CASES, out, strict=True):
        wanted = np.array([expected(*case, columns, lane) for lane in range(LANES)], np.uint32)
        np.testing.assert_array_equal(found, wanted, err_msg=str(case))


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize("way", WAYS)
def test_each_way_has_its_instructions(way, quick, monkeypatch):
    _, dots, size = WAYS[way]
    monkeypatch.setattr(jit, "_has_dots", lambda: dots)
    monkeypatch.setattr(jit, "_vector_bytes", lambda: size)
    program = build([kernel(way)])
    text = jit.kernel_text(program, "k", quick=quick).text
    assert [name for name, call in CALLS.items() if call in text] == [way] * (way != "general")
    assert not any(call in jit.kernel_text(program, "k", quick=quick, plain=True).text for call in CALLS.values())
