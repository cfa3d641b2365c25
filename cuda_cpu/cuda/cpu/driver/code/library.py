# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Libraries (CUlibrary): code independent of contexts; each context loads its own module lazily."""

from __future__ import annotations

import contextlib
import ctypes
import threading
from typing import Any

from cuda.cpu.abi import (
    CU_LIBRARY_BINARY_IS_PRESERVED,
    CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE,
    CUDA_ERROR_NOT_FOUND,
    CUDA_ERROR_NOT_SUPPORTED,
)
from cuda.cpu.compile.code import Code
from cuda.cpu.driver.base import once
from cuda.cpu.driver.base.address import Allocation, Kind
from cuda.cpu.driver.base.error import CudaError, invalid
from cuda.cpu.driver.base.handle import Table
from cuda.cpu.driver.base.jit_option import Options
from cuda.cpu.driver.code import image as images
from cuda.cpu.driver.code.kernel import LibraryKernel, kernels
from cuda.cpu.driver.code.module import Module, SharedGone, decoded, not_found, write_handles
from cuda.cpu.driver.device import context
from cuda.cpu.driver.device import device as devices
from cuda.cpu.runtime import _runtime

libraries = Table("library")


class Library:
    def __init__(self, code: Code) -> None:
        self.code = code
        self.modules: dict[context.Context, Module] = {}
        self.kernels: dict[str, LibraryKernel] = {}
        self.managed: dict[str, Allocation] = {}  # variables that the modules of all contexts share
        self.placed: dict[str, int] = {}  # addresses of managed variables that exist, with their values, in host code
        self.lock = threading.RLock()  # around making modules, which may wait for the device's memory
        self.handle = libraries.add(self)

    def module(self, owner: context.Context) -> Module:
        found = self.modules.get(owner)
        if found is None:
            with self.lock:
                found = self.modules.get(owner)
                while found is None:
                    with contextlib.suppress(SharedGone):
                        found = Module(owner, self.code, self)
        return found

    def kernel(self, name: str) -> LibraryKernel:
        if name not in self.code.kernels:
            raise not_found("kernel", name, self.code.kernels)
        return once.made(self.kernels, name, lambda: LibraryKernel(self, self.code.kernels[name]))

    def forget(self, owner: context.Context) -> None:
        """Let go of the module of a context that is closing it."""
        self.modules.pop(owner, None)
        for kernel in list(self.kernels.values()):
            kernel.functions.pop(owner, None)

    def unload(self) -> None:
        _runtime.invalidate_fast_path()
        for module in list(self.modules.values()):
            module.unload()
        libraries.take(self.handle)
        for kernel in list(self.kernels.values()):
            kernels.pop(kernel.handle, None)


def _check_options(name: str, count: int, options: int, values: int) -> None:
    if count and not options:
        raise invalid(f"{name}: {count} library options, but the array is NULL")
    for option in (ctypes.c_int * count).from_address(options) if count else ():
        if option == CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE:
            raise CudaError(CUDA_ERROR_NOT_SUPPORTED, f"{name}: host function tables are the CUDA runtime's own")
        if option != CU_LIBRARY_BINARY_IS_PRESERVED:
            raise invalid(f"{name}: {option} is no CUlibraryOption")


def cuLibraryLoadData(
    code: int,
    jitOptions: int,
    jitOptionsValues: int,
    numJitOptions: int,
    libraryOptions: int,
    libraryOptionValues: int,
    numLibraryOptions: int,
) -> int:
    devices.check_started()
    _check_options("cuLibraryLoadData", numLibraryOptions, libraryOptions, libraryOptionValues)
    given = Options("cuLibraryLoadData", numJitOptions, jitOptions, jitOptionsValues)
    return Library(images.code_at(code, given)).handle


def cuLibraryLoadFromFile(
    fileName: bytes | None,
    jitOptions: int,
    jitOptionsValues: int,
    numJitOptions: int,
    libraryOptions: int,
    libraryOptionValues: int,
    numLibraryOptions: int,
) -> int:
    devices.check_started()
    _check_options("cuLibraryLoadFromFile", numLibraryOptions, libraryOptions, libraryOptionValues)
    given = Options("cuLibraryLoadFromFile", numJitOptions, jitOptions, jitOptionsValues)
    return Library(images.code_of(images.read("cuLibraryLoadFromFile", fileName), given)).handle


def cuLibraryUnload(library: int) -> None:
    libraries.find(library).unload()


def cuLibraryGetKernel(library: int, name: bytes | None) -> int:
    return libraries.find(library).kernel(decoded("cuLibraryGetKernel", name)).handle


def cuLibraryGetKernelCount(lib: int) -> int:
    return len(libraries.find(lib).code.kernels)


def cuLibraryEnumerateKernels(kernels: int, numKernels: int, lib: int) -> None:
    library = libraries.find(lib)
    found = [library.kernel(name).handle for name in library.code.kernels][:numKernels]
    write_handles("cuLibraryEnumerateKernels", kernels, found)


def cuLibraryGetModule(library: int) -> int:
    return libraries.find(library).module(context.current()).handle


def _variable(call: str, handle: int, name: bytes | None) -> Any:
    return libraries.find(handle).module(context.current()).variable(decoded(call, name))


def cuLibraryGetGlobal(library: int, name: bytes | None) -> tuple[int, int]:
    record = _variable("cuLibraryGetGlobal", library, name)
    return record.start, record.size


def cuLibraryGetManaged(library: int, name: bytes | None) -> tuple[int, int]:
    record = _variable("cuLibraryGetManaged", library, name)
    if record.kind is not Kind.MANAGED:
        raise CudaError(CUDA_ERROR_NOT_FOUND, f"cuLibraryGetManaged: {name!r} is not a __managed__ variable")
    return record.start, record.size


def cuLibraryGetUnifiedFunction(library: int, symbol: bytes | None) -> int:
    libraries.find(library)
    raise CudaError(CUDA_ERROR_NOT_FOUND, f"cuLibraryGetUnifiedFunction: there is no unified function {symbol!r}")


def forget_after_fork() -> None:
    libraries.clear()
    kernels.clear()
