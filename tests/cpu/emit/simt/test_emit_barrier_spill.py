# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Registers that live behind barriers, in arrays with an element for each SIMD group."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from support.loaded import Loaded
from support.warps import HEAD

from cuda.cpu.emit import emit_kernel
from cuda.cpu.emit.simt.barrier_spill import MOST_WARPS, BarrierSpill
from cuda.cpu.emit.simt.regions import Regions
from cuda.cpu.passes.find_regions import Region
from cuda.cpu.ptx import program as ptx_program
from cuda.cpu.runtime.kernel_abi import FULL_RUN, HALF_RUN, QUARTER_RUN

pytestmark = pytest.mark.cpu_only

NAMED = """
.visible .entry k(.param .u64 data)
{
    .reg .b32 NAME, %r<9>; .reg .b64 %d<9>; .reg .pred %p<3>;
    ld.param.u64 %d1, [data]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.u64 %d3, %d1, %d2;
    ld.global.u32 NAME, [%d3]; setp.gt.u32 %p1, %r1, 60;
    bar.sync 0;
    @%p1 bra END;
    bar.sync 0;
    add.u32 NAME, NAME, 1;
    bar.sync 0;
    st.global.u32 [%d3], NAME;
END:
    ret;
}
"""


@pytest.mark.parametrize("name", ["%lanes", "lanes", "kind", "resume_at"])
@pytest.mark.parametrize("threads", [64, 70, 100])
def test_registers_may_have_any_name(name, threads):
    """Also those of arrays for the state of SIMD groups."""
    data = np.arange(threads, dtype=np.uint32) * 1000
    expected = np.where(np.arange(threads) > 60, data, data + 1)
    Loaded((HEAD + NAMED.replace("NAME", name)).encode()).launch("k", 1, threads, data)
    np.testing.assert_array_equal(data, expected)


# --- registers that share an array --------------------------------------------------------------------------

REGISTERS = 8


class Program:
    """Random steps on some registers of each thread, with a barrier after most: the PTX, and what it computes."""

    def __init__(self, seed: int, shape: tuple[int, int], *, long: bool) -> None:
        self.random, self.long = np.random.default_rng(seed), long
        self.threads = shape[0] * shape[1]
        self.number = np.arange(self.threads, dtype=np.uint32)
        self.row = self.number // shape[0]
        self.values = [self.number * np.uint32(5) + np.uint32(each) for each in range(REGISTERS)]
        self.text = "".join(f"mad.lo.u32 %v{each}, %r6, 5, {each};\n" for each in range(REGISTERS))
        for _ in range(14):
            self.step()
            self.text += "bar.sync 0;\n" if self.random.integers(5) else ""
        for each in self.random.choice(REGISTERS, 3, replace=False):
            self.values[0] = self.values[0] * np.uint32(31) + self.values[each]
            self.text += f"mad.lo.u32 %v0, %v0, 31, %v{each};\n"

    def step(self) -> None:
        to, a, b = (int(each) for each in self.random.integers(0, REGISTERS, 3))
        kind = self.random.integers(5)
        if kind == 0:
            self.exchange(to, a, int(self.random.integers(1, self.threads)))
        elif kind == 1:
            self.of_some_rows(to, a, int(self.random.integers(1, 9)))
        else:
            self.values[to] = self.values[a] * np.uint32(3) + self.values[b]
            self.text += f"mad.lo.u32 %v{to}, %v{a}, 3, %v{b};\n"

    def exchange(self, to: int, a: int, far: int) -> None:
        """Read what another thread has written before a barrier."""
        self.values[to] = np.roll(self.values[a], -far)
        self.text += (
            f"st.shared.u32 [%r10], %v{a}; bar.sync 0; add.u32 %r11, %r6, {far}; rem.u32 %r11, %r11, %r7;\n"
            f"shl.b32 %r11, %r11, 2; add.u32 %r11, %r11, %r9; ld.shared.u32 %v{to}, [%r11]; bar.sync 0;\n"
        )

    def of_some_rows(self, to: int, a: int, row: int) -> None:
        """Let the first rows change a register; in a loop, so that the branch is not a short one."""
        label, value = f"L{len(self.text)}", self.values[to]
        for _ in range(2 if self.long else 1):
            value = value * np.uint32(7) + self.values[a]
            if to == a:
                self.values[a] = np.where(self.row < row, value, self.values[a])
        self.values[to] = np.where(self.row < row, value, self.values[to])
        again = f"add.u32 %r12, %r12, 1; setp.lt.u32 %p2, %r12, 2;\n@%p2 bra {label}A;\n" if self.long else ""
        self.text += (
            f"setp.ge.u32 %p1, %r2, {row};\n@%p1 bra {label};\nmov.u32 %r12, 0;\n{label}A:\n"
            f"mad.lo.u32 %v{to}, %v{to}, 7, %v{a};\n{again}{label}:\n"
        )

    @property
    def kernel(self) -> str:
        return f"""{HEAD}.shared .align 4 .b8 room[4096];
.visible .entry k(.param .u64 out) {{
    .reg .pred %p<4>; .reg .b32 %r<16>; .reg .b32 %v<{REGISTERS}>; .reg .b64 %d<6>;
    ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %ntid.x; mov.u32 %r4, %ntid.y;
    mad.lo.u32 %r6, %r2, %r3, %r1; mul.lo.u32 %r7, %r3, %r4; mul.wide.u32 %d2, %r6, 4; add.s64 %d3, %d1, %d2;
    mov.u32 %r9, room; shl.b32 %r10, %r6, 2; add.u32 %r10, %r10, %r9;
{self.text}
    st.global.u32 [%d3], %v0;
    ret;
}}
"""


