# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""What initcheck is told about memory: when it begins unwritten, and when others may write it."""

from __future__ import annotations

from typing import Any

from cuda.cpu import check
from cuda.cpu.driver.base.address import Allocation
from cuda.cpu.runtime import _runtime


def begin_unwritten(record: Allocation, stream: Any = None) -> None:
    """Let initcheck regard memory as not written, from this point of the stream on; without one, from now on."""
    if not check.chosen() & check.INITCHECK:
        return
    if stream is None:
        _runtime.init_mark(record.start, record.size, False)
    else:
        range_ = _runtime.init_range(record.start, record.size)
        stream.queue_after_waits().call(_runtime.INIT_BEGIN, range_, True)


def share(record: Allocation) -> None:
    """Let initcheck regard memory as written from now on: other processes can write it."""
    if check.chosen() & check.INITCHECK:
        _runtime.init_mark(record.start, record.size, True)
