# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Whether the CPU device supports a function of cuda.bindings, as a sentence for the reference."""

from __future__ import annotations

import functools
import pathlib
import re

CPU = pathlib.Path(__file__).parents[1] / "cuda_cpu/cuda/cpu"
COMPILERS = {"nvrtc", "nvjitlink", "nvvm", "nvfatbin"}  # libraries that run on the host, with a GPU or without


@functools.cache
def unsupported(module: str) -> dict[str, str]:
    """Return the functions of a module that the CPU device does not support, with the reason where there is one."""
    from cuda.cpu import driver, runtime_api

    if module == "nvml":
        return dict.fromkeys(re.findall(r"int (nvml\w+)\(", (CPU / "nvml/_unsupported.c").read_text()), "")
    api, folder = (driver, "entry") if module == "driver" else (runtime_api, "runtime_api")
    reason_of = driver.unsupported.reason_of if module == "driver" else runtime_api.reason_of
    exported = re.findall(r'struct shell_entry entry = {"(\w+)"', (CPU / folder / "_shell.c").read_text())
    return {name: reason_of(name) for name in set(exported) - set(api.implemented())}


def sentence(module: str, function: str) -> str:
    """Return the sentence about a function, by its name in C."""
    if module in COMPILERS:
        return "The library runs on the host and needs no GPU."
    if module == "cudla":
        return "Not supported by the CPU device: it needs the accelerator of Jetson or DRIVE."
    if module != "cufile" and function in unsupported(module):
        reason = unsupported(module)[function]
        return "Not supported by the CPU device" + (f": {reason}." if reason else ".")
    return "Supported by the CPU device."
