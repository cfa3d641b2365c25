# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Views of strided memory, whoever owns it; caches of compiled programs."""

from __future__ import annotations

from cuda.core._program_cache import FileStreamProgramCache, InMemoryProgramCache, ProgramCacheResource
from cuda.core._program_key import make_program_cache_key
from cuda.core._view import StridedMemoryView, args_viewable_as_strided_memory

__all__ = [
    "FileStreamProgramCache",
    "InMemoryProgramCache",
    "ProgramCacheResource",
    "StridedMemoryView",
    "args_viewable_as_strided_memory",
    "make_program_cache_key",
]

_NOT_YET = frozenset(
    [
        "CopyOptions",
        "MemcpyOverlapMode",
        "MemcpySrcAccessOrder",
        "copy_batch",
        "discard_batch",
        "discard_prefetch_batch",
        "prefetch_batch",
    ]
)


def __getattr__(name: str) -> object:
    if name in _NOT_YET:
        raise AttributeError(
            f"cuda.core.utils.{name} is part of the API of cuda.core 1.2.2, but not yet of this version"
        )
    raise AttributeError(f"module 'cuda.core.utils' has no attribute {name!r}")
