# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""python -m cuda.cpu explain: what each pass found out about the kernel of the docs, and what is said of bad input."""

from __future__ import annotations

import pathlib
import re

import numpy as np
import pytest

pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")
pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from support.loaded import Loaded

from cuda.cpu import __main__ as command
from cuda.cpu.compile import explain
from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.parser import parse
from cuda.cpu.ptx.syntax import Call, Instruction

pytestmark = pytest.mark.cpu_only
FILE = pathlib.Path(__file__).parents[3] / "docs/design/block_sums.ptx"
PAGE = FILE.with_name("how_a_launch_runs.md")
TWO = """.version 8.5
.target sm_90
.address_size 64
.visible .entry first_one() { ret; }
.visible .entry second_one() { ret; }
"""


@pytest.fixture(scope="module")
def found():
    return explain.stages(FILE.read_bytes(), parts=explain.PARTS)


def of(found, name):
    return next(content for title, content in found.items() if f": {name}: " in title or title.startswith(name))


def test_passes_come_in_their_order(found):
    names = [title.split(": ")[1] for title in found if title.startswith("block_sums: ")]
    assert names == ["split_blocks", "order_blocks", "find_liveness", "find_spins", "analyse_uniformity", "find_affine",
                     "find_converged_only", "find_regions", "how it will run"]  # fmt: skip


def test_blocks_show_their_instructions(found):
    lines = of(found, "order_blocks")
    assert "       14  ld.param.u64 %rd1, [x]" in lines
    assert "block 4 (a barrier):" in lines
    assert "           if %p1: block 3, else block 1" in lines
    assert lines[-1] == "loop: blocks 4 to 7"


def test_shapes_of_registers(found):
    uniform, vectors, *rest = of(found, "analyse_uniformity")
    assert {"%rd1", "%r1", "%r9", "%p3"} <= set(uniform.split(": ")[1].split())
    assert {"%r2", "%p1", "%f1", "%f4"} <= set(vectors.split(": ")[1].split())
    assert "while block 1 runs, lanes may wait at blocks 3" in rest
    affine = of(found, "find_affine")
    assert "%r5 = base + 1 * lane" in affine
    assert "line 26: ld.global.f32 is a row of memory: one vector" in affine
    assert of(found, "find_spins") == ["no loop waits for other threads"]


def test_regions_ir_and_machine_code(found):
    """The branch around the load leads all warps to the loop's barrier: regions, not fibers."""
    assert of(found, "find_regions")[1] == "region 1: from the barrier in block 4, blocks 4, 5, 6, 7, 8, 9"
    assert "2 regions, each for all warps of a block in turn" in of(found, "block_sums: how it will run")[0]
    assert any(line.startswith("define ") and "block_sums" in line for line in of(found, "LLVM IR"))
    assert any(line.startswith("block_sums:") for line in of(found, "machine code at level 3"))


# What the page says around the output, and a line of the output that bears it out.
SAID = [
    ("the loop counter `%r9` is uniform", "analyse_uniformity", r"one value for all lanes:.* %r9 "),
    ("Whether a thread adds (`%p2`) is not uniform", "analyse_uniformity", r"a value for each lane:.* %p2 "),
    ("the lanes that do not execute block 6 wait at block 7", "analyse_uniformity", "while block 6 runs.* at blocks 7"),
    ("region 0 for all eight warps one after the other", "find_regions", "region 0: from the start"),
    ("then region 1 for all eight, and so on", "find_regions", "region 1: .* blocks 4, 5, 6, 7"),
    ("A register that is live across a barrier (`%r8` of each warp)", "find_liveness", "into block 4:.* %r8 "),
    ('Accesses "by lanes" are slow.', "block_sums: how it will run", "by lanes"),
    (
        "creates the listings with these commands: ```bash python -m cuda.cpu explain block_sums.ptx",
        "block_sums: how it will run",
        "kernel block_sums",
    ),
]


@pytest.mark.parametrize(("sentence", "stage", "line"), SAID)
def test_the_page_says_what_is_shown(found, sentence, stage, line):
    assert sentence in " ".join(PAGE.read_text().split())
    assert re.search(line, "\n".join(of(found, stage)))


def test_the_page_shows_block_6(found):
    """`around` of docs/reference_pages.py picks what is shown of the LLVM IR: the block with the first addition."""
    said = (
        "a load from `%r11` and one from `%r8`, each of several vector registers, one addition of 32 lanes, and a store"
    )
    assert said in " ".join(PAGE.read_text().split())
    lines = of(found, "LLVM IR")
    addition = next(number for number, line in enumerate(lines) if "fadd" in line)
    first = max(number for number in range(addition) if lines[number].endswith(":"))
    last = next(number for number in range(addition, len(lines)) if lines[number].endswith(":"))
    does = re.findall(r"masked\.load|fadd <32 x float>|(?:masked|some)\.store", "\n".join(lines[first:last]))
    *loads, addition, store = does
    assert set(loads) == {"masked.load"}
    assert len(loads) in (4, 8)  # of 64 or 32 bytes
    assert addition == "fadd <32 x float>"
    assert store in ("masked.store", "some.store")  # the latter on CPUs that have no quick one


