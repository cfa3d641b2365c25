# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""racecheck across launches: the order of the operations of all streams, and races between those that nothing orders.

Each queue numbers its operations, and has a vector clock: the numbers of other queues' operations that happen before
its next one. Records of events copy the clock, waits join it. The host is one more queue, which all threads share: what
a thread has waited for happens before all that is submitted afterwards. The runtime records the bytes that an operation
accesses (runtime/check/operation.c); two operations race if neither happens before the other and they conflict.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterable
from typing import Any, NamedTuple

from cuda.cpu.check import order_report, stacks, state
from cuda.cpu.check.graph_order import Nodes
from cuda.cpu.check.order_report import ALLOCATION, HOST, Access, Call
from cuda.cpu.check.pageable import Pageable
from cuda.cpu.runtime import _runtime

Clock = dict[int, int]

EVERY = 256  # operations are compared after so many submissions, if the host has waited for none
MOST_LIVE = 2048  # operations that are remembered; the oldest are dropped
MOST_RANGES = 1 << 22  # of them all
MOST_CALLS = 100_000


class Position(NamedTuple):
    """A point of a queue: behind `time` operations of its own and those that `before` names of others."""

    queue: int
    time: int
    before: Clock
    unknown: bool = False  # other operations may happen before it, too


_queue_numbers = itertools.count(HOST + 1)  # never given twice: events keep positions of earlier checks


class QueueOrder:
    __slots__ = ("before", "name", "number", "owner", "time", "unknown", "version")

    def __init__(self, number: int, owner: Any) -> None:
        self.number = number
        self.owner = owner
        self.name = ""
        self.time = 0
        self.before: Clock = {}
        self.version = 0  # of the host's clock that `before` contains
        self.unknown = False

    def position(self) -> Position:
        return Position(self.number, self.time, self.before, self.unknown)


def is_before(first: Any, second: Any) -> bool:
    if first.queue == second.queue:
        return bool(first.time <= second.time)
    return bool(first.time <= second.before.get(first.queue, 0))


def joined(clock: Clock, own: int, more: Clock, queue: int = HOST, time: int = 0) -> Clock:
    """Return the maximum of a clock, another one and a position, without the component `own`."""
    made = dict(clock)
    for number, known in itertools.chain(more.items(), ((queue, time),)):
        if number != own and known > made.get(number, 0):
            made[number] = known
    return made


