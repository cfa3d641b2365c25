# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Identification of a compiler library's build: patch releases share a version, but their results may differ."""

from __future__ import annotations

import functools
import hashlib
import os
from typing import Literal

PIECE = 1 << 16  # bytes: the head of the file has the ELF build id and all offsets, the tail the section headers


def of(api: Literal["nvrtc", "nvvm", "nvjitlink"]) -> str:
    """Return an identifier of the build of a compiler library, the same on every machine."""
    from cuda.bindings import _loader

    path = _loader.library_path(api)
    status = os.stat(path)
    return _of_file(path, status.st_size, status.st_mtime_ns)


@functools.cache
def _of_file(path: str, size: int, changed: int) -> str:
    with open(path, "rb") as file:
        head = file.read(PIECE)
        file.seek(max(size - PIECE, 0))
        digest = hashlib.sha256(b"%d" % size + head + file.read(PIECE))
    return digest.hexdigest()[:16]
