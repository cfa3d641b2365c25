# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Large kernels: compile work grows linearly, results are right, and kernels that are too large are rejected."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from support.warps import compiled

from cuda.cpu.compile import jit
from cuda.cpu.emit import Settings, emit_kernel, function
from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.program import build

order_blocks = importlib.import_module("cuda.cpu.passes.order_blocks")  # the package has a function of that name
pytestmark = pytest.mark.cpu_only
HEAD = ".version 9.0\n.target sm_90\n.address_size 64\n"
M32 = 0xFFFFFFFF


def kernel(body: str, functions: str = "") -> str:
    return f"""{functions}.visible .entry k(.param .u64 data) {{
    .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %d<4>;
    ld.param.u64 %d1, [data]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.s64 %d3, %d1, %d2;
    mul.lo.u32 %r2, %r1, 77; mov.u32 %r3, %r1;
    {body}
    st.global.u32 [%d3], %r3; ret; }}
"""


# Each shape: its PTX, and its result for %r2 (a) and %r3 (b) of one lane.
def _straight(count: int) -> tuple[str, Callable[[int, int], int]]:
    def run(a: int, b: int) -> int:
        for i in range(count):
            b = (b * 5 + i ^ a) & M32
        return b

    return "\n".join(f"mad.lo.u32 %r3, %r3, 5, {i}; xor.b32 %r3, %r3, %r2;" for i in range(count)), run


def _diamonds(count: int) -> tuple[str, Callable[[int, int], int]]:
    def run(a: int, b: int) -> int:
        for i in range(count):
            b = (b ^ i + 5 if b % 97 > i % 90 else b * 3 + a) & M32
        return b

    text = "\n".join(
        f"rem.u32 %r4, %r3, 97; setp.gt.u32 %p1, %r4, {i % 90}; @%p1 bra A{i}; mad.lo.u32 %r3, %r3, 3, %r2; bra B{i};"
        f"A{i}: xor.b32 %r3, %r3, {i + 5}; B{i}:"
        for i in range(count)
    )
    return text, run


def _skips(count: int) -> tuple[str, Callable[[int, int], int]]:
    def run(a: int, b: int) -> int:
        for i in range(count):
            b = b if b > i << 20 else b * 3 + a & M32
        return b

    text = "\n".join(
        f"setp.gt.u32 %p1, %r3, {i << 20}; @%p1 bra A{i}; mad.lo.u32 %r3, %r3, 3, %r2; A{i}:" for i in range(count)
    )
    return text, run


