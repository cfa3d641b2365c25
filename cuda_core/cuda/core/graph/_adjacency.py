# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""AdjacencySet: a node's predecessors or successors, as a set that changes the graph's edges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, MutableSet
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cuda.core.graph._node import GraphNode


class AdjacencySet(MutableSet):
    """The predecessors (`GraphNode.pred`) or successors (`GraphNode.succ`) of a node; reflects the graph's state.

    Thread safety: one thread at a time, as for all graphs under construction; the objects stay intact, but nothing
    orders the changes.
    """

    __slots__ = ("_after", "_node")

    def __init__(self, node: GraphNode, after: bool) -> None:
        self._node = node
        self._after = after

    @classmethod
    def _from_iterable(cls, nodes: Iterable[Any]) -> set[Any]:  # what the operators & | - ^ return
        return set(nodes)

    def __contains__(self, node: object) -> bool:
        return node in self._node._neighbours(self._after)

    def __iter__(self) -> Iterator[GraphNode]:
        return iter(self._node._neighbours(self._after))

    def __len__(self) -> int:
        return len(self._node._neighbours(self._after))

    def add(self, value: GraphNode) -> None:
        """Add an edge, unless it exists already (cuGraphAddDependencies).

        Parameters
        ----------
        value : GraphNode
            The other node.

        Raises
        ------
        TypeError
            If `value` is not a GraphNode.
        ValueError
            If it is of another graph.
        CUDAError
            If the edge would close a cycle.

        Examples
        --------
        >>> from cuda.core.graph import GraphDefinition
        >>> definition = GraphDefinition()
        >>> first, second = definition.empty(), definition.empty()
        >>> first.succ.add(second)
        >>> second.pred == {first}
        True
        """
        if value not in self:
            self._node._connect(value, self._after, True)

    def discard(self, value: GraphNode) -> None:
        """Remove an edge, if it exists (cuGraphRemoveDependencies).

        Parameters
        ----------
        value : GraphNode
            The other node.

        Raises
        ------
        CUDAError
            If cuGraphRemoveDependencies fails.

        Examples
        --------
        >>> definition = GraphDefinition()
        >>> first = definition.empty()
        >>> second = first.join()
        >>> second.pred.discard(first)
        >>> definition.edges()
        set()
        """
        if value in self:
            self._node._connect(value, self._after, False)

    def update(self, *others: Iterable[GraphNode]) -> None:
        """Add an edge for each node of the given iterables.

        Parameters
        ----------
        *others : iterable of GraphNode
            The other nodes.

        Raises
        ------
        TypeError
            If an item is not a GraphNode.
        ValueError
            If a node is of another graph.
        CUDAError
            If an edge would close a cycle.

        Examples
        --------
        >>> definition = GraphDefinition()
        >>> first, second, last = definition.empty(), definition.empty(), definition.empty()
        >>> last.pred.update([first, second])
        >>> len(definition.edges())
        2
        """
        for nodes in others:
            for node in nodes:
                self.add(node)

    def _assign(self, nodes: Iterable[GraphNode]) -> None:
        """Replace the nodes by these; if one is invalid, nothing changes."""
        wanted, now = set(nodes), set(self)
        done = []
        try:
            for change, group in ((self.add, wanted - now), (self.discard, now - wanted)):
                for node in group:
                    change(node)
                    done.append((change, node))
        except BaseException:
            for change, node in reversed(done):
                (self.discard if change == self.add else self.add)(node)
            raise

    def __repr__(self) -> str:
        return f"{type(self).__name__}({set(self)!r})"
