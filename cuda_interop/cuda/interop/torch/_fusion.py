# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""An FX graph -> a graph in which groups of operations are calls of fused kernels.

Each operation that a kernel can compute is a group at first. Groups that are connected and have the same rows are
merged, unless something outside would need one of them and be needed by another. Reductions of all rows, such as the
gradients of biases and of weights of norms, are groups apart, which compute again the elements that they reduce.
"""

from __future__ import annotations

import graphlib
import itertools
from collections.abc import Iterator
from typing import Any

import torch
from torch.fx import Graph, GraphModule, Node

from cuda.interop.fusion import REDUCTIONS
from cuda.interop.torch._fused_kernel import FusedKernel
from cuda.interop.torch._fusible import Operation, operation, same
from cuda.interop.torch._lower import lower

_MOST_NODES = 120  # of a group: larger ones need many registers


class Unit:
    """A group of operations, or one node that stays as it is (`rows` is None).

    A group that reduces its rows (`by_columns`) computes the nodes `copied` again, which stay in their own groups.
    """

    def __init__(self, node: Node, found: Operation | None) -> None:
        self.nodes = [node]
        self.copied: list[Node] = []
        value = node.meta.get("val")
        self.by_columns = found is not None and bool(found.rows)
        self.rows: tuple[Any, ...] | None = None
        if found is not None and isinstance(value, torch.Tensor):
            self.rows = found.rows or tuple(value.shape[:-1])
        self.columns: Any = found.columns if found is not None else None
        self.device = value.device if self.rows is not None else None


class _Fuser:
    """The groups of one graph."""

    def __init__(self, graph: Graph) -> None:
        self.found = {node: operation(node) for node in graph.nodes}
        self.unit = {node: Unit(node, self.found[node]) for node in graph.nodes}
        self.order = {node: index for index, node in enumerate(graph.nodes)}
        self.operands = {node: list(self._operands(node)) for node in graph.nodes}
        random = [node for node in graph.nodes if _is_random(node)]
        for before, after in itertools.pairwise(random):
            self.operands[after].append(before)
        for node in graph.nodes:
            for operand in self.operands[node]:
                if not (self.unit[operand].by_columns or self.unit[node].by_columns):
                    self._merge(self.unit[operand], self.unit[node])
        self.by_columns = self._merge_reductions()

    def _merge_reductions(self) -> list[Unit]:
        """Merge groups that reduce the same rows where none needs another, and return them."""
        found: list[Unit] = []
        for unit in dict.fromkeys(self.unit.values()):
            if not unit.by_columns:
                continue
            for other in found:
                if _fit(other, unit) and not self._needs_any(unit, {other}) and not self._needs_any(other, {unit}):
                    self._join(other, unit)
                    break
            else:
                found.append(unit)
        return found

    def _needs_any(self, unit: Unit, others: set[Unit]) -> bool:
        """Return whether a unit needs one of others, directly or not."""
        seen = pending = self.needs(unit)
        while pending and not seen & others:
            pending = {each for one in pending for each in self.needs(one)} - seen
            seen = seen | pending
        return bool(seen & others)

    def copy(self, unit: Unit) -> None:
        """Let a group that reduces its rows compute again what it reduces, as far as kernels compute it and keep it."""
        kept = {each for node, found in self.found.items() if found is None for each in self.operands[node]}
        pending = self.reads(unit)
        copied: set[Node] = set()
        while pending and len(copied) + len(unit.nodes) < _MOST_NODES:
            node = pending.pop()
            if node in copied or node in kept or not self._is_element(node, unit):
                continue
            copied.add(node)
            pending |= set(self.operands[node])
        unit.copied = sorted(copied, key=self.order.__getitem__)

    def _is_element(self, node: Node, unit: Unit) -> bool:
        """Return whether a node is an element-wise operation on the rows of a group."""
        found, rows = self.found[node], unit.rows or ()
        if found is None or found.name in REDUCTIONS:
            return False
        shape = node.meta["val"].shape
        return (
            len(shape) == len(rows) + 1
            and all(map(same, shape, rows))
            and (same(shape[-1], unit.columns) or same(shape[-1], 1))
        )

    def _operands(self, node: Node) -> Iterator[Node]:
        """Return what a node needs: for a fused one what the kernel reads."""
        found = self.found[node]
        if found is None:
            yield from node.all_input_nodes
            return
        yield from (each for each in found.operands if isinstance(each, Node))

    def reads(self, unit: Unit) -> set[Node]:
        """Return the nodes that a unit needs directly."""
        members = {*unit.nodes, *unit.copied}
        return {each for node in members for each in self.operands[node]} - members

    def needs(self, unit: Unit) -> set[Unit]:
        """Return the units that a unit needs directly."""
        return {self.unit[each] for each in self.reads(unit)}

    def _merge(self, first: Unit, second: Unit) -> None:
        if first is second or first.rows is None or second.rows is None or not _fit(first, second):
            return
        if self._is_between(first, second):
            return
        self._join(first, second)

    def _join(self, first: Unit, second: Unit) -> None:
        first.columns = second.columns if same(first.columns, 1) else first.columns
        first.nodes = sorted(first.nodes + second.nodes, key=self.order.__getitem__)
        for node in second.nodes:
            self.unit[node] = first

    def _is_between(self, first: Unit, second: Unit) -> bool:
        """Return whether another unit needs one of the two and is needed by one."""
        both = {first, second}
        pending = list((self.needs(first) | self.needs(second)) - both)
        seen = set(pending)
        while pending:
            for each in self.needs(pending.pop()):
                if each in both:
                    return True
                if each not in seen:
                    seen.add(each)
                    pending.append(each)
        return False

    def live(self, output: Node) -> set[Node]:
        """Return the nodes that the output needs, and those that have effects."""
        pending = [output, *(node for node in self.order if node.op == "placeholder" or node.is_impure())]
        seen = set(pending)
        while pending:
            node = pending.pop()
            unit = self.unit[node]
            for each in self.reads(unit) if unit.by_columns else self.operands[node]:
                if each not in seen:
                    seen.add(each)
                    pending.append(each)
        return seen


def _is_random(node: Node) -> bool:
    return torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ())


def _fit(first: Unit, second: Unit) -> bool:
    """Return whether one kernel can compute two groups: the same rows, and the same columns or one."""
    rows, others = first.rows or (), second.rows or ()
    return (
        first.device == second.device
        and len(rows) == len(others)
        and len(first.nodes) + len(second.nodes) <= _MOST_NODES
        and (same(first.columns, second.columns) or same(first.columns, 1) or same(second.columns, 1))
        and all(same(a, b) for a, b in zip(rows, others, strict=True))
    )


def fuse(module: GraphModule) -> tuple[GraphModule, list[FusedKernel]]:
    """Return a module with fused kernels for a graph of core ATen operations, and the kernels."""
    fuser = _Fuser(module.graph)
    kernels: list[FusedKernel] = []
    fused: dict[Unit, tuple[FusedKernel, list[Node], list[Node]]] = {}
    for unit in fuser.by_columns:
        fuser.copy(unit)
        nodes = [*unit.copied, *unit.nodes]
        lowered = lower(nodes, unit.nodes, unit.rows or (), unit.columns, fuser.found, by_columns=True)
        if lowered is None:
            _split(fuser, unit)
            continue
        kernels.append(lowered[0])
        fused[unit] = (lowered[0], lowered[1], unit.nodes)
    live = fuser.live(next(node for node in module.graph.nodes if node.op == "output"))
    units = dict.fromkeys(fuser.unit[node] for node in fuser.order if node in live)
    for unit in units:
        if not unit.by_columns:
            unit.nodes = [node for node in unit.nodes if node in live]
    read = {each for unit in units for each in fuser.reads(unit)}
    for unit in units:
        if unit.rows is None or len(unit.nodes) < 2 or unit.by_columns:
            continue
        stored = [node for node in unit.nodes if node in read]
        lowered = lower(unit.nodes, stored, unit.rows, unit.columns, fuser.found)
        if lowered is not None:
            kernels.append(lowered[0])
            fused[unit] = (lowered[0], lowered[1], stored)
    for unit in {fuser.unit[node] for node in live} - set(fused):
        _split(fuser, unit)
    return _rebuild(module, fuser, fused, live), kernels


def _split(fuser: _Fuser, unit: Unit) -> None:
    """Make each node of a group that gets no kernel a unit of its own, which needs the operands of its graph."""
    for node in unit.nodes:
        fuser.unit[node] = Unit(node, None)


def _rebuild(module: GraphModule, fuser: _Fuser, fused: dict[Unit, Any], live: set[Node]) -> GraphModule:
    units = {fuser.unit[node] for node in live}
    pending = [node for node in live if fuser.unit[node] not in fused]
    seen = set(live)
    while pending:  # a node that stays needs its graph's operands, such as views that kernels see through
        node = pending.pop()
        fuser.operands[node] += [each for each in node.all_input_nodes if each not in fuser.operands[node]]
        for each in node.all_input_nodes:
            if each not in seen:
                seen.add(each)
                fuser.unit[each] = Unit(each, None)
                pending.append(each)
                units.add(fuser.unit[each])
    graph = Graph()
    new: dict[Node, Node] = {}
    for node in fuser.order:
        if node.op == "placeholder":
            new[node] = graph.node_copy(node)
    first = {unit: min(fuser.order[node] for node in unit.nodes) for unit in units}
    sorter = graphlib.TopologicalSorter({unit: fuser.needs(unit) for unit in sorted(units, key=first.__getitem__)})
    attributes: dict[str, FusedKernel] = {}
    last: Node | None = None
    for unit in sorter.static_order():
        if unit in fused:
            kernel, arguments, stored = fused[unit]
            name = f"kernel_{len(attributes)}"
            attributes[name] = kernel
            call = graph.call_module(name, tuple(new[each] for each in arguments))
            for index, node in enumerate(stored):
                new[node] = graph.call_function(_item, (call, index))
        elif unit.nodes[0].op == "output":
            last = unit.nodes[0]
        elif unit.nodes[0].op != "placeholder":
            new[unit.nodes[0]] = graph.node_copy(unit.nodes[0], new.__getitem__)
    assert last is not None
    graph.node_copy(last, new.__getitem__)
    for name, kernel in attributes.items():
        module.add_module(name, kernel)
    return GraphModule(module, graph)


def _item(outputs: tuple[torch.Tensor, ...], index: int) -> torch.Tensor:
    return outputs[index]
