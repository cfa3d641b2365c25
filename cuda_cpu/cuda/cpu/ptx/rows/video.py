# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Rows of video instructions, section 9.7.19."""

from cuda.cpu.ptx.row import Row, Traits

_V = "video"
_TYPES = {"dtype": "u32 s32", "atype": "u32 s32", "btype": "u32 s32"}
_SHIFT = {"dtype": "u32 s32", "atype": "u32 s32", "btype": "u32", "mode": "clamp wrap"}
_COMPARE = {"atype": "u32 s32", "btype": "u32 s32", "cmp": "eq ne lt le gt ge"}
_TWO = ("vadd", "vsub", "vabsdiff", "vmin", "vmax")
_ALL = " d.part, a.part, b.part, c"


def _scalar(section: str, modifiers: str, **values: str) -> tuple[Row, Row]:
    return (
        Row(section, _V, modifiers + " d.part, a.part, b.part{, c}", **values),  # c if a part of d is written
        Row(section, _V, modifiers + ".op d, a.part, b.part, c", op="add min max", **values),
    )


def _simd(section: str, opcode: str) -> tuple[Row, Row]:
    modifiers = f"{opcode}.dtype.atype.btype"
    return (
        Row(section, _V, modifiers + "{.sat}" + _ALL, **_TYPES),
        Row(section, _V, modifiers + ".add" + _ALL, **_TYPES),
    )


ROWS = (
    *(row for name in _TWO for row in _scalar("9.7.19.1", f"{name}.dtype.atype.btype{{.sat}}", **_TYPES)),
    *(
        row
        for name in ("vshl", "vshr")
        for row in _scalar("9.7.19.1", f"{name}.dtype.atype.btype{{.sat}}.mode", **_SHIFT)
    ),
    Row(
        "9.7.19.1",
        _V,
        "vmad.dtype.atype.btype{.po}{.sat}{.scale} d, a.part, b.part, c.part",
        scale="shr7 shr15",
        **_TYPES,
    ),
    *_scalar("9.7.19.1", "vset.atype.btype.cmp", **_COMPARE),
    *(row for name in (*_TWO, "vavrg") for row in _simd("9.7.19.2", name + "2")),
    Row("9.7.19.2", _V, "vset2.atype.btype.cmp{.add}" + _ALL, **_COMPARE),
    *(row for name in (*_TWO, "vavrg") for row in _simd("9.7.19.2", name + "4")),
    Row("9.7.19.2", _V, "vset4.atype.btype.cmp{.add}" + _ALL, **_COMPARE),
)

TRAITS = {
    **dict.fromkeys(("vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr", "vmad", "vset"), Traits(pure=True)),
    **dict.fromkeys(
        (
            "vadd2",
            "vsub2",
            "vabsdiff2",
            "vmin2",
            "vmax2",
            "vavrg2",
            "vset2",
            "vadd4",
            "vsub4",
            "vabsdiff4",
            "vmin4",
            "vmax4",
            "vavrg4",
            "vset4",
        ),
        Traits(pure=True, types={"": {"a": "%atype", "b": "%btype", "c": "%u32"}}, needs={"3.0": "*", "sm_30": "*"}),
    ),
}
