# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The files that this process has open, for tests that look for leaked ones."""

from __future__ import annotations

import contextlib
import os

from cuda.cpu.compile import cache

OF_PROCESSES = ("pipe:", os.devnull)


def count() -> int:
    """Return how many there are, but for those of tier-up, which may compile a hot kernel of an earlier test.

    Tier-up has pipes to the process that compiles, and files in folders of the disk cache.
    """
    own = (*OF_PROCESSES, *cache._folders)
    return sum(not target.startswith(own) for target in _targets())


def _targets() -> list[str]:
    found = []
    for name in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):  # closed meanwhile, as that of the listing itself
            found.append(os.readlink(f"/proc/self/fd/{name}"))
    return found
