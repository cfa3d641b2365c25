# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""What a signal handler raises while a call waits reaches the program, through every library."""

from __future__ import annotations

import ctypes
import os
import signal
import threading

import kernels
import pytest
from support.scripts import run_checked, run_script

import cuda.cpu
from cuda.cpu import abi, driver

pytestmark = pytest.mark.skipif(
    threading.current_thread() is not threading.main_thread(), reason="signal handlers run in the main thread"
)


class Alarm(Exception):
    pass


TEXT = kernels.text(kernels.SPIN).rstrip(b"\0")


@pytest.fixture
def alarm():
    """Let a handler raise Alarm in 0.2 seconds, which is later than the call begins to wait."""

    def raise_alarm(number, frame):
        raise Alarm("too late")

    before = signal.signal(signal.SIGALRM, raise_alarm)
    yield lambda: signal.setitimer(signal.ITIMER_REAL, 0.2)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def library():
    return ctypes.CDLL(cuda.cpu.library_path())


WAITS = {
    "cuCtxSynchronize": lambda d, r, event, memory: d.cuCtxSynchronize(),
    "cuStreamSynchronize": lambda d, r, event, memory: d.cuStreamSynchronize(0),
    "cuEventSynchronize": lambda d, r, event, memory: d.cuEventSynchronize(event),
    "cuMemFree": lambda d, r, event, memory: d.cuMemFree(memory),
    "cudaDeviceSynchronize": lambda d, r, event, memory: r.cudaDeviceSynchronize(),
    "cudaStreamSynchronize": lambda d, r, event, memory: r.cudaStreamSynchronize(0),
    "cudaEventSynchronize": lambda d, r, event, memory: r.cudaEventSynchronize(event),
    "cudaFree": lambda d, r, event, memory: r.cudaFree(memory),
}


@pytest.mark.parametrize("wait", WAITS.values(), ids=WAITS)
def test_a_wait_raises_the_exception_of_a_signal_handler(spinning, alarm, wait):
    from cuda.bindings import driver as d
    from cuda.bindings import runtime as r

    r.cudaGetDeviceCount()  # the runtime's functions are imported at its first call, which the alarm must not interrupt
    flag, event, memory = spinning(0), driver.cuEventCreate(0), driver.cuMemAlloc(64)
    driver.cuEventRecord(event, 0)
    alarm()
    with pytest.raises(Alarm, match="too late"):
        wait(d, r, event, memory)
    assert driver.cuMemGetAddressRange(memory) == (memory, 64)  # nothing was half freed
    with pytest.raises(driver.error.CudaError) as caught:
        driver.cuEventQuery(event)
    assert caught.value.status == abi.CUDA_ERROR_NOT_READY
    flag.raise_()
    driver.cuCtxSynchronize()
    driver.cuMemFree(memory)
    driver.cuEventDestroy(event)


def load_module() -> int:
    return driver.cuModuleLoadData(kernels.address_of(kernels.text(kernels.STORE)))


def load_library() -> int:
    handle = driver.cuLibraryLoadData(kernels.address_of(kernels.text(kernels.STORE)), 0, 0, 0, 0, 0, 0)
    driver.cuKernelGetFunction(driver.cuLibraryGetKernel(handle, b"store"))  # loads a module of the library
    return handle


UNLOADS = {"cuModuleUnload": load_module, "cuLibraryUnload": load_library}


@pytest.mark.parametrize("unload", UNLOADS)
def test_unloading_waits_for_kernels_and_can_be_interrupted(spinning, alarm, unload):
    from cuda.bindings import driver as d

    flag, handle = spinning(0), UNLOADS[unload]()
    alarm()
    with pytest.raises(Alarm):
        getattr(d, unload)(handle)
    flag.raise_()
    driver.cuCtxSynchronize()
    getattr(driver, unload)(handle)  # the code is still loaded after the interrupted call