def _nested(count: int) -> tuple[str, Callable[[int, int], int]]:
    def run(a: int, b: int) -> int:
        depth = min(count, a * count // 2500 + 1)
        for i in range(depth):
            b = (b * 3 + i) & M32
        for i in reversed(range(depth)):
            b = (b ^ i * 7) + a & M32
        return b

    down = "\n".join(
        f"mad.lo.u32 %r3, %r3, 3, {i}; setp.le.u32 %p1, %r4, {i + 1}; @%p1 bra A{i};" for i in range(count)
    )
    up = "\n".join(f"A{i}: xor.b32 %r3, %r3, {i * 7}; add.u32 %r3, %r3, %r2;" for i in reversed(range(count)))
    start = f"mul.lo.u32 %r4, %r2, {count}; div.u32 %r4, %r4, 2500; add.u32 %r4, %r4, 1;"
    return f"{start}\n{down}\n{up}", run


def _loops(count: int) -> tuple[str, Callable[[int, int], int]]:
    def run(a: int, b: int) -> int:
        for i in range(count):
            for _ in range(max(1, (a + i) % 4)):
                b = (b * 3 + i) & M32
        return b

    text = "\n".join(
        f"add.u32 %r4, %r2, {i}; and.b32 %r4, %r4, 3; L{i}: mad.lo.u32 %r3, %r3, 3, {i}; sub.u32 %r4, %r4, 1;"
        f"setp.gt.s32 %p1, %r4, 0; @%p1 bra L{i};"
        for i in range(count)
    )
    return text, run


def _switch(count: int) -> tuple[str, Callable[[int, int], int]]:
    names = ", ".join(f"C{i}" for i in range(count))
    arms = "\n".join(f"C{i}: mad.lo.u32 %r3, %r3, {2 * i + 1}, %r2; bra END;" for i in range(count))
    text = f"rem.u32 %r4, %r2, {count}; table: .branchtargets {names}; brx.idx %r4, table;\n{arms}\nEND:"
    return text, lambda a, b: (b * (2 * (a % count) + 1) + a) & M32


def _calls(count: int) -> tuple[str, Callable[[int, int], int]]:
    def run(a: int, b: int) -> int:
        for i in range(count):
            b = (b + a * i) & M32
        return b

    text = "\n".join(
        f"{{ .param .b32 a; .param .b32 b; .param .b32 o; mul.lo.u32 %r4, %r2, {i}; st.param.b32 [a], %r3;"
        "st.param.b32 [b], %r4; call.uni (o), f, (a, b); ld.param.b32 %r3, [o]; }"
        for i in range(count)
    )
    return text, run


ADD = """.func (.param .b32 o) f(.param .b32 a, .param .b32 b) {
    .reg .b32 %r<4>; ld.param.b32 %r1, [a]; ld.param.b32 %r2, [b]; add.u32 %r3, %r1, %r2; st.param.b32 [o], %r3; ret;
}
"""
SHAPES = {
    "straight": _straight,
    "diamonds": _diamonds,
    "skips": _skips,
    "nested": _nested,
    "loops": _loops,
    "switch": _switch,
    "calls": _calls,
}


@pytest.mark.parametrize("shape", SHAPES)
def test_results_beyond_the_size_limits(shape: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Above the sizes at which basic blocks are split, tests of waiting blocks shared, and variables kept in memory."""
    monkeypatch.setattr(function, "LONGEST", 20)
    monkeypatch.setattr(function, "MOST_WAITING", 50)
    monkeypatch.setattr(jit, "MOST_VARIABLES", 10)
    text, run = SHAPES[shape](25)
    data = np.zeros(32, np.uint32)
    compiled(kernel(text, ADD))(data)
    assert data.tolist() == [run(lane * 77, lane) for lane in range(32)]


def _work(text: str) -> tuple[int, int]:
    """Return the number of function calls to translate a kernel, and the length of its LLVM IR."""
    calls = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        found = emit_kernel(build([HEAD + text]), "k", Settings(native_gather=True, quick=True)).text
    finally:
        sys.setprofile(None)
    return calls, len(found)


@pytest.mark.parametrize("shape", SHAPES)
def test_compile_work_grows_linearly(shape: str) -> None:
    """Four times the size may take five times the work; quadratic growth would take sixteen times."""
    small, large = (_work(kernel(SHAPES[shape](count)[0], ADD)) for count in (25, 100))
    assert large[1] <= 5 * small[1], "LLVM IR"
    assert large[0] <= 5 * small[0], "calls"


def test_strong_components_are_taken_from_the_top_of_the_stack() -> None:
    """A chain of blocks makes a deep stack, of which each strong component is the top block."""

    class Stack(list):
        looked_at = 0

        def __getitem__(self, at):
            Stack.looked_at += 1
            return super().__getitem__(at)

        def index(self, node, *rest):
            raise AssertionError("searches the whole stack")

    stack = Stack(range(1000))
    assert [order_blocks._pop_until(stack, node) for node in range(999, -1, -1)] == [[n] for n in range(999, -1, -1)]
    assert Stack.looked_at <= 3000
    assert order_blocks._pop_until([1, 2, 3, 4], 2) == [2, 3, 4]


def test_long_blocks_are_split() -> None:
    text = emit_kernel(
        build([HEAD + kernel(_straight(function.LONGEST)[0])]), "k", Settings(native_gather=True, quick=True)
    ).text
    blocks = [len(block) for block in re.split(r"^\S+:\n", text, flags=re.MULTILINE)]
    assert max(blocks) < len(text) / 2
    assert b"ELF" in jit.assemble(text, jit.QUICK)[:4]


def test_too_large_kernels_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    program = build([HEAD + kernel(_straight(50)[0])])
    monkeypatch.setenv("CUDA_CPU_MOST_INSTRUCTIONS", "100")
    known = "kernel k and the functions that it calls have 108 instructions and labels"
    limit = "the CPU device compiles at most 100, or as many as CUDA_CPU_MOST_INSTRUCTIONS allows"
    with pytest.raises(PtxError, match=f"{known}; {limit}"):
        jit.kernel_text(program, "k")
    monkeypatch.setenv("CUDA_CPU_MOST_INSTRUCTIONS", "108")
    assert jit.kernel_text(program, "k").text
    monkeypatch.delenv("CUDA_CPU_MOST_INSTRUCTIONS")
    assert jit.most_instructions() == 200_000
