# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Write the pages that follow from the code: what is bound, what the CPU device implements, what errors advise."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import pathlib

TITLES = {
    "driver": "The CUDA driver API",
    "runtime": "The CUDA runtime API",
    "nvrtc": "NVRTC, the runtime compiler",
    "nvjitlink": "nvJitLink, the linker",
    "nvvm": "libNVVM, the compiler of NVVM IR",
    "nvfatbin": "nvFatbin, which packs fat binaries",
    "nvml": "NVML, the management library",
    "cufile": "cuFile, direct storage access",
}


def write_all(folder: pathlib.Path) -> None:
    folder.mkdir(exist_ok=True)
    pages = {f"bindings_{name}.md": bindings_page(stub) for name, stub in stubs().items()}
    pages |= {
        "core.md": core_page(),
        "implemented_table.md": implemented_table(),
        "instructions_table.md": instructions_table(),
        "advice_table.md": advice_table(),
    }
    for name, text in pages.items():
        path = folder / name
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


def stubs() -> dict[str, pathlib.Path]:
    """Return the stub of each generated module of cuda.bindings, in the order of TITLES."""
    folder = pathlib.Path(importlib.util.find_spec("cuda.bindings").origin).parent
    found = {path.stem: path for path in folder.glob("*.pyi") if (folder / f"cy{path.stem}.pxd").exists()}
    return {name: found.pop(name) for name in TITLES if name in found} | found


def bindings_page(stub: pathlib.Path) -> str:
    """Return the reference of one module, from its stub: functions with their docstrings, then structs and enums."""
    name = stub.stem
    importlib.import_module(f"cuda.bindings.{name}")  # or autodoc would run the stub in its place
    nodes = ast.parse(stub.read_text()).body
    functions = {node.name: node for node in nodes if isinstance(node, ast.FunctionDef) and node.name[0] != "_"}
    classes = {node.name: node for node in nodes if isinstance(node, ast.ClassDef) and node.name[0] != "_"}
    enums = {name for name, node in classes.items() if any("Enum" in ast.unparse(base) for base in node.bases)}
    lines = [f"# cuda.bindings.{name}", "", f"{TITLES[name]}: {len(functions)} functions, {len(classes)} classes.", ""]
    lines += ["## Functions", "", "```{eval-rst}", f".. py:currentmodule:: cuda.bindings.{name}", ""]
    for function in sorted(functions):
        arguments = ", ".join(argument.arg for argument in functions[function].args.args)
        lines += [f".. autofunction:: cuda.bindings.{name}.{function}({arguments})", ""]
    lines += ["```", "", "## Structures and handles", "", *class_table(classes, set(classes) - enums)]
    lines += ["## Enumerations", "", *class_table(classes, enums)]
    return "\n".join(lines) + "\n"


def class_table(classes: dict[str, ast.ClassDef], names: set[str]) -> list[str]:
    """Return a table of classes and the names in them."""
    if not names:
        return ["None.", ""]
    lines = ["| name | members |", "|---|---|"]
    for name in sorted(names):
        members = [member_name(node) for node in classes[name].body]
        shown = [member for member in dict.fromkeys(members) if member and not member.startswith("__")]
        lines.append(f"| `{name}` | {', '.join(f'`{member}`' for member in shown) or 'opaque'} |")
    return [*lines, ""]


def member_name(node: ast.stmt) -> str:
    if isinstance(node, ast.AnnAssign):
        return ast.unparse(node.target)
    if isinstance(node, ast.Assign):
        return ast.unparse(node.targets[0])
    return getattr(node, "name", "")


def core_page() -> str:
    """Return the reference of cuda.core and cuda.core.utils: what they export, in their order."""
    return "\n".join([*exports("cuda.core", "#"), *exports("cuda.core.utils", "##")])


def exports(module: str, level: str) -> list[str]:
    """Return the reference of what a module exports, below a heading of this level."""
    exporter = importlib.import_module(module)
    lines = [f"{level} {module}", "", "```{eval-rst}", f".. py:currentmodule:: {module}", "```", ""]
    for name in exporter.__all__:
        value = getattr(exporter, name)
        if isinstance(value, type):
            lines += [
                f"{level}# {name}",
                "",
                "```{eval-rst}",
                f".. autoclass:: {module}.{name}",
                "   :members:",
                "```",
                "",
            ]
        elif callable(value):
            lines += [f"{level}# {name}", "", "```{eval-rst}", f".. autofunction:: {module}.{name}", "```", ""]
    return lines


def implemented_table() -> str:
    """Return the functions of the driver and runtime APIs that the CPU device implements."""
    import cuda.cpu
    from cuda.cpu import runtime_api

    names = sorted(cuda.cpu.implemented())
    listed = "\n".join(f"- `{name}`" for name in names)
    runtime = "\n".join(f"- `{name}`" for name in runtime_api.implemented())
    return (
        f"{len(names)} functions of the driver API:\n\n:::{{container}} implemented\n{listed}\n:::\n\n"
        f"and {len(runtime_api.implemented())} of the runtime API:\n\n:::{{container}} implemented\n{runtime}\n:::\n"
    )


def instructions_table() -> str:
    """Return the PTX instructions that the CPU device runs, in the manual's order."""
    from cuda.cpu.ptx import instructions

    rows = [row for rows in instructions.table().values() for row in rows if row.family]
    lines = [f"{len(rows)} forms:", "", "| section | form | where |", "|---|---|---|"]
    for row in rows:
        values = "; ".join(f"{name}: {words}" for name, words in row.values.items() if f".{name}" in row.syntax)
        lines.append(f"| {row.section} | {code(row.syntax)} | {code(values) if values else ''} |")
    return "\n".join(lines)


def code(text: str) -> str:
    """Return text as code in a cell of a table."""
    return "`" + text.replace("|", "\\|") + "`"


def advice_table() -> str:
    """Return what the exceptions of cuda.core advise."""
    from cuda.core import _errors

    return "\n".join(f"`{status}`\n: {advice}\n" for status, advice in _errors._ADVICE.items())
