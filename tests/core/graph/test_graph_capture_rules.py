# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Calls that are allowed while a GraphBuilder, or another library, captures a stream."""

import gc
import weakref

import pytest

from cuda.bindings import driver
from cuda.core import (
    DeviceMemoryResource,
    GraphMemoryResource,
    LegacyPinnedMemoryResource,
    ManagedMemoryResource,
    PinnedMemoryResource,
    Stream,
)


@pytest.fixture
def builder(device):
    with device.create_graph_builder() as made:
        yield made


@pytest.fixture(params=[DeviceMemoryResource, PinnedMemoryResource, ManagedMemoryResource])
def pool(request, device):
    return request.param(device) if request.param is DeviceMemoryResource else request.param()


def used(pool):
    return pool.attributes.used_mem_current


@pytest.mark.parametrize("mode", ["relaxed", "thread_local", "global"])
def test_no_pool_allocates_for_a_captured_stream(builder, stream, pool, mode):
    before = used(pool)
    builder.begin_building(mode)
    for order in (builder, builder.stream, Stream.from_handle(builder.stream.handle), builder.split(2)[1]):
        with pytest.raises(RuntimeError, match=f"stream is being captured: allocate from this {type(pool).__name__}"):
            pool.allocate(64, stream=order)
    assert builder.is_building
    if mode == "relaxed":
        pool.allocate(64, stream=stream).close()
        assert used(pool) == before
        return
    for unsafe in (lambda: pool.allocate(64, stream=stream), lambda: used(pool)):  # as on an H100
        with pytest.raises(RuntimeError, match="CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"):
            unsafe()


def test_no_pool_allocates_for_a_stream_captured_by_the_driver_api(device, stream, pool):
    mode = driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED
    (status,) = driver.cuStreamBeginCapture(stream.handle, mode)
    assert status == driver.CUresult.CUDA_SUCCESS
    with pytest.raises(RuntimeError, match="stream is being captured"):
        pool.allocate(64, stream=stream)
    status, graph = driver.cuStreamEndCapture(stream.handle)
    assert status == driver.CUresult.CUDA_SUCCESS
    driver.cuGraphDestroy(graph)
    pool.allocate(64, stream=stream).close()


def test_a_pool_allocates_for_a_builder_before_and_after(builder, pool):
    pool.allocate(64, stream=builder).close()
    builder.begin_building().end_building()
    pool.allocate(64, stream=builder).close()


@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
def test_memory_can_be_freed_after_its_builder_is_closed(builder, pool):
    before = used(pool)
    buffer = pool.allocate(64, stream=builder)
    builder.close()
    del buffer
    gc.collect()
    assert used(pool) == before


@pytest.mark.parametrize("explicit", [True, False])
def test_memory_freed_on_a_captured_stream_is_released_after_the_capture(builder, pool, explicit):
    before = used(pool)
    buffer = pool.allocate(64, stream=builder.stream)
    builder.begin_building()
    if explicit:
        buffer.close()
    del buffer
    gc.collect()
    assert used(pool) > before
    assert builder.end_building().graph_definition.nodes() == set()
    builder.stream.sync()
    assert used(pool) == before


@pytest.mark.parametrize("explicit", [True, False])
@pytest.mark.parametrize("mode", ["relaxed", "thread_local", "global"])
@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
def test_pinned_memory_can_be_freed_during_a_capture(builder, stream, mode, explicit):
    """Freeing neither prints an ignored exception nor invalidates the capture."""
    pinned = LegacyPinnedMemoryResource()
    of_builder, of_another = (pinned.allocate(64, stream=order) for order in (builder, stream))
    target = pinned.allocate(64, stream=stream)
    builder.begin_building(mode)
    gone = weakref.ref(of_builder)
    target.copy_from(of_another, stream=builder)
    unused = pinned.allocate(64, stream=builder) if mode == "relaxed" else None
    if explicit:
        of_builder.close()
    del of_builder, of_another, unused
    gc.collect()
    assert gone() is None
    assert builder.is_building
    assert len(builder.end_building().graph_definition.nodes()) == 1
    builder.close()
    gc.collect()


@pytest.mark.parametrize("explicit", [True, False])
@pytest.mark.parametrize("mode", ["relaxed", "thread_local", "global"])
@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
def test_memory_of_a_closed_stream_is_released_after_the_capture(builder, device, pool, mode, explicit):
    """Without its stream, memory is freed after a wait for the device, which would invalidate the capture."""
    before = used(pool)
    with device.create_stream() as other:
        buffer = pool.allocate(64, stream=other)
    builder.begin_building(mode)
    if explicit:
        buffer.close()
    del buffer
    gc.collect()
    if mode == "relaxed":
        assert used(pool) > before
    assert builder.end_building().graph_definition.nodes() == set()
    builder.close()
    assert used(pool) == before


@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
def test_a_buffer_may_outlive_the_graph_that_allocates_it(builder, device):
    """The graph that was to allocate the buffer is destroyed first: nothing is freed, and nothing is reported."""
    buffer = GraphMemoryResource(device).allocate(64, stream=builder.begin_building())
    builder.end_building().close()
    del buffer
    gc.collect()
