# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""NVRTC's bundled headers and the folder that it unpacks them into (`ProgramOptions.use_bundled_headers`)."""

from __future__ import annotations

import os

from cuda.bindings._signals import own

FIRST = (13, 3)  # the first version of NVRTC with bundled headers


def options() -> list[str]:
    """Return the options for NVRTC's bundled headers, or for those of installed packages if NVRTC is too old.

    Raises
    ------
    RuntimeError
        If NVRTC has no headers and the packages are not installed.
    """
    from cuda import pathfinder
    from cuda.bindings import nvrtc

    _, major, minor = nvrtc.nvrtcVersion()
    if (major, minor) >= FIRST:
        return [f"--use-bundled-headers={folder()}"]
    found = [pathfinder.find_nvidia_header_directory(name) for name in ("cudart", "cccl")]
    if None in found:
        raise RuntimeError(
            f"use_bundled_headers: NVRTC {major}.{minor} carries no headers, 13.3 is the first that does; "
            "install nvidia-cuda-runtime, nvidia-cuda-crt and nvidia-cuda-cccl of its version, or name the headers' "
            "folders by include_path"
        )
    return [f"--include-path={path}" for path in found]


def folder() -> str:
    """Return the folder for NVRTC's bundled headers, one per build of NVRTC, checked again at each call.

    NVRTC itself fills it once, under a lock, and trusts its contents afterwards. NVRTC accepts only a path: this one
    has no symbolic links, and other users cannot write to any folder on it, so that it stays the checked folder.

    Raises
    ------
    RuntimeError
        If the folder cannot be created, or other users may write to it or to one of its parents.
    """
    from cuda.bindings import nvrtc
    from cuda.core._program import _compiler_build
    from cuda.core._program._cache_folder import UnsafeFolderError, checked_path

    build = f"{'.'.join(map(str, nvrtc.nvrtcVersion()[1:]))}-{_compiler_build.of('nvrtc')}"
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    path = os.path.join(base, "open-cuda-python", f"nvrtc-{build}-headers")
    advice = "set XDG_CACHE_HOME to a folder of yours, or name the headers' folder by include_path"
    try:
        return checked_path(path)
    except UnsafeFolderError as error:
        raise RuntimeError(f"use_bundled_headers: {error.filename}: {error.strerror}; {advice}") from None
    except own(OSError) as error:
        raise RuntimeError(f"use_bundled_headers: {error}; {advice}") from None