@pytest.mark.parametrize("stage", ["split_blocks", "order_blocks"])
def test_the_page_cuts_between_blocks(found, stage):
    first, last = re.search(
        rf"explained_{stage}.txt\n:language: none\n:lines: (\d+)-(\d*)\n", PAGE.read_text()
    ).groups()
    for line in (of(found, stage)[int(first) - 1], *of(found, stage)[int(last or 1 << 20) :][:1]):
        assert line.startswith("block ")


@pytest.mark.parametrize("path", ["region", "fiber"])
def test_the_kernel_of_the_docs_adds_up(monkeypatch, path):
    monkeypatch.setenv("CUDA_CPU_PATH", path)
    x = np.arange(1000, dtype=np.float32)
    sums = np.zeros(4, np.float32)
    Loaded(FILE.read_bytes()).launch("block_sums", 4, 256, x, sums, np.uint32(1000))
    np.testing.assert_array_equal(sums, [x[i : i + 256].sum() for i in range(0, 1000, 256)])


def test_the_command_prints_it(capsys, tmp_path):
    assert command.main(["explain", str(FILE), "--part", "paths"]) == 0
    assert capsys.readouterr().out.startswith("## block_sums: how it will run\nkernel block_sums: 10 blocks")
    two = tmp_path / "two.ptx"
    two.write_text(TWO)
    assert command.main(["explain", str(two), "--kernel", "second"]) == 0
    assert "## second_one: split_blocks: Split a function's body into basic blocks." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name one kernel; there are: first_one, second_one"),
        (["--kernel", "third"], "no kernel 'third'; there are: first_one, second_one"),
        (["--kernel", "one"], "2 kernels with 'one' in their names; there are: first_one, second_one"),
    ],
)
def test_the_kernel_must_be_named(capsys, tmp_path, arguments, message):
    two = tmp_path / "two.ptx"
    two.write_text(TWO)
    assert command.main(["explain", str(two), *arguments]) == 2
    assert capsys.readouterr().err == f"python -m cuda.cpu explain: {message}\n"


def test_bad_files(capsys, tmp_path):
    assert command.main(["explain", str(tmp_path / "absent.ptx")]) == 2
    assert "absent.ptx" in capsys.readouterr().err
    with pytest.raises(PtxError):
        explain.explain(b".version 8.5\n.target sm_90\n.visible .entry k() { nonsense; }")


def test_instructions_are_written_as_in_ptx():
    lines = """@!%p1 st.global.v2.u32 [%rd1+8], {%r1, _};
setp.lt.and.s32 %p1|%p2, %r1, -3, !%p2;
add.f32 %f1, %f1, 0f3F800000;
mov.u32 %r1, table+4;
ld.param.b32 %r1, [one];
call (back), other, (one, two);
ret;""".splitlines()
    head = """.version 8.5
.target sm_90
.address_size 64
.global .b8 table[8];
.func (.param .b32 r) other(.param .b32 a, .param .b32 b);
.entry k() {
.reg .pred %p<3>; .reg .b32 %r<3>; .reg .b64 %rd<3>; .reg .f32 %f<2>;
.param .b32 one; .param .b32 two; .param .b32 back;
"""
    text = head + "\n".join(lines) + "}"
    body = parse(text).functions["k"].body
    written = [explain.text_of(item) for item in body if isinstance(item, Instruction | Call)]
    assert written == [line.rstrip(";") for line in lines]


def test_watching_ends_with_its_context(found):
    """What is compiled later tells nobody."""
    from cuda.cpu import passes

    seen = []
    with passes.watched(lambda function, graph: seen.append(function.__name__)):
        pass
    Loaded(TWO.encode()).launch("first_one", 1, 1)
    assert seen == []


