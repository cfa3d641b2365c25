# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The driver as other programs meet it: symbols of libcuda.so.1, called from C types and from threads of C."""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import subprocess
import sys
import threading

import kernels
import numpy as np
import pytest
from test_device import in_new_process

import cuda.cpu
from cuda.cpu import abi

pytestmark = pytest.mark.cpu_only


@pytest.fixture(scope="module")
def library():
    return ctypes.CDLL(cuda.cpu.library_path())


def call(library, name, *arguments):
    status = getattr(library, name)(*arguments)
    assert status == 0, f"{name}: {status}: {cuda.cpu.last_error_message()}"


def test_saxpy(library, context):
    x, y = np.arange(100, dtype=np.float32), np.ones(100, np.float32)
    kernel_params = [ctypes.c_uint64(), ctypes.c_uint64()]
    for pointer, array in zip(kernel_params, (x, y), strict=True):
        call(library, "cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(400))
        call(library, "cuMemcpyHtoD_v2", pointer, ctypes.c_void_p(array.ctypes.data), ctypes.c_size_t(400))
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    call(library, "cuModuleLoadData", ctypes.byref(module), kernels.text(kernels.SAXPY))
    call(library, "cuModuleGetFunction", ctypes.byref(function), module, b"saxpy")
    arguments, _keep = kernels.packed(kernel_params[1], kernel_params[0], ctypes.c_float(3), ctypes.c_uint32(100))
    call(library, "cuLaunchKernel", function, 4, 1, 1, 32, 1, 1, 0, None, ctypes.c_void_p(arguments), None)
    call(library, "cuStreamSynchronize", None)
    result = np.zeros(100, np.float32)
    call(library, "cuMemcpyDtoH_v2", ctypes.c_void_p(result.ctypes.data), kernel_params[1], ctypes.c_size_t(400))
    assert (result == 3 * x + y).all()
    call(library, "cuModuleUnload", module)
    for pointer in kernel_params:
        call(library, "cuMemFree_v2", pointer)


def test_failures_have_statuses_and_messages(library, context):
    pointer = ctypes.c_uint64()
    assert library.cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(0)) == abi.CUDA_ERROR_INVALID_VALUE
    assert cuda.cpu.last_error_message() == "cuMemAlloc: the size is 0, must be at least 1"
    assert library.cuMemAlloc_v2(None, ctypes.c_size_t(8)) == abi.CUDA_ERROR_INVALID_VALUE
    assert library.cuMemFree_v2(ctypes.c_uint64(12345)) == abi.CUDA_ERROR_INVALID_VALUE


DETAILS = """
import ctypes, functools, os, cuda.cpu
library = ctypes.CDLL(cuda.cpu.library_path())
out = ctypes.c_uint64()
def fail(error):
    def function(*arguments):
        raise error
    return function
def silent(*arguments):
    raise CudaError(5)
def earlier():
    raise CudaError(1, "created first")
def later():
    try:
        earlier()
    except CudaError as error:
        CudaError(2, "created afterwards")
        raise error
def show(status):
    print(status, cuda.cpu.last_error_message() or "nothing", sep=": ")
library.cuInit(0)
driver.cuCtxGetFlags, driver.cuCtxGetId = fail(MemoryError("no room")), fail(MemoryError())
driver.cuCtxGetApiVersion, driver.cuCtxGetCacheConfig = silent, functools.partial(int, "x")
driver.cuCtxResetPersistingL2Cache = later
for failing in (
    lambda: library.cuMemAlloc_v2(None, 4),
    lambda: library.cuCtxGetFlags(ctypes.byref(out)),
    lambda: library.cuCtxGetId(None, ctypes.byref(out)),
    lambda: library.cuCtxGetApiVersion(None, ctypes.byref(out)),
    lambda: library.cuCtxGetCacheConfig(ctypes.byref(out)),
    lambda: library.cuCtxResetPersistingL2Cache(),
):
    library.cuDeviceGet(ctypes.byref(out), 7)
    show(failing())
"""


def test_a_message_belongs_to_the_call_that_failed():
    assert in_new_process(DETAILS).splitlines() == [
        "1: cuMemAlloc: the address of an output is NULL",
        "2: no room",
        "2: nothing",
        "5: nothing",
        "999: ValueError: invalid literal for int() with base 10: 'x'",
        "1: created first",
    ]


