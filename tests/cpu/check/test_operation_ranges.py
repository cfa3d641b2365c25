# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""racecheck across launches knows exactly which bytes a kernel has read and written, however it has recorded them.

A kernel and, in a stream that does not wait for it, operations on single bytes: these race with the bytes that a model
of the kernel's accesses contains, and with no others.
"""

from __future__ import annotations

import ctypes
from typing import NamedTuple

import pytest

from cuda.cpu import driver
from cuda.cpu.check import Check, order

pytestmark = pytest.mark.cpu_only
PAGE = 4096  # bytes of a page of shadow memory; a line has 128
BYTES = 4 * PAGE
TYPES = {1: ("u8", "%h1"), 2: ("u16", "%h1"), 4: ("u32", "%r9"), 8: ("u64", "%d9")}


class Each(NamedTuple):
    """An access of each thread whose number is in a range: to `size` bytes at `start` + `step` * number."""

    what: str  # ld, st or red
    size: int
    start: int
    step: int
    first: int
    end: int

    def text(self) -> str:
        type_, register = TYPES[self.size]
        operands = f"{register}, [%d2+{self.start}]" if self.what == "ld" else f"[%d2+{self.start}], {register}"
        operation = "red.global.add" if self.what == "red" else f"{self.what}.global"
        return f"""
 mul.wide.u32 %d2, %r1, {self.step}; add.u64 %d2, %d1, %d2;
 setp.ge.u32 %p1, %r1, {self.first}; setp.lt.and.u32 %p1, %r1, {self.end}, %p1;
 @%p1 {operation}.{type_} {operands};"""

    def bytes(self) -> set[int]:
        starts = (self.start + self.step * thread for thread in range(self.first, self.end))
        return {at for start in starts for at in range(start, start + self.size)}


def row(what: str, start: int, end: int, size: int = 4, offset: int = 0) -> Each:
    """Return an access of threads to neighbouring elements."""
    return Each(what, size, offset, size, start, end)


def ptx(accesses: list[Each]) -> bytes:
    return f""".version 9.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p) {{
 .reg .b16 %h<2>; .reg .b32 %r<10>; .reg .b64 %d<10>; .reg .pred %p<2>;
 ld.param.u64 %d1, [p]; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
 mad.lo.u32 %r1, %r2, %r3, %r4; mov.u16 %h1, 1; mov.u32 %r9, 1; mov.u64 %d9, 1;
 {"".join(each.text() for each in accesses)}
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
    """Return the bytes that race with a kernel when something later writes, or reads, single bytes."""
    monkeypatch.setenv("CUDA_CPU_CACHE", str(tmp_path))
    monkeypatch.setattr(order.Access, "identity", lambda self: self.raw.number)  # report each operation by itself
    driver.cuInit(0)
    context = driver.cuCtxCreate_v2(0, 0)
    memory, other = driver.cuMemAlloc(BYTES), driver.cuMemAlloc(1)

    def bytes_of(accesses: list[Each], probes: list[int], *, writes: bool) -> set[int]:
        image, value = ctypes.create_string_buffer(ptx(accesses)), ctypes.c_uint64(memory)
        values = (ctypes.c_void_p * 1)(ctypes.addressof(value))
        with Check("racecheck") as checked:
            kernels, others = driver.cuStreamCreate(1), driver.cuStreamCreate(1)
            function = driver.cuModuleGetFunction(driver.cuModuleLoadData(ctypes.addressof(image)), b"k")
            driver.cuLaunchKernel(function, BYTES // 1024, 1, 1, 256, 1, 1, 0, kernels, ctypes.addressof(values), 0)
            for at in probes:
                if writes:
                    driver.cuMemsetD8Async(memory + at, 0, 1, others)
                else:
                    driver.cuMemcpyDtoDAsync(other, memory + at, 1, others)
            driver.cuCtxSynchronize()
        return {each.address - memory for each in checked.findings}

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
    "atomic operations and reads": [Each("red", 4, 0, 4, 0, 100), row("ld", 0, 300, offset=PAGE)],
}


@pytest.mark.parametrize("name", CASES)
def test_bytes_of_a_kernel(raced, name):
    accesses = CASES[name]
    written = set().union(*(each.bytes() for each in accesses if each.what != "ld"))
    touched = written.union(*(each.bytes() for each in accesses))
    probes = sorted({*edges(touched), *edges(written)})
    assert raced(accesses, probes, writes=True) == touched.intersection(probes)
    assert raced(accesses, probes, writes=False) == written.intersection(probes)
