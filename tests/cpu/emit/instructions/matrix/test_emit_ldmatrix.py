# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""ldmatrix of rows at random addresses, in any order and repeated, beside a model of the manual's layout."""

from __future__ import annotations

import numpy as np
import pytest
from support.warps import Kernel, compiled

from cuda.cpu.emit.instructions.matrix import fragments

pytestmark = pytest.mark.cpu_only

KERNEL = """
.visible .entry k(.param .u64 in, .param .u64 offsets, .param .u64 out)
{{
    .shared .align 16 .b8 room[1024];
    .reg .b64 %rd<9>; .reg .b32 %r<20>;
    ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [offsets]; ld.param.u64 %rd3, [out]; mov.u32 %r1, %tid.x;
    mov.u32 %r2, room; mad.wide.u32 %rd4, %r1, 32, %rd1; mad.lo.u32 %r4, %r1, 32, %r2;
    ld.global.v4.u32 {{%r6, %r7, %r8, %r9}}, [%rd4]; st.shared.v4.u32 [%r4], {{%r6, %r7, %r8, %r9}};
    ld.global.v4.u32 {{%r6, %r7, %r8, %r9}}, [%rd4+16]; st.shared.v4.u32 [%r4+16], {{%r6, %r7, %r8, %r9}};
    mad.wide.u32 %rd5, %r1, 4, %rd2; ld.global.u32 %r5, [%rd5]; add.u32 %r5, %r5, %r2;
    mov.u32 %r10, 0; mov.u32 %r11, 0; mov.u32 %r12, 0; mov.u32 %r13, 0;
    ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 {registers}, [%r5];
    mad.wide.u32 %rd6, %r1, 16, %rd3; st.global.v4.u32 [%rd6], {{%r10, %r11, %r12, %r13}};
    ret;
}}
"""
REGISTERS = {1: "{%r10}", 2: "{%r10, %r11}", 4: "{%r10, %r11, %r12, %r13}"}
LANES = np.arange(32)


def text_of(count: int, transposed: bool) -> str:
    return KERNEL.format(count=count, trans=".trans" * transposed, registers=REGISTERS[count])


def differs(kernel: Kernel, count: int, transposed: bool, seed: int) -> bool:
    """Load rows at random multiples of 16 bytes; return whether a register is wrong."""
    random = np.random.default_rng(seed)
    room, rows = random.integers(0, 1 << 16, 512).astype(np.uint16), random.integers(0, 64, 32)
    out, expected = np.zeros((32, 4, 2), np.uint16), np.zeros((32, 4, 2), np.uint16)
    for number in range(count):
        matrix = room.reshape(64, 8)[rows[8 * number : 8 * number + 8]]
        for half in (0, 1):
            row, column = LANES // 4, 2 * (LANES % 4) + half  # manual, 9.7.15.5.15
            expected[:, number, half] = matrix[column, row] if transposed else matrix[row, column]
    kernel(room, (16 * rows).astype(np.uint32), out)
    return not np.array_equal(out, expected)


@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("transposed", [False, True])
def test_random_rows(count, transposed):
    kernel = compiled(text_of(count, transposed))
    assert not any(differs(kernel, count, transposed, seed) for seed in range(30))


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("fault", ["matrix", "order", "transposed"])
def test_random_rows_find_planted_faults(fault, transposed, monkeypatch):
    load_matrix, load_rows = fragments._load_rows, fragments.load_rows

    def first_matrix(frame: object, pointer: object, matrix: int, *, transposed: bool) -> object:
        return load_matrix(frame, pointer, 0, transposed=transposed)

    def faulty(builder: object, rows: list[str], *, transposed: bool) -> object:
        if fault == "order":
            return load_rows(builder, rows[::-1], transposed=transposed)
        return load_rows(builder, rows, transposed=not transposed)

    if fault == "matrix":
        monkeypatch.setattr(fragments, "_load_rows", first_matrix)
    else:
        monkeypatch.setattr(fragments, "load_rows", faulty)
    kernel = Kernel(text_of(4, transposed))
    assert any(differs(kernel, 4, transposed, seed) for seed in range(30))
