# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Two devices of the driver API: peer access, copies between their contexts, pointers' devices."""

import numpy as np
from common import check

from cuda.bindings import driver

check(driver.cuInit(0))
print(check(driver.cuDeviceGetCount()))
devices = [check(driver.cuDeviceGet(ordinal)) for ordinal in range(2)]
contexts = [check(driver.cuDevicePrimaryCtxRetain(device)) for device in devices]
possible = check(driver.cuDeviceCanAccessPeer(devices[0], devices[1]))
print(possible, check(driver.cuDeviceCanAccessPeer(devices[0], devices[0])))
if possible:
    check(driver.cuCtxSetCurrent(contexts[0]))
    check(driver.cuCtxEnablePeerAccess(contexts[1], 0))
    print(driver.cuCtxEnablePeerAccess(contexts[1], 0)[0].name)
memory = []
for context in contexts:
    check(driver.cuCtxSetCurrent(context))
    memory.append(check(driver.cuMemAlloc(4096)))
data, back = np.arange(1024, dtype=np.int32), np.zeros(1024, np.int32)
check(driver.cuMemcpyHtoD(memory[0], data, data.nbytes))
check(driver.cuMemcpyPeer(memory[1], contexts[1], memory[0], contexts[0], data.nbytes))
check(driver.cuMemcpyDtoH(back, memory[1], back.nbytes))
print(np.array_equal(data, back))
attribute = driver.CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
print([check(driver.cuPointerGetAttribute(attribute, pointer)) for pointer in memory])
print(int(check(driver.cuCtxGetDevice())), check(driver.cuCtxGetCurrent()) == contexts[1])
print(int(check(driver.cuCtxPushCurrent(contexts[0])) or 0), int(check(driver.cuCtxGetDevice())))
print(check(driver.cuCtxPopCurrent()) == contexts[0], int(check(driver.cuCtxGetDevice())))
if possible:
    check(driver.cuCtxSetCurrent(contexts[0]))
    check(driver.cuCtxDisablePeerAccess(contexts[1]))
    print(driver.cuCtxDisablePeerAccess(contexts[1])[0].name)
for context, pointer in zip(contexts, memory, strict=True):
    check(driver.cuCtxSetCurrent(context))
    check(driver.cuMemFree(pointer))
for device in devices:
    check(driver.cuDevicePrimaryCtxRelease(device))
print(driver.cuMemFree(memory[0])[0].name)
