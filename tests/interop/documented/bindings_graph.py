# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A graph of the driver API: memset, kernel and copy nodes; its nodes and edges; a launch; a host node; a clone."""

import ctypes

import numpy as np
from common import check, outcome
from driver_kernels import begin, functions

from cuda.bindings import driver

begin()
(add,) = functions('extern "C" __global__ void add(int *x, int y) { x[threadIdx.x] += y; }', "add")
context = check(driver.cuCtxGetCurrent())
memory = check(driver.cuMemAlloc(64))
host = np.zeros(16, np.int32)
graph = check(driver.cuGraphCreate(0))
fill = driver.CUDA_MEMSET_NODE_PARAMS()
fill.dst, fill.value, fill.elementSize, fill.width, fill.height = memory, 3, 4, 16, 1
first = check(driver.cuGraphAddMemsetNode(graph, None, 0, fill, context))
kernel = driver.CUDA_KERNEL_NODE_PARAMS()
kernel.func, kernel.gridDimX, kernel.gridDimY, kernel.gridDimZ = add, 1, 1, 1
kernel.blockDimX, kernel.blockDimY, kernel.blockDimZ = 16, 1, 1
kernel.kernelParams = ((memory, 4), (None, ctypes.c_int))
second = check(driver.cuGraphAddKernelNode(graph, [first], 1, kernel))
copy = driver.CUDA_MEMCPY3D()
copy.srcMemoryType, copy.srcDevice = driver.CUmemorytype.CU_MEMORYTYPE_DEVICE, memory
copy.dstMemoryType, copy.dstHost = driver.CUmemorytype.CU_MEMORYTYPE_HOST, host.ctypes.data
copy.WidthInBytes, copy.Height, copy.Depth = 64, 1, 1
third = check(driver.cuGraphAddMemcpyNode(graph, [second], 1, copy, context))
nodes, _ = check(driver.cuGraphGetNodes(graph, 3))
print(len(nodes), [check(driver.cuGraphNodeGetType(node)).name for node in nodes])
starts, ends, *_ = check(driver.cuGraphGetEdges(graph, 2))
print([(nodes.index(start), nodes.index(end)) for start, end in zip(starts, ends, strict=True)])
executable = check(driver.cuGraphInstantiate(graph, 0))
stream = check(driver.cuStreamCreate(0))
check(driver.cuGraphLaunch(executable, stream))
check(driver.cuStreamSynchronize(stream))
print(host)
kernel.kernelParams = ((memory, 100), (None, ctypes.c_int))
check(driver.cuGraphExecKernelNodeSetParams(executable, second, kernel))
check(driver.cuGraphLaunch(executable, stream))
check(driver.cuStreamSynchronize(stream))
print(host[:2])
clone = check(driver.cuGraphClone(graph))
found = check(driver.cuGraphNodeFindInClone(second, clone))
print(check(driver.cuGraphNodeGetType(found)).name)
print(outcome(driver.cuGraphAddKernelNode, graph, [first], 1, driver.CUDA_KERNEL_NODE_PARAMS())[0])
check(driver.cuGraphExecDestroy(executable))
check(driver.cuGraphDestroy(clone))
check(driver.cuGraphDestroy(graph))
