# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A graph node by node: memory of the graph, fills, copies, kernels, callbacks, children, topology."""

import numpy as np
from common import begin, compiled, outcome, pinned

from cuda.core import LaunchConfig
from cuda.core.graph import GraphDefinition

device, stream = begin()
(add,) = compiled('extern "C" __global__ void add(int *x, int y) { x[threadIdx.x] += y; }', "add")
out_buffer, out = pinned(8, np.int32)
calls = []
graph = GraphDefinition()
memory = graph.allocate(32)
filled = memory.memset(memory.dptr, 0, 32)
added = filled.launch(LaunchConfig(grid=1, block=8), add, memory.dptr, np.int32(5))
copied = added.memcpy(int(out_buffer.handle), memory.dptr, 32)
called = copied.callback(lambda: calls.append(out.tolist()))
freed = called.deallocate(memory.dptr)
child = GraphDefinition()
child.launch(LaunchConfig(grid=1, block=8), add, out_buffer, np.int32(1))
embedded = freed.embed(child)
print([type(node).__name__ for node in (memory, filled, added, copied, called, freed, embedded)])
print(len(graph.nodes()), len(graph.edges()), sorted(type(node).__name__ for node in graph.nodes()))
print(added.pred == {filled}, filled.succ == {added}, added.graph == graph, added.is_valid)
executable = graph.instantiate()
for _ in range(2):
    executable.launch(stream)
    stream.sync()
print(calls, out)
empty = graph.empty()
joined = graph.join(embedded, empty)
print(len(joined.pred), len(graph.nodes()))
print(outcome(joined.destroy), len(graph.nodes()))  # graphs with memory nodes keep their nodes
other = GraphDefinition()
node = other.empty()
node.destroy()
print(node.is_valid, len(other.nodes()))
print(outcome(graph.memset, out_buffer, 300, 8))
