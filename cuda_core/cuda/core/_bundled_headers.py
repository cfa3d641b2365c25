# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Where NVRTC unpacks the headers that it carries (`ProgramOptions.use_bundled_headers`)."""

from __future__ import annotations

import os
import stat
from functools import cache
from pathlib import Path


@cache
def folder() -> str:
    """Return the folder for NVRTC's bundled headers, one for each version of NVRTC.

    NVRTC itself fills it once, under a lock, and uses what it finds there afterwards.

    Raises
    ------
    RuntimeError
        The folder cannot be made, or others may write to it.
    """
    from cuda.bindings import nvrtc

    version = ".".join(map(str, nvrtc.nvrtcVersion()[1:]))
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    path = Path(base) / "open-cuda-python" / f"nvrtc-{version}-headers"
    advice = "set XDG_CACHE_HOME to a folder of yours, or name the headers' folder by include_path"
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise RuntimeError(f"use_bundled_headers: {error}; {advice}") from None
    status = path.stat()
    if status.st_uid != os.getuid() or stat.S_IMODE(status.st_mode) & 0o022:
        raise RuntimeError(f"use_bundled_headers: others may write to {path}; {advice}")
    return str(path)
