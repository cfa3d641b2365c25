# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The repr of structs: all fields, and the active member of unions.

Inactive members of a union would show the bits of another type: meaningless numbers and invalid pointers. The module's
table names the field that selects the active member (``unions.toml`` of the generator). For a union without such a
field, numbers and handles are shown, since reading them is harmless, and other members as bytes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

HIDDEN = ("reserved", "pad")


class Part(NamedTuple):
    """Fields of a struct that share memory, usually one."""

    fields: list[str]
    start: int
    stop: int
    tag: str  # field that selects the active member among these fields, or within a single field that is a union
    members: dict[int, str]  # value of the tag -> member
    plain: bool  # whether all fields are numbers or handles


def plan(tables, name: str) -> list[Part]:
    """Return the parts of a struct, sorted by their first fields."""
    unions = tables.unions(name)
    tags = {tag for tag, _ in unions.values()}
    groups: list[Any] = []  # first and last bit, fields
    for start, stop, field in sorted(tables.spans(name), key=lambda span: (span[2] not in tags, span[0])):
        last: Any = groups[-1] if groups else [0, 0, []]
        if field not in tags and start < last[1] and tags.isdisjoint(last[2]):
            last[1] = max(last[1], stop)
            last[2].append(field)
        else:
            groups.append([start, stop, [field]])
    codes = {field: code for field, code, _ in tables.fields(name)}
    positions = list(codes)
    parts = []
    for start, stop, fields in sorted(groups, key=lambda group: min(map(positions.index, group[2]))):
        tag, members = unions.get(fields[0] if len(fields) == 1 else "*", ("", {}))
        plain = all(tables.is_plain(codes[field]) for field in fields)
        parts.append(Part(fields, start // 8, -(-stop // 8), tag, members, plain))
    return parts


def show(struct: Any, chosen: str = "") -> str:
    """Return the repr of a struct; `chosen` is the active member, if the enclosing struct selects it."""
    cls = type(struct)
    shown = []
    for part in cls._plan():
        member = part.members.get(int(getattr(struct, part.tag)), "") if part.tag else chosen
        if len(part.fields) == 1:
            fields = part.fields
        elif member in part.fields:
            fields = [member]
        elif part.plain:
            fields = part.fields
        else:
            content = struct._bytes(part.start, part.stop)
            shown.append(f"<union of {len(content)} bytes: {content.rstrip(bytes(1)).hex() or '0'}>")
            continue
        inner = member if part.tag else ""  # `chosen` is about this struct's own union
        shown += [f"{name}={field(struct, name, inner)}" for name in fields if not name.startswith(HIDDEN)]
    return f"{cls.__name__}({', '.join(shown)})"


def field(struct: Any, name: str, member: str) -> str:
    """Return the repr of a field."""
    if type(struct)._is_struct(name):
        return show(getattr(struct, name), member)
    return type(struct).__dict__[name].show(struct)
