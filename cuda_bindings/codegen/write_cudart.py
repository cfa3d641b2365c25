# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Write the C shell and the ABI of the runtime API on the CPU device, by the rules of write_shell and write_abi."""

from __future__ import annotations

import dataclasses
import re

from codegen import status_texts, write_abi, write_shell
from codegen.model import Library

FOLDER = "cuda_cpu/cuda/cpu/runtime_api"
ABI = "cuda_cpu/cuda/cpu/runtime_abi.py"
# Hand-written in cudart.c: they need no Python, or return no status.
IN_C = {"cudaGetLastError", "cudaPeekAtLastError", "cudaGetErrorName", "cudaGetErrorString", "cudaCreateChannelDesc"}


def files(libraries: dict[str, Library]) -> dict[str, str]:
    """Return the sources by path."""
    library = libraries["runtime"]
    abi = write_abi.render(library).replace("libcuda:", "libcudart:")
    rows = "".join(f'    {value}: ("{name}", "{text}"),\n' for value, name, text in statuses(library))
    abi += f"\nSTATUSES = {{  # number: name, text\n{rows}}}\n"
    return {f"{FOLDER}/_shell.c": render(library), ABI: abi}


def render(library: Library) -> str:
    """Return the C text of the shell."""
    parts = [
        "/* Written by `python -m codegen write` from the CUDA headers; do not edit. */",
        '#include "cudart.h"',
        *write_shell.value_structs(library),
    ]
    for function in library.functions.values():
        if function.name not in IN_C:
            for symbol in filter(None, (function.symbol, function.per_thread)):
                form = dataclasses.replace(function, symbol=symbol)
                parts.append(write_shell.define(library, form, function.name))
    rows = ",\n".join(f'    {{{value}, "{name}", "{text}"}}' for value, name, text in statuses(library))
    parts.append(f"const struct shell_status shell_statuses[] = {{\n{rows}\n}};")
    parts.append("const size_t shell_status_count = sizeof shell_statuses / sizeof *shell_statuses;")
    return "\n\n".join(parts) + "\n"


def statuses(library: Library) -> list[tuple[int, str, str]]:
    """Return number, name and text of each cudaError_t."""
    members = library.enums["cudaError_t"].members
    return [(each.value, each.name, status_texts.TEXTS.get(each.value) or words(each.name)) for each in members]


def words(status: str) -> str:
    """Return a status as words.

    >>> words("cudaErrorStreamDetached")
    'stream detached'
    """
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", status.removeprefix("cudaError")).lower()
