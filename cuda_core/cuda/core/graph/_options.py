# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Options of graph instantiation and of DOT output."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from cuda.core._utils._options import named_options

if TYPE_CHECKING:
    from cuda.core._stream._stream import Stream


@named_options
@dataclass
class GraphCompleteOptions:
    """Options of a graph's instantiation.

    Thread safety: threads may read it together; assignments to its attributes are not guarded.

    Attributes
    ----------
    auto_free_on_launch : bool
        Whether a launch first frees memory that the previous launch has allocated and not freed.
    upload_stream : Stream, optional
        The stream in which the graph is uploaded to the device at once, ahead of its first launch.
    device_launch : bool
        Whether the graph can be launched from kernels.
    use_node_priority : bool
        Whether kernels run with the priority of their node rather than of the launch's stream.

    Examples
    --------
    >>> builder = device.create_graph_builder().begin_building()
    >>> launch(builder, config, kernel, buffer, 2.0, 100)
    >>> graph = builder.end_building().complete(GraphCompleteOptions(upload_stream=stream))
    """

    auto_free_on_launch: bool = False
    upload_stream: Stream | None = None
    device_launch: bool = False
    use_node_priority: bool = False


@named_options
@dataclass
class GraphDebugPrintOptions:
    """The details in the DOT output of a graph; each option is a flag of ``cuGraphDebugDotPrint``.

    Thread safety: threads may read it together; assignments to its attributes are not guarded.

    Attributes
    ----------
    verbose : bool
        All details.
    runtime_types : bool
        Names of the runtime API instead of the driver's.
    kernel_node_params, memcpy_node_params, memset_node_params, host_node_params, event_node_params : bool
        The parameters of nodes of this type.
    ext_semas_signal_node_params, ext_semas_wait_node_params, batch_mem_op_node_params : bool
        The parameters of nodes of this type.
    mem_alloc_node_params, mem_free_node_params, conditional_node_params : bool
        The parameters of nodes of this type.
    kernel_node_attributes : bool
        The attributes of kernel nodes, such as cluster dimensions.
    handles : bool
        The addresses of nodes and kernels.
    extra_topo_info : bool
        The data of edges.

    Examples
    --------
    >>> definition = GraphDefinition()
    >>> node = definition.launch(config, kernel, buffer, 2.0, 100)
    >>> definition.debug_dot_print("graph.dot", GraphDebugPrintOptions(kernel_node_params=True))
    """

    verbose: bool = False
    runtime_types: bool = False
    kernel_node_params: bool = False
    memcpy_node_params: bool = False
    memset_node_params: bool = False
    host_node_params: bool = False
    event_node_params: bool = False
    ext_semas_signal_node_params: bool = False
    ext_semas_wait_node_params: bool = False
    kernel_node_attributes: bool = False
    handles: bool = False
    mem_alloc_node_params: bool = False
    mem_free_node_params: bool = False
    batch_mem_op_node_params: bool = False
    extra_topo_info: bool = False
    conditional_node_params: bool = False

    def _flags(self) -> int:
        """Return the CUgraphDebugDot_flags: the fields are in the order of their bits (cuda.h)."""
        return sum(1 << bit for bit, field in enumerate(fields(self)) if getattr(self, field.name))
