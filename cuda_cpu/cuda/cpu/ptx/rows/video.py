# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Video instructions, section 9.7.18: known, not supported yet. Operand parts such as `a.b0` are not written here."""

from cuda.cpu.ptx.instructions import Row

_US = "u32 s32"

ROWS = (
    Row(
        "9.7.18.1.1",
        "",
        "vadd.dtype.atype.btype{.sat}{.op} d, a, b{, c}",
        dtype=_US,
        atype=_US,
        btype=_US,
        op="add min max",
    ),
    Row(
        "9.7.18.1.1",
        "",
        "vsub.dtype.atype.btype{.sat}{.op} d, a, b{, c}",
        dtype=_US,
        atype=_US,
        btype=_US,
        op="add min max",
    ),
    Row(
        "9.7.18.1.1",
        "",
        "vabsdiff.dtype.atype.btype{.sat}{.op} d, a, b{, c}",
        dtype=_US,
        atype=_US,
        btype=_US,
        op="add min max",
    ),
    Row(
        "9.7.18.1.1",
        "",
        "vmin.dtype.atype.btype{.sat}{.op} d, a, b{, c}",
        dtype=_US,
        atype=_US,
        btype=_US,
        op="add min max",
    ),
    Row(
        "9.7.18.1.1",
        "",
        "vmax.dtype.atype.btype{.sat}{.op} d, a, b{, c}",
        dtype=_US,
        atype=_US,
        btype=_US,
        op="add min max",
    ),
    Row("9.7.18.2.1", "", "vadd2.dtype.atype.btype{.sat}{.add} d, a, b, c", dtype=_US, atype=_US, btype=_US),
    Row("9.7.18.2.1", "", "vsub2.dtype.atype.btype{.sat}{.add} d, a, b, c", dtype=_US, atype=_US, btype=_US),
    Row("9.7.18.2.1", "", "vavrg2.dtype.atype.btype{.sat}{.add} d, a, b, c", dtype=_US, atype=_US, btype=_US),
    Row("9.7.18.2.1", "", "vabsdiff2.dtype.atype.btype{.sat}{.add} d, a, b, c", dtype=_US, atype=_US, btype=_US),
    Row("9.7.18.2.1", "", "vmin2.dtype.atype.btype{.sat}{.add} d, a, b, c", dtype=_US, atype=_US, btype=_US),
    Row("9.7.18.2.1", "", "vmax2.dtype.atype.btype{.sat}{.add} d, a, b, c", dtype=_US, atype=_US, btype=_US),
    Row("9.7.18.2.3", "", "vadd4.dtype.atype.btype{.sat}{.add} d, a, b, c", dtype=_US, atype=_US, btype=_US),
    Row("9.7.18.2.3", "", "vsub4.dtype.atype.btype{.sat}{.add} d, a, b, c", dtype=_US, atype=_US, btype=_US),
    Row("9.7.18.2.3", "", "vavrg4.dtype.atype.btype{.sat}{.add} d, a, b, c", dtype=_US, atype=_US, btype=_US),
    Row("9.7.18.2.3", "", "vabsdiff4.dtype.atype.btype{.sat}{.add} d, a, b, c", dtype=_US, atype=_US, btype=_US),
    Row("9.7.18.2.3", "", "vmin4.dtype.atype.btype{.sat}{.add} d, a, b, c", dtype=_US, atype=_US, btype=_US),
    Row("9.7.18.2.3", "", "vmax4.dtype.atype.btype{.sat}{.add} d, a, b, c", dtype=_US, atype=_US, btype=_US),
)
