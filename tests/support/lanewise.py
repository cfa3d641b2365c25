# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Run one PTX instruction on a warp's worth of operands."""

from __future__ import annotations

import numpy as np
from support.warps import LANES, compiled

# NumPy type of a PTX type, or an integer type for its bits where NumPy has none.
TYPES = {f"{kind}{width}": f"{'i' if kind == 's' else 'u'}{width // 8}" for kind in "bsu" for width in (8, 16, 32, 64)}
TYPES |= {"f16": "f2", "bf16": "u2", "f32": "f4", "f64": "f8", "pred": "u4", "u5": "u4", "s6": "i4"}
TYPES |= dict.fromkeys(("f16x2", "bf16x2", "u16x2", "s16x2", "tf32"), "u4") | {
    "f32x2": "u8",
    "e4m3x2": "u2",
    "e5m2x2": "u2",
}


def _register_type(type_: str) -> str:
    return "pred" if type_ == "pred" else f"b{max(16, 8 * np.dtype(TYPES[type_]).itemsize)}"


def kernel_text(instruction: str, result: str, types: tuple[str, ...]) -> str:
    """Return a kernel that loads an operand of each type, runs `instruction` and stores its result.

    In the instruction `$d` is the destination and `$a`, `$b` ... are the sources.
    """
    lines = [".visible .entry k(" + ", ".join(f".param .u64 m{i}" for i in range(len(types) + 1)) + ") {"]
    lines.append(".reg .b32 %t<9>; .reg .b64 %p<40>; .reg .pred %q<9>; mov.u32 %t0, %tid.x;")
    for index, type_ in enumerate((result, *types)):
        size = np.dtype(TYPES[type_]).itemsize
        lines.append(f".reg .{_register_type(type_)} %v{index}; ld.param.u64 %p{3 * index}, [m{index}];")
        lines.append(f"mul.wide.u32 %p{3 * index + 1}, %t0, {size};")
        lines.append(f"add.s64 %p{3 * index + 2}, %p{3 * index}, %p{3 * index + 1};")
        operand = f"[%p{3 * index + 2}]"
        if index and type_ == "pred":
            lines.append(f"ld.global.u32 %t{index}, {operand}; setp.ne.u32 %v{index}, %t{index}, 0;")
        elif index:
            lines.append(f"ld.global.b{8 * size} %v{index}, {operand};")
    for index, letter in enumerate("dabcef"):
        instruction = instruction.replace(f"${letter}", f"%v{index}")
    lines.append(instruction + ";" * (not instruction.endswith("}")))
    if result == "pred":
        lines.append("selp.u32 %t8, 1, 0, %v0; st.global.u32 [%p2], %t8;")
    else:
        lines.append(f"st.global.b{8 * np.dtype(TYPES[result]).itemsize} [%p2], %v0;")
    lines.append("ret;\n}")
    return "\n".join(lines)


def apply(instruction: str, result: str, *operands: tuple[str, object]) -> np.ndarray:
    """Return the results of all lanes; each operand is a PTX type and up to 32 values (repeated to fill the warp)."""
    types = tuple(type_ for type_, _ in operands)
    arrays = [np.resize(np.asarray(values, TYPES[type_]), LANES) for type_, values in operands]
    output = np.zeros(LANES, TYPES[result])
    compiled(kernel_text(instruction, result, types))(output, *arrays)
    return output
