# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Modules (CUmodule): code loaded into a context, its global variables and its symbol table."""

from __future__ import annotations

import ctypes
from typing import Any

from cuda.cpu.abi import (
    CUDA_ERROR_INVALID_CONTEXT,
    CUDA_ERROR_INVALID_HANDLE,
    CUDA_ERROR_INVALID_PTX,
    CUDA_ERROR_NOT_FOUND,
)
from cuda.cpu.compile.code import Code, GlobalVariable
from cuda.cpu.driver.base import address, once
from cuda.cpu.driver.base.address import Allocation, Kind
from cuda.cpu.driver.base.error import CudaError, invalid
from cuda.cpu.driver.base.handle import Table
from cuda.cpu.driver.base.jit_option import Options
from cuda.cpu.driver.code import child_launch
from cuda.cpu.driver.code import image as images
from cuda.cpu.driver.code.function import Function, functions
from cuda.cpu.driver.device import context, wait
from cuda.cpu.driver.memory import memory
from cuda.cpu.runtime import _runtime

modules = Table("module")

ALIGNED = 256  # bytes: of any memory
LAZY = 2  # CU_MODULE_LAZY_LOADING: kernels are compiled at their first use


class SharedGone(Exception):
    """A shared managed variable was freed: the context that owned it was destroyed meanwhile."""


class Module:
    """Code in a context. Variables have their addresses at once; kernels are compiled when they are first used."""

    def __init__(self, owner: context.Context, code: Code, library: Any = None) -> None:
        self.context = owner
        self.live = True  # until it is closed
        self.code = code
        self.library = library  # None: loaded by cuModuleLoad
        self.functions: dict[str, Function] = {}
        self.variables: dict[str, Allocation] = {}
        self.placed: dict[str, int] = library.placed if library is not None else {}
        self.found: set[str] = set()  # managed variables that the library's module of another context has made
        self.entered: set[str] = set()  # variables that others can find
        self.child_kernels = child_launch.ChildKernels(self)
        generation = owner.id
        try:
            for variable in code.variables.values():
                self._allocate(variable)
            with images.ptx_errors(CUDA_ERROR_INVALID_PTX):
                addresses = [self.address_of(name) for name in code.symbols]
                for variable in code.variables.values():
                    if variable.name not in self.found and variable.name not in self.placed:
                        self._fill(variable)
            self.symbols = (ctypes.c_uint64 * max(len(addresses), 1))(*addresses)
            with once.lock, owner.entering(generation):
                self._enter()
        except BaseException:
            self._discard()
            raise

    def _enter(self) -> None:
        """Register the module and its variables; until now they were private to this thread."""
        library = self.library
        for name, record in self.variables.items():
            if name in self.found and library.managed.get(name) is not record:
                raise SharedGone
        for name, record in self.variables.items():
            if name in self.found:
                continue
            address.insert(record)
            self.entered.add(name)
            if library is not None and record.kind is Kind.MANAGED:
                library.managed[name] = record
        self.handle = modules.add(self)
        self.context.modules.add(self)
        if library is not None:
            library.modules[self.context] = self

    def _discard(self) -> None:
        """Free the variables of a module that could not be registered."""
        for name, record in self.variables.items():
            if name not in self.found and (name not in self.entered or address.remove(record)):
                record.give_back()
        self.variables.clear()

    def _allocate(self, variable: GlobalVariable) -> None:
        shared = self.library.managed if self.library is not None and variable.managed else {}
        known = shared.get(variable.name)
        if known is not None:
            self.variables[variable.name] = known
            self.found.add(variable.name)
            return
        size = max(variable.size, 1)
        if variable.name in self.placed:
            record = Allocation(self.placed[variable.name], size, Kind.MANAGED, self.context)
        else:
            kind = Kind.MANAGED if variable.managed else Kind.DEVICE
            start = memory.reserve(self.context, _reserved(variable, size), f"variable {variable.name}")
            record = Allocation(start, size, kind, self.context, self.context.device.arena)
        record.origin = f"variable {variable.name}"
        self.variables[variable.name] = record

    def address_of(self, name: str) -> int:
        """Return the address of a variable or a function."""
        record = self.variables.get(name)
        if record is not None:
            return record.start
        kernel = self.child_kernels.kernels.get(name)
        if kernel is not None:
            return kernel.address
        assert self.code.function_address is not None
        return self.code.function_address(name)

    def _fill(self, variable: GlobalVariable) -> None:
        """Write a variable's initial value and zeros behind it: memory that was freed before is not zero.

        The memory is this thread's alone: the module has not entered its context yet.
        """
        data = bytearray(variable.data)
        for offset, width, symbol, addend, shift in variable.relocations:
            value = (self.address_of(symbol) + addend) >> shift
            data[offset : offset + width] = (value & ((1 << 8 * width) - 1)).to_bytes(width, "little")
        start = self.variables[variable.name].start
        ctypes.memmove(start, bytes(data), len(data))
        if variable.size > len(data):
            ctypes.memset(start + len(data), 0, variable.size - len(data))

    def function(self, name: str) -> Function:
        kernel = self.code.kernels.get(name)
        if kernel is None:
            raise not_found("kernel", name, self.code.kernels)
        with once.lock:
            if not self.live:
                raise self._gone(f"kernel {name!r}")
            return once.made(self.functions, name, lambda: Function(self, kernel))

    def variable(self, name: str) -> Allocation:
        # Not only those marked .visible: NVRTC marks no variable so, not even one named by a name expression.
        if name not in self.code.variables:
            raise not_found("global variable", name, self.code.variables)
        found = self.variables.get(name)
        if found is None:
            raise self._gone(f"variable {name!r}")
        return found

    def _gone(self, kind: str) -> CudaError:
        """Return the error of a call that comes too late, for another thread has closed the module."""
        if not self.context.usable:
            self.context.check()
        return CudaError(CUDA_ERROR_INVALID_HANDLE, f"the module of {kind} was unloaded meanwhile")

    def _free(self) -> None:
        library = self.library
        for name, record in list(self.variables.items()):
            if library is not None and library.managed.get(name) is record:
                other = next((owner for owner in list(library.modules) if owner is not self.context), None)
                if other is not None:
                    record.context = other  # whose module still has it
                    continue
                library.managed.pop(name, None)
            if address.remove(record):
                record.give_back()
        self.variables.clear()

    def close(self) -> None:
        """Unload the code; none of it may be running."""
        wait.collect_all(self.context)  # describing a fault needs the code that caused it
        _runtime.invalidate_fast_path()
        with once.lock:
            if not self.live:
                return
            self.live = False
            for function in list(self.functions.values()):
                functions.pop(function.handle, None)
            modules.pop(self.handle, None)
            self.context.modules.discard(self)
            if self.library is not None:
                self.library.forget(self.context)
            self._free()

    def unload(self) -> None:
        """Wait for what is queued, for it may be this module's, then close."""
        for queue in self.context.queues():
            if not queue.is_idle():
                wait.until(self.context, queue.wait)
        modules.take(self.handle)
        self.close()
        self.context.check_released()


