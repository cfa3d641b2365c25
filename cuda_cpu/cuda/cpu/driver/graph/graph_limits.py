# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Rules for updates of executable graphs: which parameters of nodes may change.

The CPU device could take any change. A GPU takes those that the documentation of cuGraphExecUpdate and of
cuGraphExec...SetParams allows, and a program that is tested here is to run there.
"""

from __future__ import annotations

from typing import Any

from cuda.cpu.abi import (
    CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED,
    CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED,
    CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE,
    CU_GRAPH_NODE_TYPE_KERNEL,
    CU_GRAPH_NODE_TYPE_MEM_ALLOC,
    CU_GRAPH_NODE_TYPE_MEM_FREE,
    CU_GRAPH_NODE_TYPE_MEMCPY,
    CU_GRAPH_NODE_TYPE_MEMSET,
    CU_LAUNCH_ATTRIBUTE_PRIORITY,
    CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY,
)
from cuda.cpu.driver.base.error import invalid

FUNCTION = CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE
PARAMETERS = CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED
ATTRIBUTES = CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED

SHAPE = ("width", "height", "elementSize", "pitch")  # of a fill


def _kernel(owner: Any, old: Any, new: Any) -> int:
    if old.context is not new.context:
        return FUNCTION
    if old.cooperative != new.cooperative:
        return ATTRIBUTES
    prioritised = owner.flags & CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY
    priorities = [work.attributes.get(CU_LAUNCH_ATTRIBUTE_PRIORITY) for work in (old, new)]
    return ATTRIBUTES if prioritised and priorities[0] != priorities[1] else 0


def _copy(owner: Any, old: Any, new: Any) -> int:
    return PARAMETERS if old.mapping != new.mapping else 0


def _fill(owner: Any, old: Any, new: Any) -> int:
    fixed = SHAPE if old.params.height > 1 else ("height",)
    changed = any(getattr(old.params, field) != getattr(new.params, field) for field in fixed)
    return PARAMETERS if changed or old.mapping != new.mapping else 0


def _memory(owner: Any, old: Any, new: Any) -> int:
    """The memory may be another graph's, unless that is instantiated itself."""
    taken = new.memory.exec is not None and new.memory.exec is not owner
    return PARAMETERS if taken and old is not new else 0


RULES = {
    CU_GRAPH_NODE_TYPE_KERNEL: _kernel,
    CU_GRAPH_NODE_TYPE_MEMCPY: _copy,
    CU_GRAPH_NODE_TYPE_MEMSET: _fill,
    CU_GRAPH_NODE_TYPE_MEM_ALLOC: _memory,
    CU_GRAPH_NODE_TYPE_MEM_FREE: _memory,
}


def forbidden(owner: Any, old: Any, new: Any) -> int:
    """Return the CUgraphExecUpdateResult of work that cannot replace another in a GraphExec, else 0."""
    rule = RULES.get(old.kind)
    return rule(owner, old, new) if rule is not None else 0


def check(name: str, owner: Any, old: Any, new: Any) -> None:
    """Refuse parameters that a node of an executable graph cannot take."""
    if new.kind == CU_GRAPH_NODE_TYPE_MEMCPY and any(work.params.Height * work.params.Depth > 1 for work in (old, new)):
        raise invalid(f"{name}: only copies of one dimension can be changed")
    if new.kind in (CU_GRAPH_NODE_TYPE_MEMCPY, CU_GRAPH_NODE_TYPE_MEMSET) and forbidden(owner, old, new):
        raise invalid(f"{name}: the memory is of another kind or context than before, or the shape has changed")
