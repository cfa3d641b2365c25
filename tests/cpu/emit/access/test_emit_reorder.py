# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Loads and stores of adjacent words that alternate: they are reordered, and merged, where no lane notices.

The results are those of a warp in lockstep, also where lanes load each other's words.
"""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from support.warps import HEAD, compiled

from cuda.cpu.compile import jit
from cuda.cpu.ptx.program import build

pytestmark = pytest.mark.cpu_only
LANES = 32
ROW = 24  # words of a lane, in memory one row after the other
FREE = 64  # words behind the rows
SIZE = LANES * ROW + FREE
# Each lane that runs has a row, and loads from that of a neighbour, too; `top` are words of any row or of none. %r4 is
# computed of all that is loaded.
KERNEL = """
.visible .entry k(.param .u64 memory, .param .u64 runs, .param .u64 out, .param .u32 top)
{
    .shared .align 16 .b8 tile[$bytes]; .reg .b32 %r<16>; .reg .b64 %d<12>; .reg .pred %p<2>;
    ld.param.u64 %d1, [memory]; ld.param.u64 %d2, [runs]; ld.param.u64 %d3, [out]; ld.param.u32 %r2, [top];
    mov.u32 %r1, %tid.x; mul.wide.u32 %d4, %r1, 4; add.u64 %d2, %d2, %d4; add.u64 %d3, %d3, %d4;
    mul.wide.u32 %d5, %r1, $row; add.u64 %d6, %d1, %d5; mul.wide.u32 %d7, %r2, 4; add.u64 %d8, %d1, %d7;
    mov.u32 %r5, tile; mul.lo.u32 %r6, %r1, $row; add.u32 %r7, %r5, %r6; shl.b32 %r8, %r2, 2; add.u32 %r9, %r5, %r8;
    xor.b32 %r12, %r1, 1; mul.wide.u32 %d10, %r12, $row; add.u64 %d10, %d1, %d10; mad.lo.u32 %r12, %r12, $row, %r5;
    ld.global.u32 %r3, [%d2]; mov.u32 %r4, %r1; setp.eq.u32 %p1, %r3, 0;
    $before @%p1 bra END;
    $body
END:
    $after st.global.u32 [%d3], %r4;
    ret;
}
"""
IN_ROW = "ld.global.u32 %r10, [%d6+{n}]; st.volatile.shared.u32 [%r7+{n}], %r10;"
BEHIND = "ld.global.u32 %r10, [%d1+{n}]; st.volatile.shared.u32 [%r5+{n}], %r10;"
BACK = "ld.volatile.shared.u32 %r10, [%r11+{n}]; st.global.u32 [%d6+{n}], %r10;"
LOADED = " mad.lo.u32 %r4, %r4, 3, %r10;"
# Instructions by their names; $s the space, $row, $other and $top the addresses, {n} an offset in bytes.
STEPS = {
    "load": "ld$s.u32 %r10, [$row+{n}];" + LOADED,
    "top": "ld$s.u32 %r10, [$top+{n}];" + LOADED,
    "other": "ld$s.u32 %r10, [$other+{n}];" + LOADED,
    "store": "st$s.u32 [$row+{n}], %r4;",
    "store top": "st$s.u32 [$top+{n}], %r4;",
    "store byte": "st$s.u8 [$row+{n}], %r4;",
    "store two": "st$s.v2.u32 [$row+{n}], {{%r4, %r1}};",
    "volatile load": "ld.volatile$s.u32 %r10, [$row+{n}];" + LOADED,
    "volatile store": "st.volatile$s.u32 [$row+{n}], %r4;",
    "advance": "add.u$b $row, $row, 8;",
    "advance top": "add.u$b $top, $top, 8;",
    "elsewhere": "st.local.u32 [own+{n}], %r4;",
}
SPACES = {
    "global": (".global", "%d6", "%d10", "%d8", "64"),
    "shared": (".shared", "%r7", "%r12", "%r9", "32"),
    "generic": ("", "%d6", "%d10", "%d8", "64"),
}
Step = tuple[str, int]


def text_of(space: str, steps: list[Step]) -> str:
    """Return a kernel that executes some steps; rows in shared memory are copied there and back."""
    suffix, row, other, top, bits = SPACES[space]
    before, after = ".local .align 8 .b8 own[64]; mov.b64 %d9, %d6;", "mov.b64 %d6, %d9;"
    if space == "shared":
        words, rest = range(0, 4 * ROW, 4), range(4 * LANES * ROW, 4 * SIZE, 4)
        lines = [IN_ROW.format(n=n) for n in words] + [BEHIND.format(n=n) for n in rest]
        before = f"{before} {' '.join(lines)} mov.u32 %r11, %r7; bar.warp.sync -1;"
        after = f"{after} bar.warp.sync -1; {' '.join(BACK.format(n=n) for n in words)}"
    body = " ".join(STEPS[name].format(n=4 * word) for name, word in steps)
    for name, value in {"$s": suffix, "$row": row, "$other": other, "$top": top, "$b": bits}.items():
        body = body.replace(name, value)
    text = KERNEL.replace("$before", before).replace("$after", after).replace("$body", body)
    return text.replace("$bytes", str(4 * SIZE)).replace("$row", str(4 * ROW))


def expected_of(steps: list[Step], memory: np.ndarray, runs: np.ndarray, top: int, width: int) -> np.ndarray:
    """Execute each step for all lanes of a SIMD group, change the memory, and return what lanes have computed."""
    result = np.arange(LANES, dtype=np.uint32)
    for first in range(0, LANES, width):
        lanes = first + np.flatnonzero(runs[first : first + width])
        if lanes.size:
            execute(steps, memory, lanes, result, top)
    return result


def execute(steps: list[Step], memory: np.ndarray, lanes: np.ndarray, result: np.ndarray, top: int) -> None:
    row, small = ROW * lanes, memory.view(np.uint8)
    for name, word in steps:
        if name in ("load", "volatile load", "top", "other"):
            start = {"top": top, "other": ROW * (lanes ^ 1)}.get(name, row)
            result[lanes] = result[lanes] * np.uint32(3) + memory[start + word]
        elif name in ("store", "volatile store", "store two"):
            memory[row + word] = result[lanes]
            if name == "store two":
                memory[row + word + 1] = lanes
        elif name == "store top":
            memory[top + word] = result[lanes[-1]]
        elif name == "store byte":
            small[4 * (row + word)] = result[lanes]
        elif name == "advance":
            row = row + 2
        elif name == "advance top":
            top += 2


def check(space: str, steps: list[Step], random: Random, width: int = LANES, times: int = 12) -> None:
    kernel = compiled(text_of(space, steps))
    for turn in range(times):
        # In no row, in the row of a lane that runs, and in any.
        top = [LANES * ROW, ROW * 3 + random.randrange(-3, 4), random.randrange(LANES * ROW - 16)][turn % 3]
        runs = np.array([lane == 3 or turn < 3 or random.random() < 0.6 for lane in range(LANES)], np.uint32)
        memory = np.random.default_rng(turn).integers(0, 2**32, SIZE, dtype=np.uint32)
        wanted, out = memory.copy(), np.zeros(LANES, np.uint32)
        result = expected_of(steps, wanted, runs, top, width)
        kernel(memory, runs, out, np.uint32(top))
        np.testing.assert_array_equal(out, result)
        differ = memory != wanted
        if space == "shared":
            differ[LANES * ROW :] = False  # not copied back
        np.testing.assert_array_equal(np.flatnonzero(differ), [])


def update(words: list[int], *, top: bool = False) -> list[Step]:
    """Return loads and stores of words in turns, as of `row[n] += x * top[n]`."""
    return [step for n in words for step in [("top", n)] * top + [("load", n), ("store", n)]]


# Steps, and how many merged loads and stores of four words or two are expected, of copies for lanes that are not
# consecutive.
CASES: dict[str, tuple[list[Step], dict[str, bool]]] = {
    "four": (update([0, 1, 2, 3]), {"load 4": True, "store 4": True}),
    "four backwards": (update([3, 2, 1, 0]), {"load 4": True, "store 4": True}),
    "four with top": (update([0, 1, 2, 3], top=True), {"load 4": True, "store 4": True}),
    "six": (update([4, 5, 6, 7, 8, 9], top=True), {"load 4": True, "store 4": True, "load 2": True, "store 2": True}),
    "two": (update([5, 4]), {"load 2": True, "store 2": True, "store 4": False}),
    "two apart": (update([4, 6]), {"load 2": False, "store 2": False}),
    "two groups at once": (update([0, 8, 1, 9, 2, 10, 3, 11]), {"load 4": True, "store 4": True}),
    "other stores between": (
        [("store", 0), ("elsewhere", 2), ("store", 1), ("store byte", 9), ("store", 2), ("store two", 6), ("store", 3)],
        {"store 4": True},
    ),
    "the same word twice": ([("store", 0), ("load", 1), ("store", 0), ("load", 2), ("store", 1)], {"store 2": True}),
    "what was stored is loaded": ([("store", 0), ("load", 0), ("store", 1), ("load", 1)], {"store 2": False}),
    "a byte of it": ([("load", 0), ("store byte", 1), ("load", 1), ("store byte", 2), ("load", 2)], {"load 2": False}),
    "both words of two": ([("load", 0), ("store two", 0), ("load", 1), ("load", 2)], {"load 2": True}),
    "loads behind the last store": (
        [("store", 3), ("load", 4), ("store", 2), ("load", 3), ("top", 0), ("top", 1)],
        {"load 2": False, "store 2": True},
    ),
    "volatile": (
        [("load", 0), ("volatile store", 5), ("load", 1), ("store", 1), ("volatile load", 5), ("store", 0)],
        {"load 2": False, "store 2": False},
    ),
    "the address changes": (
        [("load", 0), ("store", 0), ("advance", 0), ("load", 1), ("store", 1)],
        {"load 2": False, "store 2": False},
    ),
    "the other address changes": (
        [("store", 0), ("top", 1), ("advance top", 0), ("top", 0), ("store", 1)],
        {"store 2": False},
    ),
    "loads in no order": (
        [("store", 0), ("top", 3), ("store", 1), ("top", 0), ("store", 2), ("store", 3)],
        {"store 4": True},
    ),
    "a neighbour's row": ([("load", 0), ("store", 0), ("other", 0), ("load", 1), ("store", 1)], {"store 2": False}),
    "a word of two pairs": ([("store", 2), ("store", 4), ("store", 3), ("volatile load", 9)], {"store 2": True}),
    "a word is loaded before the last": (
        [("store", 0), ("store", 1), ("load", 1), ("store", 2), ("store", 3)],
        {"store 2": True, "store 4": False},
    ),
    "stores to the other address": (
        [("load", 0), ("store top", 1), ("load", 1), ("store", 1), ("store top", 2), ("store", 0)],
        {"load 2": False, "store 2": False},
    ),
    "farther than the next lane": ([("load", 0), ("store", ROW + 1), ("load", 1), ("store", 0)], {"load 2": False}),
}
CALLS = {
    "load 4": "@adjacent.4(",
    "load 2": "@adjacent.2(",
    "store 4": "call void @adjacent.store.4(",
    "store 2": "call void @scatter.i64(",
}


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("case", CASES)
def test_reordered_accesses_match_lockstep(case, space):
    steps, merged = CASES[case]
    check(space, steps, Random(case))
    text = jit.kernel_text(build([HEAD + text_of(space, steps)]), "k").text
    main = text[text.rindex("define") :]
    found = {name: CALLS[name] in main for name in merged}
    if space == "generic" and "elsewhere" in dict(steps):  # it might be in local memory, too
        merged = dict.fromkeys(merged, False)
    assert found == {name: expected and jit._has_gathers() for name, expected in merged.items()}


def test_accesses_of_other_spaces_are_not_merged():
    """The same number is another address there."""
    steps = STEPS["store"].format(n=0) + "st.u32 [%d6+4], %r4;"
    text = text_of("global", []).replace("END:", steps.replace("$s", ".global").replace("$row", "%d6") + "\nEND:")
    assert CALLS["store 2"] not in jit.kernel_text(build([HEAD + text]), "k").text


@pytest.mark.parametrize("checks", [1, 2, 4])
def test_checked_accesses_keep_their_order(checks):
    text = jit.emit(build([HEAD + text_of("global", update([0, 1, 2, 3]))]), "k", checks=checks)[0]
    assert not any(call in text for call in CALLS.values())


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("width", ["32", "16"])
def test_random_accesses_match_lockstep(seed, width, monkeypatch):
    monkeypatch.setenv("CUDA_CPU_WIDTH", width)
    random = Random(seed)
    names = random.choices(list(STEPS), [8, 5, 1, 8, 1, 1, 1, 0.3, 0.3, 0.7, 0.7, 1], k=random.randrange(6, 20))
    words = [random.randrange(5) for _ in names]
    space = random.choice(list(SPACES))
    lanes = LANES if space == "shared" else int(width)  # with operations of the warp, SIMD groups have all of its lanes
    check(space, list(zip(names, words, strict=True)), random, lanes)
