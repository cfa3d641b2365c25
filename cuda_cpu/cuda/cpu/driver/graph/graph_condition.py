# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Conditional nodes (if, while, switch): child graphs that run depending on a value that kernels set.

The handle of a value is the address of its cell, so that a kernel's cudaGraphSetConditional() is one store. Cells are
never given back: what is queued may still write to one.
"""

from __future__ import annotations

import ctypes
from typing import Any

from cuda.cpu.abi import (
    CU_GRAPH_COND_ASSIGN_DEFAULT,
    CU_GRAPH_COND_TYPE_IF,
    CU_GRAPH_COND_TYPE_SWITCH,
    CU_GRAPH_COND_TYPE_WHILE,
    CU_GRAPH_NODE_TYPE_CONDITIONAL,
    CUDA_CONDITIONAL_NODE_PARAMS,
)
from cuda.cpu.driver.base.error import invalid
from cuda.cpu.driver.device import context
from cuda.cpu.driver.graph.graph import Graph, graphs
from cuda.cpu.driver.graph.graph_work import Work

CHUNK = 512
_chunks: list[Any] = []  # arrays of cells
_free: list[int] = []  # cells that were never used

MOST_BODIES = {CU_GRAPH_COND_TYPE_IF: 2, CU_GRAPH_COND_TYPE_WHILE: 1, CU_GRAPH_COND_TYPE_SWITCH: 1 << 16}


def _new_cell() -> int:
    if not _free:
        cells = (ctypes.c_uint32 * CHUNK)()
        _chunks.append(cells)
        _free.extend(ctypes.addressof(cells) + 4 * i for i in reversed(range(CHUNK)))
    return _free.pop()


class Condition:
    """The value of a conditional node, and its default at each launch (None: unchanged since the last one)."""

    def __init__(self, owner: context.Context, default: int | None) -> None:
        self.context = owner
        self.default = default
        self.handle = _new_cell()
        self.used = False
        self.exec: Any = None  # the executable graph that has it: one at a time


class ConditionalWork(Work):
    """Run one of the graphs that belong to this node, or none."""

    def __init__(self, condition: Condition, kind: int, bodies: list[Graph]) -> None:
        handles = (ctypes.c_uint64 * len(bodies))(*[body.handle for body in bodies])
        params = CUDA_CONDITIONAL_NODE_PARAMS(
            condition.handle, kind, len(bodies), ctypes.addressof(handles), condition.context.handle
        )
        super().__init__(CU_GRAPH_NODE_TYPE_CONDITIONAL, params, (), condition.context, handles)
        self.condition = condition
        self.type = kind
        self.bodies = bodies

    def snapshot(self, node: Any) -> ConditionalWork:
        """Return the same for the copy `node` of its node."""
        return ConditionalWork(self.condition, self.type, [body.snapshot(node) for body in self.bodies])

    def graphs(self) -> list[Graph]:
        return self.bodies


def cuGraphConditionalHandleCreate(hGraph: int, ctx: int, defaultLaunchValue: int, flags: int) -> int:
    graph, owner = graphs.find(hGraph), context.find(ctx)
    if flags not in (0, CU_GRAPH_COND_ASSIGN_DEFAULT):
        raise invalid(f"cuGraphConditionalHandleCreate: flags is {flags}, must be 0 or CU_GRAPH_COND_ASSIGN_DEFAULT")
    made = Condition(owner, defaultLaunchValue & 0xFFFFFFFF if flags else None)
    graph.root().conditions[made.handle] = made
    return made.handle


def from_params(name: str, given: Any, graph: Graph) -> ConditionalWork:
    """Make the work of a CUDA_CONDITIONAL_NODE_PARAMS, with empty graphs, whose handles are stored there."""
    condition = graph.root().conditions.get(given.handle)
    if condition is None:
        raise invalid(f"{name}: handle 0x{given.handle:x} was not created for this graph")
    if condition.used:
        raise invalid(f"{name}: handle 0x{given.handle:x} is another conditional node's")
    if given.type not in MOST_BODIES:
        raise invalid(f"{name}: {given.type} is no CUgraphConditionalNodeType")
    if not 0 < given.size <= MOST_BODIES[given.type]:
        raise invalid(
            f"{name}: size is {given.size}, must be 1 to {MOST_BODIES[given.type]} for this type of condition"
        )
    condition.used = True
    work = ConditionalWork(condition, given.type, [Graph() for _ in range(given.size)])
    given.phGraph_out = work.params.phGraph_out
    return work


def conditions_of(graph: Graph) -> list[Condition]:
    """Return the conditions of all conditional nodes, those of bodies and child graphs included."""
    found = []
    for node in list(graph.nodes):
        if isinstance(node.work, ConditionalWork):
            found.append(node.work.condition)
        for inner in node.work.graphs():
            found += conditions_of(inner)
    return found
