# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The table of every live allocation, ordered by address: what a pointer points to."""

from __future__ import annotations

import bisect
import enum
import itertools
import threading
from typing import Any

from cuda.cpu.check import state
from cuda.cpu.driver.base.error import CudaError, invalid
from cuda.cpu.runtime import _runtime

PROCESS_END = 1 << 56  # no process has addresses above, with page tables of five levels either

_ids = itertools.count(1)


class Kind(enum.Enum):
    DEVICE = "device"
    MANAGED = "managed"
    HOST = "pinned host"
    REGISTERED = "registered host"

    @property
    def on_host(self) -> bool:
        return self in (Kind.HOST, Kind.REGISTERED)


ORIGINS = {
    Kind.DEVICE: "cuMemAlloc",
    Kind.MANAGED: "cuMemAllocManaged",
    Kind.HOST: "cuMemHostAlloc",
    Kind.REGISTERED: "cuMemHostRegister",
}


class Allocation:
    """A range of memory and who it belongs to."""

    __slots__ = (
        "advice", "arena", "block", "context", "device", "flags", "id", "keeper", "kind", "origin", "pool", "read_only",
        "size", "start", "sync_memops", "tag",
    )  # fmt: skip

    def __init__(self, start: int, size: int, kind: Kind, context: Any, arena: Any = None) -> None:
        self.start = start
        self.size = size
        self.kind = kind
        self.context = context
        self.device: Any = context.device if context is not None else None  # whose memory it is
        self.arena = arena  # that gives the memory back; None: not ours
        self.pool: Any = None  # where it was allocated from
        self.keeper: Any = None  # takes the memory back instead of the arena, by `take_back(record, stream)`
        self.block: Any = None  # the pool's memory that it lies in
        self.flags = 0
        self.advice: dict[int, Any] = {}
        self.sync_memops = False
        self.read_only = False  # for the host too, which would die of a write
        self.id = next(_ids)
        self.origin = ORIGINS[kind]  # what made it
        self.tag = 0  # by which checks know it

    def give_back(self, stream: Any = None) -> None:
        """Give the memory back in stream order, or at once without a stream; the table no longer has the record."""
        if self.keeper is not None:
            self.keeper.take_back(self, stream)
        elif self.arena is None:
            pass  # registered memory is its owner's
        elif stream is None:
            self.arena.free(self.start)
        else:
            stream.queue_after_waits().free(self.arena, self.start)


_starts: list[int] = []
_records: dict[int, Allocation] = {}
_arenas: list[Any] = []


# Around changes, and searches that must not meet one: reentrant, since a finaliser may free in the middle of one.
_lock = threading.RLock()


def add(record: Allocation) -> None:
    """Take a record into the table, or raise if its context has ended since the call began: nobody would end it."""
    insert(record)
    if record.context is not None and not record.context.usable:
        if remove(record):
            record.give_back()
        record.context.check()


def insert(record: Allocation) -> None:
    """Take a record into the table; its context cannot end meanwhile."""
    with _lock:
        if record.arena is not None and record.arena not in _arenas:
            _arenas.append(record.arena)
        _records[record.start] = record
        bisect.insort(_starts, record.start)
        if _watched or state.active:
            _report(record)


def remove(record: Allocation, stream: Any = None) -> bool:
    """Forget a record. Checked kernels may access it until the stream gets to this call; without one, no more.

    Return False if it is not there any more: of several threads one is to give the memory back.
    """
    with _lock:
        if _records.get(record.start) is not record:
            return False
        del _starts[bisect.bisect_left(_starts, record.start)]
        del _records[record.start]
    if state.active:
        state.stacks().frees.note(record.tag)
    if not _watched:
        return True
    if stream is not None:
        try:
            stream.queue_after_waits().call(_runtime.TABLE_REMOVE, record.tag, True)
            return True
        except (CudaError, _runtime.QueueClosed):
            pass  # another thread has ended the stream meanwhile: nothing of it comes before this call any more
    _runtime.table_remove(record.tag)
    return True


def gone(name: str, record: Allocation) -> CudaError:
    """Return the error of a call that lost the race to end an allocation."""
    return invalid(f"{name}: another thread has given back {describe(record)} meanwhile")


_watched = False  # whether there are checked kernels, which ask the runtime
_tags = itertools.count(1)


def watch() -> None:
    """Report all records to the runtime from now on."""
    global _watched
    with _lock:
        if not _watched:
            _watched = True
            for record in _records.values():
                _report(record)