class Order:
    """What the driver tells about operations, while racecheck is active."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._numbers = itertools.count(1)
        self._queues: list[QueueOrder] = []
        self._host = QueueOrder(HOST, self)
        self._host.version = 1
        self._calls: dict[int, Call] = {}
        self._made: list[Any] = []  # allocations and frees, and copies from and to pageable memory
        self._live: list[Access] = []
        self._by_allocation: dict[int, list[Access]] = {}
        self._seen: set[Any] = set()
        self._since = 0
        self.nodes = Nodes(self._numbers)

    # --- the order --------------------------------------------------------------------------------------------------

    def _of(self, queue: Any) -> QueueOrder:
        """Return a queue's clock, after what the host has waited for."""
        found = queue.order
        if found is None or found.owner is not self:
            found = queue.order = QueueOrder(next(_queue_numbers), self)
            self._queues.append(found)
        if found.version != self._host.version:
            found.before = joined(found.before, found.number, self._host.before, HOST, self._host.time)
            found.version = self._host.version
        return found

    def _everything(self) -> Clock:
        return {each.number: each.time for each in self._queues}

    def submitted(self, queue: Any, kernel: str) -> int:
        """Number an operation that is being submitted."""
        with self._lock:
            number = self._note(self._named(queue), kernel or stacks.api_name(), bool(kernel)).number
            self._since += 1
            due = self._since >= EVERY
        if due:
            self.process()
        return number

    def _named(self, queue: Any) -> QueueOrder:
        of = self._of(queue)
        if not of.name and state.driver is not None:
            of.name = state.driver.stream_name(queue)
        return of

    def _note(self, of: QueueOrder, name: str, is_kernel: bool = False, effect: str = "") -> Call:
        of.time += 1
        call = Call(next(self._numbers), of.number, of.time, of.before, of.unknown, name, is_kernel, of.name, effect,
                    stacks.here())  # fmt: skip
        self._calls[call.number] = call
        if len(self._calls) > MOST_CALLS:
            del self._calls[next(iter(self._calls))]
        return call

    def recorded(self, queue: Any, event: Any) -> None:
        with self._lock:
            event.order = self._of(queue).position()

    def waits(self, queue: Any, event: Any) -> None:
        """Let what comes next in a queue happen after the latest record of an event."""
        with self._lock:
            of = self._of(queue)
            if event.shared:  # another process may have ordered anything
                of.before, of.unknown = joined(of.before, of.number, self._everything()), True
            elif event.order is not None:
                self._follow(of, event.order)

    def _follow(self, of: QueueOrder, position: Position) -> None:
        of.before = joined(of.before, of.number, position.before, position.queue, position.time)
        of.unknown = of.unknown or position.unknown

    def follows(self, queue: Any, first: Any) -> None:
        """Let what comes next in a queue happen after what is in another one."""
        with self._lock:
            self._follow(self._of(queue), self._of(first).position())

    def waits_for_value(self, queue: Any) -> None:
        """Note that a queue waits for a value that anything may write."""
        with self._lock:
            of = self._of(queue)
            of.before, of.unknown = joined(of.before, of.number, self._everything()), True

    def _host_follows(self, position: Position) -> None:
        self._follow(self._host, position)
        if self._host.unknown:  # what it waited for has come: it is among what was submitted
            self._host.before, self._host.unknown = joined(self._host.before, HOST, self._everything()), False
        self._host.version += 1

    def host_waited(self, queues: Iterable[Any]) -> None:
        """Note that the host has waited for queues."""
        with self._lock:
            for queue in queues:
                of = self._of(queue)
                self._host_follows(of.position())
                of.unknown = False
        self.process()

    def host_waited_for(self, event: Any) -> None:
        """Note that the host has waited for an event."""
        with self._lock:
            if event.shared:
                self._host_follows(Position(HOST, 0, self._everything()))
            elif event.order is not None:
                self._host_follows(event.order)
        self.process()

    def host_function(self, queue: Any) -> None:
        """Note a host function in a queue: it may tell the host that what is in front of it has ended."""
        with self._lock:
            self._host_follows(self._of(queue).position())

    def end(self) -> None:
        """Forget everything; queues and events keep references to this object."""
        with self._lock:
            self._calls, self._live, self._by_allocation, self._made = {}, [], {}, []

    # --- memory -----------------------------------------------------------------------------------------------------

    def changed(self, record: Any, effect: str, queue: Any = None) -> None:
        """Note the allocation or the free of a record: by the host, or in the order of a queue."""
        with self._lock:
            if not record.tag:
                return
            of = self._host if queue is None else self._named(queue)
            call = self._note(of, stacks.api_name(), effect=effect)
            self._host.version += queue is None
            call.severity = "warning" if queue is None and record.pool is None else "error"
            self._made.append(_runtime.new_operation(call.number, record.start, record.size, record.tag))

    def copies(self, queue: Any, start: int, size: int, *, writes: bool) -> None:
        """Note a range of pageable memory that the next copy in a queue reads or writes."""
        with self._lock:
            call = self._note(self._named(queue), stacks.api_name())
            call.severity = "warning"  # such copies wait here, and often on a GPU
            self._made.append(Pageable(call.number, start, size, writes=writes))

    # --- races ------------------------------------------------------------------------------------------------------

    def process(self) -> None:
        """Compare the operations that have ended with those before, and report races."""
        with self._lock:
            self._since = 0
            idle = state.driver is None or state.driver.is_idle()
            last = next(self._numbers)
            made, self._made = self._made, []
            found = []
            for raw in sorted([*made, *_runtime.take_operations()], key=lambda each: (each.number, each.node)):
                call = self._calls.get(raw.number)
                if call is not None:
                    found += self._compare(Access(raw, call, raw.allocations()))
            self._forget(idle, last)
        order_report.report(found, self.nodes)

    def _compare(self, access: Access) -> list[Any]:
        found = []
        others = {id(each): each for tag in access.allocations for each in self._by_allocation.get(tag, ())}
        for other in others.values():
            if self._is_ordered(access, other):
                continue
            first, second = sorted((access, other), key=lambda each: (each.call.number, each.raw.node))
            if second.call.effect == ALLOCATION or (first.call.effect and second.call.effect):
                continue  # the earlier one has used what the memory was before
            for conflict in first.raw.conflicts(second.raw):
                key = (first.identity(), second.identity(), conflict[4][0], conflict[5][0])
                if key not in self._seen:
                    self._seen.add(key)
                    found.append((first, second, conflict))
        self._live.append(access)
        for tag in access.allocations:
            self._by_allocation.setdefault(tag, []).append(access)
        return found

    def _is_ordered(self, one: Access, other: Access) -> bool:
        if one.call is other.call:
            return self.nodes.is_ordered(one.raw, other.raw)
        if one.call.unknown or other.call.unknown:
            return True
        return is_before(one.call, other.call) or is_before(other.call, one.call)

    def _forget(self, idle: bool, last: int) -> None:
        """Drop operations that happen before all that can still come, and the oldest if there are too many."""
        if idle:
            self._calls = {number: call for number, call in self._calls.items() if number > last}
            known = self._host.position()
            self._live = [each for each in self._live if not is_before(each.call, known)]
        while len(self._live) > MOST_LIVE or sum(each.raw.ranges for each in self._live) > MOST_RANGES:
            self._live = self._live[len(self._live) // 2 + 1 :]
        self._by_allocation = {}
        for access in self._live:
            for tag in access.allocations:
                self._by_allocation.setdefault(tag, []).append(access)
