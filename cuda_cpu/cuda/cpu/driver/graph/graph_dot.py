# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A picture of a graph in the language of Graphviz (cuGraphDebugDotPrint)."""

from __future__ import annotations

import os
from typing import Any

from cuda.cpu import abi
from cuda.cpu.driver.base.error import invalid
from cuda.cpu.driver.graph.graph import Graph, Node, graphs
from cuda.cpu.driver.graph.graph_work import KernelWork
from cuda.cpu.signals import own

_PREFIX = "CU_GRAPH_NODE_TYPE_"
NAMES = {value: name.removeprefix(_PREFIX) for name, value in vars(abi).items() if name.startswith(_PREFIX)}

# Which flag, beside VERBOSE, shows the parameters of a kind of node.
DETAILS = {
    abi.CU_GRAPH_NODE_TYPE_KERNEL: abi.CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_PARAMS,
    abi.CU_GRAPH_NODE_TYPE_MEMCPY: abi.CU_GRAPH_DEBUG_DOT_FLAGS_MEMCPY_NODE_PARAMS,
    abi.CU_GRAPH_NODE_TYPE_MEMSET: abi.CU_GRAPH_DEBUG_DOT_FLAGS_MEMSET_NODE_PARAMS,
    abi.CU_GRAPH_NODE_TYPE_HOST: abi.CU_GRAPH_DEBUG_DOT_FLAGS_HOST_NODE_PARAMS,
    abi.CU_GRAPH_NODE_TYPE_MEM_FREE: abi.CU_GRAPH_DEBUG_DOT_FLAGS_MEM_FREE_NODE_PARAMS,
    abi.CU_GRAPH_NODE_TYPE_CONDITIONAL: abi.CU_GRAPH_DEBUG_DOT_FLAGS_CONDITIONAL_NODE_PARAMS,
    abi.CU_GRAPH_NODE_TYPE_BATCH_MEM_OP: abi.CU_GRAPH_DEBUG_DOT_FLAGS_BATCH_MEM_OP_NODE_PARAMS,
}


def fields(params: Any) -> list[str]:
    return [f"{name}: {getattr(params, name)}" for name, *_ in params._fields_ if not name.startswith("reserved")]


def label(node: Node, flags: int) -> str:
    work = node.work
    parts = [f"{node.id}", NAMES.get(work.kind, str(work.kind))]
    if isinstance(work, KernelWork):
        parts.append(work.function.kernel.name)
    if flags & (abi.CU_GRAPH_DEBUG_DOT_FLAGS_HANDLES | abi.CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE):
        parts.append(f"handle: 0x{node.handle:x}")
    if flags & (DETAILS.get(work.kind, 0) | abi.CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE) and work.params is not None:
        parts += fields(work.params)
    return "\\n".join(parts)


def lines(graph: Graph, flags: int) -> list[str]:
    found = []
    for node in graph.nodes:
        name = f"graph_{graph.id}_node_{node.id}"
        found.append(f'"{name}" [label="{label(node, flags)}" shape="rectangle"];')
        found += [f'"graph_{graph.id}_node_{first.id}" -> "{name}";' for first, _ in node.before]
        for inner in node.work.graphs():
            title = f'label="graph of node {node.id}";'
            found += [f'subgraph "cluster_{inner.id}" {{', title, *lines(inner, flags), "}"]
    return found


def cuGraphDebugDotPrint(hGraph: int, path: bytes | None, flags: int) -> None:
    graph = graphs.find(hGraph)
    if path is None:
        raise invalid("cuGraphDebugDotPrint: path is NULL")
    text = "\n".join([f'digraph "graph_{graph.id}" {{', *lines(graph, flags), "}", ""])
    try:
        with open(os.fsdecode(path), "w", encoding="utf-8") as file:
            file.write(text)
    except own(OSError) as error:
        raise invalid(f"cuGraphDebugDotPrint: {error}") from None
