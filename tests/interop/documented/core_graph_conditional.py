# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Conditional parts of graphs: if, if-else, switch and while, decided by kernels."""

import numpy as np
from common import begin, compiled, pinned

from cuda.core import LaunchConfig, launch

device, stream = begin()
SOURCE = """
extern "C" __device__ __cudart_builtin__ void CUDARTAPI cudaGraphSetConditional(unsigned long long handle, unsigned value);
extern "C" __global__ void decide(unsigned long long handle, const int *flag) { cudaGraphSetConditional(handle, *flag); }
extern "C" __global__ void count(unsigned long long handle, int *left) { cudaGraphSetConditional(handle, --*left > 0); }
extern "C" __global__ void add(int *x, int y) { *x += y; }
"""
SOURCE = SOURCE.replace("__cudart_builtin__ void CUDARTAPI", "void")
decide, count, add = compiled(SOURCE, "decide", "count", "add")
one = LaunchConfig(grid=1, block=1)
flag_buffer, flag = pinned(1, np.int32)
out_buffer, out = pinned(1, np.int32)


def run(kind, value):
    builder = device.create_graph_builder().begin_building()
    condition = builder.create_condition(default_value=0)
    launch(builder, one, decide, condition, flag_buffer)
    if kind == "if":
        bodies = [builder.if_then(condition)]
    elif kind == "if else":
        bodies = builder.if_else(condition)
    else:
        bodies = builder.switch(condition, 3)
    for index, body in enumerate(bodies):
        body.begin_building()
        launch(body, one, add, out_buffer, np.int32(10**index))
        body.end_building()
    graph = builder.end_building().complete()
    flag[:], out[:] = value, 0
    graph.launch(stream)
    stream.sync()
    print(kind, value, out[0])


for kind, value in (("if", 0), ("if", 1), ("if else", 0), ("if else", 1), ("switch", 0), ("switch", 2), ("switch", 5)):
    run(kind, value)
builder = device.create_graph_builder().begin_building()
condition = builder.create_condition(default_value=1)
body = builder.while_loop(condition)
body.begin_building()
launch(body, one, add, out_buffer, np.int32(1))
launch(body, one, count, condition, flag_buffer)
body.end_building()
graph = builder.end_building().complete()
flag[:], out[:] = 7, 0
graph.launch(stream)
stream.sync()
print("while", out[0], flag[0])