ACCESS = """.version 8.5
.target sm_90
.address_size 64
.func (.reg .b32 %q) callee(.reg .b32 %x) {{ mov.b32 %q, %x; ret; }}
.visible .entry k(.param .u64 p) {{
    .reg .b64 %d<20>; .reg .b32 %r<20>; .reg .pred %p<3>;
    ld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; setp.lt.u32 %p1, %r1, 7;
{}
    mul.wide.u32 %d2, %r3, 4; add.s64 %d3, %d1, %d2;
    st.global.u32 [%d3], 1;
    ret;
}}
"""
CAUSES = [
    ("add.u32 %r3, %r1, %r2;", None),
    ("mul.lo.u32 %r3, %r1, 12;", "its addresses are 48 bytes apart"),
    ("ld.global.u32 %r4, [%d1]; add.u32 %r3, %r4, %r1;", None),
    ("ld.global.u32 %r3, [%d1]; add.u32 %r3, %r3, %r1;", "%r3 comes from ld.global.u32 at line 8"),
    ("xor.b32 %r3, %r1, %r2;", "%r3 comes from xor.b32 at line 8"),
    ("rem.u32 %r4, %r1, 5; add.u32 %r3, %r4, %r2;", "%r4 comes from rem.u32 at line 8"),
    ("mul.lo.u32 %r3, %r1, %r2;", "%r3 comes from mul.lo.u32 at line 8"),
    ("call (%r3), callee, (%r1);", "%r3 comes from the call at line 8"),
    ("mov.u32 %r3, %r1;\n@%p1 add.u32 %r3, %r3, %r1;", "%r3 comes from add.u32 at line 9"),
    (
        "setp.lt.u32 %p2, %r2, 3; @%p2 bra L;\nmov.u32 %r3, %r1; bra M;\nL: shl.b32 %r3, %r1, 1;\nM:",
        "lines 9 and 10 give %r3 by different rules",
    ),
    (
        "mov.u32 %r3, %r1;\nL: add.u32 %r3, %r3, 4; rem.u32 %r4, %r3, 7; setp.lt.u32 %p1, %r4, 3;\n@%p1 bra L;",
        "lanes may wait elsewhere for the old %r3 when line 9 changes it",
    ),
]


def _address(index: str, number: int) -> str:
    """Return statements that compute an address from a register."""
    return f"cvt.u64.u32 %d{number}, {index}; add.s64 %d{number + 1}, %d1, %d{number};"


APART = "goes lane by lane: its addresses are {} bytes apart"
UNKNOWN = "lane by lane: its addresses follow no rule that is known before the kernel runs"
EACH_52 = "mul.lo.u32 %r4, %r1, 52; " + _address("%r4", 4) + "\n"
LOAD = "ld.global.u32 %r5, [%d5];\n"
# Statements from line 8 on, and what is said of them.
TOGETHER = [
    (EACH_52 + LOAD * 2, ["lines 9 and 10: ld.global.u32 " + APART.format(52)]),
    (EACH_52 + LOAD * 3, ["lines 9, 10 and 11: ld.global.u32 " + APART.format(52)]),
    (EACH_52 + LOAD * 5, ["lines 9, 10, 11, 12 and 13: ld.global.u32 " + APART.format(52)]),
    (EACH_52 + LOAD + "st.global.u16 [%d5], 1; st.global.u32 [%d5+8], 1;",
     ["lines 9 and 10: ld.global.u32, st.global.u16 and st.global.u32 " + APART.format(52).replace("goes", "go")]),
    (EACH_52 + LOAD + "mul.lo.u32 %r6, %r1, 48; " + _address("%r6", 6) + "ld.global.u32 %r7, [%d7];",
     ["line 9: ld.global.u32 " + APART.format(52), "line 10: ld.global.u32 " + APART.format(48)]),
    ("xor.b32 %r4, %r1, %r2; " + _address("%r4", 4) + LOAD + "cvt.u64.u32 %d6, %r1; xor.b64 %d7, %d6, %d1;" + LOAD[:-7]
     + "[%d7];",
     [f"line 8: ld.global.u32 goes {UNKNOWN}: %r4 comes from xor.b32 at line 8",
      f"line 9: ld.global.u32 goes {UNKNOWN}: %d7 comes from xor.b64 at line 9"]),
    ("xor.b32 %r4, %r1, %r2; " + _address("%r4", 4) + LOAD
     + "".join(f"{_address(f'%r{number}', 2 * number)} ld.global.u32 %r{number + 1}, [%d{2 * number + 1}];\n"
               for number in range(5, 10)),
     [f"line 8: ld.global.u32 goes {UNKNOWN}: %r4 comes from xor.b32 at line 8",
      f"lines 9, 10, 11, 12 and 13: ld.global.u32 goes {UNKNOWN}: %r5 comes from ld.global.u32 at line 8, "
      "%r6 comes from ld.global.u32 at line 9, %r7 comes from ld.global.u32 at line 10 and 2 more"]),
]  # fmt: skip


@pytest.mark.parametrize(("body", "told"), TOGETHER)
def test_accesses_that_are_slow_for_one_reason_are_one_line(body, told):
    found = explain.explain(ACCESS.format(body + "\nmov.u32 %r3, %r1;").encode(), parts=("paths",))
    assert [line.strip() for line in found.splitlines() if "lane by lane" in line] == told


@pytest.mark.parametrize(("body", "cause"), CAUSES)
def test_an_access_by_lanes_says_what_its_address_comes_from(body, cause):
    found = explain.explain(ACCESS.format(body).encode(), parts=("paths",))
    where = "(?: in SIMD groups that have diverged)?: (?:.* known before the kernel runs: )?"
    told = re.findall(rf"st\.global\.u32 goes lane by lane{where}(.*)", found)
    assert told == ([cause] if cause else [])
