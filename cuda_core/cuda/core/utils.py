# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Utilities: StridedMemoryView, program caches, fat binaries, batched copies, and the driver's log.

Names are looked up on first use, since the parts are independent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cuda.core._utils._lazy import lazy_names

# Public name -> module that defines it.
_MODULES = {
    "CopyOptions": "_memory._copy_options",
    "DriverLog": "_utils._driver_log",
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
    "driver_messages": "_utils._driver_log",
    "log_driver_messages": "_utils._driver_log",
    "make_fatbin": "_program._fatbin",
    "make_program_cache_key": "_program._program_key",
    "prefetch_batch": "_memory._batch",
}

__all__ = sorted(_MODULES)
__getattr__, __dir__ = lazy_names(globals(), _MODULES)


if TYPE_CHECKING:
    pass
