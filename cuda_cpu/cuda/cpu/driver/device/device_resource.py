# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Device resources (CUdevResource) and their division: SMs, which are worker threads here, and work queues.

A partition is a range of workers. What it limits is how many of them work on one launch at a time; which of the threads
do is left to the system. Each stream has a queue of its own, so that a work queue is nothing that could run out.
"""

from __future__ import annotations

import ctypes
import itertools
import struct
from typing import Any

from cuda.cpu.abi import (
    CU_DEV_RESOURCE_TYPE_INVALID,
    CU_DEV_RESOURCE_TYPE_SM,
    CU_DEV_RESOURCE_TYPE_WORKQUEUE,
    CU_DEV_RESOURCE_TYPE_WORKQUEUE_CONFIG,
    CU_DEV_SM_RESOURCE_GROUP_BACKFILL,
    CU_DEV_SM_RESOURCE_GROUP_LOCALITY_DOMAIN_ID,
    CU_DEV_SM_RESOURCE_GROUP_LOCALITY_DOMAIN_ID_ANY,
    CU_DEV_SM_RESOURCE_GROUP_LOCALITY_DOMAIN_SUPPLEMENTAL_SMS,
    CU_DEV_SM_RESOURCE_GROUP_PARAMS,
    CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING,
    CU_DEV_SM_RESOURCE_SPLIT_MAX_POTENTIAL_CLUSTER_SIZE,
    CU_WORKQUEUE_SCOPE_DEVICE_CTX,
    CU_WORKQUEUE_SCOPE_GREEN_CTX_BALANCED,
    CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION,
    CUDA_ERROR_INVALID_RESOURCE_TYPE,
    CUdevResource,
)
from cuda.cpu.driver.base.error import CudaError, invalid
from cuda.cpu.driver.base.handle import Table
from cuda.cpu.driver.device import device as devices

descriptions = Table("resource descriptor")
_splits = itertools.count(1)

# What a CUdevResource holds beside what is public: a magic, the device, first worker, workers, the split it came from.
_PRIVATE = struct.Struct("<8siIIQ")
_MAGIC = b"CPU-RES1"
GROUP_FLAGS = (
    CU_DEV_SM_RESOURCE_GROUP_BACKFILL
    | CU_DEV_SM_RESOURCE_GROUP_LOCALITY_DOMAIN_ID
    | CU_DEV_SM_RESOURCE_GROUP_LOCALITY_DOMAIN_SUPPLEMENTAL_SMS
)
QUEUES = 32  # work queues that a device reports


class Partition:
    """A range of a device's workers."""

    def __init__(self, of: devices.Device, first: int, count: int, split: int = 0) -> None:
        self.device = of
        self.first = first
        self.count = count
        self.split = split  # 0: all that a device or a context has


class Queues:
    """How many streams of a context are expected to run at once; a hint that changes nothing here."""

    def __init__(self, of: devices.Device, limit: int, scope: int) -> None:
        self.device = of
        self.limit = limit
        self.scope = scope


def all_of(of: devices.Device) -> Partition:
    return Partition(of, 0, of.cores)


def write(out_ptr: int, partition: Partition | None) -> None:
    """Store a partition; None: a resource of no type."""
    given = CUdevResource.from_address(out_ptr)
    ctypes.memset(out_ptr, 0, ctypes.sizeof(CUdevResource))
    if partition is None:
        given.type = CU_DEV_RESOURCE_TYPE_INVALID
        return
    given.type = CU_DEV_RESOURCE_TYPE_SM
    _write_private(given, partition.device, partition.first, partition.count, partition.split)
    given.sm.smCount = partition.count
    given.sm.minSmPartitionSize = given.sm.smCoscheduledAlignment = 1


def _write_private(given: Any, of: devices.Device, first: int, count: int, split: int) -> None:
    data = _PRIVATE.pack(_MAGIC, of.ordinal, first, count, split)
    ctypes.memmove(ctypes.addressof(given) + CUdevResource._internal_padding.offset, data, len(data))


