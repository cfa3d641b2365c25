# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""First calls of C-level functions by destructors, when the names of the modules are None."""

import pytest
from support.scripts import run_script

LATE = """
import ctypes, sys
from cuda.bindings import cydriver, driver

capsules = cydriver.__pyx_capi__
ctypes.pythonapi.PyCapsule_GetPointer.restype = ctypes.c_void_p
ctypes.pythonapi.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
ctypes.pythonapi.PyCapsule_GetName.restype = ctypes.c_char_p
ctypes.pythonapi.PyCapsule_GetName.argtypes = [ctypes.py_object]
capsule = capsules["cuDriverGetVersion"]
address = ctypes.pythonapi.PyCapsule_GetPointer(capsule, ctypes.pythonapi.PyCapsule_GetName(capsule))
out = ctypes.c_int()


class Late:
    def __init__(self):
        self.call = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(address)
        self.out, self.pointer = out, ctypes.addressof(out)

    def __del__(self, write=sys.stdout.write):
        status = self.call(self.pointer)
        write(f"called {status in (0, 4)}")  # 4: CUDA_ERROR_DEINITIALIZED


assert driver.cuInit(0)[0] == 0
sys.kept = Late()
"""


@pytest.mark.parametrize("streams", [None, "1"])
def test_a_destructor_at_exit_calls_a_function_for_the_first_time(streams):
    done = run_script(LATE, CUDA_PYTHON_CUDA_PER_THREAD_DEFAULT_STREAM=streams)
    assert (done.returncode, done.stdout, done.stderr) == (0, "called True", "")
