# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Build the fault-injecting driver of faults.c, which wraps all functions of the CPU device's driver."""

from __future__ import annotations

import pathlib
import re
import shutil
import subprocess

HERE = pathlib.Path(__file__).parent
_SHELL = HERE.parents[1] / "cuda_cpu/cuda/cpu/entry/_shell.c"
_FUNCTION = re.compile(r"^SHELL_EXPORT int (cu\w+)\(([^)]*)\) \{", re.MULTILINE)
# These report failures and find symbols.
_THROUGH = ("cuGetErrorName", "cuGetErrorString", "cuGetProcAddress", "cuGetProcAddress_v2")
_GIVING_BACK = re.compile(r"cu\w*(Destroy|Free|Unload|Release|PopCurrent|Unmap|Close)")


def build(folder: pathlib.Path) -> pathlib.Path | None:
    """Return the path of the compiled driver; None without a compiler or the generated C shell."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None or not _SHELL.exists():
        return None
    text = _SHELL.read_text()
    functions = [(name, parameters) for name, parameters in _FUNCTION.findall(text) if name not in _THROUGH]
    structs = re.findall(r"^struct value_\w+ \{.*\};", text, re.MULTILINE)
    lines = ['#include "faults.c"', *structs]
    lines += [f"int {name}({parameters});" for name, parameters in functions]
    rows = (f'{{"{name}", {name}, 0, {_kind(name)}, 0}},' for name, _ in functions)
    lines += ["static struct wrapper wrappers[] = {", *rows, "{0, 0, 0, 0, 0}};"]
    for index, (name, parameters) in enumerate(functions):
        arguments = ", ".join(part.split()[-1].lstrip("*") for part in parameters.split(",") if part != "void")
        lines.append(f"WRAP({index}, ({parameters}), ({arguments}), {name})")
    source, library = folder / "all_faults.c", folder / "libfaults.so"
    source.write_text("\n".join(lines))
    flags = ["-O0", "-shared", "-fPIC", "-w", f"-I{HERE}"]
    subprocess.run([compiler, *flags, "-o", library, source, "-ldl"], check=True)
    return library


def _kind(name: str) -> str:
    if name.startswith("cuStreamEndCapture"):
        return "NEVER_FAILS"
    return "GIVES_BACK" if _GIVING_BACK.match(name) else "PLAIN"
