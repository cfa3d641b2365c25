# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Free blocks that a memory pool caches for later allocations.

A block is one allocation of an arena, in whole pages. What is allocated in it ends where the block ends, at the guard
page. Everything that changes the lists is one operation of C on ints and tuples: a finaliser or another thread that
comes between two of them finds them consistent.
"""

from __future__ import annotations

import bisect
import itertools
import threading
from collections.abc import Callable
from typing import Any

from cuda.cpu.check import state
from cuda.cpu.counters import spans
from cuda.cpu.driver.base.error import CudaError
from cuda.cpu.runtime import _runtime

PAGE = 4096
ALIGNMENT = 256

_numbers = itertools.count()

# Those that hold free blocks, for the next synchronization.
holding: set[Blocks] = set()


class Block:
    __slots__ = ("arena", "capacity", "last_use", "start", "stream")

    def __init__(self, arena: Any, start: int, capacity: int) -> None:
        self.arena = arena
        self.start = start
        self.capacity = capacity
        self.stream: Any = None  # in whose order it was freed
        self.last_use: Any = None  # the event behind its last use; None: nothing uses it

    def address_for(self, size: int) -> int:
        """Return the address of `size` bytes at the end of the block."""
        return self.start + self.capacity - -(-size // ALIGNMENT) * ALIGNMENT

    def is_free(self) -> bool:
        return self.last_use is None or self.last_use.is_done()


def capacity_for(size: int) -> int:
    return -(-size // PAGE) * PAGE


def last_use(stream: Any) -> Any:
    """Return the event behind the work of a stream, None if it has none."""
    try:
        queue = stream.queue_after_waits()
        if queue.is_idle() and state.order is None:
            return None
        event = _runtime.Event()
        queue.record(event)
        return event
    except (CudaError, _runtime.QueueClosed):
        return None  # another thread has ended the stream, which had no work, or the context, which cancels it


class Blocks:
    """The blocks of one pool: how much memory they are, and the free ones by capacity."""

    def __init__(self) -> None:
        self.reserved = 0
        self.high = 0
        self.threshold = 0  # bytes that a synchronization leaves to the pool
        self.free: list[tuple[int, int, Block]] = []  # ordered
        self.changed: Callable[[], None] = lambda: None  # called while a timeline is recorded
        self.lock = threading.RLock()  # around changes and searches; nothing else is locked under it

    def add(self, arena: Any, start: int, capacity: int) -> Block:
        with self.lock:
            self.reserved += capacity
            self.high = max(self.high, self.reserved)
        return Block(arena, start, capacity)

    def take(self, capacity: int, stream: Any, *, opportunistic: bool, internal: bool) -> Block | None:
        """Return a free block that is not much too large: one freed in the same stream before any other.

        With `opportunistic` one whose last use, in another stream, is over; with `internal` one whose last use the
        stream is made to wait for.
        """
        with self.lock:
            first = bisect.bisect_left(self.free, (capacity,))
            last = bisect.bisect_left(self.free, (capacity + capacity // 2 + 1,))
            candidates = self.free[first:last]
        for rule in (
            lambda block: block.stream is stream or block.last_use is None,
            lambda block: opportunistic and block.is_free(),
            lambda block: internal,
        ):
            for entry in candidates:
                block = entry[2]
                if rule(block) and self._claim(entry):
                    if (
                        block.stream is not stream
                        and block.last_use
                        and (not block.is_free() or state.order is not None)
                    ):
                        stream.queue_after_waits().wait_event(block.last_use)
                    return block
        return None

    def _claim(self, entry: tuple[int, int, Block]) -> bool:
        with self.lock:
            try:
                self.free.remove(entry)
            except ValueError:  # another thread was first
                return False
        return True

    def keep(self, block: Block, stream: Any) -> None:
        """Hold a freed block back, for reuse in stream order, or at once without a stream."""
        block.stream, block.last_use = stream, None if stream is None else last_use(stream)
        with self.lock:
            bisect.insort(self.free, (block.capacity, next(_numbers), block))
        holding.add(self)
        _runtime.set_deferred_work(True)

    def release(self, keep: int) -> None:
        """Give free blocks back, the largest first, until at most `keep` bytes are reserved."""
        for entry in reversed(self.free[:]):
            block = entry[2]
            if self.reserved > keep and block.is_free() and self._claim(entry):
                with self.lock:
                    self.reserved -= block.capacity
                if spans.active:
                    self.changed()
                block.arena.free(block.start)
        if not self.free:
            holding.discard(self)


def release_all(keep: int | None = None) -> None:
    """Give back what pools hold beyond their thresholds, or beyond `keep` bytes each."""
    _runtime.set_deferred_work(False)
    for blocks in list(holding):
        blocks.release(blocks.threshold if keep is None else keep)
        if blocks.free and blocks.reserved > blocks.threshold:
            _runtime.set_deferred_work(True)


def forget_after_fork() -> None:
    holding.clear()
