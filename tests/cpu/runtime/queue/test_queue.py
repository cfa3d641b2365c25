# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Queues and events: order, waiting, values, host functions, closing."""

import ctypes
import threading
import time

import numpy as np
import pytest
from support.warp_kernels import WAIT, Launcher

from cuda.cpu.runtime import _runtime as runtime


@pytest.fixture
def queue():
    queue = runtime.Queue()
    yield queue
    queue.cancel()
    assert queue.wait(WAIT)
    queue.close()


@pytest.fixture
def gate():
    """A word that queues wait for; open it by gate[0] = 1."""
    return np.zeros(1, np.uint32)


def hold(queue, gate):
    queue.wait_value(gate.ctypes.data, 1, 4, 1)


def test_commands_run_in_order(queue):
    a, b = np.zeros(64, np.uint8), np.arange(64, dtype=np.uint8)
    queue.copy(a.ctypes.data, b.ctypes.data, 64)
    queue.fill(b.ctypes.data, 0xAB, 1, 32)
    queue.copy(a.ctypes.data + 32, b.ctypes.data, 16)
    assert queue.wait(WAIT)
    assert queue.is_idle()
    assert a.tolist() == [*range(32), *[0xAB] * 16, *range(48, 64)]


def test_long_copies_and_fills_are_shared_out(queue, arena):
    count = (9 << 20) + 5
    source = np.random.default_rng(1).integers(0, 256, count, np.uint8)
    target = np.zeros(count + 3, np.uint8)
    queue.copy(target.ctypes.data, source.ctypes.data, count)
    assert queue.wait(WAIT)
    assert np.array_equal(target[:count], source)
    assert not target[count:].any()
    queue.copy(source.ctypes.data + 1, source.ctypes.data, count - 1)  # overlaps
    assert queue.wait(WAIT)
    assert np.array_equal(source[1:], target[: count - 1])
    last = target[count - 1]
    queue.fill(target.ctypes.data, 0x01020304, 4, count // 4)
    assert queue.wait(WAIT)
    assert (target[: count // 4 * 4].view(np.uint32) == 0x01020304).all()
    assert target[count - 1] == last  # count is one more than a multiple of four
    address = arena.allocate(8 << 20)
    queue.copy(address, target.ctypes.data, 9 << 20)
    assert queue.wait(WAIT)
    fault = queue.take_fault()
    assert (fault.kind, fault.kernel, fault.message) == (1, "", "a copy")
    assert 8 << 20 <= fault.address - address < 9 << 20


def test_copy_of_rows(queue):
    source, target = np.arange(100, dtype=np.uint8).reshape(10, 10), np.zeros((6, 8), np.uint8)
    queue.copy_2d(target.ctypes.data, 8, source.ctypes.data + 23, 10, 5, 6)
    assert queue.wait(WAIT)
    assert np.array_equal(target[:, :5], source[2:8, 3:8])
    assert not target[:, 5:].any()


@pytest.mark.parametrize("width", [1, 2, 4])
def test_fill_takes_the_low_bytes(queue, width):
    target = np.zeros((3, 64), np.uint8)
    queue.fill_2d(target.ctypes.data, 64, 0x1_DEADBEEF, width, 7, 2)
    assert queue.wait(WAIT)
    pattern = (0xDEADBEEF).to_bytes(4, "little")[:width] * 7
    assert target[0].tobytes() == target[1].tobytes() == pattern.ljust(64, b"\0")
    assert not target[2].any()


@pytest.mark.parametrize(
    ("condition", "width", "value", "blocked", "opened"),
    [(0, 4, 5, 4, 5), (0, 4, 0x7FFFFFFF, 0x7FFFFFFE, 0x80000001), (0, 8, 2**40, 2**40 - 1, 2**41), (1, 4, 9, 10, 9),
     (1, 8, 2**33, 2, 2**33), (2, 4, 0b110, 0b1001, 0b100), (3, 4, 0xFFFFFFF0, 0xF, 0xE), (3, 8, 0, 2**64 - 1, 0)],
)  # fmt: skip
def test_wait_value(queue, condition, width, value, blocked, opened):
    word, done = np.array([blocked], f"u{width}"), np.zeros(1, f"u{width}")
    queue.wait_value(word.ctypes.data, value, width, condition)
    queue.write_value(done.ctypes.data, value, width)
    assert not queue.wait(0.005)
    assert not queue.is_idle()
    assert done[0] == 0
    word[0] = opened
    assert queue.wait(WAIT)
    assert done[0] == value


def test_events_order_queues(queue, gate):
    other, event = runtime.Queue(), runtime.Event()
    source, target = np.ones(8, np.uint8), np.zeros(8, np.uint8)
    hold(queue, gate)
    queue.fill(source.ctypes.data, 9, 1, 8)
    queue.record(event)
    other.wait_event(event)
    other.copy(target.ctypes.data, source.ctypes.data, 8)
    assert not event.is_done()
    assert not event.wait(0.005)
    assert not other.wait(0.005)
    with pytest.raises(RuntimeError, match="not done"):
        event.time_ns()
    before = time.monotonic_ns()
    gate[0] = 1
    assert event.wait(WAIT)
    assert other.wait(WAIT)
    assert (target == 9).all()
    assert before <= event.time_ns() <= time.monotonic_ns()
    other.close()


def test_event_recorded_again_while_someone_waits_for_the_first(queue, gate):
    other, third, event = runtime.Queue(), runtime.Queue(), runtime.Event()
    late = np.zeros(1, np.uint32)
    hold(other, late)
    hold(queue, gate)
    queue.record(event)
    third.wait_event(event)
    other.record(event)  # the event now means this one
    gate[0] = 1
    assert third.wait(WAIT)
    assert not event.is_done()
    late[0] = 1
    assert event.wait(WAIT)
    assert other.wait(WAIT)
    for each in (other, third):
        each.close()


def test_event_that_was_never_recorded(queue):
    event = runtime.Event()
    assert event.is_done()
    assert event.wait(0)
    queue.wait_event(event)
    assert queue.is_idle()
    with pytest.raises(RuntimeError, match="never recorded"):
        event.time_ns()


def test_events_may_go_while_they_are_queued(queue, gate):
    hold(queue, gate)
    for _ in range(100):
        event = runtime.Event()
        queue.record(event)
        queue.wait_event(event)
        del event
    gate[0] = 1
    assert queue.wait(WAIT)


def test_host_functions_run_on_the_queues_thread(queue):
    seen = []

    @ctypes.CFUNCTYPE(None, ctypes.c_void_p)
    def function(data):
        seen.append((data, threading.get_native_id()))

    address = ctypes.cast(function, ctypes.c_void_p).value
    for data in (5, 6, 7):
        queue.call(address, data)
    assert queue.wait(WAIT)
    assert [data for data, _ in seen] == [5, 6, 7]
    assert {thread for _, thread in seen}.isdisjoint({threading.get_native_id()})
    assert len({t for _, t in seen}) == 1
    with pytest.raises(ValueError, match="function"):
        queue.call(0, 0)


def test_host_functions_after_a_fault(queue, arena):
    seen = []

    @ctypes.CFUNCTYPE(None, ctypes.c_void_p)
    def function(data):
        seen.append(data)

    address = ctypes.cast(function, ctypes.c_void_p).value
    queue.fill(arena.base, 0, 1, 1)
    queue.call(address, 1)
    queue.call(address, 2, always=True)
    assert queue.wait(WAIT)
    assert queue.take_fault().kind == 1
    assert seen == [2]


def test_cancel_ends_waits(queue, gate):
    other, event = runtime.Queue(), runtime.Event()
    hold(other, gate)
    other.record(event)
    queue.wait_event(event)
    queue.write_value(gate.ctypes.data, 2, 4)
    queue.cancel()
    assert queue.wait(WAIT)
    assert gate[0] == 0
    other.cancel()
    assert other.wait(WAIT)
    assert event.is_done()
    assert queue.take_fault() is None
    assert other.take_fault() is None
    other.close()


def test_closed_queue_finishes_and_takes_no_more(gate):
    queue, out, event = runtime.Queue(), np.zeros(4, np.uint8), runtime.Event()
    hold(queue, gate)
    queue.fill(out.ctypes.data, 1, 1, 4)
    queue.record(event)
    queue.close()
    queue.close()
    with pytest.raises(ValueError, match="closed"):
        queue.fill(out.ctypes.data, 2, 1, 4)
    with pytest.raises(ValueError, match="closed"):
        queue.record(event)
    del queue
    gate[0] = 1
    deadline = time.monotonic() + WAIT
    while not out.all() and time.monotonic() < deadline:
        time.sleep(0.001)
    assert out.all()


@pytest.mark.parametrize(
    ("method", "arguments", "says"),
    [("fill", (8, 0, 3, 1), "width"), ("write_value", (8, 0, 2), "width"), ("write_value", (9, 0, 4), "multiple"),
     ("wait_value", (8, 0, 4, 4), "condition"), ("copy", (-1, 8, 8), None), ("copy", (8, 8, 2**64), None)],
)  # fmt: skip
def test_wrong_arguments_are_refused(queue, method, arguments, says):
    with pytest.raises(ValueError if says else OverflowError, match=says):
        getattr(queue, method)(*arguments)
    assert queue.is_idle()


def test_two_kernels_run_at_once(image):
    """A kernel that spins on a flag does not keep another queue's kernel from setting it."""
    first, second = Launcher(image), Launcher(image)
    flag = np.zeros(1, np.uint32)
    first.start("await_word", 64, 32, flag.ctypes.data, 0)
    second.start("store_at", 1, 1, flag.ctypes.data, 0)
    assert second.finish() is None
    assert first.finish() is None
    for launcher in (first, second):
        launcher.queue.close()


def test_kernel_sees_what_the_host_writes(device):
    flag = np.zeros(1, np.uint32)
    device.start("await_word", 4, 64, flag.ctypes.data, 0, fibers=True)
    assert not device.queue.wait(0.005)
    flag[0] = 1
    assert device.finish() is None


def test_queues_under_stress(image):
    """Several threads, each with its own queues, which wait for each other's events."""

    def work(seed):
        devices = [Launcher(image) for _ in range(3)]
        out = np.zeros((3, 32 * 50), np.uint32)
        for turn in range(40):
            out[:] = 0
            event = runtime.Event()
            for index, device in enumerate(devices):
                if index:
                    device.queue.wait_event(event)
                device.start("number_threads", 50, 32, out[index].ctypes.data, 0, fibers=(seed + turn) % 2 == 0)
                if index:
                    device.queue.copy(out[index - 1].ctypes.data, out[index].ctypes.data, 128)
                event = runtime.Event()
                device.queue.record(event)
            if not event.wait(WAIT) or not np.array_equal(out[2], np.arange(1, 1601)) or devices[2].finish():
                wrong.append((seed, turn))
        for device in devices:
            device.queue.close()

    wrong = []
    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
