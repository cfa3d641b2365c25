# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""An FX graph -> a graph in which groups of operations are calls of fused kernels.

Each operation that a kernel can compute is a group at first. Groups that are connected and have the same rows are
merged, unless something outside would need one of them and be needed by another.
"""

from __future__ import annotations

import graphlib
import itertools
from collections.abc import Iterator
from typing import Any

import torch
from torch.fx import Graph, GraphModule, Node

from cuda.interop.torch._fused_kernel import FusedKernel
from cuda.interop.torch._fusible import Operation, operation, same
from cuda.interop.torch._lower import lower

_MOST_NODES = 120  # of a group: larger ones need many registers


class Unit:
    """A group of operations, or one node that stays as it is (`rows` is None)."""

    def __init__(self, node: Node, found: Operation | None) -> None:
        self.nodes = [node]
        value = node.meta.get("val")
        self.rows = tuple(value.shape[:-1]) if found is not None and isinstance(value, torch.Tensor) else None
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
                self._merge(self.unit[operand], self.unit[node])

    def _operands(self, node: Node) -> Iterator[Node]:
        """Return what a node needs: for a fused one what the kernel reads."""
        found = self.found[node]
        if found is None:
            yield from node.all_input_nodes
            return
        yield from (each for each in found.operands if isinstance(each, Node))

    def needs(self, unit: Unit) -> set[Unit]:
        """Return the units that a unit needs directly."""
        found = {self.unit[each] for node in unit.nodes for each in self.operands[node]}
        return found - {unit}

    def _merge(self, first: Unit, second: Unit) -> None:
        if first is second or first.rows is None or second.rows is None or not _fit(first, second):
            return
        if self._is_between(first, second):
            return
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
            for each in self.operands[pending.pop()]:
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
    output = next(node for node in module.graph.nodes if node.op == "output")
    live = fuser.live(output)
    kernels: list[FusedKernel] = []
    fused: dict[Unit, tuple[FusedKernel, list[Node], list[Node]]] = {}
    for unit in dict.fromkeys(fuser.unit[node] for node in fuser.order):
        unit.nodes = [node for node in unit.nodes if node in live]
        if unit.rows is None or len(unit.nodes) < 2:
            continue
        members = set(unit.nodes)
        read = {each for node in live - members for each in fuser.operands[node]}
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
