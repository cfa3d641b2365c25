# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Faults end the launch, are reported with their cause, and leave the process and the queue usable."""

import subprocess
import sys
import threading

import numpy as np
import pytest
from support.warp_kernels import KIND, WAIT, Launcher

from cuda.cpu.runtime import _runtime as runtime


@pytest.fixture(params=[False, True], ids=["direct", "fibers"])
def fibers(request):
    return request.param


def test_illegal_address_names_the_block(device, arena, fibers):
    bad = arena.base + 4096
    fault = device.run("store_at", 100, 64, bad, 57, fibers=fibers)
    assert (fault.kind, fault.address, fault.kernel) == (KIND.ILLEGAL_ADDRESS, bad, "store_at")
    assert fault.block == (57, 0, 0)
    assert "store_at" in repr(fault)


def test_kernel_that_runs_past_its_buffer(device, arena, fibers):
    address = arena.allocate(1000)  # 1024 with rounding: the guard begins there
    assert device.run("store_at", 1, 32, address + 1020, 0, fibers=fibers) is None
    fault = device.run("store_at", 1, 32, address + 1024, 0, fibers=fibers)
    assert (fault.kind, fault.address) == (KIND.ILLEGAL_ADDRESS, address + 1024)


def test_kernel_that_uses_freed_memory(device, arena, fibers):
    address = arena.allocate(100)
    arena.free(address)
    assert device.run("store_at", 1, 32, address, 0, fibers=fibers).kind == KIND.ILLEGAL_ADDRESS


@pytest.mark.parametrize(
    ("kernel", "address", "kind"),
    [("trap", 0, KIND.TRAP), ("call_address", 0, KIND.INVALID_PC), ("call_address", 1 << 40, KIND.INVALID_PC),
     ("store_at", 1 << 62, KIND.ILLEGAL_ADDRESS)],
)  # fmt: skip
def test_kinds_of_faults(device, fibers, kernel, address, kind):
    assert device.run(kernel, 3, 32, address, 0, fibers=fibers).kind == kind


def test_machine_code_names_its_fault(device, fibers):
    fault = device.run("raise_fault", 5, 64, 0xABC, KIND.MISALIGNED, fibers=fibers)
    assert (fault.kind, fault.address, fault.line) == (KIND.MISALIGNED, 0xABC, 77)
    assert (fault.block, fault.warp) == ((2, 0, 0), 1)


def test_stack_overflow(device, fibers):
    out = np.zeros(1, np.uint64)
    assert device.run("deep", 1, 32, out.ctypes.data, 100, fibers=fibers) is None
    fault = device.run("deep", 1, 64, 0, 10**9, fibers=fibers)
    assert fault.kind == KIND.STACK


def test_services_refuse_to_overflow_the_stack(device, fibers):
    assert device.run("print_deep", 1, 32, fibers=fibers).kind == KIND.STACK


def test_stack_grows_with_the_limit(device, fibers):
    room = np.zeros(2, np.uint64)
    assert device.run("stack_room", 1, 32, room[:1].ctypes.data, 0, fibers=fibers) is None
    runtime.set_stack_size(1 << 18)
    try:
        assert device.run("stack_room", 1, 32, room[1:].ctypes.data, 0, fibers=fibers) is None
        assert device.run("deep", 1, 32, 0, 5000, fibers=fibers) is None
    finally:
        runtime.set_stack_size(1024)
    assert 1 << 20 < room[0] < room[1] < 1 << 30


@pytest.mark.parametrize("offset", [128, 4096 * 16, 2**31, 2**32 - 4])
def test_shared_memory_ends(device, fibers, offset):
    assert device.run("touch_shared", 1, 32, 0, 127, fibers=fibers, shared=128) is None
    assert device.run("touch_shared", 1, 32, 0, offset, fibers=fibers, shared=128).kind == KIND.ILLEGAL_ADDRESS


def test_fault_while_others_wait_at_a_barrier(device):
    fault = device.run("fault_beside_barrier", 8, 256, fibers=True)
    assert (fault.kind, fault.address, fault.block) == (KIND.ILLEGAL_ADDRESS, 16, (3, 0, 0))


