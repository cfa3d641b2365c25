# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Write the unimplemented functions of the CPU device's NVML: each returns NVML_ERROR_NOT_SUPPORTED."""

from __future__ import annotations

import pathlib
import re

from codegen import facts
from codegen.model import Library

FOLDER = "cuda_cpu/cuda/cpu/nvml"
WRITTEN = pathlib.Path(__file__).parents[2] / FOLDER / "nvml.c"
NOT_SUPPORTED = 3  # NVML_ERROR_NOT_SUPPORTED


def files(libraries: dict[str, Library]) -> dict[str, str]:
    """Return the source by path."""
    return {f"{FOLDER}/_unsupported.c": render(facts.nvml_functions() - written())}


def written() -> set[str]:
    """Return the functions of nvml.c."""
    text = WRITTEN.read_text()
    return set(re.findall(r"^[A-Z_]+\((nvml\w+)", text, re.MULTILINE)) | {"nvmlErrorString"}


def render(missing: set[str]) -> str:
    # Arguments are the caller's to clean up in the C ABIs of Linux: a function that reads none needs to declare none.
    body = "\n".join(f"SHELL_EXPORT int {name}(void) {{ return {NOT_SUPPORTED}; }}" for name in sorted(missing))
    head = "/* Written by `python -m codegen write` from nvml.h; do not edit. */"
    return f'{head}\n#include "../entry/interpreter.h"\n\n{body}\n'