@pytest.mark.parametrize("unload", UNLOADS)
def test_ctrl_c_ends_the_kernel_that_unloading_waits_for(spinning, refused, unload):
    from cuda.bindings import driver as d

    flag, handle = spinning(0), UNLOADS[unload]()
    timer = threading.Timer(0.2, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        getattr(d, unload)(handle)
    timer.join()
    assert flag.value.value == 0
    with refused("ILLEGAL_STATE", "results are incomplete"):
        driver.cuCtxSynchronize()
    getattr(driver, unload)(handle)


COPIES = {
    "cuMemcpyDtoH": lambda d, r, buffer, memory: d.cuMemcpyDtoH(buffer, memory, 64),
    "cuMemcpyDtoHAsync": lambda d, r, buffer, memory: d.cuMemcpyDtoHAsync(buffer, memory, 64, 0),
    "cudaMemcpy": lambda d, r, buffer, memory: r.cudaMemcpy(
        buffer, memory, 64, r.cudaMemcpyKind.cudaMemcpyDeviceToHost
    ),
}


@pytest.mark.parametrize("copy", COPIES.values(), ids=COPIES)
def test_an_interrupted_copy_does_not_use_its_buffer_later(spinning, alarm, refused, copy):
    from cuda.bindings import driver as d
    from cuda.bindings import runtime as r

    flag, memory, buffer = spinning(0), driver.cuMemAlloc(64), bytearray(64)
    alarm()
    with pytest.raises(Alarm):
        copy(d, r, buffer, memory)
    with refused("ILLEGAL_STATE", "results are incomplete"):  # reported once; all work has ended
        driver.cuStreamQuery(0)
    assert driver.cuStreamQuery(0) is None
    assert flag.value.value == 0
    driver.cuCtxSynchronize()
    assert buffer == bytes(64)
    driver.cuMemFree(memory)


def test_a_call_from_c_returns_before_the_exception_is_raised(library, spinning, alarm):
    flag = spinning(0)
    statuses = []

    def call():
        statuses.append(library.cuCtxSynchronize())
        for _ in range(1000):
            pass

    alarm()
    with pytest.raises(Alarm):
        call()
    assert statuses in ([abi.CUDA_ERROR_NOT_READY], [])
    flag.raise_()


@pytest.mark.parametrize("wait", ["stream.sync()", "device.sync()", "stream.record().sync()"])
def test_cuda_core_raises_the_exception(wait):
    said = run_checked(
        f"""
        import ctypes, signal
        from cuda.core import Device, LaunchConfig, ObjectCode, launch
        device = Device(); device.set_current(); stream = device.create_stream()
        flag = (ctypes.c_uint32 * 16)()
        kernel = ObjectCode.from_ptx({TEXT!r}).get_kernel("spin")
        class Alarm(Exception): pass
        def handler(number, frame): raise Alarm
        signal.signal(signal.SIGALRM, handler)
        launch(stream, LaunchConfig(grid=1, block=1), kernel, ctypes.addressof(flag))
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        try:
            {wait}
        except Alarm as error:
            print("Alarm", type(error.__context__).__name__)
        flag[0] = 1
        stream.sync()
        print("alive")
        """,
        CUDA_PYTHON_DRIVER="cpu",
    )
    assert said.split() == ["Alarm", "NoneType", "alive"]


def test_system_exit_and_repeated_ctrl_c():
    """SystemExit of a handler, and a handler for Ctrl-C that counts, which runs once for one signal."""
    said = run_checked(
        f"""
        import ctypes, os, signal, sys, threading
        from cuda.bindings import driver
        driver.cuInit(0); driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0)[1])
        flag = (ctypes.c_uint32 * 16)()
        module = driver.cuModuleLoadData({TEXT!r})[1]
        spin = driver.cuModuleGetFunction(module, b"spin")[1]
        def launch():
            given = ((ctypes.addressof(flag),), (ctypes.c_void_p,))
            assert not driver.cuLaunchKernel(spin, 1, 1, 1, 1, 1, 1, 0, 0, given, 0)[0]
        counted = []
        def handler(number, frame):
            counted.append(number)
            raise KeyboardInterrupt("mine") if number == signal.SIGINT else SystemExit(7)
        for number in (signal.SIGINT, signal.SIGALRM):
            signal.signal(number, handler)
        launch()
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            driver.cuCtxSynchronize()
        except KeyboardInterrupt as error:
            print(error, len(counted))
        launch()
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        try:
            driver.cuCtxSynchronize()
        except SystemExit as error:
            print(error.code, len(counted))
        """,
        CUDA_PYTHON_DRIVER="cpu",
    )
    assert said.splitlines() == ["mine 1", "7 2"]


INTERRUPTED = f"""
import ctypes, signal, sys
class Alarm(Exception): pass
def handler(number, frame): raise Alarm
signal.signal(signal.SIGALRM, handler)
def interrupt(file, function):
    '''Let a signal arrive where a function of a file is called for the first time.'''
    def look(frame, event, argument):
        if event == "call" and frame.f_code.co_name == function and frame.f_code.co_filename.endswith(file):
            sys.setprofile(None)
            signal.raise_signal(signal.SIGALRM)
    sys.setprofile(look)
TEXT = {TEXT!r}
"""
# What interrupts: the imports of a library's first call, or the translation of a program.
MOMENTS = {
    "import of the driver by cuda.core": ("driver/base/once.py", "<module>", "from cuda.core import Device; Device()"),
    "import of the driver's last module": ("base/unsupported.py", "<module>", "from cuda.core import Device; Device()"),
    "import of the driver": ("driver/base/once.py", "<module>", "from cuda.bindings import driver; driver.cuInit(0)"),
    "import of the runtime API": (
        "runtime_api/device.py",
        "<module>",
        "from cuda.bindings import runtime; runtime.cudaGetDeviceCount()",
    ),
    "import of NVML": ("cpu/nvml/status.py", "<module>", "from cuda.bindings import nvml; nvml.init_v2()"),
    "reading of PTX": (
        "ptx/cursor.py",
        "accept",
        "import cuda.core as c; c.Device().set_current(); c.ObjectCode.from_ptx(TEXT).get_kernel('spin')",
    ),
}


@pytest.mark.parametrize(("file", "function", "calls"), MOMENTS.values(), ids=MOMENTS)
def test_a_handler_that_runs_within_a_call_is_not_lost(file, function, calls):
    """Also in the imports of the first call, and where the driver converts exceptions of its own."""
    script = f"""
        interrupt({file!r}, {function!r})
        try:
            {calls}
            for _ in range(1000): pass
        except Alarm:
            print("Alarm")
        {calls}
        print("alive")
        """
    script = INTERRUPTED + "\n".join(line[8:] for line in script.splitlines())
    done = run_script(script, CUDA_PYTHON_DRIVER="cpu")
    assert (done.stdout.split(), done.stderr) == (["Alarm", "alive"], "")


def test_a_handler_that_runs_while_another_ones_exception_is_examined():
    """The later exception reaches the program, as where a handler runs while Python handles another exception."""
    script = (
        INTERRUPTED
        + """
from cuda.bindings import driver
driver.cuInit(0)
class Second(Exception): pass
def second(number, frame): raise Second
signal.signal(signal.SIGUSR1, second)
Alarm.__str__ = lambda self: signal.raise_signal(signal.SIGUSR1)  # while the driver looks at the exception
interrupt("driver/device/device.py", "cuDeviceGetName")
try:
    driver.cuDeviceGetName(64, 0)
    for _ in range(1000): pass
except Second:
    print("Second")
"""
    )
    done = run_script(script, CUDA_PYTHON_DRIVER="cpu")
    assert (done.stdout, done.stderr) == ("Second\n", "")


def fifo_calls(d, path):
    """Return calls that open a file, which waits if it is a FIFO that nobody else has opened."""
    graph = d.cuGraphCreate(0)[1]
    link = d.cuLinkCreate(0, [], [])[1]
    module = d.CUjitInputType.CU_JIT_INPUT_PTX
    return {
        "cuModuleLoad": lambda: d.cuModuleLoad(path),
        "cuLibraryLoadFromFile": lambda: d.cuLibraryLoadFromFile(path, [], [], 0, [], [], 0),
        "cuLinkAddFile": lambda: d.cuLinkAddFile(link, module, path, 0, [], []),
        "cuGraphDebugDotPrint": lambda: d.cuGraphDebugDotPrint(graph, path, 0),
        "cuLogsDumpToFile": lambda: d.cuLogsDumpToFile(0, path, 0),
    }


@pytest.mark.parametrize(
    "name", ["cuModuleLoad", "cuLibraryLoadFromFile", "cuLinkAddFile", "cuGraphDebugDotPrint", "cuLogsDumpToFile"]
)
@pytest.mark.parametrize("kind", [TimeoutError, InterruptedError, ConnectionError])
def test_errors_of_the_system_that_a_handler_raises_are_not_taken_for_ours(context, kind, name, tmp_path):
    from cuda.bindings import driver as d

    def handler(number, frame):
        raise kind("of the handler")

    path = tmp_path / "fifo"
    os.mkfifo(path)
    call = fifo_calls(d, os.fsencode(path))[name]
    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(kind, match=r"^of the handler$"):
            call()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    path.unlink()
    assert call()[0] != 0 or path.exists()  # without a handler, a missing file is an error, or is written
