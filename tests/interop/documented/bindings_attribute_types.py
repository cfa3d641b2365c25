# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The Python types of attributes whose C type depends on the attribute: of pointers, ranges of memory and pools."""

from common import check

from cuda.bindings import driver

check(driver.cuInit(0))
check(driver.cuCtxSetCurrent(check(driver.cuDevicePrimaryCtxRetain(0))))
memory = {
    "device": check(driver.cuMemAlloc(1024)),
    "pinned": int(check(driver.cuMemAllocHost(1024))),
    "managed": check(driver.cuMemAllocManaged(1024, driver.CUmemAttach_flags.CU_MEM_ATTACH_GLOBAL)),
    "pool": check(driver.cuMemAllocAsync(1024, 0)),
}
flags = ("IS_MANAGED", "SYNC_MEMOPS", "MAPPED", "IS_LEGACY_CUDA_IPC_CAPABLE", "MEMORY_TYPE", "ACCESS_FLAGS")

for attribute in driver.CUpointer_attribute:
    for kind, pointer in memory.items():
        status, value = driver.cuPointerGetAttribute(attribute, pointer)
        together = driver.cuPointerGetAttributes(1, [attribute], pointer)[1] or [None]
        shown = value if attribute.name.removeprefix("CU_POINTER_ATTRIBUTE_") in flags else ""
        print(attribute.name, kind, status.name, type(value).__name__, type(together[0]).__name__, shown)

sync = driver.CUpointer_attribute.CU_POINTER_ATTRIBUTE_SYNC_MEMOPS
for value in (True, 0, 1):
    check(driver.cuPointerSetAttribute(value, sync, memory["device"]))
    print(check(driver.cuPointerGetAttribute(sync, memory["device"])))

pool = check(driver.cuDeviceGetDefaultMemPool(0))
for attribute in driver.CUmemPool_attribute:
    status, value = driver.cuMemPoolGetAttribute(pool, attribute)
    print(attribute.name, status.name, int(value) >= 0)  # NVIDIA's returns a cuuint64_t for some, ours an int
