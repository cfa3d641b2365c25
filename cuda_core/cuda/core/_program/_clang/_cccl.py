# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""CCCL's headers (libcu++, CUB, Thrust) for programs compiled by clang: where they are, and what they need.

A few of them contain what clang refuses. Copies with these lines changed are made at the first use, in the folder of
the precompiled headers, and found first.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
from collections.abc import Iterable

from cuda.bindings._signals import own
from cuda.core._program._cache_folder import checked_path
from cuda.core._program._clang._find import headers
from cuda.core._program._clang._precompiled import cache_folder

MARK = os.path.join("cuda", "__cccl_config")  # every copy of CCCL has this file in the folder to include from

# A semaphore has a constructor without parameters, which makes the count 0. A defaulted one does so only for `s{}`.
_SEMAPHORE = (
    "_CCCL_HOST_DEVICE_API constexpr counting_semaphore(ptrdiff_t __count = 0)",
    "_CCCL_HIDE_FROM_ABI counting_semaphore() = default;\n"
    "  _CCCL_HOST_DEVICE_API constexpr counting_semaphore(ptrdiff_t __count)",
)
# File -> the texts to replace. clang allows objects in shared memory only if their constructor and their destructor are
# empty (that of a barrier invalidates it, which `cuda::pipeline` needs), and no address below a null pointer in static
# assertions.
_CHANGES = {
    "cuda/__barrier/barrier_block_scope.h": (
        ("!(&(((type*) 0)->member))", "(__builtin_offsetof(type, member) == 0)"),
        ("_CCCL_HOST_DEVICE_API ~barrier()", "_CCCL_HOST_DEVICE_API void __open_cuda_invalidate()"),
    ),
    "cuda/__barrier/barrier.h": (
        (
            "  _CCCL_HIDE_FROM_ABI barrier() = default;",
            "  _CCCL_HIDE_FROM_ABI barrier() = default;\n  _CCCL_HOST_DEVICE_API void __open_cuda_invalidate() {}",
        ),
    ),
    "cuda/__semaphore/counting_semaphore.h": (_SEMAPHORE,),
    "cuda/std/__semaphore/counting_semaphore.h": (_SEMAPHORE,),
    "cuda/std/__semaphore/atomic_semaphore.h": (
        (
            "  _CCCL_HIDE_FROM_ABI ~__atomic_semaphore() = default;",
            "  _CCCL_HIDE_FROM_ABI __atomic_semaphore() = default;\n"
            "  _CCCL_HIDE_FROM_ABI ~__atomic_semaphore() = default;",
        ),
    ),
    "cuda/pipeline": ((".~barrier();", ".__open_cuda_invalidate();"),),
}


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
    found, system = _where(folders, bundled)
    if not found and not system:
        return []
    return ["-include", os.path.join(headers(), "open_cuda", "cccl.h"), *_search_options(found, system)]


def folder_options(folders: Iterable[str]) -> list[str]:
    """Return the options to search CCCL's changed headers and, if it is in none of the folders, those installed."""
    return _search_options(*_where(folders, bundled=True))


def _where(folders: Iterable[str], bundled: bool) -> tuple[str, str]:
    """Return the folder that has CCCL, or else, if `bundled`, that of the installed package."""
    found = next((folder for folder in folders if os.path.exists(os.path.join(folder, MARK))), "")
    return found, "" if found or not bundled else installed()


def _search_options(found: str, system: str) -> list[str]:
    changed = _changed_headers(found or system) if found or system else ""
    options = ["-I" if found else "-isystem", changed] if changed else []
    return [*options, "-isystem", system] if system else options


def _changed_headers(folder: str) -> str:
    """Return a folder with the changed headers of CCCL in `folder`, "" if there is nowhere to put them."""
    texts = {}
    for name, changes in _CHANGES.items():
        try:
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                text = file.read()
        except own(OSError):
            continue  # another version of CCCL
        for old, new in changes:
            text = text.replace(old, new)
        texts[name] = text
    digest = hashlib.sha256("\0".join(part for item in texts.items() for part in item).encode()).hexdigest()
    try:
        made = checked_path(os.path.join(cache_folder(), f"cccl-{digest[:32]}"))
        for name, text in texts.items():
            _write(os.path.join(made, name), text)
    except own(OSError):
        return ""
    return made


def _write(path: str, text: str) -> None:
    """Write a file that does not exist yet; it appears complete."""
    if os.path.exists(path):
        return
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    part = f"{path}.{os.urandom(8).hex()}"
    with open(part, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(part, path)
