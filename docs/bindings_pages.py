# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Write the reference of cuda.bindings: a page per module, with its functions by subject, from the module's stub."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import pathlib
import re
from types import ModuleType

import bindings_subjects
import cpu_support

TITLES = {
    "driver": "The CUDA driver API",
    "runtime": "The CUDA runtime API",
    "nvrtc": "NVRTC, the runtime compiler",
    "nvjitlink": "nvJitLink, the linker",
    "nvvm": "libNVVM, the compiler of NVVM IR",
    "nvfatbin": "nvFatbin, which packs fat binaries",
    "nvml": "NVML, the management library",
    "cufile": "cuFile, direct storage access",
    "cudla": "cuDLA, the deep learning accelerator of Jetson and DRIVE",
}
DEPRECATED = "Deprecated functions"


def pages() -> dict[str, str]:
    """Return the texts of all pages by the names of their files."""
    return {f"bindings_{name}.md": page(stub) for name, stub in stubs().items()}


def stubs() -> dict[str, pathlib.Path]:
    """Return the stub of each generated module of cuda.bindings, in the order of TITLES."""
    folder = pathlib.Path(importlib.util.find_spec("cuda.bindings").origin).parent
    found = {path.stem: path for path in folder.glob("*.pyi") if (folder / f"cy{path.stem}.pxd").exists()}
    return {name: found.pop(name) for name in TITLES if name in found} | found


def page(stub: pathlib.Path) -> str:
    """Return the reference of one module, from its stub: functions with their docstrings, then structs and enums."""
    name = stub.stem
    module = importlib.import_module(f"cuda.bindings.{name}")  # otherwise autodoc would run the stub instead
    nodes = ast.parse(stub.read_text()).body
    functions = {node.name: node for node in nodes if isinstance(node, ast.FunctionDef) and node.name[0] != "_"}
    classes = {node.name: node for node in nodes if isinstance(node, ast.ClassDef) and node.name[0] != "_"}
    enums = {name for name, node in classes.items() if any("Enum" in ast.unparse(base) for base in node.bases)}
    lines = [f"# cuda.bindings.{name}", "", f"{TITLES[name]}: {len(functions)} functions, {len(classes)} classes.", ""]
    for title, members in by_subject(module, list(functions)).items():
        lines += [f"## {title}", "", "```{eval-rst}", f".. py:currentmodule:: cuda.bindings.{name}", ""]
        for function in members:
            arguments = ", ".join(argument.arg for argument in functions[function].args.args)
            lines += [f".. autofunction:: cuda.bindings.{name}.{function}({arguments})", ""]
        lines += ["```", ""]
    lines += ["## Structures and handles", "", *class_table(classes, set(classes) - enums)]
    lines += ["## Enumerations", "", *class_table(classes, enums)]
    return "\n".join(lines) + "\n"


def by_subject(module: ModuleType, functions: list[str]) -> dict[str, list[str]]:
    """Return the sorted functions of a module by subject."""
    name = module.__name__.rpartition(".")[2]
    if name not in ("driver", "runtime"):
        return bindings_subjects.by_name(name, functions)
    titles = {group: title for title, groups in bindings_subjects.GROUPS.items() for group in groups.split()}
    other = bindings_subjects.OTHER
    found: dict[str, list[str]] = {title: [] for title in (*bindings_subjects.GROUPS, other, DEPRECATED)}
    for function in sorted(functions):
        doc = getattr(module, function).__doc__ or ""
        group = re.search(r"/group__CUDA(?:RT)?__(\w+?)\.html", doc)
        named = titles.get(group[1] if group else "", other)
        found[DEPRECATED if "\nDeprecated.\n" in doc else named].append(function)
    return {title: members for title, members in found.items() if members}


def class_table(classes: dict[str, ast.ClassDef], names: set[str]) -> list[str]:
    """Return a table of classes and their members."""
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


def add_cpu_support(name: str, lines: list[str]) -> None:
    """Add to the docstring of a function of cuda.bindings whether the CPU device supports it."""
    match = re.fullmatch(r"cuda\.bindings\.(\w+)\.(\w+)", name)
    if match and match[1] in TITLES:
        called = re.search(r"^\s*Calls (\w+)\.", "\n".join(lines), re.MULTILINE)
        lines += ["", cpu_support.sentence(match[1], called[1] if called else match[2]), ""]
