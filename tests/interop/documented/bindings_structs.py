# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Structs: fields, nested structs, copies, text, pointers; handles and how they are made from numbers."""

from common import outcome

from cuda.bindings import driver

location = driver.CUmemLocation()
location.type, location.id = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE, 3
print(location.id, location.type, int(location.getPtr()) != 0)
properties = driver.CUmemAllocationProp()
properties.location = location
location.id = 4
print(properties.location.id, properties.type, properties.requestedHandleTypes)
print(
    repr(driver.CUstream(5)),
    int(driver.CUstream(5)),
    driver.CUstream(5) == driver.CUstream(5),
    driver.CUstream() == driver.CUstream(0),
)
print(hash(driver.CUstream(5)) == hash(driver.CUstream(5)), driver.CUdeviceptr(7), int(driver.CUdeviceptr(7)))
print(outcome(driver.CUstream, "x"), outcome(driver.CUdeviceptr, "x"), outcome(driver.CUdeviceptr, -1))
uuid = driver.CUuuid()
print(uuid.bytes)
config = driver.CUlaunchConfig()
attribute = driver.CUlaunchAttribute()
attribute.id = driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
attribute.value.clusterDim.x = 2
config.attrs, config.numAttrs = [attribute], 1
print(config.numAttrs, config.attrs[0].value.clusterDim.x, config.attrs[0].id)
print(
    outcome(setattr, location, "id", "x"),
    outcome(setattr, location, "id", 1 << 40),
    outcome(setattr, location, "nothing", 1),
)
print(outcome(setattr, location, "type", 2), outcome(getattr, driver, "cuNoSuchFunction"))
print(driver.CUstream_flags.CU_STREAM_NON_BLOCKING.value, driver.CUDA_VERSION, driver.CU_IPC_HANDLE_SIZE)