def give(name: str, out_ptr: int, kind: int, partition: Partition, queues: Queues | None = None) -> None:
    """Answer a question for a resource of a device, a context or a stream."""
    if not out_ptr:
        raise invalid(f"{name}: resource is NULL")
    of = partition.device
    if kind == CU_DEV_RESOURCE_TYPE_SM:
        write(out_ptr, partition)
        return
    if kind not in (CU_DEV_RESOURCE_TYPE_WORKQUEUE_CONFIG, CU_DEV_RESOURCE_TYPE_WORKQUEUE):
        raise CudaError(CUDA_ERROR_INVALID_RESOURCE_TYPE, f"{name}: {kind} is no CUdevResourceType that can be queried")
    given = CUdevResource.from_address(out_ptr)
    ctypes.memset(out_ptr, 0, ctypes.sizeof(CUdevResource))
    given.type = kind
    _write_private(given, of, 0, 0, 0)
    if kind == CU_DEV_RESOURCE_TYPE_WORKQUEUE_CONFIG:
        queues = queues or Queues(of, QUEUES, CU_WORKQUEUE_SCOPE_DEVICE_CTX)
        given.wqConfig.device = of.ordinal
        given.wqConfig.wqConcurrencyLimit, given.wqConfig.sharingScope = queues.limit, queues.scope


def read(name: str, ptr: int, kind: int = CU_DEV_RESOURCE_TYPE_SM) -> Partition:
    """Return the partition of a resource that a function of this driver has filled in."""
    if not ptr:
        raise invalid(f"{name}: a resource is NULL")
    given = CUdevResource.from_address(ptr)
    if given.type != kind:
        raise CudaError(
            CUDA_ERROR_INVALID_RESOURCE_TYPE, f"{name}: the resource's type is {given.type}, must be {kind}"
        )
    magic, ordinal, first, count, split = _PRIVATE.unpack_from(bytes(given._internal_padding))
    if magic != _MAGIC:
        raise invalid(f"{name}: the resource was not filled in by a function of this driver")
    return Partition(devices.find(ordinal), first, count, split)


def cuDeviceGetDevResource(device: int, resource: int, type_: int) -> None:
    give("cuDeviceGetDevResource", resource, type_, all_of(devices.find(device)))


SPLIT_FLAGS = CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING | CU_DEV_SM_RESOURCE_SPLIT_MAX_POTENTIAL_CLUSTER_SIZE


def cuDevSmResourceSplitByCount(
    result: int, nbGroups: int, input_: int, remainder: int, flags: int, minCount: int
) -> None:
    """Cut a partition into equal groups of the least size, and a rest; without `result` only say how many."""
    name = "cuDevSmResourceSplitByCount"
    total = read(name, input_)
    if not nbGroups or flags & ~SPLIT_FLAGS or minCount > total.count:
        raise invalid(
            f"{name}: nbGroups is NULL, useFlags {flags} is unknown, or minCount is {minCount} of {total.count} SMs"
        )
    number = ctypes.c_uint.from_address(nbGroups)
    size = max(minCount, 1)
    groups = total.count // size
    if result:
        groups = min(groups, number.value)
        split = next(_splits)
        for i in range(groups):
            part = Partition(total.device, total.first + i * size, size, split)
            write(result + i * ctypes.sizeof(CUdevResource), part)
        if remainder:
            write(remainder, rest_of(total, groups * size, split))
    number.value = groups


def rest_of(total: Partition, used: int, split: int) -> Partition | None:
    left = total.count - used
    return Partition(total.device, total.first + used, left, split) if left else None


def _misfit(text: str) -> CudaError:
    return CudaError(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION, f"cuDevSmResourceSplit: {text}")


