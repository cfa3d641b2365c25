# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""racecheck across launches knows exactly which bytes a kernel has read and written, however it has recorded them.

A kernel and, in a stream that does not wait for it, operations on single bytes: these race with the bytes that a model
of the kernel's accesses contains, and with no others.
"""

from __future__ import annotations

import ctypes
import re
from typing import NamedTuple

import pytest

from cuda.cpu import driver
from cuda.cpu.check import Check, order

pytestmark = pytest.mark.cpu_only
PAGE = 4096  # bytes of a page of shadow memory; a line has 128
BYTES = 4 * PAGE
ALL = 1 << 30
TYPES = {1: ("u8", "%h1"), 2: ("u16", "%h1"), 4: ("u32", "%r9"), 8: ("u64", "%d9")}


class Each(NamedTuple):
    """An access of each thread whose number is in a range: to `size` bytes at `start` + `step` * number."""

    what: str  # ld, st or red
    size: int
    start: int
    step: int
    first: int
    end: int

    def text(self, number: int) -> str:
        type_, register = TYPES[self.size]
        operands = f"{register}, [%d2+{self.start}]" if self.what == "ld" else f"[%d2+{self.start}], {register}"
        operation = "red.global.add" if self.what == "red" else f"{self.what}.global"
        address = f"mul.wide.s32 %d2, %r1, {self.step}; add.s64 %d2, %d1, %d2;"
        if self.end == ALL:  # without branches, after which lanes may differ
            return f"{address} {operation}.{type_} {operands};"
        guards = (f"setp.{test}.s32 %p1, %r1, {limit}; @%p1 bra SKIP{number};"
                  for test, limit in (("lt", self.first), ("ge", self.end)))  # fmt: skip
        return f"{address} {' '.join(guards)} {operation}.{type_} {operands}; SKIP{number}:"

    def bytes(self, threads: int) -> set[int]:
        numbers = range(self.first, min(self.end, threads))
        starts = (self.start + self.step * thread for thread in numbers)
        return {at for start in starts for at in range(start, start + self.size)}


def row(what: str, start: int, end: int, size: int = 4, offset: int = 0) -> Each:
    """Return an access of threads to neighbouring elements."""
    return Each(what, size, offset, size, start, end)


def ptx(accesses: list[Each], between: str) -> bytes:
    return f""".version 9.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p) {{
 .reg .b16 %h<2>; .reg .b32 %r<10>; .reg .b64 %d<10>; .reg .pred %p<2>;
 ld.param.u64 %d1, [p]; mov.u16 %h1, 1; mov.u32 %r9, 1; mov.u64 %d9, 1;
 mov.u32 %r2, %tid.x; mov.u32 %r3, %tid.y; mov.u32 %r4, %ntid.x; mov.u32 %r5, %ntid.y; mov.u32 %r6, %ctaid.x;
 mad.lo.s32 %r7, %r3, %r4, %r2; mul.lo.s32 %r8, %r4, %r5; mad.lo.s32 %r1, %r6, %r8, %r7;
 {between.join(each.text(number) for number, each in enumerate(accesses))}
 ret; }}
