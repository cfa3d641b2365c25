# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Kernel nodes that kernels update (CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE).

The handle that kernels have leads to the launch of the one executable graph that the node is in. What kernels change
stays for later launches, until the host gives the node other parameters.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cuda.cpu.abi import CUDA_ERROR_NOT_SUPPORTED
from cuda.cpu.driver.base.error import CudaError, invalid
from cuda.cpu.driver.graph.graph_work import Work
from cuda.cpu.runtime import _runtime


def make_updatable(work: Work, value: Any) -> None:
    """Give a kernel node a device-side handle, returned in the CUlaunchAttributeValue."""
    given = value.deviceUpdatableKernelNode
    if given.deviceUpdatable not in (0, 1):
        raise invalid(f"deviceUpdatable is {given.deviceUpdatable}, must be 0 or 1")
    if work.device_node and not given.deviceUpdatable:
        raise invalid("a node that kernels update stays so: deviceUpdatable is 0")
    if given.deviceUpdatable:
        work.device_node = work.device_node or _runtime.new_node()
    given.devNode = work.device_node


def check_not_updatable(name: str, *works: Work) -> None:
    """Refuse what the API does not allow for nodes that kernels update."""
    if any(work.device_node for work in works):
        raise CudaError(CUDA_ERROR_NOT_SUPPORTED, f"{name}: a node is one that kernels update")


def updatable(graph: Any) -> Iterator[Work]:
    """Give the work of all nodes that kernels update, those of graphs within the graph included."""
    for node in list(graph.nodes):
        if node.work.device_node:
            yield node.work
        for inner in node.work.graphs():
            yield from updatable(inner)
