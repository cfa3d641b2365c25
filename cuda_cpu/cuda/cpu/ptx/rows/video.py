# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Video instructions, section 9.7.18. Selections of parts, such as `a.b0`, are not in the table."""

from cuda.cpu.ptx.instructions import Row

_V = "video"
_TYPES = {"dtype": "u32 s32", "atype": "u32 s32", "btype": "u32 s32"}


def _scalar(opcode: str) -> tuple[Row, Row]:
    modifiers = f"{opcode}.dtype.atype.btype{{.sat}}"
    return (
        Row("9.7.18.1.1", _V, modifiers + " d, a, b", **_TYPES),
        Row("9.7.18.1.1", _V, modifiers + ".op d, a, b, c", op="add min max", **_TYPES),
    )


def _simd(section: str, family: str, opcode: str) -> tuple[Row, Row]:
    modifiers = f"{opcode}.dtype.atype.btype"
    return (
        Row(section, family, modifiers + "{.sat} d, a, b, c", **_TYPES),
        Row(section, family, modifiers + ".add d, a, b, c", **_TYPES),
    )


ROWS = (
    *(row for name in ("vadd", "vsub", "vabsdiff", "vmin", "vmax") for row in _scalar(name)),
    *(row for name in ("vadd2", "vsub2", "vabsdiff2", "vmin2", "vmax2") for row in _simd("9.7.18.2.1", _V, name)),
    *_simd("9.7.18.2.1", _V, "vavrg2"),
    *(row for name in ("vadd4", "vsub4", "vabsdiff4", "vmin4", "vmax4") for row in _simd("9.7.18.2.3", _V, name)),
    *_simd("9.7.18.2.3", _V, "vavrg4"),
)
