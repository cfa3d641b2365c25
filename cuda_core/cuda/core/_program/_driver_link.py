# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Linking by the driver (cuLink...), which is always available but supports fewer options than nvJitLink."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from cuda.bindings import driver
from cuda.core._utils._call import call

if TYPE_CHECKING:
    from cuda.core._program._linker_options import LinkerOptions
    from cuda.core._program._module import ObjectCode

_LOG_SIZE = 16384
_OPTION = driver.CUjit_option
_INPUTS = {
    "ptx": driver.CUjitInputType.CU_JIT_INPUT_PTX,
    "cubin": driver.CUjitInputType.CU_JIT_INPUT_CUBIN,
    "fatbin": driver.CUjitInputType.CU_JIT_INPUT_FATBINARY,
    "object": driver.CUjitInputType.CU_JIT_INPUT_OBJECT,
    "library": driver.CUjitInputType.CU_JIT_INPUT_LIBRARY,
}
# Field of LinkerOptions -> the driver's option.
_VALUES = {
    "max_register_count": _OPTION.CU_JIT_MAX_REGISTERS,
    "optimization_level": _OPTION.CU_JIT_OPTIMIZATION_LEVEL,
    "debug": _OPTION.CU_JIT_GENERATE_DEBUG_INFO,
    "lineinfo": _OPTION.CU_JIT_GENERATE_LINE_INFO,
    "verbose": _OPTION.CU_JIT_LOG_VERBOSE,
}
# Fields without a CUjit_option of their own in the table above.
_IGNORED = ("name", "arch", "time", "no_cache", "ptx", "link_time_optimization")


def jit_options(options: LinkerOptions) -> dict[Any, Any]:
    """Return the driver's options, or raise ValueError for options that only nvJitLink supports."""
    values: dict[Any, Any] = {}
    refused = []
    for field in options.__dataclass_fields__:
        value = getattr(options, field)
        if value is None or field in _IGNORED:
            continue
        if field in _VALUES:
            values[_VALUES[field]] = int(value)
        else:
            refused.append(field)
    refused += [field for field in ("ptx", "link_time_optimization") if getattr(options, field)]
    if refused:
        raise ValueError(
            f"{', '.join(refused)}: the driver links without; install nvJitLink, pip install 'open-cuda-python[cu13]'"
        )
    if options.no_cache:
        values[_OPTION.CU_JIT_CACHE_MODE] = int(driver.CUjit_cacheMode.CU_JIT_CACHE_OPTION_NONE)
    if options.arch:
        values[_OPTION.CU_JIT_TARGET] = _target(options.arch)
    return values


def _target(arch: str) -> int:
    name = f"CU_TARGET_COMPUTE_{arch.rpartition('_')[2].upper()}"
    target = driver.CUjit_target.__members__.get(name)
    if target is None:
        raise ValueError(f"arch {arch!r} is none that the driver knows")
    return int(target)


def _call(function: Any, *arguments: Any) -> Any:
    """Call a function of the driver's linker, which needs a context, though not a certain one."""
    from cuda.core._device._context import any_context

    active = any_context()
    try:
        return call(function, *arguments)
    finally:
        del active


class DriverLink:
    """A CUlinkState. Its methods raise CUDAError; `logs` returns the driver's messages."""

    def __init__(self, options: LinkerOptions) -> None:
        self._buffers = [ctypes.create_string_buffer(_LOG_SIZE) for _ in range(2)]
        error, info = (ctypes.addressof(buffer) for buffer in self._buffers)
        values = jit_options(options) | {
            _OPTION.CU_JIT_ERROR_LOG_BUFFER: error,
            _OPTION.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES: _LOG_SIZE,
            _OPTION.CU_JIT_INFO_LOG_BUFFER: info,
            _OPTION.CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES: _LOG_SIZE,
        }
        self.handle: Any = _call(driver.cuLinkCreate, len(values), list(values), list(values.values()))

    def add(self, code: ObjectCode) -> None:
        """Add an input."""
        if code.code_type not in _INPUTS:
            raise ValueError(
                f"the driver does not link {code.code_type}; install nvJitLink, pip install 'open-cuda-python[cu13]'"
            )
        data = code._bytes()
        if code.code_type == "ptx" and not data.endswith(b"\0"):
            data += b"\0"
        name = code.name or code.code_type
        _call(driver.cuLinkAddData, self.handle, _INPUTS[code.code_type], data, len(data), name.encode(), 0, [], [])

    def complete(self, target: str) -> bytes:
        """Link, and return the cubin."""
        address, size = _call(driver.cuLinkComplete, self.handle)
        return ctypes.string_at(address, size)

    def logs(self) -> tuple[str, str]:
        """Return the errors and the other messages."""
        error, info = (buffer.value.decode(errors="replace").strip("\n") for buffer in self._buffers)
        return error, info

    def close(self) -> None:
        handle, self.handle = self.handle, None
        if handle is not None:
            _call(driver.cuLinkDestroy, handle)
