# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Kernels whose body is given: each lane has a number, and returns %r3."""

from __future__ import annotations

import numpy as np
from support.warps import compiled

HEADER = """
.visible .entry k(.param .u64 data)
{
    .reg .pred %p<40>; .reg .b32 %r<100>; .reg .b64 %d<20>;
    ld.param.u64 %d1, [data];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %d2, %r1, 4;
    add.s64 %d3, %d1, %d2;
    ld.global.u32 %r2, [%d3];
"""
FOOTER = """
END:
    st.global.u32 [%d3], %r3;
    ret;
}
"""


def run(body: str, data: np.ndarray, threads: int = 32, *, fibers: bool = False, **options: object) -> np.ndarray:
    result = np.ascontiguousarray(data, np.uint32).copy()
    compiled(HEADER + body + FOOTER, fibers=fibers)(result, threads=threads, **options)
    return result
