# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Statements of short random kernels with variables of mixed sizes and alignments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.focus_memory import fold

if TYPE_CHECKING:
    from support.random_focus import Writer


def variables(writer: Writer) -> str:
    """Fill variables of mixed sizes and alignments, of the thread or the block, and read them back."""
    random, space, text, back = writer.random, writer.choice("local", "local", "shared"), "", ""
    for _ in range(random.randrange(2, 5)):
        size, count = random.choice([1, 2, 4, 8]), random.choice([1, 2, 3, 5, 7, 8])
        align = max(size, random.choice([1, 1, 8, 16, 64, 256]))
        words = count + (writer.threads - 1) * (space == "shared")
        name, rest = writer.variable(space, words * size, align), writer.new()
        back += f" mov.u32 {rest}, {name}; and.b32 {rest}, {rest}, {align - 1}; {writer.store(rest)}"
        filled, read = (_of_block if space == "shared" else _of_thread)(writer, name, size, count)
        text, back = text + filled, back + read
    return text + back


def _value(writer: Writer, size: int, number: int) -> tuple[str, str]:
    """Return lines that compute a value of so many bytes, and its register."""
    value = writer.new()
    text = f" add.u32 {value}, {writer.source()}, {17 * number};"
    if size < 8:
        return text, value
    wide = writer.new("q")
    return f"{text} mov.b64 {wide}, {{{value}, {writer.source()}}};", wide


def _of_thread(writer: Writer, name: str, size: int, count: int) -> tuple[str, str]:
    """Return lines that fill a variable, and lines that read it; addresses are computed in several ways."""
    random, address, text, back, found = writer.random, writer.new(), "", "", []
    kind, results = f"u{8 * size}", "q" if size == 8 else "r"
    for number in range(count):
        lines, value = _value(writer, size, number)
        at = writer.choice(f"{name}+{number * size}", f"{address}+{number * size}")
        text += f"{lines} st.local.{kind} [{at}], {value};"
    for number in random.sample(range(count), min(count, 4)):
        end, result = writer.new(), writer.new(results)
        back += writer.choice(
            f" mov.u32 {end}, {name}+{number * size};",
            f" mov.u32 {end}, {number}; mad.lo.u32 {end}, {end}, {size}, {address};",
        )
        back += f" ld.local.{kind} {result}, [{end}];"
        found.append(result)
    return f" mov.u32 {address}, {name}; {text}", f"{back} {fold(writer, found)}"


def _of_block(writer: Writer, name: str, size: int, count: int) -> tuple[str, str]:
    """Do the same with the thread's own element of a variable in shared memory."""
    address, end, result = writer.new(), writer.new(), writer.new("q" if size == 8 else "r")
    text, value = _value(writer, size, 0)
    further = writer.random.randrange(count) * size
    text += (
        f" mov.u32 {address}, {name}; mad.lo.u32 {address}, %tid, {size}, {address};"
        f" st.shared.u{8 * size} [{address}], {value};"
    )
    back = (
        f" mov.u32 {end}, {name}+{further}; mad.lo.u32 {end}, %tid, {size}, {end};"
        f" ld.shared.u{8 * size} {result}, [{end}+{-further}];"
    )
    return text, f"{back} {fold(writer, [result])}"
