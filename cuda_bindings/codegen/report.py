# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""What is bound, header by header, as Markdown that is committed and reviewed."""

from __future__ import annotations

from collections import Counter

from codegen import apis
from codegen.model import Library

KINDS = ("functions", "structs", "enums", "typedefs", "constants")


def render(libraries: dict[str, Library]) -> str:
    """Return the report over all APIs."""
    lines = [
        "<!-- Written by `python -m codegen report` -->",
        "# What the generator binds",
        "",
        "| module | header | " + " | ".join(KINDS) + " |",
        "|---|---|" + "---|" * len(KINDS),
    ]
    for name, library in libraries.items():
        counts = {kind: Counter(item.header for item in getattr(library, kind).values()) for kind in KINDS}
        for header in apis.APIS[name].headers:
            row = " | ".join(str(counts[kind][header]) for kind in KINDS)
            lines.append(f"| {name} | {header} | {row} |")
    return "\n".join(lines) + "\n"
