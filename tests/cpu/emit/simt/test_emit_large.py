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
from cuda.cpu.emit.simt import function_facts
from cuda.cpu.passes import analyse
from cuda.cpu.passes.graph import Block, Graph
from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.program import build
from cuda.cpu.runtime.kernel_abi import Path

# The package has functions of these names.
find_pending, find_regions, find_spins, order_blocks = (
    importlib.import_module(f"cuda.cpu.passes.{name}")
    for name in ("find_pending", "find_regions", "find_spins", "order_blocks")
)
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


def _bodies(count: int) -> tuple[str, Callable[[int, int], int]]:
    """Loops of several blocks, each of which is left in the middle."""

    def run(a: int, b: int) -> int:
        for i in range(count):
            turn = (a + i) % 4
            while True:
                b = (b * 3 + i) & M32
                if b % 7 == 0:
                    break
                b ^= a
                turn -= 1
                if turn <= 0:
                    break
        return b

    text = "\n".join(
        f"add.u32 %r4, %r2, {i}; and.b32 %r4, %r4, 3; L{i}: mad.lo.u32 %r3, %r3, 3, {i}; rem.u32 %r5, %r3, 7;"
        f"setp.eq.u32 %p1, %r5, 0; @%p1 bra E{i}; xor.b32 %r3, %r3, %r2; sub.u32 %r4, %r4, 1;"
        f"setp.gt.s32 %p1, %r4, 0; @%p1 bra L{i}; E{i}:"
        for i in range(count)
    )
    return text, run


def _continues(count: int) -> tuple[str, Callable[[int, int], int]]:
    """One loop with a back-edge in each of its parts."""

    def run(a: int, b: int) -> int:
        for _ in range(3):
            for i in range(count):
                b = (b * 3 + i) & M32
                if b % 97 == i % 90:
                    break
        return b

    parts = "\n".join(
        f"mad.lo.u32 %r3, %r3, 3, {i}; rem.u32 %r5, %r3, 97; setp.eq.u32 %p1, %r5, {i % 90}; @%p1 bra NEXT;"
        for i in range(count)
    )
    return (
        f"mov.u32 %r4, 4; NEXT: sub.u32 %r4, %r4, 1; setp.eq.u32 %p1, %r4, 0; @%p1 bra END; {parts} bra NEXT; END:",
        run,
    )


