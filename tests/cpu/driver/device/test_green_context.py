# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Green contexts: splitting a device's workers, contexts on the groups, and their streams; on four workers."""

from __future__ import annotations

import contextlib
import ctypes
import subprocess
import sys
import textwrap
from ctypes import addressof, c_uint32, c_uint64

import graph_calls as calls
import kernels
import pytest

from cuda.cpu import abi, driver
from cuda.cpu.driver.device import device

SM, CONFIG, QUEUE = (
    abi.CU_DEV_RESOURCE_TYPE_SM,
    abi.CU_DEV_RESOURCE_TYPE_WORKQUEUE_CONFIG,
    abi.CU_DEV_RESOURCE_TYPE_WORKQUEUE,
)
NON_BLOCKING = abi.CU_STREAM_NON_BLOCKING

# out[block] = %smid + 1, after some work
WHO = """
.visible .entry who(.param .u64 out)
{
 .reg .b64 %rd<4>; .reg .b32 %r<5>; .reg .pred %p<2>;
 ld.param.u64 %rd1, [out]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %smid; add.u32 %r2, %r2, 1;
 mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; mov.u32 %r3, 0;
AGAIN: add.u32 %r3, %r3, 1; st.volatile.global.u32 [%rd3], %r2; setp.lt.u32 %p1, %r3, 2000; @%p1 bra AGAIN;
 ret;
}
"""


@pytest.fixture
def workers(context, monkeypatch):
    monkeypatch.setattr(device.find(0), "cores", 4)
    return 4


def whole(kind: int = SM):
    given = abi.CUdevResource()
    driver.cuDeviceGetDevResource(0, addressof(given), kind)
    return given


def split(given, least: int, most: int = 8, flags: int = 0):
    """Return the groups and the rest."""
    groups, rest, count = (abi.CUdevResource * most)(), abi.CUdevResource(), c_uint32(most)
    driver.cuDevSmResourceSplitByCount(
        addressof(groups), addressof(count), addressof(given), addressof(rest), flags, least
    )
    return list(groups[: count.value]), rest


def description(*resources) -> int:
    array = (abi.CUdevResource * len(resources))(*resources)
    return driver.cuDevResourceGenerateDesc(addressof(array), len(resources))


@contextlib.contextmanager
def green(*resources, flags: int = abi.CU_GREEN_CTX_DEFAULT_STREAM):
    made = driver.cuGreenCtxCreate(description(*resources), 0, flags)
    try:
        yield made
    finally:
        driver.cuGreenCtxDestroy(made)


def count_of(get, *arguments) -> int:
    given = abi.CUdevResource()
    get(*arguments, addressof(given), SM)
    return given.sm.smCount


def test_split_by_count(workers, refused):
    given = whole()
    assert (given.type, given.sm.smCount, given.sm.minSmPartitionSize) == (SM, 4, 1)
    groups, rest = split(given, 3)
    assert [each.sm.smCount for each in groups] == [3]
    assert (rest.type, rest.sm.smCount) == (SM, 1)
    groups, rest = split(given, 2)
    assert [each.sm.smCount for each in groups] == [2, 2]
    assert rest.type == abi.CU_DEV_RESOURCE_TYPE_INVALID
    groups, rest = split(given, 1, most=2)
    assert len(groups) == 2
    assert rest.sm.smCount == 2
    count = c_uint32()
    driver.cuDevSmResourceSplitByCount(0, addressof(count), addressof(given), 0, 0, 0)
    assert count.value == 4
    with refused("INVALID_VALUE", "minCount is 5 of 4"):
        split(given, 5)
    with refused("INVALID_VALUE", "not filled in"):
        split(abi.CUdevResource(type=SM), 1)
    with refused("INVALID_RESOURCE_TYPE"):
        split(whole(CONFIG), 1)
    with refused("INVALID_RESOURCE_TYPE"):
        whole(7)


