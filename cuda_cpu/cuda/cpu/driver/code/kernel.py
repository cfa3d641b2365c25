# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Kernels, of a library (CUkernel) and of a module (CUfunction): attributes and parameters."""

from __future__ import annotations

import ctypes
from typing import Any

from cuda.cpu.compile.code import Kernel
from cuda.cpu.driver.base import once
from cuda.cpu.driver.base.error import invalid
from cuda.cpu.driver.base.handle import Table
from cuda.cpu.driver.code import function as functions_of_modules
from cuda.cpu.driver.code.function import Function, functions
from cuda.cpu.driver.device import context, device
from cuda.cpu.driver.stream import stream

kernels = Table("kernel")


class LibraryKernel:
    """A kernel of a library; settings are kept per device, and given to functions that exist or come later."""

    def __init__(self, library: Any, kernel: Kernel) -> None:
        self.library = library
        self.kernel = kernel
        self.name = ctypes.create_string_buffer(kernel.name.encode())
        self.settings: dict[int, dict[int, int]] = {}
        self.functions: dict[context.Context, Function] = {}
        self.handle = kernels.add(self)

    def function(self, owner: context.Context) -> Function:
        """Return the kernel's function in a context."""
        found = self.functions.get(owner)
        if found is None or found.handle not in functions:
            module = self.library.module(owner)
            with once.lock:
                found = module.function(self.kernel.name)
                if self.functions.get(owner) is not found:
                    for which, value in self.settings.get(owner.device.ordinal, {}).items():
                        found.set_attribute(which, value)
                    self.functions[owner] = found
        return found


def function_of(handle: int, line: stream.Stream | None = None) -> Function:
    """Return the function of a CUfunction, or of a CUkernel, as the API lets callers cast.

    A kernel's is that of the stream's context, and without a stream of the current one.
    """
    found = functions.get(handle)
    if found is not None:
        if not found.context.usable:
            found.context.check()
        return found
    kernel = kernels.get(handle)
    if kernel is not None:
        return kernel.function(context.current() if line is None else line.context)
    return functions.find(handle)


def cuKernelGetFunction(handle: int) -> int:
    return kernels.find(handle).function(context.current()).handle


def cuKernelGetLibrary(handle: int) -> int:
    return kernels.find(handle).library.handle


def cuKernelGetName(handle: int) -> int:
    """Return the address of the name, which lives as long as the kernel."""
    kernel = kernels.get(handle) or functions.find(handle)
    return ctypes.addressof(kernel.name)


def cuKernelGetAttribute(which: int, handle: int, ordinal: int) -> int:
    kernel = kernels.find(handle)
    settings = kernel.settings.get(device.find(ordinal).ordinal, {})
    return functions_of_modules.attribute(kernel.library.code, kernel.kernel, settings, which)


def cuKernelSetAttribute(which: int, value: int, handle: int, ordinal: int) -> None:
    kernel, of = kernels.find(handle), device.find(ordinal)
    functions_of_modules.check_settable(kernel.kernel, of, which, value)
    kernel.settings.setdefault(of.ordinal, {})[which] = value
    for owner, function in kernel.functions.items():
        if owner.device is of:
            function.set_attribute(which, value)


def cuKernelSetCacheConfig(handle: int, config: int, ordinal: int) -> None:
    """Check the preference; the CPU's caches are not divided."""
    kernels.find(handle), device.find(ordinal)
    if not 0 <= config <= 3:
        raise invalid(f"cuKernelSetCacheConfig: {config} is no CUfunc_cache")


def cuKernelGetParamInfo(handle: int, index: int) -> tuple[int, int]:
    context.current()  # NVIDIA's driver asks for one, too
    kernel = kernels.get(handle) or functions.find(handle)
    return functions_of_modules.parameter(kernel.kernel, index)


def cuKernelGetParamCount(handle: int) -> int:
    kernel = kernels.get(handle) or functions.find(handle)
    return len(kernel.kernel.parameters)


def cuFuncGetAttribute(which: int, handle: int) -> int:
    function = function_of(handle)
    return functions_of_modules.attribute(function.module.code, function.kernel, function.settings, which)


def cuFuncSetAttribute(handle: int, which: int, value: int) -> None:
    function_of(handle).set_attribute(which, value)


def cuFuncSetCacheConfig(handle: int, config: int) -> None:
    """Check the preference; the CPU's caches are not divided."""
    function_of(handle)
    if not 0 <= config <= 3:
        raise invalid(f"cuFuncSetCacheConfig: {config} is no CUfunc_cache")


def cuFuncSetSharedMemConfig(handle: int, config: int) -> None:
    """Check the preference; it has had no effect on any device since compute capability 5.0."""
    function_of(handle)
    if not 0 <= config <= 2:
        raise invalid(f"cuFuncSetSharedMemConfig: {config} is no CUsharedconfig")


def cuFuncGetModule(handle: int) -> int:
    return function_of(handle).module.handle


def cuFuncGetName(handle: int) -> int:
    """Return the address of the name, which lives as long as the function."""
    return ctypes.addressof(function_of(handle).name)


def cuFuncGetParamInfo(handle: int, index: int) -> tuple[int, int]:
    return functions_of_modules.parameter(function_of(handle).kernel, index)


def cuFuncGetParamCount(handle: int) -> int:
    return len(function_of(handle).kernel.parameters)


def cuFuncIsLoaded(handle: int) -> int:
    function = function_of(handle)
    return int((function.grid or function.narrow) is not None)  # CU_FUNCTION_LOADING_STATE_UNLOADED or _LOADED


def cuFuncLoad(handle: int) -> None:
    function_of(handle).load()
