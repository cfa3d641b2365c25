# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Arguments of the runtime's checks: the site of an instruction, and memory with values per lane."""

from __future__ import annotations

from cuda.cpu.emit.llvm.values import Value, constant
from cuda.cpu.emit.simt.frame import Frame

NULL = Value("null", "ptr", literal=True)
MOST_ELEMENTS = 8


def site(frame: Frame) -> Value:
    """Return the site of the instruction in reports: the number of its function, and its line."""
    return constant(site_number(frame), "i64")


def site_number(frame: Frame) -> int:
    return frame.module.functions.index(frame.facts.function.name) << 32 | frame.line


def stored(frame: Frame, *values: Value) -> Value:
    return stored_rows(frame, 0, values)


def stored_bases(frame: Frame, bases: list[Value]) -> Value:
    """Store the first address of each row of lanes."""
    buffer = stored(frame)
    for number, base in enumerate(bases):
        offset = frame.builder.offset(buffer.ref, 8 * number * frame.module.lane_run)
        frame.builder.store(base, offset, align=8)
    return buffer


def stored_rows(frame: Frame, count: int, values: tuple[Value, ...]) -> Value:
    """Store values per lane for the runtime, in a buffer for `count` of them (0: the buffer for one)."""
    builder = frame.builder
    if count not in frame.check_buffers:
        frame.check_buffers[count] = builder.alloca(f"[{max(count, 1)} x {builder.type('i64')}]", 64)
    for number, value in enumerate(values):
        at = builder.offset(frame.check_buffers[count], number * frame.width * 8)
        builder.store(builder.broadcast(builder.resize(builder.bits(value), "i64")), at, align=64)
    return Value(frame.check_buffers[count], "ptr")