def test_commands_behind_a_fault_are_dropped_until_it_is_taken(device, arena):
    event, out = runtime.Event(), np.zeros(32, np.uint32)
    device.start("store_at", 1, 32, arena.base, 0)
    device.start("number_threads", 1, 32, out.ctypes.data, 0)
    device.queue.fill(out.ctypes.data, 5, 4, 1)
    device.queue.record(event)
    assert device.queue.wait(WAIT)
    assert event.is_done()
    assert not out.any()
    assert device.queue.take_fault().kind == KIND.ILLEGAL_ADDRESS
    assert device.queue.take_fault() is None
    assert device.run("number_threads", 1, 32, out.ctypes.data, 0) is None
    assert out.all()


@pytest.mark.parametrize("command", ["copy from", "copy to", "fill", "write_value", "wait_value"])
def test_commands_fault_as_kernels_do(device, arena, command):
    queue, host = device.queue, np.zeros(64, np.uint8)
    bad = arena.base + 8192
    {
        "copy from": lambda: queue.copy(host.ctypes.data, bad, 64),
        "copy to": lambda: queue.copy_2d(bad, 8, host.ctypes.data, 8, 4, 4),
        "fill": lambda: queue.fill_2d(bad, 16, 0, 4, 2, 2),
        "write_value": lambda: queue.write_value(bad, 1, 4),
        "wait_value": lambda: queue.wait_value(bad, 1, 8, 0),
    }[command]()
    fault = device.finish()
    assert (fault.kind, fault.address, fault.kernel) == (KIND.ILLEGAL_ADDRESS, bad, "")
    assert fault.message


@pytest.mark.parametrize("cooperative", [False, True])
def test_cancel_ends_a_kernel_and_drops_what_is_behind(device, fibers, cooperative):
    out, runs = np.zeros(32, np.uint32), np.zeros(1, np.uint32)
    event = runtime.Event()
    device.start("spin", 20, 64, runs.ctypes.data, 0, fibers=fibers, cooperative=cooperative)
    device.start("number_threads", 1, 32, out.ctypes.data, 0)
    device.queue.record(event)
    while not runs[0]:
        assert not device.queue.wait(0.001)
    device.queue.cancel()
    fault = device.finish()
    assert (fault.kind, fault.kernel) == (KIND.CANCELLED, "spin")
    assert event.is_done()
    assert not out.any()
    assert device.run("number_threads", 1, 32, out.ctypes.data, 0) is None
    assert out.all()


def test_cancel_of_an_idle_queue_does_nothing(device):
    device.queue.cancel()
    assert device.queue.take_fault() is None
    assert device.run("empty", 1, 1) is None


def test_faults_of_many_queues_do_not_mix(image, arena):
    def work(index):
        device, bad = Launcher(image), arena.base + 64 * index
        for turn in range(30):
            fault = device.run("store_at", 10, 64, bad, turn % 10, fibers=bool(turn % 2))
            if (fault.kind, fault.address, fault.block[0]) != (KIND.ILLEGAL_ADDRESS, bad, turn % 10):
                wrong.append(fault)
        device.queue.close()

    wrong = []
    threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


FOREIGN_FAULT = """
import ctypes, faulthandler, numpy as np, sys
if "before" in sys.argv: faulthandler.enable()
from cuda.cpu.runtime import _runtime as runtime
queue, arena = runtime.Queue(), runtime.Arena(1 << 20)
host = np.zeros(8, np.uint8)
for turn in range(2):
    queue.copy(host.ctypes.data, arena.base, 8)
    assert queue.wait(60) and queue.take_fault().kind == 1
    if "after" in sys.argv: faulthandler.enable()
print("alive", flush=True)
ctypes.string_at(arena.base)
"""


@pytest.mark.parametrize("faulthandler", ["none", "before", "after"])
def test_faults_of_other_threads_go_to_their_own_handlers(faulthandler):
    command = [sys.executable, "-c", FOREIGN_FAULT, faulthandler]
    done = subprocess.run(command, capture_output=True, text=True, timeout=WAIT)
    assert done.stdout == "alive\n"
    assert done.returncode == -11
    assert ("Fatal Python error: Segmentation fault" in done.stderr) == (faulthandler != "none")
