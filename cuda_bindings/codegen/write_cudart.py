# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Write the C shell and the ABI of the runtime API on the CPU device, by the rules of write_shell and write_abi."""

from __future__ import annotations

import dataclasses
import re

from codegen import write_abi, write_shell
from codegen.model import Library

FOLDER = "cuda_cpu/cuda/cpu/runtime_api"
# Written by hand, in cudart.c: they need no Python, or return no status.
IN_C = {"cudaGetLastError", "cudaPeekAtLastError", "cudaGetErrorName", "cudaGetErrorString", "cudaCreateChannelDesc"}


def files(libraries: dict[str, Library]) -> dict[str, str]:
    """Return the sources by path."""
    library = libraries["runtime"]
    abi = write_abi.render(library).replace("libcuda:", "libcudart:")
    return {f"{FOLDER}/_shell.c": render(library), f"{FOLDER}/abi.py": abi}


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
    rows = ",\n".join(
        f'    {{{member.value}, "{member.name}", "{words(member.name)}"}}'
        for member in library.enums["cudaError_t"].members
    )
    parts.append(f"const struct shell_status shell_statuses[] = {{\n{rows}\n}};")
    parts.append("const size_t shell_status_count = sizeof shell_statuses / sizeof *shell_statuses;")
    return "\n\n".join(parts) + "\n"


def words(status: str) -> str:
    """Return a status as words.

    >>> words("cudaErrorInvalidValue")
    'invalid value'
    """
    if status == "cudaSuccess":
        return "no error"
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", status.removeprefix("cudaError")).lower()