SHAPES = [((32, 6), FULL_RUN), ((16, 8), HALF_RUN), ((96, 1), FULL_RUN), ((40, 3), FULL_RUN), ((8, 8), QUARTER_RUN)]


def is_wrong(seed: int) -> bool:
    shape, row = SHAPES[seed % len(SHAPES)]
    program = Program(seed, shape, long=seed % 3 > 0)
    found = np.zeros(program.threads, np.uint32)
    Loaded(program.kernel.encode(), row).launch("k", 1, (*shape, 1), found)
    return not np.array_equal(found, program.values[0])


@pytest.mark.parametrize("level", [None, "1"])
@pytest.mark.parametrize("width", ["32", "16", "4"])
def test_random_steps_between_barriers(level, width, monkeypatch):
    monkeypatch.setenv("CUDA_CPU_WIDTH", width)
    if level:
        monkeypatch.setenv("CUDA_CPU_LEVEL", level)
    assert [seed for seed in range(8) if is_wrong(seed)] == []


def arrays_of(count: int) -> int:
    """Return how many arrays of words there are if so many registers live from one barrier to the next in turn."""
    steps = [f"ld.shared.u32 %v{n}, [%r10]; bar.sync 0; st.shared.u32 [%r10], %v{n}; bar.sync 0;" for n in range(count)]
    program = Program(1, (32, 2), long=False)
    program.text = "st.shared.u32 [%r10], %r6; bar.sync 0;\n" + "\n".join(steps) + "\nld.shared.u32 %v0, [%r10];"
    text = emit_kernel(ptx_program.build([program.kernel]), "k").text
    return text.count(f"alloca [{MOST_WARPS + 1} x <32 x i32>]")


def test_registers_that_never_live_at_once_share_an_array():
    assert arrays_of(0) + 1 == arrays_of(1) == arrays_of(6)


def _regardless(spill: BarrierSpill, name: str, type_: str) -> str:
    """Let all registers of a type share an array."""
    return spill._arrays.get(("any", type_)) or spill._arrays.setdefault(("any", type_), spill._new(type_))


def _always(regions: Regions, region: Region) -> bool:
    return regions.flow.tile_exits is not None


@pytest.mark.parametrize(
    ("owner", "name", "fault"), [(BarrierSpill, "_shared", _regardless), (Regions, "_is_as_before", _always)]
)
def test_random_steps_find_planted_faults(owner, name, fault, monkeypatch):
    monkeypatch.setenv("CUDA_CPU_CACHE", "0")
    monkeypatch.setenv("CUDA_CPU_LEVEL", "1")
    monkeypatch.setattr(owner, name, fault)
    assert any(is_wrong(seed) for seed in range(16))
