# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Fatbins registered by host code that nvcc compiled, and the host addresses of kernels and variables.

host_code.c records the registrations and passes them to this module. A fatbin becomes a library of the driver, loaded
at the first use of its code; each context that uses it has its own variables, except managed ones, which all share.
"""

from __future__ import annotations

import ctypes
import struct
import threading
from typing import Any

from cuda.cpu import runtime_abi as abi
from cuda.cpu.abi import CUDA_ERROR_INVALID_IMAGE
from cuda.cpu.driver.base.error import CudaError, invalid
from cuda.cpu.driver.base.jit_option import Options
from cuda.cpu.driver.code import image as images
from cuda.cpu.driver.code.function import functions
from cuda.cpu.driver.code.kernel import kernels
from cuda.cpu.driver.code.library import Library
from cuda.cpu.driver.code.module import Module
from cuda.cpu.driver.device import context
from cuda.cpu.runtime import _runtime
from cuda.cpu.runtime_api.device import ensure_context, ensure_devices

FUNCTION, VARIABLE, MANAGED, PLACED = range(4)  # enum kind of host_code.c

# __fatBinC_Wrapper_t of fatbinary_section.h: magic, version, data, and for version 2 (made by nvlink, of relocatable
# device code) an array of the fatbins that were linked, which ends in NULL.
_WRAPPER = struct.Struct("<iiQQ")
_MAGIC, _LINKED = 0x466243B1, 2


class _Record(ctypes.Structure):
    """struct record of host_code.c."""

    _fields_ = (
        ("kind", ctypes.c_uint64), ("host", ctypes.c_uint64), ("name", ctypes.c_char_p), ("size", ctypes.c_uint64),
    )  # fmt: skip


class _Registered(ctypes.Structure):
    """struct binary of host_code.c, as far as it matters here."""

    _fields_ = (
        ("wrapper", ctypes.c_uint64), ("records", ctypes.POINTER(_Record)), ("count", ctypes.c_uint64),
        ("failed", ctypes.c_uint64),
    )  # fmt: skip


class HostLibrary(Library):
    """A library whose managed variables are known to host code by pointers, which are set in each context anew."""

    def __init__(self, code: Any, binary: Binary) -> None:
        super().__init__(code)
        self.binary = binary
        self.placed = binary.placed

    def module(self, owner: context.Context) -> Module:
        found = self.modules.get(owner)
        if found is None:
            found = super().module(owner)
            self.place_managed(found)
        return found

    def place_managed(self, module: Module) -> None:
        """Write the addresses of managed variables into host code."""
        for name, slot in self.binary.managed.items():
            if name in module.variables:
                ctypes.c_uint64.from_address(slot).value = module.variables[name].start


class Binary:
    """A fatbin that host code has registered."""

    def __init__(self, given: _Registered) -> None:
        self.wrapper = given.wrapper
        self.functions: dict[int, str] = {}
        self.variables: dict[int, str] = {}
        self.managed: dict[str, int] = {}  # name -> where the host wants its address
        self.placed: dict[str, int] = {}  # name -> address of managed variables that are variables of host code
        self.failure: CudaError | None = None
        self._library: HostLibrary | None = None
        self._lock = threading.RLock()
        for record in given.records[: given.count]:
            name = record.name.decode("utf-8", "replace")
            if record.kind == FUNCTION:
                self.functions[record.host] = name
            else:
                self.variables[record.host] = name
                if record.kind == MANAGED:
                    self.managed[name] = record.host
                elif record.kind == PLACED:
                    self.placed[name] = record.host
        self.hosts = {name: host for host, name in self.functions.items()}

    def library(self) -> HostLibrary:
        """Return the library, loaded at the first call; what is wrong with the fatbin is raised by each."""
        with self._lock:
            if self.failure is not None:
                raise CudaError(self.failure.status, self.failure.args[1])
            if self._library is None:
                try:
                    given = Options("fatbin of host code", 0, 0, 0)
                    self._library = HostLibrary(images.load(units_of(self.wrapper), given), self)
                except CudaError as error:
                    self.failure = error
                    raise
            return self._library

    def close(self) -> None:
        """Unload the library; later, where kernels of the contexts that it is in still run."""
        if self._library is not None:
            for owner in self._library.modules:
                if not all(queue.is_idle() for queue in owner.queues()):
                    _closing.append(self)
                    return
            self._library.unload()
            self._library = None


_lock = threading.Lock()
_binaries: dict[int, Binary] = {}  # by the handle that host code has
_functions: dict[int, Binary] = {}  # by the address of the stub
_variables: dict[int, Binary] = {}
_closing: list[Binary] = []  # unregistered while kernels of their contexts were running


def units_of(wrapper: int) -> list[str]:
    """Return the PTX of each unit of a fatbin, given by its wrapper.

    Of what nvlink has linked, libcudadevrt is left out: its functions are the CPU device's own.
    """
    from cuda.cpu.ptx import device_runtime

    magic, version, data, linked = _WRAPPER.unpack(ctypes.string_at(wrapper, _WRAPPER.size))
    if magic != _MAGIC:
        raise CudaError(abi.cudaErrorInvalidKernelImage, f"the registered fatbin's wrapper begins with 0x{magic:x}")
    if version != _LINKED or not linked:
        return images.units_at(data)
    units: list[str] = []
    while part := ctypes.c_uint64.from_address(linked).value:
        units += [unit for unit in _linked_units(part) if not device_runtime.KERNEL.search(unit)]
        linked += 8
    return units


def _linked_units(part: int) -> list[str]:
    """Return the PTX of a fatbin that nvlink has linked: libcudadevrt's as well, which is for later devices."""
    from cuda.cpu.ptx import device_runtime
    from cuda.cpu.ptx.image.image import image_at, ptx_of

    with images.ptx_errors(CUDA_ERROR_INVALID_IMAGE):
        units = ptx_of(image_at(part))
    return units if device_runtime.KERNEL.search(units[0]) else images.units_at(part)