def test_a_forked_child_has_no_error_message_of_the_parent():
    code = """
import ctypes, os, cuda.cpu
library = ctypes.CDLL(cuda.cpu.library_path())
out = ctypes.c_uint64()
library.cuInit(0)
print(library.cuDeviceGet(ctypes.byref(out), 7), "device 7" in cuda.cpu.last_error_message(), flush=True)
child = os.fork()
if not child:
    for call in (lambda: library.cuDeviceGet(ctypes.byref(out), 7), lambda: library.cuInit(0)):
        print(call(), cuda.cpu.last_error_message(), flush=True)
    try:
        driver.cuInit(0)
    except CudaError as error:
        print(error.status, error.message, flush=True)
    os._exit(0)
os.waitpid(child, 0)
print("device 7" in cuda.cpu.last_error_message())
"""
    told = "3 CUDA cannot be used in a forked child process; use the spawn start method"
    assert in_new_process(code).splitlines() == ["101 True", told, told, told, "True"]


def test_missing_functions_return_not_supported(library):
    assert "cuProfilerInitialize" not in cuda.cpu.implemented()
    assert library.cuProfilerInitialize(b"", b"", 0) == abi.CUDA_ERROR_NOT_SUPPORTED


def test_per_thread_variants_use_the_per_thread_stream(library, context):
    ids = []
    for name, handle in (("cuStreamGetId", 0), ("cuStreamGetId", 2), ("cuStreamGetId_ptsz", 0)):
        number = ctypes.c_uint64()
        call(library, name, ctypes.c_void_p(handle), ctypes.byref(number))
        ids.append(number.value)
    assert ids[0] != ids[1] == ids[2]


def test_launch_ex_for_the_per_thread_stream(library, context):
    out = ctypes.c_uint64()
    call(library, "cuMemAlloc_v2", ctypes.byref(out), ctypes.c_size_t(4))
    with kernels.loaded(kernels.STORE) as module:
        function = ctypes.c_void_p()
        call(library, "cuModuleGetFunction", ctypes.byref(function), ctypes.c_void_p(module), b"store")
        given = abi.CUlaunchConfig(gridDimX=1, gridDimY=1, gridDimZ=1, blockDimX=1, blockDimY=1, blockDimZ=1)
        arguments, _keep = kernels.packed(out, ctypes.c_uint32(8))
        call(library, "cuLaunchKernelEx_ptsz", ctypes.byref(given), function, ctypes.c_void_p(arguments), None)
        call(library, "cuStreamSynchronize_ptsz", None)
        assert kernels.read(out.value) == 8
    call(library, "cuMemFree_v2", out)


def test_ctrl_c_reaches_the_program_through_the_shell(library, spinning):
    spinning(0)
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        call(library, "cuCtxSynchronize")
    assert library.cuStreamQuery(None) == abi.CUDA_ERROR_ILLEGAL_STATE  # the kernel was cancelled: reported once
    call(library, "cuStreamQuery", None)
    call(library, "cuCtxSynchronize")


def test_a_thread_of_c_keeps_its_context(library, context):
    """pthread_create: a thread that Python knows nothing of has no thread state between two calls."""
    pthread = ctypes.CDLL(None)
    seen = []

    @ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
    def run(argument):
        now = ctypes.c_void_p()
        seen.append(library.cuCtxGetCurrent(ctypes.byref(now)) or now.value)
        library.cuCtxSetCurrent(ctypes.c_void_p(context))
        seen.append(library.cuCtxGetCurrent(ctypes.byref(now)) or now.value)
        library.cuCtxSetCurrent(None)

    thread = ctypes.c_ulong()
    assert pthread.pthread_create(ctypes.byref(thread), None, run, None) == 0
    pthread.pthread_join(thread, None)
    assert seen == [None, context]


WITH_CONTEXT = """
import ctypes, cuda.cpu
library = ctypes.CDLL(cuda.cpu.library_path())
library.cuInit(0)
driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0))
"""


def test_calls_after_the_interpreter_has_ended():
    """By a C function that runs at exit: giving back succeeds, since all is gone; anything else is refused."""
    code = """
event = driver.cuEventCreate(0)
class Late:
    def __del__(self, destroy=library.cuEventDestroy_v2, query=library.cuEventQuery, event=ctypes.c_void_p(event)):
        print(destroy(event), query(event))
import sys
sys.modules["late"] = Late()  # goes when modules are torn down
"""
    assert in_new_process(WITH_CONTEXT + code) == f"0 {abi.CUDA_ERROR_DEINITIALIZED}"


