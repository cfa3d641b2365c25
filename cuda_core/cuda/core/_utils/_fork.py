# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A warning in forked child processes, where CUDA cannot be used."""

from __future__ import annotations

import functools
import os
import warnings


@functools.cache
def warn_forked_children() -> None:
    """Issue a warning in every child that is forked from now on."""
    os.register_at_fork(after_in_child=_warn)


def _warn() -> None:
    warnings.warn(
        "this process was made by fork from one that shares CUDA memory or events: CUDA cannot be used here. "
        "Use multiprocessing.get_context('spawn') or 'forkserver'",
        RuntimeWarning,
        stacklevel=2,
    )