def _group_size(i: int, wanted: Any, left: int, *, discover: bool) -> int:
    """Return how many workers a group gets; a request of 0 leaves it to the driver."""
    if wanted.flags & ~GROUP_FLAGS:
        raise _misfit(f"groupParams[{i}].flags is {wanted.flags}, which are no CUdevSmResourceGroup_flags")
    domain, localized = wanted.localityDomainId, wanted.flags & CU_DEV_SM_RESOURCE_GROUP_LOCALITY_DOMAIN_ID
    if localized and domain not in (0, CU_DEV_SM_RESOURCE_GROUP_LOCALITY_DOMAIN_ID_ANY):
        raise _misfit(f"groupParams[{i}].localityDomainId is {domain}, a CPU device has one domain, 0")
    step = wanted.coscheduledSmCount or 1
    backfill = bool(wanted.flags & CU_DEV_SM_RESOURCE_GROUP_BACKFILL)
    size = wanted.smCount or (left if backfill else left // step * step)
    if size > left or (size % step and not backfill):
        raise _misfit(f"groupParams[{i}] wants {size} SMs in groups of {step}, {left} are left")
    if not size and not discover:
        raise _misfit(f"no SM is left for groupParams[{i}]")
    return size


def cuDevSmResourceSplit(result: int, nbGroups: int, input_: int, remainder: int, flags: int, groupParams: int) -> None:
    """Cut a partition into groups as they are described, one after the other, and a rest."""
    name = "cuDevSmResourceSplit"
    total = read(name, input_)
    if flags or not nbGroups or not groupParams:
        raise invalid(f"{name}: flags is {flags}, must be 0, or there are no groupParams")
    wanted = (CU_DEV_SM_RESOURCE_GROUP_PARAMS * nbGroups).from_address(groupParams)
    sizes, left = [], total.count
    for i, group in enumerate(wanted):
        sizes.append(_group_size(i, group, left, discover=not result))
        left -= sizes[-1]
    split, first = next(_splits), total.first
    for i, size in enumerate(sizes):
        wanted[i].smCount = size
        if result:
            write(result + i * ctypes.sizeof(CUdevResource), Partition(total.device, first, size, split))
        first += size
    if remainder:
        write(remainder, rest_of(total, total.count - left, split))


class Description:
    """What a green context is to have."""

    def __init__(self, of: devices.Device, partition: Partition | None, queues: Queues | None) -> None:
        self.device = of
        self.partition = partition
        self.queues = queues
        self.handle = descriptions.add(self)


def _queues_of(name: str, given: Any) -> Queues:
    config = given.wqConfig
    if config.sharingScope not in (CU_WORKQUEUE_SCOPE_DEVICE_CTX, CU_WORKQUEUE_SCOPE_GREEN_CTX_BALANCED):
        raise invalid(f"{name}: sharingScope {config.sharingScope} is no CUdevWorkqueueConfigScope")
    return Queues(devices.find(config.device), config.wqConcurrencyLimit, config.sharingScope)


def cuDevResourceGenerateDesc(resources: int, nbResources: int) -> int:
    name = "cuDevResourceGenerateDesc"
    devices.check_started()
    if not resources or not nbResources:
        raise invalid(f"{name}: resources is NULL or nbResources 0")
    parts: list[Partition] = []
    others: list[Any] = []
    for i, given in enumerate((CUdevResource * nbResources).from_address(resources)):
        if given.type == CU_DEV_RESOURCE_TYPE_WORKQUEUE_CONFIG:
            others.append(_queues_of(name, given))
        elif given.type == CU_DEV_RESOURCE_TYPE_WORKQUEUE:
            others.append(read(name, resources + i * ctypes.sizeof(CUdevResource), given.type))
        else:
            parts.append(read(name, resources + i * ctypes.sizeof(CUdevResource)))
    of = (parts or others)[0].device
    if any(each.device is not of for each in (*parts, *others)):
        raise CudaError(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION, f"{name}: the resources are of several devices")
    if len(parts) > 1 and (len({part.split for part in parts}) > 1 or not parts[0].split):
        raise CudaError(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION, f"{name}: the SM resources are of several splits")
    if len({part.first for part in parts}) < len(parts):
        raise CudaError(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION, f"{name}: an SM resource is given twice")
    total = Partition(of, min(part.first for part in parts), sum(part.count for part in parts)) if parts else None
    queues = next((each for each in others if isinstance(each, Queues)), None)
    return Description(of, total, queues).handle


def forget_after_fork() -> None:
    descriptions.clear()
