# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Disk cache of compiled kernels, in a folder that no other user can change (cache_folder.py).

CUDA_CPU_CACHE is the folder, or 0 for no cache.
"""

from __future__ import annotations

import hashlib
import os
import warnings

from cuda.cpu.cache_folder import CacheFolder, UnsafeFolderError
from cuda.cpu.signals import own

MAGIC = b"cudacpu1"
SIZE_LIMIT = 256 << 20  # bytes of all entries; the least recently used are removed first

_folders: dict[str, CacheFolder] = {}
_refused: set[str] = set()  # folders for which a warning was issued


def key_of(*parts: bytes) -> str:
    """Return the key of an entry made from `parts`."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.hexdigest()


def path() -> str | None:
    """Return the path of the cache's folder, None if the cache is off."""
    setting = os.environ.get("CUDA_CPU_CACHE", "")
    if setting:
        return None if setting == "0" else setting
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "open-cuda-python", "kernels")


def folder() -> CacheFolder | None:
    """Return the cache's folder, created if it is missing; None if there is no cache."""
    location = path()
    if location is None:
        return None
    found = _folders.get(location)
    if found is None or not found.is_there():
        try:
            found = _folders[location] = CacheFolder(location, MAGIC)
        except own(OSError) as error:
            _warn(location, error)
            return None
    return found


def _warn(location: str, error: OSError) -> None:
    if location in _refused:
        return
    _refused.add(location)
    own = "make it yours with mode 0700, or " if isinstance(error, UnsafeFolderError) else ""
    warnings.warn(
        f"compiled kernels are not cached: {error.filename or location}: {error.strerror}; {own}set CUDA_CPU_CACHE to "
        "another folder, or to 0",
        stacklevel=5,
    )


def find(key: str) -> bytes | None:
    """Return an entry, None if it is missing or damaged."""
    opened = folder()
    if opened is None:
        return None
    try:
        return opened.find(key)
    except own(OSError):
        return None


def store(key: str, body: bytes) -> None:
    """Write an entry atomically; failures to write are ignored."""
    opened = folder()
    if opened is None:
        return
    try:
        opened.store(key, body)
        opened.trim(SIZE_LIMIT, _is_entry)
    except own(OSError):
        pass


def _is_entry(name: str) -> bool:
    return True  # all files of the folder are entries