def test_structured_split(workers, refused):
    def cut(*wanted, results: bool = True):
        given, groups = whole(), (abi.CUdevResource * len(wanted))()
        rest, parameters = abi.CUdevResource(), (abi.CU_DEV_SM_RESOURCE_GROUP_PARAMS * len(wanted))()
        for to, of in zip(parameters, wanted, strict=True):
            to.smCount, to.coscheduledSmCount, to.flags, *domain = of
            to.localityDomainId = domain[0] if domain else 0
        where = addressof(groups) if results else 0
        driver.cuDevSmResourceSplit(where, len(wanted), addressof(given), addressof(rest), 0, addressof(parameters))
        return [each.sm.smCount for each in groups], [each.smCount for each in parameters], rest.sm.smCount

    backfill = abi.CU_DEV_SM_RESOURCE_GROUP_BACKFILL
    assert cut((2, 2, 0), (1, 1, 0)) == ([2, 1], [2, 1], 1)
    assert cut((1, 0, 0), (0, 2, 0)) == ([1, 2], [1, 2], 1)
    assert cut((1, 0, 0), (0, 2, backfill)) == ([1, 3], [1, 3], 0)
    local, anywhere = abi.CU_DEV_SM_RESOURCE_GROUP_LOCALITY_DOMAIN_ID, 0xFFFFFFFF
    assert cut((2, 0, local, 0), (1, 0, local, anywhere)) == ([2, 1], [2, 1], 1)
    assert cut((0, 3, 0), (0, 3, 0), results=False) == ([0, 0], [3, 0], 1)
    for wrong in (((4, 0, 0), (0, 0, 0)), ((3, 2, 0),), ((5, 0, 0),), ((1, 0, 8),), ((1, 0, 2, 1),)):
        with refused("INVALID_RESOURCE_CONFIGURATION"):
            cut(*wrong)


def test_resource_descriptors(workers, refused):
    groups, _ = split(whole(), 1)
    others, _ = split(whole(), 1)
    with green(groups[0], groups[1], whole(CONFIG)) as made:
        assert count_of(driver.cuGreenCtxGetDevResource, made) == 2
    for wrong in ((groups[0], others[1]), (groups[0], groups[0]), (whole(), whole())):
        with refused("INVALID_RESOURCE_CONFIGURATION"):
            description(*wrong)
    with refused("INVALID_VALUE", "nbResources 0"):
        driver.cuDevResourceGenerateDesc(0, 0)
    with refused("INVALID_VALUE", "flags 8"):
        driver.cuGreenCtxCreate(description(whole()), 0, 8)
    queues = whole(CONFIG)
    assert queues.wqConfig.wqConcurrencyLimit > 0
    queues.wqConfig.wqConcurrencyLimit = 5
    with green(queues, whole(QUEUE)) as made:  # all workers, since none are named
        asked = abi.CUdevResource()
        driver.cuGreenCtxGetDevResource(made, addressof(asked), CONFIG)
        assert asked.wqConfig.wqConcurrencyLimit == 5
        assert count_of(driver.cuGreenCtxGetDevResource, made) == 4


def test_streams_of_a_green_context(context, workers, refused):
    groups, _ = split(whole(), 1)
    with green(groups[0]) as made, kernels.loaded(WHO) as module, calls.memory(64) as out:
        stream = driver.cuGreenCtxStreamCreate(made, NON_BLOCKING, 0)
        kernels.run(module, "who", c_uint64(out), grid=(64, 1, 1), stream=stream)
        driver.cuStreamSynchronize(stream)
        who = (c_uint32 * 64)()
        driver.cuMemcpyDtoH(addressof(who), out, 256)
        assert set(who) == {1}, "one worker is the queue's own thread"
        assert driver.cuStreamGetGreenCtx(stream) == made
        assert driver.cuStreamGetCtx_v2(stream) == (context, made)
        assert count_of(driver.cuStreamGetDevResource, stream) == 1
        assert count_of(driver.cuCtxGetDevResource, context) == 4
        with refused("INVALID_VALUE", "CU_STREAM_NON_BLOCKING"):
            driver.cuGreenCtxStreamCreate(made, 0, 0)
        kept = driver.cuGreenCtxStreamCreate(made, NON_BLOCKING, 0)
        driver.cuStreamDestroy(stream)
    with refused("STREAM_DETACHED"):
        driver.cuStreamSynchronize(kept)
    driver.cuStreamDestroy(kept)
    with refused("INVALID_HANDLE", "no live stream"):
        driver.cuStreamSynchronize(kept)


