# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Build a null driver: a libcuda.so.1 whose functions do nothing, to measure the overhead of callers."""

from __future__ import annotations

import pathlib
import re
import subprocess

HERE = pathlib.Path(__file__).parent
# Generated from cuda.h and part of every sdist; it contains all function names and their versions.
SHELL = HERE.parent / "cuda_cpu/cuda/cpu/entry/_shell.c"


def build(folder: pathlib.Path) -> pathlib.Path:
    """Compile the driver into `folder` and return its path."""
    if not SHELL.exists():
        raise SystemExit(f"{SHELL} is generated and absent; build the project first: nox -s build")
    names = sorted(set(re.findall(r"\bcu[A-Z]\w+", SHELL.read_text())))
    rest = folder / "null_rest.c"
    rest.write_text("".join(f"__attribute__((weak)) int {name}(void) {{ return 0; }}\n" for name in names))
    library = folder / "null/libcuda.so.1"
    library.parent.mkdir(exist_ok=True)
    flags = ["-O2", "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1"]
    subprocess.run(["gcc", *flags, "-o", library, HERE / "null_driver.c", rest, "-ldl"], check=True)
    return library
