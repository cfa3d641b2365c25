# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The runtime API of the CPU device through cuda.bindings, and a check that each test released everything."""

import gc

import pytest


def pytest_collection_modifyitems(items):
    for item in items:
        if "runtime_api" in item.path.parts:
            item.add_marker(pytest.mark.cpu_only)


def _forget_earlier_tests(runtime):
    """Free what earlier tests of this process left, so that it is not freed while a test counts memory."""
    gc.collect()
    runtime.cudaDeviceReset()
    pool = runtime.cudaDeviceGetDefaultMemPool(0)[1]
    runtime.cudaMemPoolTrimTo(pool, 0)


@pytest.fixture(autouse=True)
def _nothing_is_left():
    """Begin and end without a context, and release the primary contexts, whose references other tests count."""
    from cuda.bindings import runtime
    from cuda.cpu.driver.device import context, primary
    from cuda.cpu.runtime_api import device

    device.ensure_devices()
    context.stack().clear()
    runtime.cudaSetDevice(0)
    _forget_earlier_tests(runtime)
    free = runtime.cudaMemGetInfo()[1]
    yield
    runtime.cudaSetDevice(0)
    runtime.cudaDeviceSynchronize()
    left = free - runtime.cudaMemGetInfo()[1]
    context.stack().clear()
    for ordinal in list(device._retained):
        primary.cuDevicePrimaryCtxRelease(ordinal)
    device._retained.clear()
    device._thread.__dict__.clear()
    runtime.cudaGetLastError()
    assert left == 0, "the test leaves device memory behind"


@pytest.fixture
def ok():
    """Return a function that gives the results of a call which must succeed."""

    def ok(result):
        assert result[0] == 0, result
        return result[1] if len(result) == 2 else result[1:] or None

    return ok
