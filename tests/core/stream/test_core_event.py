# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
import pickle

import pytest

from cuda.core import CUDAError, Event, EventOptions

TIMED = EventOptions(timing_enabled=True)


def test_properties(device):
    event = device.create_event()
    assert (event.is_timing_enabled, event.is_blocking_sync, event.is_ipc_enabled) == (False, False, False)
    assert event.is_done  # never recorded
    assert event.device is device
    assert event.context == device.context
    assert f"{int(event.handle):#x}" in repr(event)
    event = device.create_event(EventOptions(timing_enabled=True, blocking_sync=True))
    assert (event.is_timing_enabled, event.is_blocking_sync) == (True, True)


def test_subtraction_is_the_time_in_milliseconds(device, stream):
    start = stream.record(options=TIMED)
    with device.allocate(1 << 22, stream=stream) as buffer:
        buffer.fill(1, stream=stream)
    end = stream.record(options=TIMED)
    end.sync()
    assert start.is_done
    assert end - start > 0
    assert start - start == 0
    taken = end
    taken -= start
    assert taken == end - start


def test_subtraction_needs_timing(stream):
    start, end = stream.record(options=TIMED), stream.record()
    end.sync()
    with pytest.raises(RuntimeError, match=r"^one of the events does not take the time: create both with EventOptions"):
        end - start
    with pytest.raises(RuntimeError, match=r"^neither event takes the time"):
        end - end
    with pytest.raises(TypeError):
        end - 1


def test_subtraction_needs_recorded_events(device, stream):
    start = stream.record(options=TIMED)
    stream.sync()
    with pytest.raises(CUDAError, match=r"Record both events, in streams of one device, before subtracting them"):
        device.create_event(TIMED) - start


def test_close(device):
    with device.create_event() as event:
        assert not event.is_closed
    event.close()
    assert event.is_closed
    assert int(event.handle) == 0
    assert repr(event) == "<Event closed of device 0>"
    for use in (event.sync, lambda: event.is_done, lambda: event - event, event.__enter__):
        with pytest.raises(ValueError, match=r"^this Event is closed$"):
            use()
    for name in ("context", "device", "is_timing_enabled", "is_blocking_sync", "is_ipc_enabled", "ipc_descriptor"):
        with pytest.raises(ValueError, match=r"^this Event is closed$"):
            getattr(event, name)
    with pytest.raises(RuntimeError, match=r"use Device.create_event or Stream.record"):
        Event()


def test_identity(device):
    first, second = device.create_event(), device.create_event()
    assert first == first
    assert first != second
    assert len({first, second}) == 2
    second.close()
    assert second == second
    assert first != 1


def test_an_event_without_ipc_has_no_descriptor(device):
    with pytest.raises(TypeError, match=r"^ipc_enabled and timing_enabled exclude each other"):
        device.default_stream.record(options=EventOptions(ipc_enabled=True, timing_enabled=True))
    with pytest.raises(TypeError, match=r"^ipc_enabled is for events that a stream records: use Stream.record"):
        device.create_event(EventOptions(ipc_enabled=True))
    event = device.create_event()
    with pytest.raises(RuntimeError, match=r"^this Event is not shared: make it with EventOptions"):
        event.ipc_descriptor  # noqa: B018
    with pytest.raises(TypeError, match=r"^an? Event belongs to this process"):
        pickle.dumps(event)
    with pytest.raises(TypeError, match=r"^ipc_descriptor must be an IPCEventDescriptor, not NoneType$"):
        Event.from_ipc_descriptor(None)
