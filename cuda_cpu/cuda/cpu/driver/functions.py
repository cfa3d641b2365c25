# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The modules that define functions of cuda.h, which the shell finds by their names."""

from __future__ import annotations

from types import ModuleType

from cuda.cpu.driver.array import array, array_sparse, copy_array, copy_box, external_memory, tensor_map, texture
from cuda.cpu.driver.base import block, capture_state, log, once
from cuda.cpu.driver.code import coredump, kernel, launch, library, link, module, occupancy, prepared_launch
from cuda.cpu.driver.device import context, context_setting, device, device_resource, green_context, primary, profiler
from cuda.cpu.driver.graph import (
    capture,
    graph,
    graph_condition,
    graph_dot,
    graph_exec,
    graph_exec_params,
    graph_exec_update,
    graph_memory,
    graph_node,
    recapture,
    user_object,
)
from cuda.cpu.driver.memory import (
    copy,
    decompress,
    fill,
    ipc,
    memory,
    multicast,
    pointer,
    pool,
    pool_share,
    virtual_memory,
)
from cuda.cpu.driver.stream import context_event, event, green_stream, stream, stream_memory

MODULES: tuple[ModuleType, ...] = (
    block, capture_state, log, once,
    context, context_setting, device, device_resource, green_context, primary, profiler,
    context_event, event, green_stream, stream, stream_memory,
    copy, decompress, fill, ipc, memory, multicast, pointer, pool, pool_share, virtual_memory,
    array, array_sparse, copy_array, copy_box, external_memory, tensor_map, texture,
    coredump, kernel, launch, library, link, module, occupancy, prepared_launch,
    capture, graph, graph_condition, graph_dot, graph_exec, graph_exec_params, graph_exec_update, graph_memory,
    graph_node, recapture, user_object,
)  # fmt: skip
