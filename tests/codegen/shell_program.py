# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Program that tests run in a new process: substitute Python functions for a newly opened C shell.

Usage: python shell_program.py LIBRARY EXPRESSION_STATEMENTS, which see the names below.
"""

import ctypes
import sys
import types

calls = []


class CudaError(Exception):
    def __init__(self, status):
        self.status = status


def provide(**functions):
    """Put functions into the Python half."""
    for name, function in functions.items():
        setattr(driver, name, function)


def record(result=None):
    """Return a function that records its arguments and returns `result`."""

    def function(*arguments):
        calls.append(arguments)
        return result

    return function


def fail(error):
    """Return a function that raises."""

    def function(*arguments):
        raise error.with_traceback(None)  # the same one each time, which would gather them

    return function


driver = types.ModuleType("cuda.cpu.driver")
error = types.ModuleType("cuda.cpu.driver.base.error")
error.CudaError = CudaError
sys.modules |= {"cuda.cpu.driver": driver, "cuda.cpu.driver.base.error": error}
library = ctypes.CDLL(sys.argv[1])
u64, i32, size, pointer, ref = ctypes.c_uint64, ctypes.c_int32, ctypes.c_size_t, ctypes.c_void_p, ctypes.byref

if __name__ == "__main__":
    exec(sys.argv[2])
