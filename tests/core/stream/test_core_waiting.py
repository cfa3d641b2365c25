# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Waits with a timeout, under asyncio, and for callbacks. A callback that waits for the test blocks the stream."""

import asyncio
import gc
import sys
import threading

import pytest
from support.scripts import run_checked

from cuda.core import Stream


@pytest.fixture
def gate(stream):
    """Return a threading.Event that the stream waits for; it is set at the end of the test at the latest."""
    made = threading.Event()
    stream.add_callback(lambda: made.wait(30))
    yield made
    made.set()
    stream.sync()


def test_sync_with_a_timeout(stream, gate):
    event = stream.record()
    assert not stream.is_done
    assert not event.is_done
    for work in (stream, event):
        for timeout in (0, 0.01):
            with pytest.raises(TimeoutError, match=rf"^the work before <.*> was not finished after {timeout} s$"):
                work.sync(timeout)
    gate.set()
    for work in (stream, event):
        work.sync(timeout=float("inf"))
        work.sync(0)
        assert work.is_done


@pytest.mark.parametrize(
    ("timeout", "error", "message"),
    [
        ("1", TypeError, r"^timeout must be a number of seconds or None, not str$"),
        (True, TypeError, r"^timeout must be a number of seconds or None, not bool$"),
        (-1, ValueError, r"^timeout must be at least 0 seconds, or None for no limit, not -1$"),
        (float("nan"), ValueError, r"^timeout must be at least 0 seconds"),
    ],
)
def test_wrong_timeout(stream, timeout, error, message):
    for work in (stream, stream.record()):
        with pytest.raises(error, match=message):
            work.sync(timeout)


def test_callbacks_run_in_order_on_another_thread(stream):
    seen = []
    for number in range(50):
        stream.add_callback(lambda number=number: seen.append((number, threading.get_ident())))
    stream.sync()
    assert [number for number, _ in seen] == list(range(50))
    assert threading.get_ident() not in {thread for _, thread in seen}


def test_a_callback_is_released_after_its_call(stream):
    def callback():
        pass

    before = sys.getrefcount(callback)
    for _ in range(10):
        stream.add_callback(callback)
    stream.sync()
    assert sys.getrefcount(callback) == before


def test_an_exception_of_a_callback_is_raised_once(stream):
    def fail(error):
        raise error

    stream.add_callback(lambda: fail(KeyError("first")))
    with pytest.raises(KeyError, match="first"):
        stream.sync()
    stream.sync()
    stream.add_callback(lambda: fail(KeyError("one")))
    stream.add_callback(lambda: fail(ValueError("two")))
    with pytest.raises(ExceptionGroup, match="callbacks of the stream failed") as caught:
        stream.sync(timeout=30)
    assert [type(error) for error in caught.value.exceptions] == [KeyError, ValueError]
    stream.sync()


def test_an_unobserved_callback_exception_goes_to_unraisablehook(device, stream, monkeypatch):
    shown = []
    monkeypatch.setattr(sys, "unraisablehook", lambda unraisable: shown.append(unraisable.exc_value))
    other = Stream.from_handle(stream.handle)
    other.add_callback(lambda: 1 / 0)
    stream.sync()  # this object has no callbacks of its own
    del other
    gc.collect()
    assert [type(error) for error in shown] == [ZeroDivisionError]


def test_wrong_callback(device, stream):
    with pytest.raises(TypeError, match=r"^callback must be callable, not int$"):
        stream.add_callback(1)
    closed = device.create_stream()
    closed.close()
    for use in (lambda: closed.add_callback(print), lambda: closed.__await__()):
        with pytest.raises(ValueError, match=r"^this Stream is closed$"):
            use()


def test_no_callback_while_the_stream_is_captured(stream):
    from cuda.bindings import driver

    mode = driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED
    assert driver.cuStreamBeginCapture(stream.handle, mode)[0] == 0
    try:
        with pytest.raises(RuntimeError, match=r"^this Stream is being captured: a callback runs once, but"):
            stream.add_callback(print)
    finally:
        status, graph = driver.cuStreamEndCapture(stream.handle)
    assert status == 0
    driver.cuGraphDestroy(graph)


def test_await_does_not_block_the_event_loop(stream, gate):
    async def main():
        event = stream.record()
        waits = [asyncio.ensure_future(wait(work)) for work in (stream, event)]
        await asyncio.sleep(0.01)
        assert not any(waiting.done() for waiting in waits)
        gate.set()  # set by the event loop, which the waits do not block
        await asyncio.wait_for(asyncio.gather(*waits), 30)
        assert event.is_done

    async def wait(work):
        return await work

    asyncio.run(main())


def test_await_can_be_cancelled(stream, gate):
    async def wait():
        await stream

    async def main():
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(wait(), 0.01)

    asyncio.run(main())
    assert not stream.is_done


def test_await_raises_the_exception_of_a_callback(stream):
    async def main():
        stream.add_callback(lambda: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            await stream
        await stream

    asyncio.run(main())


def test_await_of_a_closed_event(device):
    event = device.create_event()
    event.close()
    with pytest.raises(ValueError, match=r"^this Event is closed$"):
        event.__await__()


def test_python_exits_with_callbacks_pending(device):
    text = """
        import time
        from cuda.core import Device
        device = Device(0)
        device.set_current()
        stream = device.create_stream()
        stream.add_callback(lambda: time.sleep(0.1))
        for _ in range(100):
            stream.add_callback(lambda: None)
        print("end")
    """
    assert run_checked(text) == "end\n"


@pytest.mark.needs_nvrtc
def test_a_fault_is_raised_by_every_wait(device):
    text = """
        import asyncio
        from cuda.core import CUDAError, Device, LaunchConfig, Module, launch
        device = Device(0)
        device.set_current()
        stream = device.create_stream()
        event = device.create_event()
        module = Module.from_source('extern "C" __global__ void fault(int *x) { *x = 1; }')
        launch(stream, LaunchConfig(grid=1, block=1), module.fault, 8)
        async def wait():
            await stream
        for use in (lambda: stream.sync(timeout=30), lambda: asyncio.run(wait())):
            try:
                use()
            except CUDAError as error:
                print(error.name)
    """
    assert run_checked(text).split() == ["CUDA_ERROR_ILLEGAL_ADDRESS"] * 2


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_anyio_and_trio(device, stream, backend):
    anyio = pytest.importorskip("anyio")
    pytest.importorskip(backend)
    gate = threading.Event()
    ticks = []

    async def tick():
        while not gate.is_set():
            ticks.append(len(ticks))
            await anyio.sleep(0.001)
            if len(ticks) > 3:
                gate.set()

    async def main():
        stream.add_callback(lambda: gate.wait(30))
        async with anyio.create_task_group() as group:
            group.start_soon(tick)
            await stream
            await stream.record()
        with anyio.move_on_after(0.01) as scope:
            held = threading.Event()
            stream.add_callback(lambda: held.wait(30))
            try:
                await stream
            finally:
                held.set()
        assert scope.cancelled_caught
        await stream

    anyio.run(main, backend=backend)
    assert stream.is_done
    assert len(ticks) > 3
