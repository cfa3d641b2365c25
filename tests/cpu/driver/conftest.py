# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A context for each test, and a check that the test released everything."""

from __future__ import annotations

import contextlib
import pathlib
import sys

import kernels
import pytest

from cuda.cpu import driver
from cuda.cpu.driver.base.error import CudaError

# Tests of one folder use helpers in the tests of another.
sys.path += sorted(str(path) for path in pathlib.Path(__file__).parent.iterdir() if path.is_dir())


@pytest.fixture(scope="session", autouse=True)
def initialized():
    driver.cuInit(0)


@pytest.fixture
def context():
    """The primary context, current in this thread; memory that the test leaks is a failure."""
    handle = driver.cuDevicePrimaryCtxRetain(0)
    driver.cuCtxSetCurrent(handle)
    free, _ = driver.cuMemGetInfo()
    yield handle
    with contextlib.suppress(CudaError):
        driver.cuCtxSynchronize()
    driver.cuCtxSetCurrent(handle)
    try:
        assert driver.cuMemGetInfo()[0] == free, "the test leaves device memory behind"
    finally:
        driver.cuCtxSetCurrent(0)
        driver.cuDevicePrimaryCtxRelease(0)
        assert driver.cuDevicePrimaryCtxGetState(0) == (0, 0)


@pytest.fixture
def refused():
    """Return a context manager: the call inside must fail with the CUresult of this name, and say why."""

    @contextlib.contextmanager
    def expect(name: str, says: str = ""):
        from cuda.cpu import abi

        with pytest.raises(CudaError) as caught:
            yield
        assert caught.value.status == getattr(abi, f"CUDA_ERROR_{name}"), caught.value
        assert says in caught.value.args[1]

    return expect


@pytest.fixture
def spinning(context):
    """Return a function that starts a kernel in a stream, which runs until `flag.raise_()`."""
    flag = kernels.Flag()
    with kernels.loaded(kernels.SPIN) as module:

        def start(stream: int) -> kernels.Flag:
            kernels.run(module, "spin", flag.argument(), stream=stream)
            return flag

        yield start
        flag.raise_()
        with contextlib.suppress(CudaError):
            driver.cuCtxSynchronize()
    flag.close()
