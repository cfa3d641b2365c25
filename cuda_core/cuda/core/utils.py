# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Views of strided memory; caches of programs and fat binaries; many copies in one call; the driver's log.

Names are looked up on first use, since the parts have little in common.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

# Public name -> module that defines it.
_HOME = {
    "CopyOptions": "_memory._copy_options",
    "DriverLog": "_driver_log",
    "FileStreamProgramCache": "_program._program_cache",
    "InMemoryProgramCache": "_program._program_cache",
    "MemcpyOverlapMode": "_memory._copy_options",
    "MemcpySrcAccessOrder": "_memory._copy_options",
    "ProgramCacheResource": "_program._program_cache",
    "StridedLayout": "_view._layout",
    "StridedMemoryView": "_view._view",
    "args_viewable_as_strided_memory": "_view._view",
    "copy_batch": "_memory._batch",
    "discard_batch": "_memory._batch",
    "discard_prefetch_batch": "_memory._batch",
    "driver_messages": "_driver_log",
    "log_driver_messages": "_driver_log",
    "make_fatbin": "_program._fatbin",
    "make_program_cache_key": "_program._program_key",
    "prefetch_batch": "_memory._batch",
}

__all__ = [
    "CopyOptions",
    "DriverLog",
    "FileStreamProgramCache",
    "InMemoryProgramCache",
    "MemcpyOverlapMode",
    "MemcpySrcAccessOrder",
    "ProgramCacheResource",
    "StridedLayout",
    "StridedMemoryView",
    "args_viewable_as_strided_memory",
    "copy_batch",
    "discard_batch",
    "discard_prefetch_batch",
    "driver_messages",
    "log_driver_messages",
    "make_fatbin",
    "make_program_cache_key",
    "prefetch_batch",
]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'cuda.core.utils' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"cuda.core.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*(name for name in globals() if name.startswith("__")), *__all__})


if TYPE_CHECKING:
    from cuda.core._driver_log import DriverLog, driver_messages, log_driver_messages
    from cuda.core._memory._batch import copy_batch, discard_batch, discard_prefetch_batch, prefetch_batch
    from cuda.core._memory._copy_options import CopyOptions, MemcpyOverlapMode, MemcpySrcAccessOrder
    from cuda.core._program._fatbin import make_fatbin
    from cuda.core._program._program_cache import FileStreamProgramCache, InMemoryProgramCache, ProgramCacheResource
    from cuda.core._program._program_key import make_program_cache_key
    from cuda.core._view._layout import StridedLayout
    from cuda.core._view._view import StridedMemoryView, args_viewable_as_strided_memory
