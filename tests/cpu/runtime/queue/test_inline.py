# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Inline execution: short commands of an idle queue, and launches that are waited for at once, run in the submitting
thread, long ones move to the queue's."""

import threading
import time

import numpy as np
import pytest
from support.warp_kernels import KIND, WAIT

from cuda.cpu.runtime import _runtime as runtime

WORD, BEGAN, ENDED = range(3)


@pytest.fixture
def words():
    return np.ones(3, np.uint32)


@pytest.fixture
def kernel(device, words):
    """Return a kernel whose last launch was short: its next launch begins in this thread."""
    grid = device.grid("await_on_threads")
    me = threading.get_native_id()
    for _ in range(1000):
        assert device.run(grid, 1, 32, words.ctypes.data, 0) is None
        if words[BEGAN] == me:
            return grid
    raise AssertionError("no launch was ever brief")


def await_change(words, index):
    """Wait until a kernel has begun: under load the queue's thread may start it late."""
    end = time.monotonic() + WAIT
    while not words[index]:
        assert time.monotonic() < end, "the kernel does not begin"
        time.sleep(0.001)


def test_it_runs_in_the_thread_that_submits(device, kernel, words):
    assert words[BEGAN] == words[ENDED] == threading.get_native_id()
    words[BEGAN] = 0
    event = runtime.Event()
    device.queue.record(event)
    assert event.is_done()
    device.queue.fill(words.ctypes.data, 9, 4, 1)
    assert words[WORD] == 9


def test_it_waits_for_its_turn(device, kernel, words):
    gate, others = np.zeros(1, np.uint32), np.ones(3, np.uint32)
    words[BEGAN] = 0
    device.queue.wait_value(gate.ctypes.data, 1, 4, 0)
    device.start(kernel, 1, 32, words.ctypes.data, 0)
    device.queue.copy(others.ctypes.data, words.ctypes.data, 12)
    assert (words[BEGAN], others[BEGAN]) == (0, 1)
    gate[0] = 1
    assert device.finish() is None
    assert words[BEGAN] not in (0, threading.get_native_id())
    assert (others == words).all()


def test_what_waits_is_left_to_the_queues_thread(device, kernel, words):
    """The launch returns, although the kernel began in this thread and waits for a later action of this thread."""
    words[WORD] = 0
    event = runtime.Event()
    device.start(kernel, 40, 64, words.ctypes.data, 0)
    device.queue.record(event)
    assert not device.queue.wait(0.005)
    assert not event.is_done()
    words[WORD] = 1
    assert device.finish() is None
    assert event.is_done()
    assert words[BEGAN] != 0
    assert words[ENDED] not in (0, threading.get_native_id())


def test_what_was_left_can_be_cancelled(device, kernel, words):
    words[WORD] = words[BEGAN] = 0
    device.start(kernel, 1, 32, words.ctypes.data, 0)
    await_change(words, BEGAN)
    device.queue.cancel()
    assert device.finish().kind == KIND.CANCELLED
    words[WORD] = 1
    assert device.run(kernel, 1, 32, words.ctypes.data, 0) is None


def test_a_closed_queue_finishes_what_was_left(device, kernel, words):
    words[WORD] = 0
    device.start(kernel, 1, 32, words.ctypes.data, 0)
    device.queue.close()
    words[WORD] = 1
    assert device.finish() is None


def test_what_sleeps_is_left_to_the_queues_thread(device):
    out, grid = np.zeros(2, np.uint64), device.grid("doze")
    for _ in range(20):
        assert device.run(grid, 1, 32, out.ctypes.data, 0) is None
    out[0] = 0
    device.start(grid, 1, 32, out.ctypes.data, 4_000_000_000)
    assert not device.queue.is_idle()
    await_change(out, 0)
    device.queue.cancel()
    assert device.finish().kind == KIND.CANCELLED
    assert device.queue.take_interrupted()


def test_a_launch_cancelled_before_it_starts_leaves_no_fault_but_is_reported(device, kernel, words):
    """It has no kernel that a fault could name: the queue says that something was dropped."""
    gate = np.zeros(1, np.uint32)
    words[BEGAN] = 0
    device.queue.wait_value(gate.ctypes.data, 1, 4, 0)
    device.start(kernel, 1, 32, words.ctypes.data, 0)
    device.queue.cancel()
    assert device.finish() is None
    assert words[BEGAN] == 0
    assert device.queue.take_interrupted()
    assert not device.queue.take_interrupted()
    assert device.run(kernel, 1, 32, words.ctypes.data, 0) is None


def test_a_fault_in_the_thread_that_submits(device, kernel, words, arena):
    device.start(kernel, 1, 32, words.ctypes.data, arena.base)
    fault = device.finish()
    assert (fault.kind, fault.address, fault.kernel) == (KIND.ILLEGAL_ADDRESS, arena.base, "await_on_threads")
    assert words[ENDED] != 0
    device.queue.fill(arena.base, 1, 4, 1)
    assert device.finish().kind == KIND.ILLEGAL_ADDRESS
    assert device.run(kernel, 1, 32, words.ctypes.data, 0) is None


