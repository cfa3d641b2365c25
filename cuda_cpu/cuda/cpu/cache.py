# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Keep compiled kernels on disk.

An entry is raw bytes behind a header with a format version and a SHA-256 of the bytes; nothing is unpickled.
The folder is made
0700 and used only if it is ours. CUDA_CPU_CACHE is the folder, or 0 for no cache.

A first launch imports this: without pathlib and tempfile, which take longer than to find an entry and run it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import warnings

MAGIC = b"cudacpu1"
HEADER = len(MAGIC) + 32
SIZE_LIMIT = 256 << 20  # bytes of all entries; the oldest go first

_folders: dict[str, str | None] = {}


def key_of(*parts: bytes) -> str:
    """Return the key of an entry made from `parts`."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.hexdigest()


def folder() -> str | None:
    """Return the cache's folder, made if need be; None if there is to be no cache."""
    setting = os.environ.get("CUDA_CPU_CACHE", "")
    if setting not in _folders:
        _folders[setting] = _checked(setting)
    return _folders[setting]


def _checked(setting: str) -> str | None:
    if setting == "0":
        return None
    if setting:
        path = setting
    else:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
        path = os.path.join(base, "open-cuda-python", "kernels")
    try:
        os.makedirs(path, mode=0o700, exist_ok=True)
        status = os.stat(path)
    except OSError as error:
        warnings.warn(
            f"compiled kernels are not kept: {error}; set CUDA_CPU_CACHE to another folder, or to 0", stacklevel=4
        )
        return None
    if status.st_uid != os.getuid() or stat.S_IMODE(status.st_mode) & 0o022:
        warnings.warn(
            f"compiled kernels are not kept: others may write to {path}; make it yours with mode 0700, or set "
            "CUDA_CPU_CACHE to another folder, or to 0",
            stacklevel=4,
        )
        return None
    return path


def find(key: str) -> bytes | None:
    """Return an entry, or None if there is none or it is damaged."""
    path = folder()
    if path is None:
        return None
    entry = os.path.join(path, key)
    try:
        with open(entry, "rb") as file:
            data = file.read()
    except OSError:
        return None
    body = data[HEADER:]
    if data[: len(MAGIC)] != MAGIC or data[len(MAGIC) : HEADER] != hashlib.sha256(body).digest():
        with contextlib.suppress(OSError):
            os.unlink(entry)
        return None
    return body


def store(key: str, body: bytes) -> None:
    """Keep an entry. What cannot be written is not kept; nobody sees half an entry."""
    path = folder()
    if path is None:
        return
    import tempfile

    try:
        handle, temporary = tempfile.mkstemp(prefix=".new-", dir=path)
        try:
            with open(handle, "wb") as file:
                file.write(MAGIC + hashlib.sha256(body).digest() + body)
            os.replace(temporary, os.path.join(path, key))
        except BaseException:
            os.unlink(temporary)
            raise
        _trim(path)
    except OSError:
        return


def _trim(path: str) -> None:
    """Remove the oldest entries until all fit the limit."""
    entries = []
    for entry in os.scandir(path):
        with contextlib.suppress(OSError):
            status = entry.stat()
            entries.append((status.st_mtime, status.st_size, entry.path))
    total = sum(size for _, size, _ in entries)
    for _, size, name in sorted(entries):
        if total <= SIZE_LIMIT:
            break
        with contextlib.suppress(OSError):
            os.unlink(name)
        total -= size
