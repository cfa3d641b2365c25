# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""racecheck within a graph: nodes are ordered by its edges alone, however its launch executes them."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator
from typing import Any

from cuda.cpu.check import stacks
from cuda.cpu.check.finding import Stack


class Node:
    """A step of an executable graph (driver/graph/graph_plan.py), and the conditional step whose body it is in."""

    __slots__ = ("outer", "scope", "step")

    def __init__(self, step: Any, scope: int, outer: Node | None) -> None:
        self.step = step
        self.scope = scope  # number of the graph or body that it is in
        self.outer = outer


class Nodes:
    """The nodes of executable graphs, by the numbers that the runtime has for them."""

    def __init__(self, numbers: Iterator[int]) -> None:
        self._numbers = numbers
        self._nodes: dict[int, Node] = {}
        self._of_step: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()

    def add(self, steps: Iterable[Any], outer: Any = None) -> None:
        """Number the steps of a graph, or of the body of the conditional step `outer`."""
        scope = next(self._numbers)
        around = self._nodes.get(self._of_step.get(outer, 0)) if outer is not None else None
        for step in steps:
            number = next(self._numbers)
            self._nodes[number] = Node(step, scope, around)
            self._of_step[step] = number

    def number_of(self, step: Any) -> int:
        return self._of_step.get(step, 0)

    def work_of(self, number: int) -> Any:
        found = self._nodes.get(number)
        return found.step.work if found is not None else None

    def stack_of(self, number: int) -> Stack:
        """Return the Python stack of the call that made a node."""
        work = self.work_of(number)
        return stacks.nodes.find(work.number) if work is not None else ()

    def is_ordered(self, one: Any, other: Any) -> bool:
        """Return whether edges order two operations of one launch; so are those of different rounds of a loop."""
        a, b = self._nodes.get(one.node), self._nodes.get(other.node)
        if a is None or b is None or a is b:
            return True
        if a.scope == b.scope and one.round != other.round:
            return True
        for inner in _outwards(a):
            for found in _outwards(b):
                if inner.scope == found.scope:
                    return inner is found or _follows(inner.step, found.step) or _follows(found.step, inner.step)
        return True


def _outwards(node: Node | None) -> Iterator[Node]:
    while node is not None:
        yield node
        node = node.outer


def _follows(step: Any, first: Any) -> bool:
    """Return whether a path of edges leads from step `first` to `step`."""
    left, seen = [step], {step}
    while left:
        for before in left.pop().before:
            if before is first:
                return True
            if before not in seen:
                seen.add(before)
                left.append(before)
    return False
