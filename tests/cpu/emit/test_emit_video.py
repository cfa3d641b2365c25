# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Video instructions against a model of the manual's pseudo-code."""

from __future__ import annotations

import numpy as np
import pytest
from support.warps import compiled

KERNEL = """
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d)
{{
    .reg .b32 %r<9>; .reg .b64 %rd<9>;
    ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [c]; ld.param.u64 %rd4, [d];
    mov.u32 %r1, %tid.x; mul.wide.u32 %rd5, %r1, 4; add.u64 %rd1, %rd1, %rd5; add.u64 %rd2, %rd2, %rd5;
    add.u64 %rd3, %rd3, %rd5; add.u64 %rd4, %rd4, %rd5;
    ld.global.u32 %r2, [%rd1]; ld.global.u32 %r3, [%rd2]; ld.global.u32 %r4, [%rd3];
    {instruction}
    st.global.u32 [%rd4], %r5; ret;
}}
"""
OPERATIONS = {
    "vadd": lambda x, y: x + y,
    "vsub": lambda x, y: x - y,
    "vabsdiff": lambda x, y: abs(x - y),
    "vmin": min,
    "vmax": max,
    "vavrg": lambda x, y: (x + y + (x + y >= 0)) >> 1,
}


def number(bits: int, width: int, type_: str) -> int:
    bits &= (1 << width) - 1
    return bits - (1 << width) if type_ == "s32" and bits >> (width - 1) else bits


def model(opcode: str, dtype: str, atype: str, btype: str, second: str, a: int, b: int, c: int) -> int:
    name = opcode.rstrip("24")
    parts = int(opcode[-1]) if opcode[-1].isdigit() else 1
    width = 32 // parts
    results = []
    for part in range(parts):
        result = OPERATIONS[name](number(a >> part * width, width, atype), number(b >> part * width, width, btype))
        if second == "sat":
            least, most = (-(1 << width - 1), (1 << width - 1) - 1) if dtype == "s32" else (0, (1 << width) - 1)
            result = min(max(result, least), most)
        results.append(number(result, width, dtype))
    if second in ("min", "max"):
        return {"min": min, "max": max}[second](results[0], number(c, 32, dtype)) & 0xFFFFFFFF
    if second == "add":
        return (c + sum(results)) & 0xFFFFFFFF
    return sum((result & (1 << width) - 1) << part * width for part, result in enumerate(results))


@pytest.mark.parametrize(
    "opcode", [name + count for name in OPERATIONS for count in ("", "2", "4") if name + count != "vavrg"]
)
@pytest.mark.parametrize("types", ["u32.u32.u32", "s32.s32.s32", "s32.u32.s32"])
@pytest.mark.parametrize("second", ["", "sat", "add", "max"])
def test_video_instructions(opcode, types, second):
    if second == "max" and opcode[-1].isdigit():
        second = "sat"
    three = opcode[-1].isdigit() or second in ("add", "max")
    word = ".".join(filter(None, (opcode, types, second)))
    random = np.random.default_rng(5)
    a, b, c = (random.integers(0, 1 << 32, 32, np.uint32) for _ in range(3))
    d = np.zeros(32, np.uint32)
    compiled(KERNEL.format(instruction=f"{word} %r5, %r2, %r3{', %r4' if three else ''};"))(a, b, c, d)
    expected = [model(opcode, *types.split("."), second, *map(int, each)) for each in zip(a, b, c, strict=True)]
    np.testing.assert_array_equal(d, np.array(expected, np.uint32))
