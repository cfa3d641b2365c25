# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Libraries of kernels, loaded without a context; variables by name; the same program as a cubin by nvJitLink."""

import numpy as np
from common import check, outcome
from driver_kernels import begin, ptx_of

from cuda.bindings import driver, nvjitlink

begin()
SOURCE = """
__device__ int state[4] = {1, 2, 3, 4};
extern "C" __global__ void twice() { state[threadIdx.x] *= 2; }
"""
ptx = ptx_of(SOURCE)
library = check(driver.cuLibraryLoadData(ptx, [], [], 0, [], [], 0))
print(check(driver.cuLibraryGetKernelCount(library)))
kernel = check(driver.cuLibraryGetKernel(library, b"twice"))
print(check(driver.cuKernelGetName(kernel)), outcome(driver.cuLibraryGetKernel, library, b"none")[0])
variable, size = check(driver.cuLibraryGetGlobal(library, b"state"))
function = check(driver.cuKernelGetFunction(kernel))
host = np.zeros(4, np.int32)
for handle in (kernel, function):
    check(driver.cuLaunchKernel(driver.CUfunction(int(handle)), 1, 1, 1, 4, 1, 1, 0, 0, 0, 0))
check(driver.cuMemcpyDtoH(host.ctypes.data, variable, size))
print(size, host)
check(driver.cuLibraryUnload(library))
linker = nvjitlink.create(1, ["-arch=sm_90"])
nvjitlink.add_data(linker, nvjitlink.InputType.PTX, ptx, len(ptx), "program.ptx")
nvjitlink.complete(linker)
cubin = bytearray(nvjitlink.get_linked_cubin_size(linker))
nvjitlink.get_linked_cubin(linker, cubin)
print(bytes(cubin[:4]), outcome(nvjitlink.create, 1, ["-nothing"]))
nvjitlink.destroy(linker)