def test_threads_that_share_a_queue(device, image):
    """A thread that finds the queue idle executes its command inline; commands of other threads are queued."""
    out, threads, rounds = np.zeros(32, np.uint32), 4, 300
    grid = device.grid("number_threads")

    def work() -> None:
        for _ in range(rounds):
            device.start(grid, 1, 32, out.ctypes.data, 0)
            device.queue.fill(out.ctypes.data, 0, 4, 32)
            if not device.queue.wait(WAIT):
                wrong.append("hangs")

    wrong: list[str] = []
    workers = [threading.Thread(target=work) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong
    assert device.run(grid, 1, 32, out.ctypes.data, 0) is None
    assert (out == np.arange(1, 33)).all()


class Timed:
    """Launches of a kernel whose blocks take some time; `threads` has the thread of each block."""

    def __init__(self, device, blocks=1):
        self.device, self.grid, self.blocks = device, device.grid("take_time"), blocks
        self.nanoseconds, self.threads = np.full(1, 100_000, np.uint64), np.zeros(blocks, np.uint32)

    def start(self):
        addresses = self.nanoseconds.ctypes.data, self.threads.ctypes.data
        self.device.start(self.grid, self.blocks, 32, *addresses)

    def start_and_wait(self):
        self.start()
        assert self.device.queue.wait(WAIT)

    def is_inline(self):
        return threading.get_native_id() in self.threads

    def wait_promptly(self, between=lambda: None):
        """Launch and wait until a launch runs in this thread: under load this thread may not be prompt for a while."""
        for _ in range(1000):
            self.start()
            between()
            assert self.device.queue.wait(WAIT)
            if self.is_inline():
                return
        raise AssertionError("no launch was ever inline")

    def wait_late(self):
        self.start()
        time.sleep(0.0001)
        assert self.device.queue.wait(WAIT)


@pytest.fixture
def timed(device):
    return Timed(device)


def test_a_launch_that_is_waited_for_at_once_runs_in_the_thread_that_submits(timed):
    timed.wait_late()
    for _ in range(4):  # prompt waits
        timed.start_and_wait()
        assert not timed.is_inline()
    timed.wait_promptly()


def test_a_thread_that_does_something_else_first_does_not_run_the_next_one(timed):
    timed.wait_promptly()
    timed.wait_late()
    timed.start_and_wait()
    assert not timed.is_inline()


def test_a_thread_may_record_an_event_and_wait_for_idle_queues_first(timed):
    event, other = runtime.Event(), runtime.Queue()

    def between():
        timed.device.queue.record(event)
        assert other.wait(0)

    timed.wait_late()
    timed.wait_promptly(between)
    other.close()


def test_another_thread_does_not_run_its_launches(timed):
    timed.wait_promptly()
    ours = threading.Thread(target=timed.start_and_wait)
    ours.start()
    ours.join()
    assert ours.native_id not in timed.threads


def test_a_thread_that_launches_again_later_does_not_run_it(timed):
    timed.wait_promptly()
    timed.start()
    time.sleep(0.0001)
    timed.start_and_wait()
    assert not timed.is_inline()


def test_work_in_another_queue_is_something_else(timed, words):
    """A thread that submits to two queues expects both to work."""
    queue = runtime.Queue()
    queue.fill(words.ctypes.data, 8, 4, 1)  # the first command starts a thread
    timed.wait_promptly()
    timed.start()
    queue.fill(words.ctypes.data, 9, 4, 1)
    assert timed.device.queue.wait(WAIT)
    timed.start_and_wait()
    assert not timed.is_inline()
    queue.close()


def test_an_awaited_launch_that_takes_longer_is_left_to_the_queues_thread(timed):
    timed.wait_promptly()
    timed.nanoseconds[:] = 10**12
    timed.start()
    assert not timed.device.queue.is_idle()
    timed.nanoseconds[:] = 0
    assert timed.device.finish() is None


def test_a_launch_that_is_expected_to_take_long_is_not_inline(timed):
    timed.nanoseconds[:] = 3_000_000 * runtime.workers()
    for _ in range(10):
        timed.start_and_wait()
        assert not timed.is_inline()


def test_helpers_join_an_awaited_launch(device):
    if runtime.workers() < 2:
        pytest.skip("the pool has one worker")
    timed = Timed(device, blocks=8)
    timed.nanoseconds[:] = 50_000
    for _ in range(1000):
        timed.start_and_wait()
        if timed.is_inline() and len(set(timed.threads.tolist())) > 1:
            return
    raise AssertionError("no helper joined")