def _registers(count: int) -> tuple[str, Callable[[int, int], int]]:
    """Registers that are written once, as compilers number them, half of them affine and live to the end."""

    def run(a: int, b: int) -> int:
        for i in range(count):
            b = b if b > i << 20 else b * 3 + a & M32
        return (b + sum(a // 77 + i for i in range(count))) & M32

    declared = f".reg .pred %q<{count}>; .reg .b32 %s<{count}>; .reg .b32 %i<{count}>; div.u32 %r4, %r2, 77;"
    text = "\n".join(
        f"mov.u32 %r5, %tid.x; add.u32 %i{i}, %r5, {i}; setp.gt.u32 %q{i}, %r3, {i << 20}; @%q{i} bra A{i};"
        f"mad.lo.u32 %s{i}, %r3, 3, %r2; mov.u32 %r3, %s{i}; A{i}:"
        for i in range(count)
    )
    total = " ".join(f"add.u32 %r3, %r3, %i{i};" for i in range(count))
    return f"{declared}\n{text}\n{total}", run


def _barriers(count: int) -> tuple[str, Callable[[int, int], int]]:
    """Branches between barriers of the thread block."""

    def run(a: int, b: int) -> int:
        for i in range(count):
            b = b if b > i << 20 else b * 3 + a & M32
        return b

    text = "\n".join(
        f"setp.gt.u32 %p1, %r3, {i << 20}; @%p1 bra A{i}; mad.lo.u32 %r3, %r3, 3, %r2; A{i}:"
        + ("bar.sync 0;" if i % 10 == 0 else "")
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
    "bodies": _bodies,
    "continues": _continues,
    "registers": _registers,
    "barriers": _barriers,
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


def test_conditional_branches_count_as_several_instructions(monkeypatch: pytest.MonkeyPatch) -> None:
    """LLVM needs the time of five instructions for each: 20,000 branches take as long as 100,000."""
    program = build([HEAD + kernel(_skips(20)[0])])
    monkeypatch.setenv("CUDA_CPU_MOST_INSTRUCTIONS", "167")
    known = "have 88 instructions and labels, of which 20 are conditional branches, each counted as 5"
    with pytest.raises(PtxError, match=f"{known}; the CPU device compiles at most 167"):
        jit.kernel_text(program, "k")
    monkeypatch.setenv("CUDA_CPU_MOST_INSTRUCTIONS", "168")
    assert jit.kernel_text(program, "k").text
    monkeypatch.delenv("CUDA_CPU_MOST_INSTRUCTIONS")
    jit.check_size(build([HEAD + kernel(_skips(20_000)[0])]), "k")
    with pytest.raises(PtxError, match="240008 instructions and labels, of which 40000 are"):
        jit.check_size(build([HEAD + kernel(_bodies(20_000)[0])]), "k")


def _passes_work(text: str) -> int:
    """Return the number of function calls of the passes."""
    program, calls = build([HEAD + text]), 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        analyse(program.functions["k"])
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.parametrize("shape", SHAPES)
def test_work_of_the_passes_grows_linearly(shape: str) -> None:
    """In larger functions than whole kernels are emitted for above, where passes take a small part of the time."""
    small, large = (_passes_work(kernel(SHAPES[shape](count)[0], ADD)) for count in (100, 400))
    assert large <= 5 * small


@pytest.mark.parametrize("shape", ["skips", "diamonds", "loops", "bodies", "registers", "barriers"])
def test_sets_of_waiting_blocks_are_small(shape: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers with a bit for each block would make the analysis quadratic."""
    widest, before = 0, find_pending.exits_of

    def look(graph: Graph, block: Block, pending: int) -> list[tuple[int, int, int]]:
        nonlocal widest
        found = before(graph, block, pending)
        widest = max(widest, *(waiting.bit_length() for _, waiting, _ in found))
        return found

    monkeypatch.setattr(find_pending, "exits_of", look)
    analyse(build([HEAD + kernel(SHAPES[shape](200)[0], ADD)]).functions["k"])
    assert 0 < widest < 20


def test_registers_that_do_not_live_are_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each block's end looks at the affine registers that live there: at all of them would be quadratic."""
    looked, before = 0, function_facts.members

    def look(registers: int) -> list[int]:
        nonlocal looked
        found = before(registers)
        looked += len(found)
        return found

    monkeypatch.setattr(function_facts, "members", look)
    text, _ = _registers(50)
    jit.kernel_text(build([HEAD + kernel(text.partition(" add.u32 %r3, %r3, %i0;")[0])]), "k", quick=True)
    assert 0 < looked < 50 * 20


def test_loops_nested_too_deep_are_refused() -> None:
    """Their time is the product of blocks and depth; a thousand exceeded Python's limit of recursion."""

    def nest(count: int) -> str:
        down = "\n".join(f"L{i}:" + " add.u32 %r3, %r3, 1;" for i in range(count))
        up = "\n".join(f"setp.gt.u32 %p1, %r3, {i}; @%p1 bra L{i};" for i in reversed(range(count)))
        return HEAD + kernel(f"{down}\n{up}")

    assert len(analyse(build([nest(100)]).functions["k"]).loops) == 100
    with pytest.raises(PtxError, match="loops are nested more than 200 deep") as caught:
        analyse(build([nest(1200)]).functions["k"])
    assert caught.value.line


def test_a_loop_that_polls_with_many_back_edges_is_a_spin_loop_unseen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each back-edge is a loop that has to be examined, unless there are too many."""
    parts = "".join(f"setp.gt.u32 %p1, %r3, {i}; @%p1 bra L;" for i in range(20))
    text = HEAD + kernel(f"L: ld.volatile.global.u32 %r4, [%d3]; {parts}")
    assert not analyse(build([text]).functions["k"]).spins
    monkeypatch.setattr(find_spins, "MOST_STEPS", 100)
    assert len(analyse(build([text]).functions["k"]).spins) == 1
    assert not analyse(build([text.replace(".volatile", "")]).functions["k"]).spins


def test_barriers_among_too_many_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel then runs by fibers: its branches between barriers are not analysed, which takes quadratic time."""
    text, _ = _barriers(25)
    assert jit.kernel_text(build([HEAD + kernel(text)]), "k").path != Path.FIBERS
    monkeypatch.setattr(find_regions, "MOST_BLOCKS", 40)
    program = build([HEAD + kernel(text)])
    reason = find_regions.find_regions(analyse(program.functions["k"]))
    assert re.fullmatch("the kernel has [0-9]+ basic blocks, more than 40", reason)
    assert jit.kernel_text(program, "k").path == Path.FIBERS
