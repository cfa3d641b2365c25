# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A current context for each test, and our own compiler without the assembler."""

import pytest

from cuda.cpu import driver


@pytest.fixture(scope="module")
def context():
    driver.cuInit(0)
    handle = driver.cuDevicePrimaryCtxRetain(0)
    driver.cuCtxSetCurrent(handle)
    yield handle
    driver.cuCtxSetCurrent(0)
    driver.cuDevicePrimaryCtxRelease(0)


@pytest.fixture(scope="module", autouse=True)
def _own():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CUDA_CPU_TILE", "own")
        yield
