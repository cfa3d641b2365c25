# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Statements of short random kernels that access arrays of structures: each thread some fields of its own one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.focus_memory import fold

if TYPE_CHECKING:
    from support.random_focus import Writer

KINDS = [(1, "u8"), (2, "u16"), (2, "s16"), (4, "u32"), (4, "u32"), (4, "u32"), (8, "u64")]
FIELDS = [1, 2, 2, 3, 4, 4, 5, 6, 7, 8, 9, 17]  # of a structure
INDICES = ["%tid", "%tid", "%tid", "%lane", "%tx"]


def beyond(writer: Writer) -> str:
    """Load elements at offsets beyond the stride, as filters do, and around changes of the address."""
    random, address, text, found = writer.random, writer.new("q"), "", []
    size, kind = random.choice(KINDS)
    stride = size * random.choice([n for n in (2, 3, 4, 8) if n * size <= 16])
    text = (
        f"mul.wide.u32 {address}, {writer.choice('%tid', '%lane', '%tx')}, {stride}; add.s64 {address}, {address}, %in;"
    )
    for _ in range(random.randrange(2, 9)):
        found.append(writer.new("q" if size == 8 else "r"))
        text += f" ld.global.{kind} {found[-1]}, [{address}+{size * random.randrange(12)}];"
        text += f" add.s64 {address}, {address}, {stride};" if writer.chance(0.1) else ""
    return f"{text} {fold(writer, found)}"


def structures(writer: Writer) -> str:
    """Write all fields, in some threads some of them again, and read some in any order, several at a time."""
    random, (size, kind), fields = writer.random, writer.random.choice(KINDS), writer.random.choice(FIELDS)
    stride, start, address, letter = size * fields, writer.new(), writer.new(), "q" if size == 8 else "r"
    name = writer.variable("shared", stride * writer.threads, 16)
    index = "%tid" if writer.threads > 32 else random.choice(INDICES[:-1])
    below = random.choice([0, 0, size])
    text = f"mov.u32 {start}, {name};" + (f" add.u32 {start}, {start}, {below};" if below else "")
    if writer.chance(0.3):  # the last thread has the first structure
        text += f" add.u32 {start}, {start}, {stride * (writer.threads - 1)};"
        text += f" mad.lo.s32 {address}, {index}, {-stride}, {start};"
    else:
        text += f" mad.lo.u32 {address}, {index}, {stride}, {start};"

    def accesses(*, every: bool) -> list[tuple[int, int]]:
        """Return first field and number of fields of each access."""
        found, at = [], 0
        while at < fields:
            most = [
                n for n in (4, 2) if at + n <= fields and stride % (n * size) == 0 and at % n == 0 and n * size <= 16
            ]
            count = random.choice([1, *most])
            found.append((at, count))
            at += count
        random.shuffle(found)
        return found if every else random.sample(found, random.randrange(1, len(found) + 1))

    def stores(chosen: list[tuple[int, int]]) -> str:
        lines = ""
        for at, count in chosen:
            given = [writer.source() if letter == "r" else writer.new("q") for _ in range(count)]
            for wide in given if letter == "q" else ():
                lines += f" mov.b64 {wide}, {{{writer.source()}, {writer.source()}}};"
            vector = f"{{{', '.join(given)}}}" if count > 1 else given[0]
            lines += f" st.shared{f'.v{count}' * (count > 1)}.{kind.replace('s', 'u')} "
            lines += f"[{address}+{at * size - below}], {vector};"
            if writer.chance(0.15):
                found.append(writer.new(letter))
                lines += f" ld.shared.{kind} {found[-1]}, [{address}+{at * size - below}];"
        return lines

    found: list[str] = []
    text += stores(accesses(every=True))
    twice = writer.chance(0.3)
    again = stores(accesses(every=False)) + (stores(accesses(every=False)) if twice else "")
    if writer.chance(0.5):
        text += again
    else:  # in some threads, of which no results are read
        text, found = f"{text} {writer.some(again)}", []
    for at, count in accesses(every=False):
        targets = [writer.new(letter) for _ in range(count)]
        vector = f"{{{', '.join(targets)}}}" if count > 1 else targets[0]
        text += f" ld.shared{f'.v{count}' * (count > 1)}.{kind} {vector}, [{address}+{at * size - below}];"
        found += targets
        if writer.chance(0.15):
            text += f" st.shared.{kind.replace('s', 'u')} [{address}+{at * size - below}], {targets[0]};"
    return f"{text} {fold(writer, found)}"
