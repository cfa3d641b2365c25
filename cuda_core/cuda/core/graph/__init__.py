# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""CUDA graphs: work that is described once and launched many times.

Build a graph by stream capture (`GraphBuilder`) or node by node (`GraphDefinition`), instantiate it as a `Graph` and
launch that. Names are looked up on first use.
"""

from __future__ import annotations

from cuda.core._utils._lazy import lazy_names

TYPE_CHECKING = False

_WORK = (
    "AllocNode",
    "ChildGraphNode",
    "EmptyNode",
    "EventRecordNode",
    "EventWaitNode",
    "FreeNode",
    "HostCallbackNode",
    "KernelNode",
    "MemcpyNode",
    "MemsetNode",
)
_CONDITIONAL = ("ConditionalNode", "IfElseNode", "IfNode", "SwitchNode", "WhileNode")
_EXECUTABLE = (
    "ExecutableChildGraphNode",
    "ExecutableEventRecordNode",
    "ExecutableEventWaitNode",
    "ExecutableGraphNode",
    "ExecutableHostCallbackNode",
    "ExecutableKernelNode",
    "ExecutableMemcpyNode",
    "ExecutableMemsetNode",
    "Graph",
)
# Public name -> module that defines it.
_MODULES = {
    **dict.fromkeys(_WORK, "_work_node"),
    **dict.fromkeys(_CONDITIONAL, "_conditional_node"),
    **dict.fromkeys(_EXECUTABLE, "_executable"),
    "GraphBuilder": "_builder",
    "GraphCompleteOptions": "_options",
    "GraphCondition": "_state",
    "GraphDebugPrintOptions": "_options",
    "GraphDefinition": "_definition",
    "GraphNode": "_node",
}

__all__ = sorted(_MODULES)
__getattr__, __dir__ = lazy_names(globals(), _MODULES)


if TYPE_CHECKING:
    from ._builder import GraphBuilder as GraphBuilder
    from ._conditional_node import ConditionalNode as ConditionalNode
    from ._conditional_node import IfElseNode as IfElseNode
    from ._conditional_node import IfNode as IfNode
    from ._conditional_node import SwitchNode as SwitchNode
    from ._conditional_node import WhileNode as WhileNode
    from ._definition import GraphDefinition as GraphDefinition
    from ._executable import ExecutableChildGraphNode as ExecutableChildGraphNode
    from ._executable import ExecutableEventRecordNode as ExecutableEventRecordNode
    from ._executable import ExecutableEventWaitNode as ExecutableEventWaitNode
    from ._executable import ExecutableGraphNode as ExecutableGraphNode
    from ._executable import ExecutableHostCallbackNode as ExecutableHostCallbackNode
    from ._executable import ExecutableKernelNode as ExecutableKernelNode
    from ._executable import ExecutableMemcpyNode as ExecutableMemcpyNode
    from ._executable import ExecutableMemsetNode as ExecutableMemsetNode
    from ._executable import Graph as Graph
    from ._node import GraphNode as GraphNode
    from ._options import GraphCompleteOptions as GraphCompleteOptions
    from ._options import GraphDebugPrintOptions as GraphDebugPrintOptions
    from ._state import GraphCondition as GraphCondition
    from ._work_node import AllocNode as AllocNode
    from ._work_node import ChildGraphNode as ChildGraphNode
    from ._work_node import EmptyNode as EmptyNode
    from ._work_node import EventRecordNode as EventRecordNode
    from ._work_node import EventWaitNode as EventWaitNode
    from ._work_node import FreeNode as FreeNode
    from ._work_node import HostCallbackNode as HostCallbackNode
    from ._work_node import KernelNode as KernelNode
    from ._work_node import MemcpyNode as MemcpyNode
    from ._work_node import MemsetNode as MemsetNode
