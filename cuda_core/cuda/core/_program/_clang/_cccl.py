# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""CCCL's headers (libcu++, CUB, Thrust) for programs compiled by clang: where they are, and what they need."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterable

from cuda.core._program._clang._find import headers

MARK = os.path.join("cuda", "__cccl_config")  # every copy of CCCL has this file in the folder to include from


def installed() -> str:
    """Return the folder of the headers that the package nvidia-cuda-cccl installs, "" without it."""
    spec = importlib.util.find_spec("nvidia")
    for location in (spec.submodule_search_locations or ()) if spec else ():
        folder = os.path.join(location, "cu13", "include", "cccl")
        if os.path.exists(os.path.join(folder, MARK)):
            return folder
    return ""


def cccl_options(folders: Iterable[str], bundled: bool) -> list[str]:
    """Return the options for CCCL in one of the folders or, if `bundled`, as it is installed; none without it."""
    found = any(os.path.exists(os.path.join(folder, MARK)) for folder in folders)
    own = "" if found or not bundled else installed()
    if not found and not own:
        return []
    return ["-include", os.path.join(headers(), "open_cuda", "cccl.h"), *(["-isystem", own] if own else [])]
