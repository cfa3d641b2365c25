# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
import gc

import pytest

from cuda.core import LEGACY_DEFAULT_STREAM, PER_THREAD_DEFAULT_STREAM, EventOptions, Stream, StreamOptions


def test_properties(device):
    with device.create_stream(options=StreamOptions(nonblocking=False, priority=-1)) as stream:
        assert not stream.is_nonblocking
        assert stream.priority == -1
        assert stream.device is device
        assert stream.context == device.context
        assert stream.__cuda_stream__() == (0, int(stream.handle))
        assert f"{int(stream.handle):#x}" in repr(stream)
    with device.create_stream(options={"priority": 0}) as stream:
        assert stream.is_nonblocking


def test_wrong_options(device):
    with pytest.raises(ValueError, match=r"^priority is 99, but the device's are -\d+ \(urgent\) to 0$"):
        device.create_stream(options=StreamOptions(priority=99))
    with pytest.raises(TypeError, match=r"^options must be StreamOptions, a dict of its fields or None, not int$"):
        device.create_stream(options=1)
    with pytest.raises(ValueError, match=r"give either obj or options"):
        device.create_stream(LEGACY_DEFAULT_STREAM, StreamOptions())


def test_close(device):
    stream = device.create_stream()
    stream.close()
    stream.close()
    assert stream.is_closed
    assert int(stream.handle) == 0
    assert repr(stream) == "<Stream closed>"
    for use in (stream.sync, stream.record, stream.__cuda_stream__, lambda: stream.device, stream.__enter__):
        with pytest.raises(ValueError, match=r"^this Stream is closed$"):
            use()
    with pytest.raises(RuntimeError, match=r"use Device.create_stream or Stream.from_handle"):
        Stream()


def test_default_streams(device):
    for stream, handle in ((LEGACY_DEFAULT_STREAM, 1), (PER_THREAD_DEFAULT_STREAM, 2)):
        assert int(stream.handle) == handle
        stream.close()
        assert not stream.is_closed
        stream.sync()


def test_default_stream_has_the_current_device(device):
    assert LEGACY_DEFAULT_STREAM.device is device
    LEGACY_DEFAULT_STREAM.record().sync()


def test_from_handle_does_not_own(device, stream):
    wrapped = Stream.from_handle(stream.handle)
    assert wrapped == stream
    assert hash(wrapped) == hash(stream)
    assert wrapped.device is device
    wrapped.close()
    stream.sync()
    assert wrapped != stream
    assert Stream.from_handle(int(stream.handle)) == stream
    for handle in ("x", "123", b"1", None):
        with pytest.raises(TypeError, match=r"^handle must be a stream's address as int, or a CUstream, not "):
            Stream.from_handle(handle)


def test_equality_of_streams(device, stream):
    with device.create_stream() as other:
        assert other != stream
        assert other != int(other.handle)


def test_record_and_wait(device, stream):
    with device.create_stream() as other:
        event = stream.record()
        assert stream.record(event) is event
        other.wait(event)
        other.wait(stream)
        assert stream.record(options=EventOptions(timing_enabled=True)).is_timing_enabled
        other.sync()
        assert other.is_done
    assert stream.record(event, EventOptions()) is event
    with pytest.raises(TypeError, match=r"^event must be an Event, not int$"):
        stream.record(1)
    with pytest.raises(
        ValueError, match=r"^event_or_stream must be an Event, a Stream or an object with __cuda_stream__, not 1"
    ):
        stream.wait(1)
    stream.wait(None)  # nothing to wait for


@pytest.mark.parametrize("answer", [3, (1, 0), (0,), None, (0, "x"), (0, "1")])
def test_wrong_stream_protocols_are_errors_of_three_kinds(device, stream, answer):
    """Those of Python, and those that NVIDIA's cuda.core raises when it creates a stream, and waits for one."""

    class Foreign:
        def __cuda_stream__(self):
            return answer

    for kind in (TypeError, ValueError, RuntimeError):
        with pytest.raises(kind, match=r"__cuda_stream__"):
            device.create_stream(Foreign())
        with pytest.raises(kind, match=r"__cuda_stream__"):
            stream.wait(Foreign())


def test_work_waits_for_another_stream(module, device, stream, host):
    from cuda.core import LaunchConfig, launch

    count = 1 << 16
    with device.create_stream() as other, device.allocate(4 * count, stream=stream) as buffer:
        buffer.fill(0, stream=stream)
        for _ in range(10):
            launch(stream, LaunchConfig(grid=count // 256, block=256), module.add_one, buffer, count)
            other.wait(stream)
            launch(other, LaunchConfig(grid=count // 256, block=256), module.add_one, buffer, count)
            stream.wait(other)
        assert set(host(buffer, "i4").tolist()) == {20}


def test_a_deleted_stream_finishes_its_work(module, device, stream, host):
    from cuda.core import LaunchConfig, launch

    with device.allocate(4, stream=stream) as buffer:
        buffer.fill(0, stream=stream)
        stream.sync()
        other = device.create_stream()
        launch(other, LaunchConfig(grid=1, block=1), module.add_one, buffer, 1)
        del other
        gc.collect()
        device.sync()
        assert host(buffer, "i4")[0] == 1
