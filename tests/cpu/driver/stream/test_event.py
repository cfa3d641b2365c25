# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import contextlib
import ctypes

import kernels
import pytest

from cuda.cpu import abi, driver


@contextlib.contextmanager
def events(*flags: int):
    made = [driver.cuEventCreate(each) for each in flags]
    try:
        yield made
    finally:
        for each in made:
            driver.cuEventDestroy(each)


def test_an_event_that_was_never_recorded_is_done(context):
    with events(0) as [event]:
        driver.cuEventQuery(event)
        driver.cuEventSynchronize(event)


def test_query_and_synchronize(spinning, refused):
    stream = driver.cuStreamCreate(0)
    with events(abi.CU_EVENT_BLOCKING_SYNC) as [event]:
        flag = spinning(stream)
        driver.cuEventRecord(event, stream)
        with refused("NOT_READY"):
            driver.cuEventQuery(event)
        flag.raise_()
        driver.cuEventSynchronize(event)
        driver.cuEventQuery(event)
    driver.cuStreamDestroy(stream)


def test_elapsed_time_between_recorded_events(context):
    with events(0, 0) as [start, end]:
        driver.cuEventRecord(start, 0)
        sleep = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda data: __import__("time").sleep(0.02))
        driver.cuLaunchHostFunc(0, ctypes.cast(sleep, ctypes.c_void_p).value, 0)
        driver.cuEventRecordWithFlags(end, 0, 0)
        driver.cuEventSynchronize(end)
        assert driver.cuEventElapsedTime(start, end) >= 20
        assert driver.cuEventElapsedTime(end, start) == -driver.cuEventElapsedTime(start, end)


def test_elapsed_time_needs_two_completed_events_with_timing(spinning, refused):
    stream = driver.cuStreamCreate(0)
    with events(0, 0, abi.CU_EVENT_DISABLE_TIMING) as [start, end, plain]:
        driver.cuEventRecord(start, stream)
        driver.cuEventRecord(plain, stream)
        with refused("INVALID_HANDLE", "hEnd was never recorded"):
            driver.cuEventElapsedTime(start, end)
        with refused("INVALID_HANDLE", "DISABLE_TIMING"):
            driver.cuEventElapsedTime(plain, start)
        flag = spinning(stream)
        driver.cuEventRecord(end, stream)
        with refused("NOT_READY"):
            driver.cuEventElapsedTime(start, end)
        flag.raise_()
        driver.cuStreamSynchronize(stream)
    driver.cuStreamDestroy(stream)


def test_a_wait_is_for_the_record_before_it(spinning):
    first, second = driver.cuStreamCreate(0), driver.cuStreamCreate(0)
    with events(0) as [event]:
        driver.cuEventRecord(event, first)
        driver.cuStreamWaitEvent(second, event, 0)
        flag = spinning(first)
        driver.cuEventRecord(event, first)
        driver.cuStreamSynchronize(second)
        flag.raise_()
    driver.cuStreamDestroy(first)
    driver.cuStreamDestroy(second)


@pytest.mark.parametrize(("flags", "status"), [(8, "INVALID_VALUE"), (abi.CU_EVENT_INTERPROCESS, "INVALID_VALUE")])
def test_wrong_flags(context, refused, flags, status):
    with refused(status, "cuEventCreate"):
        driver.cuEventCreate(flags)


def test_a_destroyed_event_is_an_invalid_handle(context, refused):
    event = driver.cuEventCreate(0)
    driver.cuEventDestroy(event)
    for call in (driver.cuEventQuery, driver.cuEventSynchronize, driver.cuEventDestroy):
        with refused("INVALID_HANDLE", "no live event"):
            call(event)
    with refused("INVALID_HANDLE", "NULL"):
        driver.cuEventRecord(0, 0)


def test_an_event_is_recorded_only_in_its_context(context, refused):
    with events(0) as [event]:
        other = driver.cuCtxCreate(0, 0, 0)
        stream = driver.cuStreamCreate(0)
        with refused("INVALID_HANDLE", "different contexts"):
            driver.cuEventRecord(event, stream)
        driver.cuStreamWaitEvent(stream, event, 0)  # allowed between contexts
        driver.cuCtxDestroy(other)


def test_synchronizing_an_event_returns_a_fault(context, refused):
    other = driver.cuCtxCreate(0, 0, 0)
    with kernels.loaded(kernels.TRAP) as module:
        event = driver.cuEventCreate(0)
        kernels.run(module, "stop")
        driver.cuEventRecord(event, 0)
        with refused("LAUNCH_FAILED", "'stop'"):
            driver.cuEventSynchronize(event)
    driver.cuCtxDestroy(other)