def test_no_garbage_is_collected_during_a_call(library, context):
    """A finaliser of the program's could call a library that holds a lock while it calls the driver (Taichi does)."""
    inside = []

    def note(phase, _):
        frame, kernel_params = sys._getframe(1), []
        while frame:
            kernel_params.append(frame.f_code.co_filename)
            frame = frame.f_back
        inside.append(any(os.path.join("cuda", "cpu", "") in pointer for pointer in kernel_params))

    module, before = ctypes.c_void_p(), gc.get_threshold()
    text = kernels.text(kernels.SAXPY).replace(b"saxpy", b"another_saxpy")
    gc.callbacks.append(note)
    gc.set_threshold(1, 1, 1)
    try:
        call(library, "cuModuleLoadData", ctypes.byref(module), text)
        assert [[] for _ in range(10)]  # collected again
    finally:
        gc.set_threshold(*before)
        gc.callbacks.remove(note)
    assert gc.isenabled()
    call(library, "cuModuleUnload", module)
    assert inside
    assert not any(inside)
    gc.disable()
    try:
        call(library, "cuCtxSynchronize")
        assert not gc.isenabled()
    finally:
        gc.enable()


LATE = """
import ctypes, sys, cuda.cpu
library = ctypes.CDLL(cuda.cpu.library_path())
library.cuInit(0)
context = driver.cuDevicePrimaryCtxRetain(0)
driver.cuCtxSetCurrent(context)
flag, event = driver.cuMemAlloc(4), driver.cuEventCreate(0)
driver.cuMemsetD32(flag, 7, 1)
driver.cuEventRecord(event, 0)
library.cuStreamSynchronize(None)
{more}
class Late:
    calls = (library.cuStreamSynchronize, library.cuEventSynchronize, library.cuCtxSynchronize, library.cuCtxSetCurrent)
    calls += (library.cuCtxPushCurrent_v2, library.cuCtxPopCurrent_v2)  # PyCUDA's destructors, around cuMemFree
    calls += (library.cuCtxGetCurrent,)  # NVIDIA's cuda-core, before cuMemFreeAsync
    popped = ctypes.c_void_p(1)
    handles = (None, ctypes.c_void_p(event), None, ctypes.c_void_p(context), ctypes.c_void_p(context))
    handles += (ctypes.byref(popped), ctypes.byref(popped))
    def __del__(self, calls=calls, handles=handles, popped=popped):
        print(*[call(handle) for call, handle in zip(calls, handles)], popped.value)
sys.modules["late"] = Late()
"""


def test_waits_after_the_interpreter_has_ended():
    """Destructors of C++ objects (Taichi's) wait once more: there is nothing to wait for, unless work was dropped."""
    assert in_new_process(LATE.format(more="")) == "0 0 0 0 0 0 0 None"
    pending = "driver.cuStreamWaitValue32(0, flag, 1, 1)"  # until it is 1, which nobody writes
    lost = str(abi.CUDA_ERROR_DEINITIALIZED)
    assert in_new_process(LATE.format(more=pending)).split() == [lost] * 7 + ["1"]


def test_calls_while_python_exits():
    """Handlers that were registered before the driver came run after it has stopped."""
    code = """
import atexit, ctypes, cuda.cpu
library = ctypes.CDLL(cuda.cpu.library_path())
pointers = []
def late():
    free = [library.cuMemFree_v2(pointers[0]), library.cuMemFreeAsync(pointers[1], None)]
    print(free, library.cuEventDestroy_v2(event), library.cuStreamDestroy_v2(stream), library.cuCtxSynchronize())
    print(cuda.cpu.last_error_message())
atexit.register(late)
atexit.unregister(driver.context.end)
atexit.register(driver.context.end)  # in the order of a program that imports the driver after its own registration
library.cuInit(0)
driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0))
pointers += [ctypes.c_uint64(driver.cuMemAlloc(4)), ctypes.c_uint64(driver.cuMemAllocAsync(4, 0))]
event, stream = ctypes.c_void_p(driver.cuEventCreate(0)), ctypes.c_void_p(driver.cuStreamCreate(0))
"""
    first, second = in_new_process(code).splitlines()
    assert first == f"[0, 0] 0 0 {abi.CUDA_ERROR_DEINITIALIZED}"
    assert "Python is exiting" in second


def test_work_of_a_thread_while_python_exits():
    """The runtime stops between the look at the context and the submission, which says so, as the context does."""
    code = """
from cuda.cpu.runtime import _runtime
memory = driver.cuMemAlloc(4)
_runtime.shutdown()
print(library.cuMemsetD32Async(ctypes.c_uint64(memory), 7, ctypes.c_size_t(1), None), cuda.cpu.last_error_message())
"""
    expected = "Python is exiting, the CPU device is shut down"
    assert in_new_process(WITH_CONTEXT + code) == f"{abi.CUDA_ERROR_DEINITIALIZED} {expected}"


def test_command_line_report():
    done = subprocess.run([sys.executable, "-m", "cuda.cpu"], capture_output=True, text=True, check=True)
    assert "libcuda.so.1" in done.stdout
    assert "device 0: CPU device (" in done.stdout