def _report(record: Allocation) -> None:
    before, record.tag = record.tag, next(_tags)  # another one if it comes back: its removal may still be queued
    if state.active:
        allocations = state.stacks().allocations
        if before:
            allocations.copy(before, record.tag)
        else:
            allocations.note(record.tag)
    if _watched:
        _runtime.table_add(record.start, record.size, record.tag, record.arena is None, record.origin)


def forget(arena: Any) -> None:
    """Let the range of an arena that is closed be ordinary host memory again."""
    with _lock:
        if arena in _arenas:
            _arenas.remove(arena)


def exact(address: int) -> Allocation | None:
    """Return the allocation that starts at `address`."""
    return _records.get(address)


def find(address: int) -> Allocation | None:
    """Return the allocation that holds `address`."""
    found = _search(address)
    if found is None:  # perhaps because another thread changed the table meanwhile
        with _lock:
            found = _search(address)
    return found


def _search(address: int) -> Allocation | None:
    try:
        index = bisect.bisect_right(_starts, address)
    except IndexError:  # without the GIL, another thread may shorten the list during the search
        return None
    for start in _starts[max(index - 1, 0) : index]:
        record = _records.get(start)
        if record is not None and start <= address < start + record.size:
            return record
    return None


def overlapping(address: int, size: int) -> Allocation | None:
    """Return an allocation that shares a byte with the given range."""
    with _lock:
        index = bisect.bisect_left(_starts, address)
        if index < len(_starts) and _starts[index] < address + size:
            return _records[_starts[index]]
        return find(address)


def of_context(context: Any) -> list[Allocation]:
    return [record for record in list(_records.values()) if record.context is context]


def check(name: str, address: int, size: int, *, device: bool = False) -> Allocation | None:
    """Return the allocation that holds all `size` bytes at `address`, None for ordinary host memory.

    Raises for NULL, for a range that leaves its allocation, for an address in a device's range where nothing is
    allocated, and with `device` for memory that no device may reach by its address.
    """
    record = find(address)
    if record is not None:
        end, last = record.start + record.size, record
        while end < address + size and last.arena is None:  # mapped memory may go on in the next mapping
            following = _records.get(end)
            if following is None or following.arena is not None or following.read_only is not record.read_only:
                break
            last = following
            end += last.size
        if address + size <= end:
            return record
        raise invalid(
            f"{name}: {size} bytes at 0x{address:x} run "
            f"{address + size - record.start - record.size} bytes past the end of {describe(record)}"
        )
    if not address:
        raise invalid(f"{name} is NULL")
    if device:
        raise invalid(f"{name}: 0x{address:x} is no live device pointer{nearby(address)}")
    if any(arena.base <= address < arena.base + arena.size for arena in _arenas):
        raise invalid(f"{name}: nothing is allocated at 0x{address:x}{nearby(address)}")
    if address + size > PROCESS_END:
        raise invalid(f"{name}: no process has {size} bytes at 0x{address:x}")
    return None


def check_device(name: str, address: int, size: int) -> Allocation:
    """Return the allocation that holds all `size` bytes at `address`, which a device must reach by this address."""
    record = check(name, address, size, device=True)
    assert record is not None  # `check` raises for ordinary host memory
    return record


def describe(record: Allocation) -> str:
    return f"the {record.kind.value} allocation of {record.size} bytes at 0x{record.start:x}"


def nearby(address: int) -> str:
    """Return where `address` lies from the nearest allocation, as the end of a sentence ("" beyond 16 MiB)."""
    with _lock:
        index = bisect.bisect_right(_starts, address)
        neighbours = _starts[max(index - 1, 0) : index + 1]
    found = []
    for start in neighbours:
        record = _records.get(start)
        if record is not None and start > address:
            found.append((start - address, f"{start - address} bytes before {describe(record)}"))
        elif record is not None and address < start + record.size:
            found.append((0, f" in {describe(record)}"))
        elif record is not None:
            past = address - start - record.size
            found.append((past, f"{past} bytes past the end of {describe(record)}"))
    distance, text = min(found, default=(1 << 24, ""))
    return f", {text}" if distance < 1 << 24 else ""


def clear() -> None:
    """Forget everything, in a forked child, where a thread that is not there may hold the lock."""
    global _lock
    _lock = threading.RLock()
    _starts.clear()
    _records.clear()
    _arenas.clear()
