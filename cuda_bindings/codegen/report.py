# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Write report.md: what is bound, skipped and overridden, by header; committed, so that reviews show changes."""

from __future__ import annotations

from collections import Counter

from codegen import apis, roles
from codegen.model import Library, Role

KINDS = ("functions", "structs", "enums", "typedefs", "constants")


def render(libraries: dict[str, Library]) -> str:
    """Return the report over all APIs."""
    lines = ["<!-- Written by `python -m codegen report` -->", "# What the generator binds", *bound(libraries)]
    for name, library in libraries.items():
        lines += ["", f"# {name}", *inventory(library), *used_roles(library), *exceptions(library)]
    return "\n".join(lines) + "\n"


def functions(libraries: dict[str, Library]) -> str:
    """Return a line for each function: its parameters and their roles."""
    return "".join(
        f"{name}.{function.name}({', '.join(f'{param.name}: {param.role.value}' for param in function.params)})\n"
        for name, library in libraries.items()
        for function in library.functions.values()
    )


def bound(libraries: dict[str, Library]) -> list[str]:
    """Return the table of how much of each header is bound."""
    lines = ["", f"| module | header | {' | '.join(KINDS)} | macros skipped |", "|---" * (3 + len(KINDS)) + "|"]
    for name, library in libraries.items():
        counts = {kind: Counter(item.header for item in getattr(library, kind).values()) for kind in KINDS}
        skipped = Counter(library.skipped.values())
        for header in apis.APIS[name].headers:
            numbers = [counts[kind][header] for kind in KINDS] + [skipped[header]]
            lines.append(f"| {name} | {header} | {' | '.join(map(str, numbers))} |")
    return lines


def inventory(library: Library) -> list[str]:
    """Return lists of names: renamed and deprecated functions, macros that are no constants."""
    renamed = [f"{name} = {one.symbol}" for name, one in library.functions.items() if name != one.symbol]
    groups = {
        "Functions whose symbol has another name": renamed,
        "Deprecated functions": [name for name, function in library.functions.items() if function.deprecated],
        "Functions without a version in the headers": [
            name for name, one in library.functions.items() if apis.APIS[library.name].versions and not one.version
        ],
        "Macros skipped, since they have no value": [name for name in library.skipped if not name.startswith("_")],
    }
    lines = []
    for title, names in groups.items():
        if names:
            lines += ["", f"{title} ({len(names)}):", *(f"- {name}" for name in names)]
    return lines


def used_roles(library: Library) -> list[str]:
    """Return how often each role occurs."""
    counts = Counter(param.role for function in library.functions.values() for param in function.params)
    lines = ["", "| role | parameters |", "|---|---|"]
    return lines + [f"| {role.value} | {counts[role]} |" for role in Role if counts[role]]


def exceptions(library: Library) -> list[str]:
    """Return the overrides with their reasons."""
    lines = ["", "Exceptions to the rules (overrides.toml):", "", "| parameters | change | reason |", "|---|---|---|"]
    for entry in roles.table().get(library.name, []) + roles.table().get(library.name + "_forms", []):
        change = ", ".join(f"{key} {value!r}" for key, value in entry.items() if key not in ("parameters", "reason"))
        lines.append(f"| {', '.join(entry['parameters'])} | {change} | {entry['reason']} |")
    return lines
