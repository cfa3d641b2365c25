# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A graph made by capture: a fork, a join, an update of the executable, one launch for all."""

import numpy as np
from common import begin, compiled, outcome, pinned

from cuda.core import LaunchConfig, launch

device, stream = begin()
add, scale = compiled(
    'extern "C" __global__ void add(int *x, int y) { atomicAdd(x, y); }'
    'extern "C" __global__ void scale(int *x, int y) { *x *= y; }', "add", "scale",
)  # fmt: skip
one = LaunchConfig(grid=1, block=1)
buffer, data = pinned(1, np.int32)


def build(amount):
    builder = device.create_graph_builder().begin_building()
    launch(builder, one, add, buffer, np.int32(amount))
    left, right = builder.split(2)
    launch(left, one, add, buffer, np.int32(10))
    launch(right, one, add, buffer, np.int32(20))
    joined = left.join(left, right)
    launch(joined, one, scale, buffer, np.int32(2))
    print(joined.is_building, joined.is_join_required)
    return joined.end_building()


first = build(1)
graph = first.complete()
graph.upload(stream)
graph.launch(stream)
stream.sync()
print(data)
graph.launch(stream)
stream.sync()
print(data)
second = build(100)
data[:] = 0
graph.update(second)
graph.launch(stream)
stream.sync()
print(data)
print(outcome(first.begin_building), outcome(first.end_building))
graph.close()
for builder in (first, second):
    builder.close()
print(first.is_closed)
