# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Keep compiled kernels on disk, in a folder that no other user can change (cache_folder.py).

CUDA_CPU_CACHE is the folder, or 0 for no cache.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import warnings

from cuda.cpu.cache_folder import CacheFolder, UnsafeFolderError

MAGIC = b"cudacpu1"
SIZE_LIMIT = 256 << 20  # bytes of all entries; those not used for longest go first

_folders: dict[str, CacheFolder] = {}
_refused: set[str] = set()  # that the user has been told of


def key_of(*parts: bytes) -> str:
    """Return the key of an entry made from `parts`."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.hexdigest()


def path() -> str | None:
    """Return the path of the cache's folder, None if there is to be no cache."""
    setting = os.environ.get("CUDA_CPU_CACHE", "")
    if setting:
        return None if setting == "0" else setting
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "open-cuda-python", "kernels")


def folder() -> CacheFolder | None:
    """Return the cache's folder, made if need be; None if there is to be no cache."""
    where = path()
    if where is None:
        return None
    found = _folders.get(where)
    if found is None or not found.is_there():
        try:
            found = _folders[where] = CacheFolder(where, MAGIC)
        except OSError as error:
            _tell(where, error)
            return None
    return found


def _tell(where: str, error: OSError) -> None:
    if where in _refused:
        return
    _refused.add(where)
    own = "make it yours with mode 0700, or " if isinstance(error, UnsafeFolderError) else ""
    warnings.warn(
        f"compiled kernels are not kept: {error.filename or where}: {error.strerror}; {own}set CUDA_CPU_CACHE to "
        "another folder, or to 0",
        stacklevel=5,
    )


def find(key: str) -> bytes | None:
    """Return an entry, or None if there is none or it is damaged."""
    opened = folder()
    if opened is None:
        return None
    try:
        return opened.find(key)
    except OSError:
        return None


def store(key: str, body: bytes) -> None:
    """Keep an entry. What cannot be written is not kept; nobody sees half an entry."""
    opened = folder()
    if opened is None:
        return
    with contextlib.suppress(OSError):
        opened.store(key, body)
        opened.trim(SIZE_LIMIT, _is_entry)


def _is_entry(name: str) -> bool:
    return True  # the folder has nothing else
