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
from cuda.cpu.driver.device import context
from cuda.cpu.driver.device import device as devices
from cuda.cpu.driver.stream import stream as streams

kernels = Table("kernel")


class LibraryKernel:
    """A kernel of a library; attributes are set per device and apply to its functions in all contexts."""

    def __init__(self, library: Any, kernel: Kernel) -> None:
        self.library = library
        self.kernel = kernel
        self.name = ctypes.create_string_buffer(kernel.name.encode())
        self.settings: dict[int, dict[int, int]] = {}
        self.functions: dict[context.Context, Function] = {}
        self.handle = kernels.add(self)

    def function(self, owner: context.Context) -> Function:
        """Return the kernel's function in a context."""
        known = self.functions.get(owner)
        if known is not None and known.handle in functions:
            return known
        module = self.library.module(owner)
        with once.lock:
            found: Function = module.function(self.kernel.name)
            if self.functions.get(owner) is not found:
                for which, value in self.settings.get(owner.device.ordinal, {}).items():
                    found.set_attribute(which, value)
                self.functions[owner] = found
        return found


def function_of(handle: int, stream: streams.Stream | None = None) -> Function:
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
        return kernel.function(context.current() if stream is None else stream.context)
    return functions.find(handle)


def cuKernelGetFunction(kernel: int) -> int:
    return kernels.find(kernel).function(context.current()).handle


def cuKernelGetLibrary(kernel: int) -> int:
    return kernels.find(kernel).library.handle


def cuKernelGetName(hfunc: int) -> int:
    """Return the address of the name, which lives as long as the kernel."""
    kernel = kernels.get(hfunc) or functions.find(hfunc)
    return ctypes.addressof(kernel.name)


def cuKernelGetAttribute(attrib: int, kernel: int, dev: int) -> int:
    found = kernels.find(kernel)
    settings = found.settings.get(devices.find(dev).ordinal, {})
    return functions_of_modules.attribute(found.library.code, found.kernel, settings, attrib)


def cuKernelSetAttribute(attrib: int, val: int, kernel: int, dev: int) -> None:
    found, of = kernels.find(kernel), devices.find(dev)
    functions_of_modules.check_settable(found.kernel, of, attrib, val)
    found.settings.setdefault(of.ordinal, {})[attrib] = val
    for owner, function in found.functions.items():
        if owner.device is of:
            function.set_attribute(attrib, val)


def cuKernelSetCacheConfig(kernel: int, config: int, dev: int) -> None:
    """Check the preference; the CPU's caches are not divided."""
    kernels.find(kernel), devices.find(dev)
    if not 0 <= config <= 3:
        raise invalid(f"cuKernelSetCacheConfig: {config} is no CUfunc_cache")


def cuKernelGetParamInfo(kernel: int, paramIndex: int) -> tuple[int, int]:
    context.current()  # required by NVIDIA's driver, too
    found = kernels.get(kernel) or functions.find(kernel)
    return functions_of_modules.parameter(found.kernel, paramIndex)


def cuKernelGetParamCount(kernel: int) -> int:
    found = kernels.get(kernel) or functions.find(kernel)
    return len(found.kernel.parameters)


def cuFuncGetAttribute(attrib: int, hfunc: int) -> int:
    function = function_of(hfunc)
    return functions_of_modules.attribute(function.module.code, function.kernel, function.settings, attrib)


def cuFuncSetAttribute(hfunc: int, attrib: int, value: int) -> None:
    function_of(hfunc).set_attribute(attrib, value)


def cuFuncSetCacheConfig(hfunc: int, config: int) -> None:
    """Check the preference; the CPU's caches are not divided."""
    function_of(hfunc)
    if not 0 <= config <= 3:
        raise invalid(f"cuFuncSetCacheConfig: {config} is no CUfunc_cache")


def cuFuncSetSharedMemConfig(hfunc: int, config: int) -> None:
    """Check the preference; it has had no effect on any device since compute capability 5.0."""
    function_of(hfunc)
    if not 0 <= config <= 2:
        raise invalid(f"cuFuncSetSharedMemConfig: {config} is no CUsharedconfig")


def cuFuncGetModule(hfunc: int) -> int:
    return function_of(hfunc).module.handle


def cuFuncGetName(hfunc: int) -> int:
    """Return the address of the name, which lives as long as the function."""
    return ctypes.addressof(function_of(hfunc).name)


def cuFuncGetParamInfo(func: int, paramIndex: int) -> tuple[int, int]:
    return functions_of_modules.parameter(function_of(func).kernel, paramIndex)


def cuFuncGetParamCount(func: int) -> int:
    return len(function_of(func).kernel.parameters)


def cuFuncIsLoaded(function: int) -> int:
    found = function_of(function)
    return int(bool(found.compiled or found.brief))  # CU_FUNCTION_LOADING_STATE_UNLOADED or _LOADED


def cuFuncLoad(function: int) -> None:
    function_of(function).load()
