# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Arguments of a launch as a pair of tuples: values, and types of ctypes; structs, handles, pointers."""

import ctypes

import numpy as np
from common import check, outcome
from driver_kernels import begin, functions

from cuda.bindings import driver

begin()


class Pair(ctypes.Structure):
    _fields_ = (("a", ctypes.c_int), ("b", ctypes.c_double))

    def getPtr(self):
        return ctypes.addressof(self)


(kernel,) = functions(
    "struct pair { int a; double b; };"
    'extern "C" __global__ void k(double *out, bool a, char b, short c, int d, long long e, float f, double g, pair p)'
    "{ out[0] = a; out[1] = b; out[2] = c; out[3] = d; out[4] = e; out[5] = f; out[6] = g; out[7] = p.a; out[8] = p.b; }", "k",
)  # fmt: skip
memory = check(driver.cuMemAllocManaged(9 * 8, driver.CUmemAttach_flags.CU_MEM_ATTACH_GLOBAL.value))
values = (memory, True, 5, -6, 7, -(1 << 40), 0.5, 2.25, Pair(3, 4.5))
types = (
    None, ctypes.c_bool, ctypes.c_char, ctypes.c_short, ctypes.c_int, ctypes.c_longlong, ctypes.c_float, ctypes.c_double, None,
)  # fmt: skip
check(driver.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, 0, (values, types), 0))
check(driver.cuCtxSynchronize())
print(np.array((ctypes.c_double * 9).from_address(int(memory))))
for bad in (((1, 2), (ctypes.c_int,)), ((memory,), (ctypes.Structure,)), (("text",), (ctypes.c_int,)), 3.5, "text"):
    print(outcome(driver.cuLaunchKernel, kernel, 1, 1, 1, 1, 1, 1, 0, 0, bad, 0))
print(outcome(driver.cuLaunchKernel, kernel, 0, 1, 1, 1, 1, 1, 0, 0, (values, types), 0))
print(outcome(driver.cuLaunchKernel, kernel, 1, 1, 1, 2000, 1, 1, 0, 0, (values, types), 0))
check(driver.cuMemFree(memory))
