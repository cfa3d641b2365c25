# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from cuda.bindings import driver
from cuda.core import LEGACY_DEFAULT_STREAM, Device, Host, ManagedMemoryResource, PinnedMemoryResource
from cuda.core.utils import (
    CopyOptions,
    MemcpyOverlapMode,
    MemcpySrcAccessOrder,
    copy_batch,
    discard_batch,
    discard_prefetch_batch,
    prefetch_batch,
)

PLACED = CopyOptions("any", Device(0), Host(), "prefer_overlap_with_compute")


@pytest.fixture
def pinned(stream):
    """Return a function that makes a buffer which the host can read."""
    resource = PinnedMemoryResource()
    return lambda size: resource.allocate(size, stream=stream)


@pytest.fixture
def managed(device, stream):
    """Return three buffers of managed memory."""
    resource = ManagedMemoryResource()
    return [resource.allocate(1 << 10, stream=stream) for _ in range(3)]


def test_options():
    options = CopyOptions()
    assert (options.src_access_order, options.overlap_mode) == ("stream", "default")
    assert options.src_location_hint is options.dst_location_hint is None
    assert PLACED.src_access_order is MemcpySrcAccessOrder.ANY
    assert PLACED.overlap_mode is MemcpyOverlapMode.PREFER_OVERLAP_WITH_COMPUTE
    assert CopyOptions("any") == CopyOptions(MemcpySrcAccessOrder.ANY)
    assert hash(CopyOptions("any")) == hash(CopyOptions(MemcpySrcAccessOrder.ANY))
    with pytest.raises(ValueError, match=r"^src_access_order must be one of 'stream', .*, not 'x'$"):
        CopyOptions("x")
    with pytest.raises(ValueError, match=r"^overlap_mode must be one of 'default', .*, not 1$"):
        CopyOptions(overlap_mode=1)
    with pytest.raises(TypeError, match=r"^dst_location_hint must be a Device, a Host or None, not int$"):
        CopyOptions(dst_location_hint=0)


@pytest.mark.parametrize("options", [CopyOptions("during_api_call"), PLACED, {"src_access_order": "stream"}])
def test_copy_with_options(stream, upload, pinned, options):
    if options == CopyOptions("during_api_call") and driver.cuDriverGetVersion()[1] < 13020:
        pytest.skip("drivers before CUDA 13.2 copy in the stream's order only")
    data = np.arange(100, dtype="i4")
    with upload(data) as src, pinned(400) as dst:
        assert src.copy_to(dst, stream=stream, options=options) is dst
        stream.sync()
        assert np.frombuffer(bytes(dst), "i4").tolist() == data.tolist()
        dst.fill(1, stream=stream)
        src.copy_from(dst, stream=stream, options=options)
        src.copy_to(dst, stream=stream)
        stream.sync()
        assert set(bytes(dst)) == {1}


@pytest.mark.parametrize("options", [None, PLACED, [PLACED, CopyOptions(), CopyOptions("any")]])
def test_copy_batch(stream, upload, pinned, options):
    data = [np.full(size, size, "u1") for size in (1, 16, 255)]
    srcs = [upload(part) for part in data]
    dsts = [pinned(part.nbytes) for part in data]
    copy_batch(stream, srcs, dsts, options=options)
    stream.sync()
    assert [bytes(dst) for dst in dsts] == [part.tobytes() for part in data]


def test_wrong_copies(device, stream, upload, pinned):
    with upload(np.zeros(4, "u1")) as first, pinned(4) as second, pinned(5) as third:
        for srcs, dsts, error, message in [
            (first, [second], TypeError, r"^srcs must be a sequence of Buffers, not one Buffer$"),
            (1, [second], TypeError, r"^srcs must be a sequence of Buffers, not int$"),
            ([first], [1], TypeError, r"^dsts\[0\] must be a Buffer, not int$"),
            ([], [], ValueError, r"^srcs is empty: there is nothing to do$"),
            ([first], [second, third], ValueError, r"^srcs has 1 buffers and dsts 2: there must be as many$"),
            ([first, first], [second, third], ValueError, r"^dsts\[1\] has 5 bytes and srcs\[1\] 4: they must be"),
        ]:
            with pytest.raises(error, match=message):
                copy_batch(stream, srcs, dsts)
        with pytest.raises(ValueError, match=r"^options has 2 members for 1 buffers: give one for all"):
            copy_batch(stream, [first], [second], options=[PLACED, PLACED])
        with pytest.raises(TypeError, match=r"^options\[0\] must be CopyOptions, not int$"):
            copy_batch(stream, [first], [second], options=[3])
        with pytest.raises(TypeError, match=r"^copy_batch cannot run in the legacy default stream"):
            copy_batch(LEGACY_DEFAULT_STREAM, [first], [second])
        with pytest.raises(TypeError, match=r"^a copy with options cannot run in the legacy default stream"):
            first.copy_to(second, stream=LEGACY_DEFAULT_STREAM, options=PLACED)
        closed = pinned(4)
        closed.close()
        with pytest.raises(ValueError, match=r"^this Buffer is closed$"):
            copy_batch(stream, [first], [closed])


def test_capture_is_refused(device, stream, upload, pinned):
    with upload(np.zeros(4, "u1")) as src, pinned(4) as dst:
        stream.sync()
        mode = driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED
        assert driver.cuStreamBeginCapture(int(stream.handle), mode) == (0,)
        try:
            with pytest.raises(RuntimeError, match=r"^copy_batch cannot be captured into a graph"):
                copy_batch(stream, [src], [dst])
            with pytest.raises(RuntimeError, match=r"^a copy with options cannot be captured into a graph"):
                src.copy_to(dst, stream=stream, options=PLACED)
        finally:
            _, graph = driver.cuStreamEndCapture(int(stream.handle))
            driver.cuGraphDestroy(graph)


@pytest.mark.parametrize("locations", [Device(0), Host(), [Device(0), Host(), Host(0)], (Host.numa_current(),) * 3])
def test_prefetch(stream, managed, locations):
    for buffer in managed:
        buffer.fill(3, stream=stream)
    prefetch_batch(stream, managed, locations)
    stream.sync()
    assert {value for buffer in managed for value in bytes(buffer)} == {3}


def test_discard(stream, managed):
    managed[0].fill(3, stream=stream)
    discard_batch(stream, managed[1:])
    discard_prefetch_batch(stream, managed[1:], Device(0))
    discard_prefetch_batch(stream, managed[1:], [Device(0), Host()])
    for buffer in managed[1:]:
        buffer.fill(4, stream=stream)
    stream.sync()
    assert [set(bytes(buffer)) for buffer in managed] == [{3}, {4}, {4}]


def test_wrong_managed_batches(device, stream, managed):
    with device.allocate(8, stream=stream) as plain:
        for use in (
            lambda: prefetch_batch(stream, [managed[0], plain], device),
            lambda: discard_batch(stream, [managed[0], plain]),
            lambda: discard_prefetch_batch(stream, [managed[0], plain], device),
        ):
            with pytest.raises(ValueError, match=r"^buffers\[1\] is not managed memory: allocate it from a Managed"):
                use()
    for batch in (prefetch_batch, discard_prefetch_batch):
        with pytest.raises(TypeError, match=r"^locations must be a Device or a Host, or a sequence of them, not None$"):
            batch(stream, managed, None)
        with pytest.raises(TypeError, match=r"^locations\[1\] must be a Device or a Host, not int$"):
            batch(stream, managed, [device, 0, device])
        with pytest.raises(ValueError, match=r"^locations has 1 members for 3 buffers"):
            batch(stream, managed, [device])
