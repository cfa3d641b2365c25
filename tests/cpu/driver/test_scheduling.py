# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Kernels that wait: for others of other streams, for blocks of their own grid, for the host; whatever the workers."""

from __future__ import annotations

import contextlib
import ctypes

import kernels
import pytest
from stream_calls import is_busy

from cuda.cpu import abi, driver
from cuda.cpu.runtime import _runtime

pytestmark = pytest.mark.cpu_only

# Raise one flag and wait for another.
MEET = """
.visible .entry meet(.param .u64 mine, .param .u64 other)
{
 .reg .b64 %d<3>; .reg .b32 %r<2>; .reg .pred %p<2>;
 ld.param.u64 %d1, [mine]; ld.param.u64 %d2, [other]; st.volatile.global.u32 [%d1], 1;
AGAIN: ld.volatile.global.u32 %r1, [%d2]; setp.eq.u32 %p1, %r1, 0; @%p1 bra AGAIN;
 ret;
}
"""

# Each block counts itself and waits for all the others.
GATHER = """
.visible .entry gather(.param .u64 counter)
{
 .reg .b64 %d<2>; .reg .b32 %r<6>; .reg .pred %p<3>;
 ld.param.u64 %d1, [counter]; mov.u32 %r1, %tid.x; setp.ne.u32 %p1, %r1, 0; @%p1 bra WAIT;
 atom.global.add.u32 %r2, [%d1], 1;
WAIT: mov.u32 %r3, %nctaid.x;
AGAIN: ld.volatile.global.u32 %r4, [%d1]; setp.lt.u32 %p2, %r4, %r3; @%p2 bra AGAIN;
 ret;
}
"""


@pytest.fixture(params=[1, 2, 5], ids="{} workers".format)
def workers(request):
    before = _runtime.workers()
    _runtime.set_workers(request.param)
    yield request.param
    _runtime.set_workers(before)


@pytest.fixture
def module(context, workers):
    with kernels.loaded(MEET, GATHER, kernels.SPIN, kernels.STORE) as loaded:
        yield loaded


@pytest.fixture
def words(context):
    """Eight words that kernels and the host see."""
    start = driver.cuMemHostAlloc(32, 0)
    array = (ctypes.c_uint32 * 8).from_address(start)
    array[:] = [0] * 8
    yield array
    driver.cuMemFreeHost(start)


@contextlib.contextmanager
def streams(count: int):
    made = [driver.cuStreamCreate(abi.CU_STREAM_NON_BLOCKING) for _ in range(count)]
    yield made
    for stream in made:
        driver.cuStreamSynchronize(stream)
        driver.cuStreamDestroy(stream)


def word(words, index: int) -> ctypes.c_uint64:
    return ctypes.c_uint64(ctypes.addressof(words) + 4 * index)


@pytest.mark.parametrize("blocks", [1, 64])
def test_kernels_of_two_streams_run_at_the_same_time(module, words, blocks):
    for _ in range(3):
        words[:] = [0] * 8
        with streams(2) as (one, two):
            kernels.run(module, "meet", word(words, 0), word(words, 1), grid=(blocks, 1, 1), stream=one)
            kernels.run(module, "meet", word(words, 1), word(words, 0), grid=(blocks, 1, 1), stream=two)


def test_dependent_streams_in_any_launch_order(module, words):
    """The kernel of each stream waits for that of the next, which is launched after it."""
    words[7] = 1
    with streams(7) as made:
        for index, stream in enumerate(made):
            kernels.run(
                module, "meet", word(words, index), word(words, index + 1), grid=(9, 1, 1), block=(64, 1, 1),
                stream=stream,
            )  # fmt: skip
    assert list(words) == [1] * 8


def test_a_long_kernel_does_not_block_a_short_one(module, words):
    with streams(2) as (long, short):
        kernels.run(module, "spin", word(words, 0), grid=(100, 1, 1), block=(64, 1, 1), stream=long)
        for value in range(1, 50):
            kernels.run(module, "store", word(words, 1), ctypes.c_uint32(value), grid=(20, 1, 1), stream=short)
            driver.cuStreamSynchronize(short)
            assert words[1] == value
        assert is_busy(long)
        words[0] = 1


def test_more_blocks_than_workers_can_wait_for_each_other(module, words):
    with streams(1) as (stream,):
        kernels.run(module, "gather", word(words, 0), grid=(70, 1, 1), block=(96, 1, 1), stream=stream)
    assert words[0] == 70


def test_cooperative_launches_beside_kernels_that_wait(module, words):
    """A cooperative grid has all its blocks in flight though another stream's kernel holds workers."""
    function = driver.cuModuleGetFunction(module, b"gather")
    blocks = min(16, driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(function, 32, 0))
    arguments, _keep = kernels.packed(word(words, 1))
    with streams(2) as (one, two):
        kernels.run(module, "spin", word(words, 0), grid=(64, 1, 1), stream=one)
        driver.cuLaunchCooperativeKernel(function, blocks, 1, 1, 32, 1, 1, 0, two, arguments)
        driver.cuStreamSynchronize(two)
        assert words[1] == blocks
        assert is_busy(one)
        words[0] = 1


def test_a_previously_short_kernel_may_wait_for_the_host(module, words):
    """Its launches come back although it ended at once each time before."""
    with streams(1) as (stream,):
        for _ in range(20):
            kernels.run(module, "meet", word(words, 0), word(words, 0), stream=stream)
            driver.cuStreamSynchronize(stream)
        kernels.run(module, "meet", word(words, 1), word(words, 2), stream=stream)
        kernels.run(module, "store", word(words, 3), ctypes.c_uint32(5), stream=stream)
        assert is_busy(stream)
        assert words[3] == 0
        words[2] = 1
    assert words[3] == 5