def host_code_added(handle: int) -> None:
    """Take over what host code has registered under a handle; several threads may do so."""
    with _lock:
        if handle in _binaries:
            return
        _binaries[handle] = binary = Binary(_Registered.from_address(handle))
        _functions.update(dict.fromkeys(binary.functions, binary))
        _variables.update(dict.fromkeys(binary.variables, binary))


def host_code_removed(handle: int) -> None:
    """Forget what host code had registered: its library is being closed, or the program ends."""
    _runtime.invalidate_fast_path()
    with _lock:
        binary = _binaries.pop(handle, None)
        if binary is None:
            return
        for table, kind in ((_functions, "functions"), (_variables, "variables")):
            for host in getattr(binary, kind):
                if table.get(host) is binary:
                    del table[host]
                    # Units of one library share the stubs of the same template.
                    others = (other for other in _binaries.values() if host in getattr(other, kind))
                    table.update((host, other) for other in others)
        closing = [binary, *_closing]
        _closing.clear()
    for each in closing:
        each.close()


def host_code_needed(handle: int) -> None:
    """Let the managed variables of a fatbin have addresses."""
    binary = _binaries.get(handle)
    if binary is None:
        raise invalid(f"__cudaInitModule: 0x{handle:x} is no handle of a registered fatbin")
    ensure_context()
    library = binary.library()
    library.place_managed(library.module(context.current()))  # also where another thread is about to do so


def kernel_of(func: int) -> int:
    """Return the kernel that a host address stands for; handles of kernels and functions stand for themselves."""
    binary = _functions.get(func)
    if binary is None:
        if func in kernels or func in functions:
            return func
        text = "is NULL" if not func else f"0x{func:x} is no kernel: host code has registered none with this address"
        raise CudaError(abi.cudaErrorInvalidDeviceFunction, f"func {text}")
    name, library = binary.functions[func], binary.library()
    if name not in library.code.kernels:
        text = f"the PTX of the fatbin has no kernel {name!r}, which host code has registered"
        raise CudaError(abi.cudaErrorInvalidDeviceFunction, text)
    return library.kernel(name).handle


def host_of(handle: int) -> int:
    """Return the host address of a kernel or function of host code, of any other the handle itself."""
    kernel, function = kernels.get(handle), functions.get(handle)
    found: Any = kernel or function
    library = kernel.library if kernel else function.module.library if function else None
    if isinstance(library, HostLibrary):
        return library.binary.hosts.get(found.kernel.name, handle)
    return handle


def variable_of(name: str, symbol: int) -> tuple[int, int]:
    """Return address and size, in the current context, of the variable that a host address stands for."""
    ensure_context()
    binary = _variables.get(symbol)
    if binary is not None:
        record = binary.library().module(context.current()).variables.get(binary.variables[symbol])
        if record is not None:
            return record.start, record.size
        text = f"the PTX of the fatbin has no variable {binary.variables[symbol]!r}"
        raise CudaError(abi.cudaErrorInvalidSymbol, f"{name}: {text}, which host code has registered")
    found = _managed_at(symbol)
    if found is not None:
        return found
    text = "NULL" if not symbol else f"0x{symbol:x}, an address which host code has not registered for any variable"
    raise CudaError(abi.cudaErrorInvalidSymbol, f"{name}: symbol is {text}")


def _managed_at(start: int) -> tuple[int, int] | None:
    """Return address and size of the managed variable at an address: in host code its name stands for itself."""
    for binary in list(_binaries.values()):
        for name, slot in binary.managed.items():
            if start and ctypes.c_uint64.from_address(slot).value == start:
                record = binary.library().module(context.current()).variables[name]
                return record.start, record.size
    return None


def cudaGetKernel(entryFuncAddr: int) -> int:
    ensure_devices()
    return kernel_of(entryFuncAddr)


def cudaGetFuncBySymbol(symbolPtr: int) -> int:
    ensure_context()
    handle = kernel_of(symbolPtr)
    kernel = kernels.get(handle)
    return kernel.function(context.current()).handle if kernel is not None else handle
