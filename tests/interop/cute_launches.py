# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A program for test_cute.py: the CuTe DSL launches a kernel itself. The argument is the folder of cuda.bindings."""

import ctypes
import sys

sys.path.insert(0, sys.argv[1])

import numpy as np
from cutlass import Float32, Int32, cute
from cutlass.cute.runtime import make_ptr

from cuda.bindings import driver

assert sys.argv[1] in driver.__file__


@cute.kernel
def scale(x: cute.Pointer, n: Int32):
    i = cute.arch.block_idx()[0] * 64 + cute.arch.thread_idx()[0]
    values = cute.make_tensor(x, cute.make_layout(n))
    if i < n:
        values[i] = values[i] * 2.0 + 1.0


@cute.jit
def launch_scale(x: cute.Pointer, n: Int32):
    scale(x, n).launch(grid=(4, 1, 1), block=(64, 1, 1))


driver.cuInit(0)
_, context = driver.cuDevicePrimaryCtxRetain(0)
driver.cuCtxSetCurrent(context)
_, memory = driver.cuMemAllocManaged(1024, 1)
host = np.frombuffer((ctypes.c_float * 256).from_address(int(memory)), np.float32)
host[:] = np.arange(256)
launch_scale(make_ptr(Float32, int(memory), cute.AddressSpace.gmem, assumed_align=16), Int32(200))
driver.cuCtxSynchronize()
expected = np.arange(256, dtype=np.float32)
expected[:200] = 2 * expected[:200] + 1
np.testing.assert_array_equal(host, expected)
print("launch is right")