def _reserved(variable: GlobalVariable, size: int) -> int:
    """Return the bytes to reserve: memory ends at a page, so a multiple of the alignment makes the address one, too."""
    return size if variable.align <= ALIGNED else -(-size // variable.align) * variable.align


def not_found(kind: str, name: str, known: Any) -> CudaError:
    names = sorted(known)
    shown = ", ".join(names[:10]) + (", ..." if len(names) > 10 else "")
    return CudaError(CUDA_ERROR_NOT_FOUND, f"there is no {kind} {name!r}; there is {shown or 'none at all'}")


def decoded(call: str, name: bytes | None) -> str:
    if name is None:
        raise invalid(f"{call}: name is NULL")
    return name.decode("utf-8", "replace")


def find(handle: int) -> Module:
    module = modules.find(handle)
    module.context.check()
    return module


def cuModuleLoadDataEx(image: int, numOptions: int, options: int, optionValues: int) -> int:
    owner = context.current()
    given = Options("cuModuleLoadDataEx", numOptions, options, optionValues)
    return Module(owner, images.code_at(image, given)).handle


def cuModuleLoadData(image: int) -> int:
    return cuModuleLoadDataEx(image, 0, 0, 0)


def cuModuleLoadFatBinary(fatCubin: int) -> int:
    return cuModuleLoadDataEx(fatCubin, 0, 0, 0)


def cuModuleLoad(fname: bytes | None) -> int:
    owner = context.current()
    given = Options("cuModuleLoad", 0, 0, 0)
    return Module(owner, images.code_of(images.read("cuModuleLoad", fname), given)).handle


def cuModuleUnload(hmod: int) -> None:
    module = modules.find(hmod)
    if module.library is not None:
        raise CudaError(
            CUDA_ERROR_INVALID_CONTEXT, "cuModuleUnload: the module belongs to a library: use cuLibraryUnload"
        )
    module.unload()


def cuModuleGetLoadingMode() -> int:
    return LAZY


def cuModuleGetFunction(hmod: int, name: bytes | None) -> int:
    return find(hmod).function(decoded("cuModuleGetFunction", name)).handle


def cuModuleGetFunctionCount(mod: int) -> int:
    return len(find(mod).code.kernels)


def cuModuleEnumerateFunctions(functions: int, numFunctions: int, mod: int) -> None:
    module = find(mod)
    write_handles(
        "cuModuleEnumerateFunctions",
        functions,
        [module.function(name).handle for name in module.code.kernels][:numFunctions],
    )


def write_handles(call: str, out_ptr: int, handles: list[int]) -> None:
    if not out_ptr:
        raise invalid(f"{call}: the array is NULL")
    out = (ctypes.c_uint64 * len(handles))(*handles)
    ctypes.memmove(out_ptr, out, ctypes.sizeof(out))


def cuModuleGetGlobal(hmod: int, name: bytes | None) -> tuple[int, int]:
    record = find(hmod).variable(decoded("cuModuleGetGlobal", name))
    return record.start, record.size


def forget_after_fork() -> None:
    modules.clear()
    functions.clear()