def test_a_green_context_is_current(context, workers, spinning, refused):
    ordinary = driver.cuStreamCreate(0)
    with green(whole()) as made:
        driver.cuCtxPushCurrent(driver.cuCtxFromGreenCtx(made))
        assert driver.cuCtxGetCurrent() == driver.cuCtxFromGreenCtx(made) != context
        assert driver.cuCtxGetDevice() == 0
        stream = driver.cuStreamCreate(0)
        assert driver.cuStreamGetGreenCtx(stream) == driver.cuStreamGetGreenCtx(0) == made
        assert count_of(driver.cuCtxGetDevResource, 0) == 4
        with calls.memory() as pointer:  # memory is the primary context's
            flag = spinning(ordinary)
            driver.cuMemsetD32Async(pointer, 4, 1, stream)
            driver.cuMemsetD32(pointer, 5, 1)  # in the green context's default stream: ordered after `stream`
            driver.cuCtxSynchronize()  # not the spinning kernel
            value = c_uint32()
            ctypes.memmove(addressof(value), pointer, 4)
            assert value.value == 5
            flag.raise_()
        with refused("INVALID_CONTEXT", "cuGreenCtxDestroy"):
            driver.cuCtxDestroy(driver.cuCtxGetCurrent())
        driver.cuStreamDestroy(stream)
        driver.cuCtxPopCurrent()
        assert driver.cuGreenCtxGetId(made) > 0
    driver.cuStreamDestroy(ordinary)


def test_context_wide_events(context, workers, spinning, refused):
    groups, _ = split(whole(), 2)
    with green(groups[0]) as one, green(groups[1]) as other, calls.memory() as pointer:
        first = driver.cuGreenCtxStreamCreate(one, NON_BLOCKING, 0)
        second = driver.cuGreenCtxStreamCreate(other, NON_BLOCKING, 0)
        event, every = driver.cuEventCreate(2), driver.cuEventCreate(2)
        flag = spinning(first)
        driver.cuGreenCtxRecordEvent(one, event)
        driver.cuCtxRecordEvent(context, every)
        for each in (event, every):
            with refused("NOT_READY"):
                driver.cuEventQuery(each)
        driver.cuGreenCtxWaitEvent(other, event)
        late = driver.cuGreenCtxStreamCreate(other, NON_BLOCKING, 0)
        for stream in (second, late):
            driver.cuMemsetD32Async(pointer, 1, 1, stream)
            with refused("NOT_READY"):
                driver.cuStreamQuery(stream)
        flag.raise_()
        for each in (event, every):
            driver.cuEventSynchronize(each)
            driver.cuEventDestroy(each)
        for stream in (first, second, late):
            driver.cuStreamSynchronize(stream)
            driver.cuStreamDestroy(stream)


def test_a_destroyed_green_context(context, workers, refused):
    with green(whole()) as made:
        current = driver.cuCtxFromGreenCtx(made)
        driver.cuCtxPushCurrent(current)
    with refused("CONTEXT_IS_DESTROYED"):
        driver.cuStreamCreate(0)
    driver.cuCtxPopCurrent()
    for call in (driver.cuGreenCtxDestroy, driver.cuCtxFromGreenCtx, driver.cuGreenCtxGetId):
        with refused("INVALID_CONTEXT", "no live green context"):
            call(made)
    with refused("INVALID_CONTEXT"):
        driver.cuCtxPushCurrent(current)


def test_a_green_context_not_destroyed_at_exit():
    code = """
    from ctypes import addressof
    from cuda.cpu import abi, driver
    driver.cuInit(0)
    resource = abi.CUdevResource()
    driver.cuDeviceGetDevResource(0, addressof(resource), abi.CU_DEV_RESOURCE_TYPE_SM)
    green = driver.cuGreenCtxCreate(driver.cuDevResourceGenerateDesc(addressof(resource), 1), 0, 1)
    print(driver.cuGreenCtxStreamCreate(green, abi.CU_STREAM_NON_BLOCKING, 0) > 0)
    """
    command = [sys.executable, "-c", textwrap.dedent(code)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert (done.stdout, done.stderr) == ("True\n", "")
