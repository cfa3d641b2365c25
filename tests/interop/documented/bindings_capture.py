# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Stream capture: begin, status, end; what a capture forbids; launching what was captured."""

import ctypes

import numpy as np
from common import check, outcome
from driver_kernels import begin, functions

from cuda.bindings import driver

begin()
(add,) = functions('extern "C" __global__ void add(int *x, int y) { x[threadIdx.x] += y; }', "add")
stream = check(driver.cuStreamCreate(driver.CUstream_flags.CU_STREAM_NON_BLOCKING))
memory = check(driver.cuMemAlloc(64))
check(driver.cuMemsetD32(memory, 0, 16))
print(check(driver.cuStreamIsCapturing(stream)).name)
check(driver.cuStreamBeginCapture(stream, driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED))
print(check(driver.cuStreamIsCapturing(stream)).name)
for value in (1, 2, 3):
    check(driver.cuLaunchKernel(add, 1, 1, 1, 16, 1, 1, 0, stream, ((memory, value), (None, ctypes.c_int)), 0))
print(outcome(driver.cuStreamSynchronize, stream))
print(outcome(driver.cuStreamEndCapture, stream)[0])
print(check(driver.cuStreamIsCapturing(stream)).name)
check(driver.cuStreamBeginCapture(stream, driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_GLOBAL))
check(driver.cuLaunchKernel(add, 1, 1, 1, 16, 1, 1, 0, stream, ((memory, 5), (None, ctypes.c_int)), 0))
graph = check(driver.cuStreamEndCapture(stream))
executable = check(driver.cuGraphInstantiate(graph, 0))
for _ in range(3):
    check(driver.cuGraphLaunch(executable, stream))
check(driver.cuStreamSynchronize(stream))
host = np.zeros(16, np.int32)
check(driver.cuMemcpyDtoH(host.ctypes.data, memory, 64))
print(host)
