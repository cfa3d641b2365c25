# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Many threads make, use and close the same kinds of objects at once, in Python's development mode."""

from support.scripts import run_script

BEGIN = """
import gc, itertools, queue, random, sys, threading
import numpy as np
from cuda.core import *

PTX = b'''.version 8.0
.target sm_75
.address_size 64
.visible .entry add(.param .u64 p, .param .u32 n) {
    .reg .u64 %d; .reg .u32 %r, %s;
    ld.param.u64 %d, [p];
    ld.param.u32 %r, [n];
    cvta.to.global.u64 %d, %d;
    ld.global.u32 %s, [%d];
    add.u32 %s, %s, %r;
    st.global.u32 [%d], %s;
    ret;
}
'''
device = Device(0)
device.set_current()
code = ObjectCode.from_ptx(PTX)
one = LaunchConfig(grid=1, block=1)
sys.setswitchinterval(1e-5)
"""


def run_in_development_mode(text):
    run = run_script(BEGIN + text, "-X", "dev", "-X", "faulthandler", timeout=180, PYTHONDEVMODE="1")
    assert (run.returncode, run.stderr) == (0, ""), f"exit status {run.returncode}\n{run.stdout}\n{run.stderr}"
    return run.stdout


def test_threads_make_launch_and_close():
    """Eight threads; objects that one makes are closed by another."""
    said = run_in_development_mode(
        """
before = device.memory_resource.attributes.used_mem_current
handed = queue.Queue()
wrong = []

def compute(stream, turn):
    pinned = LegacyPinnedMemoryResource().allocate(4, stream=stream)
    with device.allocate(4, stream=stream) as buffer, pinned:
        buffer.fill(0, stream=stream)
        kernel = code.get_kernel("add") if turn % 2 else ObjectCode.from_ptx(PTX).get_kernel("add")
        step = kernel.prepare(one, stream)
        for number in range(4):
            launch(stream, one, kernel, buffer, number)
            step(buffer, np.uint32(10))
        buffer.copy_to(pinned, stream=stream)
        stream.record().sync()
        return int(np.frombuffer(pinned, "u4")[0])

def work(number):
    device.set_current()
    for turn in range(10):
        with device.create_stream() as stream:
            try:
                if compute(stream, turn) != 46:
                    wrong.append((number, turn))
            except Exception as error:
                wrong.append(error)
        other = device.create_stream()
        handed.put((device.allocate(100, stream=other), other, other.record(), LaunchConfig(grid=turn + 1, block=1)))
        for thing in handed.get():
            if hasattr(thing, "close"):
                thing.close()

threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
device.sync()
gc.collect()
assert handed.empty() and not wrong, wrong
assert device.memory_resource.attributes.used_mem_current == before
print("done")
"""
    )
    assert said == "done\n"


def test_threads_load_code_concurrently():
    """The first use of each instruction, in eight threads at the same time."""
    said = run_in_development_mode(
        """
gate, wrong = threading.Barrier(8), []
sys.setswitchinterval(1e-6)

def work():
    device.set_current()
    gate.wait()
    try:
        ObjectCode.from_ptx(PTX).get_kernel("add")
    except Exception as error:
        wrong.append(error)

threads = [threading.Thread(target=work) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(wrong)
"""
    )
    assert said == "[]\n"


def test_threads_close_the_same_objects():
    """The first close wins; the others do nothing or raise an error, and never crash."""
    said = run_in_development_mode(
        """
errors = []
REFUSED = "CUDA_ERROR_INVALID_HANDLE", "CUDA_ERROR_INVALID_VALUE", "CUDA_ERROR_CONTEXT_IS_DESTROYED"
kernel = code.get_kernel("add")
for turn in range(30):
    stream = device.create_stream()
    buffer = device.allocate(64, stream=stream)
    event = stream.record()
    pool = DeviceMemoryResource(device, {"max_size": 1 << 20})
    own = pool.allocate(8, stream=stream)
    gate = threading.Barrier(8)

    def work(number):
        gate.wait()
        try:
            if number % 4 == 0:
                launch(stream, one, kernel, buffer, 1)
            elif number % 4 == 1:
                stream.wait(event)
        except ClosedError:
            pass  # it came too late
        except Exception as error:
            # The handle was read before another thread destroyed it: then the driver refuses it.
            if getattr(error, "name", "") not in REFUSED:
                errors.append(error)
        try:
            for thing in random.sample([own, buffer, event], 3):
                thing.close()
            stream.close()
            pool.close()
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
device.sync()
print(errors)
"""
    )
    assert said == "[]\n"


def test_python_exits_while_threads_launch():
    """Daemon threads with live streams, buffers and kernels still run while the interpreter shuts down."""
    run = run_script(
        BEGIN
        + """
began = threading.Barrier(5, timeout=60)

def work():
    device.set_current()
    stream = device.create_stream()
    buffer = device.allocate(4, stream=stream)
    kernel = code.get_kernel("add")
    launch(stream, one, kernel, buffer, 1)
    began.wait()
    try:
        for number in itertools.count():
            launch(stream, one, kernel, buffer, 1)
            if number % 50 == 0:
                stream.sync()
    except CUDAError as error:
        assert error.name == "CUDA_ERROR_DEINITIALIZED", error  # the driver has ended before the thread

for _ in range(4):
    threading.Thread(target=work, daemon=True).start()
began.wait()
print("ending", flush=True)
""",
        "-X",
        "faulthandler",
        timeout=120,
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, "ending\n", "")
