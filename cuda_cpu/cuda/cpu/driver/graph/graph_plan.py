# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Execution plan of a graph: steps, chains of steps, and segments between event nodes.

Graphs within nodes are laid out flat. Whatever no edge puts in an order may run at the same time, but not across the
record of an event and the wait for one, which the host takes part in: these come as late as the edges let them.
"""

from __future__ import annotations

from collections.abc import Container

from cuda.cpu.driver.graph.graph import Graph, Node
from cuda.cpu.driver.graph.graph_work import ChildWork, EventWork, Work


class Step:
    """What a node does (None: nothing), behind other steps."""

    __slots__ = ("__weakref__", "after", "before", "work")

    def __init__(self, work: Work | None, before: set[Step]) -> None:
        self.work = work
        self.before = before
        self.after: list[Step] = []
        for step in before:
            step.after.append(self)


def steps_of(graph: Graph, off: Container[Node], begin: Step | None = None) -> list[Step]:
    """Return the steps of a graph, those of graphs within it included, each behind those before it."""
    found: list[Step] = []
    ends: dict[Node, Step] = {}
    for node in graph.in_order():
        before = {ends[first] for first, _ in node.before} or ({begin} if begin is not None else set())
        if isinstance(node.work, ChildWork):
            found.append(Step(None, before))
            inner = steps_of(node.work.graph, off, found[-1])
            found += inner
            before = {step for step in inner if not step.after} or {found[-1]}
            found.append(Step(None, before))
        else:
            found.append(Step(None if node in off else node.work, before))
        ends[node] = found[-1]
    return found


def segments(steps: list[Step]) -> list[list[Step]]:
    """Return the steps between events, and each event by itself."""
    missing = {step: len(step.before) for step in steps}
    ready = [step for step in steps if not step.before]
    found: list[list[Step]] = []
    while ready:
        here = [step for step in ready if not isinstance(step.work, EventWork)]
        late = [step for step in ready if isinstance(step.work, EventWork)]
        if not here:
            here, late = late[:1], late[1:]
            ready = late + released(here[0], missing)
        else:
            ready = late
            for step in here:
                for then in released(step, missing):
                    (ready if isinstance(then.work, EventWork) else here).append(then)
        found.append(here)
    return found


def released(step: Step, missing: dict[Step, int]) -> list[Step]:
    """Return the steps that waited for this one alone."""
    found = []
    for then in step.after:
        missing[then] -= 1
        if not missing[then]:
            found.append(then)
    return found


def parts(steps: list[Step]) -> list[tuple[list[Step], list[int]]]:
    """Return the steps in rows, each with the numbers of the rows that wait for its end."""
    here = set(steps)
    rows: list[list[Step]] = []
    row_of: dict[Step, int] = {}
    for step in steps:
        before = [first for first in step.before if first in here]
        alone = len(before) == 1 and sum(then in here for then in before[0].after) == 1
        if alone:
            row_of[step] = row_of[before[0]]
            rows[row_of[step]].append(step)
        else:
            row_of[step] = len(rows)
            rows.append([step])
    after: list[list[int]] = [[] for _ in rows]
    for number, row in enumerate(rows):
        for first in row[0].before:
            if first in here:
                after[row_of[first]].append(number)
    return list(zip(rows, after, strict=True))
