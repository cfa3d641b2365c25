# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Threads that load, launch and copy while another one resets the context."""

from __future__ import annotations

from support.scripts import run_checked

STRESS = """
import ctypes, sys, threading, time
sys.path.insert(0, "tests/cpu/driver")
import kernels
from cuda.cpu import driver
from cuda.cpu.driver.base.error import CudaError
from cuda.cpu.runtime._runtime import QueueClosed
driver.cuInit(0)
context = driver.cuDevicePrimaryCtxRetain(0)
driver.cuCtxSetCurrent(context)
image = kernels.address_of(kernels.text(kernels.VARIABLES, ".visible .global .align 4 .b8 large[1000000];\\n"))
library = driver.cuLibraryLoadData(image, 0, 0, 0, 0, 0, 0)
host = ctypes.create_string_buffer(1 << 20)
end = time.monotonic() + 1.5
strange, ends = [], 0

def load():
    driver.cuModuleUnload(driver.cuModuleLoadData(image))

def load_library():
    loaded = driver.cuLibraryLoadData(image, 0, 0, 0, 0, 0, 0)
    driver.cuLibraryGetModule(loaded)
    driver.cuLibraryUnload(loaded)

def launch():
    out = driver.cuMemAlloc(4096)
    values = ctypes.c_uint64(out), ctypes.c_uint32(1)
    addresses = (ctypes.c_void_p * 2)(*map(ctypes.addressof, values))
    for _ in range(20):
        kernel = driver.cuLibraryGetKernel(library, b"follow")
        driver.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, 0, ctypes.addressof(addresses), 0)
    driver.cuCtxSynchronize()

def copy():
    there = driver.cuMemAlloc(1 << 20)
    for _ in range(20):
        driver.cuMemcpyHtoD(there, ctypes.addressof(host), 1 << 20)
        driver.cuMemsetD8(there, 1, 1 << 20)
        driver.cuMemcpyDtoH(ctypes.addressof(host), there, 1 << 20)

def use(call):
    driver.cuCtxSetCurrent(context)
    while time.monotonic() < end:
        try:
            call()
        except QueueClosed:
            pass
        except CudaError as error:
            if error.status == 401:  # CUDA_ERROR_ILLEGAL_STATE: no wait was interrupted
                strange.append(repr(error))
        except BaseException as error:
            strange.append(repr(error))

threads = [threading.Thread(target=use, args=(call,)) for call in (load, load_library, launch, copy)]
for thread in threads:
    thread.start()
while time.monotonic() < end:
    driver.cuDevicePrimaryCtxReset(0)
    ends += 1
    time.sleep(0.0005)
for thread in threads:
    thread.join()
print(strange, ends > 3)
"""


def test_a_context_is_reset_while_threads_load_launch_and_copy():
    assert run_checked(STRESS) == "[] True\n"
