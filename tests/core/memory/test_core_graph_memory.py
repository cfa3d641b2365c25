# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
import pickle

import pytest

from cuda.bindings import driver
from cuda.core import CUDAError, GraphMemoryResource


@pytest.fixture
def resource(device):
    return GraphMemoryResource(device)


@pytest.fixture
def capture(stream):
    """Return a function that captures the work that a function enqueues, and returns the executable graph."""
    made = []

    def run(function):
        mode = driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED
        assert driver.cuStreamBeginCapture(int(stream.handle), mode) == (0,)
        try:
            function()
        finally:
            status, graph = driver.cuStreamEndCapture(int(stream.handle))
        assert status == 0
        status, executable = driver.cuGraphInstantiate(graph, 0)
        assert status == 0
        made.append((graph, executable))
        return executable

    yield run
    for graph, executable in made:
        driver.cuGraphExecDestroy(executable)
        driver.cuGraphDestroy(graph)


def test_attributes_of_the_resource(resource, device):
    assert GraphMemoryResource(0) is resource
    assert pickle.loads(pickle.dumps(resource)) is resource
    assert (resource.is_device_accessible, resource.is_host_accessible, resource.is_managed) == (True, False, False)
    assert resource.device_id == 0
    assert repr(resource) == "<GraphMemoryResource of device 0>"
    resource.close()
    with pytest.raises(ValueError, match=r"^device_id is 99, but the devices are"):
        GraphMemoryResource(99)


def test_memory_allocated_and_freed_within_the_graph(resource, stream, upload, host, capture):
    import numpy as np

    result = upload(np.zeros(64, "u1"))
    stream.sync()

    def work():
        buffer = resource.allocate(64, stream=stream)
        buffer.fill(5, stream=stream)
        buffer.copy_to(result, stream=stream)
        buffer.close()

    graph = capture(work)
    for _ in range(2):
        assert driver.cuGraphLaunch(graph, int(stream.handle)) == (0,)
    assert set(host(result, "u1")) == {5}


def test_memory_outlives_the_graph(resource, stream, host, capture, on_gpu):
    kept = []

    def work():
        kept.append(resource.allocate(64, stream=stream))
        kept[0].fill(6, stream=stream)

    graph = capture(work)
    assert driver.cuGraphLaunch(graph, int(stream.handle)) == (0,)
    stream.sync()
    assert resource.attributes.used_mem_current >= 64
    assert set(host(kept[0], "u1")) == {6}
    kept[0].close(stream)
    stream.sync()
    if not on_gpu:  # where memory belongs to a graph as long as the graph exists
        assert resource.attributes.used_mem_current == 0
    resource.trim()


def test_attributes(resource):
    attributes = resource.attributes
    assert attributes.reserved_mem_high >= attributes.reserved_mem_current >= 0
    attributes.used_mem_high = 0
    attributes.reserved_mem_high = 0
    assert attributes.used_mem_high == attributes.used_mem_current
    assert "used_mem_high=" in repr(attributes)
    with pytest.raises(AttributeError, match=r"^the highest amount can only be reset to 0, not set to 5$"):
        attributes.used_mem_high = 5
    with pytest.raises(AttributeError):
        attributes.used_mem_current = 0


def test_allocating_outside_a_capture(resource, stream):
    with pytest.raises(RuntimeError, match=r"^stream is not being captured: GraphMemoryResource allocates"):
        resource.allocate(8, stream=stream)
    with pytest.raises(CUDAError, match="CUDA_ERROR_INVALID_VALUE"):
        resource.deallocate(0x1000, 8, stream=stream)
