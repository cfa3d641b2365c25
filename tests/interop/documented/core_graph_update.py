# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Graph builders: states, joins, conditions of use, updates, embedding, debug print, closing."""

import os
import tempfile

import numpy as np
from common import begin, compiled, outcome, pinned

from cuda.core import LaunchConfig, launch
from cuda.core.graph import GraphCompleteOptions, GraphDebugPrintOptions

device, stream = begin()
buffer, data = pinned(4, np.int32)
add, double = compiled(
    'extern "C" __global__ void add(int *x, int y) { *x += y; } extern "C" __global__ void twice(int *x) { *x *= 2; }',
    "add",
    "twice",
)
one = LaunchConfig(grid=1, block=1)


def captured(value):
    builder = device.create_graph_builder().begin_building()
    launch(builder, one, add, buffer, np.int32(value))
    launch(builder, one, double, buffer)
    return builder.end_building()


builder = device.create_graph_builder()
print(builder.is_building, builder.is_join_required, outcome(builder.end_building), outcome(builder.complete))
builder.begin_building()
print(builder.is_building, outcome(builder.complete), builder.stream is not None)
left, right = builder.split(2)
print(left is builder, right.is_join_required)
launch(left, one, add, buffer, np.int32(1))
launch(right, one, add, int(buffer.handle) + 4, np.int32(2))
builder = type(builder).join(left, right)
builder.end_building()
graph = builder.complete()
graph.upload(stream)
for _ in range(3):
    graph.launch(stream)
stream.sync()
print(data)
first, second = captured(1), captured(10)
graph = first.complete()
data[0] = 0
graph.launch(stream)
graph.update(second)
graph.launch(stream)
stream.sync()
print(data[0])
print(outcome(graph.update, builder), outcome(graph.update, 3), outcome(first.begin_building))
outer = device.create_graph_builder().begin_building()
print(outcome(outer.embed, first), outcome(outer.embed, 3))
launch(outer, one, add, buffer, np.int32(100))
whole = outer.end_building().complete(GraphCompleteOptions(auto_free_on_launch=True))
data[0] = 0
whole.launch(stream)
stream.sync()
print(data[0])
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "graph.dot")
    outer.debug_dot_print(path)
    outer.debug_dot_print(path, GraphDebugPrintOptions(verbose=True))
    with open(path) as file:
        print("digraph" in file.read())
calls = []
with_callback = device.create_graph_builder().begin_building()
with_callback.callback(lambda: calls.append(1))
done = with_callback.end_building().complete()
done.launch(stream)
stream.sync()
print(calls, outcome(with_callback.callback, 3))
for each in (graph, whole, done):
    each.close()
from_stream = stream.create_graph_builder()
print(
    from_stream.begin_building(mode="thread_local").is_building,
    outcome(device.create_graph_builder().begin_building, mode="x"),
)
from_stream.end_building()