""".encode()


def edges(touched: set[int]) -> list[int]:
    """Return the bytes next to the ends of all pieces, and some within them: at most 200."""
    found = {at + step for at in touched for step in (-1, 1) if (at - 1) not in touched or (at + 1) not in touched}
    found |= {at for at in touched if (at - 1) not in touched or (at + 1) not in touched}
    found |= set(range(0, BYTES, 509))
    inside = sorted(at for at in found if 0 <= at < BYTES)
    return inside[:: len(inside) // 200 + 1]


@pytest.fixture
def raced(monkeypatch, tmp_path):
    """Return the bytes that race with a kernel when something later writes, or reads, single bytes, with messages."""
    monkeypatch.setenv("CUDA_CPU_CACHE", str(tmp_path))
    monkeypatch.setattr(order.Access, "identity", lambda self: self.raw.number)  # report each operation by itself
    driver.cuInit(0)
    context = driver.cuCtxCreate_v2(0, 0)
    memory, other = driver.cuMemAlloc(BYTES), driver.cuMemAlloc(1)

    def bytes_of(accesses: list[Each], grid: int, block: tuple[int, int], probes: list[int], writes: bool,
                 between: str = "\n") -> dict[int, str]:  # fmt: skip
        image, value = ctypes.create_string_buffer(ptx(accesses, between)), ctypes.c_uint64(memory)
        values = (ctypes.c_void_p * 1)(ctypes.addressof(value))
        with Check("racecheck") as checked:
            kernels, others = driver.cuStreamCreate(1), driver.cuStreamCreate(1)
            function = driver.cuModuleGetFunction(driver.cuModuleLoadData(ctypes.addressof(image)), b"k")
            driver.cuLaunchKernel(function, grid, 1, 1, *block, 1, 0, kernels, ctypes.addressof(values), 0)
            for at in probes:
                if writes:
                    driver.cuMemsetD8Async(memory + at, 0, 1, others)
                else:
                    driver.cuMemcpyDtoDAsync(other, memory + at, 1, others)
            driver.cuCtxSynchronize()
        return {each.address - memory: each.message for each in checked.findings}

    yield bytes_of
    driver.cuCtxDestroy(context)


WORDS = BYTES // 4
CASES = {
    "reads of all": [row("ld", 0, WORDS)],
    "reads of parts of lines": [row("ld", 5, 29), row("ld", 40, 70), row("ld", 1000, 1017)],
    "reads of bytes, shorts and long words": [row("ld", 0, 90, 1), row("ld", 3, 61, 2, 256), row("ld", 1, 99, 8, 1024)],
    "reads over the ends of lines": [row("ld", 0, 96, offset=100), row("ld", 0, 64, 8, PAGE - 72)],
    "reads of some words": [Each("ld", 4, 4, 12, 0, 400), Each("ld", 4, 8192, 256, 3, 20)],
    "reads of two parts": [row("ld", 0, 40), row("ld", 2048, 2100)],
    "writes of all": [row("st", 0, WORDS)],
    "writes of whole pages and of a part": [row("st", 0, PAGE // 2 - 3)],
    "writes that leave out a word": [row("st", 0, 517), row("st", 518, 1024)],
    "writes and reads of one page": [row("st", 0, 512), row("ld", 512, 1024)],
    "reads and writes of a page's lines": [row("ld", 0, 1024), row("st", 0, 992)],
    "reads before writes of all": [row("ld", 0, WORDS), row("st", 0, WORDS)],
    "writes before reads of a part": [row("st", 0, 64), row("ld", 16, 40)],
    "reads of a part that is not written": [row("ld", 0, 64), row("st", 8, 20)],
    "writes of some words": [Each("st", 4, 4, 12, 0, 400), Each("st", 4, 8192, 32, 3, 20)],
    "fields of structures": [Each("st", 4, 4 * field, 32, 0, 300) for field in range(7)],
    "reads of all words but the last line": [row("ld", 0, WORDS - 32, offset=4), row("st", WORDS - 16, WORDS)],
    "all is read, and written but for a page": [row("ld", 0, WORDS), row("st", 1024, WORDS)],
    "other instructions for each page": [row("st", 0, 1024), row("ld", 1024, 2048), row("st", 2048, WORDS)],
    "lines that are read in one page and written": [
        *(row("st", 64 * at, 64 * at + 32) for at in range(16)),
        *(row("ld", 64 * at + 32, 64 * at + 64) for at in range(16)),
    ],
    "atomic operations and reads": [Each("red", 4, 0, 4, 0, 100), row("ld", 0, 300, offset=PAGE)],
}


@pytest.mark.parametrize("between", ["\n", " "], ids=["lines", "one line"])
@pytest.mark.parametrize("name", CASES)
def test_bytes_of_a_kernel(raced, name, between):
    """Instructions on one line of PTX are the same to the checks, whatever they do."""
    compare(raced, CASES[name], BYTES // 1024, (256, 1), between)


@pytest.mark.parametrize("block", [(256, 1), (50, 1), (16, 8), (8, 9), (33, 3)], ids=str)
@pytest.mark.parametrize("size", TYPES)
@pytest.mark.parametrize("what", ["ld", "st"])
def test_bytes_of_whole_warps(raced, what, size, block):
    """Lanes access neighbouring elements in full warps and short ones, from some bytes of a line on."""
    accesses = [row(what, 0, ALL, size, at) for at in (0, 2048 + 40 // size * size, 4096 + 64, 8192 - 8)]
    compare(raced, accesses, 3, block)


def test_message_names_the_instruction_of_the_byte(raced):
    """Two instructions write the halves of a page of shadow memory."""
    messages = raced([row("st", 0, 512), row("st", 512, 1024)], BYTES // 1024, (256, 1), [4, 2044, 2048, 4092], True)
    lines = [re.search(r"PTX line (\d+)", messages[at])[1] for at in sorted(messages)]
    assert lines[0] == lines[1] != lines[2] == lines[3]


def compare(raced, accesses: list[Each], grid: int, block: tuple[int, int], between: str = "\n") -> None:
    threads = grid * block[0] * block[1]
    written = set().union(*(each.bytes(threads) for each in accesses if each.what != "ld"))
    touched = written.union(*(each.bytes(threads) for each in accesses))
    probes = sorted({*edges(touched), *edges(written)})
    assert set(raced(accesses, grid, block, probes, True, between)) == touched.intersection(probes)
    assert set(raced(accesses, grid, block, probes, False, between)) == written.intersection(probes)


def test_instruction_that_reads_several_allocations(monkeypatch, tmp_path):
    """Blocks take turns with two allocations, so that what is known of the last read's allocation is of no use."""
    monkeypatch.setenv("CUDA_CPU_CACHE", str(tmp_path))
    driver.cuInit(0)
    context = driver.cuCtxCreate_v2(0, 0)
    memory = [driver.cuMemAlloc(BYTES) for _ in range(2)]
    text = b""".version 9.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p, .param .u64 q) {
 .reg .b32 %r<10>; .reg .b64 %d<10>; .reg .pred %p<2>;
 ld.param.u64 %d1, [p]; ld.param.u64 %d2, [q];
 mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.s32 %r4, %r1, %r2, %r3;
 and.b32 %r5, %r1, 1; setp.eq.u32 %p1, %r5, 0; selp.b64 %d3, %d1, %d2, %p1;
 mul.wide.s32 %d4, %r4, 4; add.s64 %d4, %d3, %d4; ld.global.u32 %r6, [%d4];
 ret; }
"""
    image, values = ctypes.create_string_buffer(text), [ctypes.c_uint64(each) for each in memory]
    addresses = (ctypes.c_void_p * 2)(*map(ctypes.addressof, values))
    with Check("racecheck") as checked:
        monkeypatch.setattr(order.Access, "identity", lambda self: self.raw.number)
        kernels, others = driver.cuStreamCreate(1), driver.cuStreamCreate(1)
        function = driver.cuModuleGetFunction(driver.cuModuleLoadData(ctypes.addressof(image)), b"k")
        driver.cuLaunchKernel(function, 16, 1, 1, 32, 1, 1, 0, kernels, ctypes.addressof(addresses), 0)
        for number in range(32):
            driver.cuMemsetD8Async(memory[number % 2] + 128 * (number // 2), 0, 1, others)
        driver.cuCtxSynchronize()
    driver.cuCtxDestroy(context)
    assert {each.address for each in checked.findings} == {memory[at % 2] + 128 * at for at in range(16)}
