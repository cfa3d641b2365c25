# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Number and type of the registers of each operand of matrix instructions: sections 9.7.15 and 9.7.16."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cuda.cpu.ptx.form import Form

_LANES = 32
_BITS = {"f64": 64, "f32": 32, "s32": 32, "tf32": 32, "f16": 16, "bf16": 16, "s4": 4, "u4": 4, "b1": 1, "e2m1": 4}
_IN_BYTES = ("kind::f8f6f4", "kind::mxf8f6f4")  # each element takes a byte
_SCALES = {"scale_a": (1, "b32"), "scale_b": (1, "b32"), "from_a": (2, "u16"), "from_b": (2, "u16")}


def fragment_of(form: Form, name: str) -> tuple[int, str] | None:
    """Return the number of registers of an operand and their type; None if the operand is not a fragment."""
    fragments = form.row.traits.fragments
    return _SCALES.get(name) or (fragments(form, name) if fragments else None)


def _bits(form: Form, type_: str) -> int:
    return 8 if form.kind in _IN_BYTES else _BITS.get(type_, 8)


def _sizes(form: Form) -> tuple[int, int, int]:
    rows, columns, depth = map(int, re.split("[mnk]", form.shape)[1:])
    return rows, columns, depth


def _sums(type_: str, count: int) -> tuple[int, str]:
    """Return number and type of the registers for `count` elements of a result."""
    return (count // 2, "f16x2") if type_ == "f16" else (count, type_)


def mma(form: Form, name: str) -> tuple[int, str] | None:
    if name not in "dabc":
        return None
    type_ = getattr(form, f"{name}type")
    if form.shape == "m8n8k4" and form.atype == "f16":  # four products
        return _sums(type_, 8) if name in "dc" else (2, "b32")
    rows, columns, depth = _sizes(form)
    if name in "dc":
        return _sums(type_, rows * columns // _LANES)
    count = depth * (rows if name == "a" else columns) // (2 if form.sparse and name == "a" else 1)
    word = 64 if type_ == "f64" else 32
    return count * _bits(form, type_) // _LANES // word, "f64" if word == 64 else "b32"


def wmma(form: Form, name: str) -> tuple[int, str] | None:
    if name not in "dabc":
        return None
    part = name if form.modifiers[0] == "mma" else form.part or "d"
    type_ = form.type or getattr(form, f"{part}type") or "f16"
    rows, columns, depth = _sizes(form)
    if type_ == "f64":
        return (1 if part in "ab" else 2), type_
    if part in "dc":
        return _sums(type_, rows * columns // _LANES)
    if type_ in ("f16", "tf32"):  # fragments in which some elements are held by two lanes
        return (8, "f16x2") if type_ == "f16" else (4, "b32")
    count = depth * (rows if part == "a" else columns)
    return count * _bits(form, type_) // _LANES // 32, "b32"


def wgmma(form: Form, name: str) -> tuple[int, str] | None:
    if form.shape is None:
        return None
    if name == "d":
        rows, columns, _ = _sizes(form)
        return _sums(form.dtype, rows * columns // (4 * _LANES))
    return (4, "b32") if name == "a" else None  # or a matrix descriptor for shared memory


def matrices(form: Form, name: str) -> tuple[int, str] | None:
    return int(form.num[1:]) * (2 if form.shape == "m16n16" else 1), "%b32"
