# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Launches with parameters set beforehand (cuParamSetv, cuLaunchGrid), deprecated since CUDA 4."""

from __future__ import annotations

import ctypes
import struct
import weakref
from ctypes import addressof
from typing import Any

from cuda.cpu.driver.base import once
from cuda.cpu.driver.base.error import invalid
from cuda.cpu.driver.code import launch
from cuda.cpu.driver.code.function import Function
from cuda.cpu.driver.code.kernel import function_of
from cuda.cpu.driver.stream import stream as streams


class Prepared:
    """What is set of a function's next launch."""

    def __init__(self, function: Function) -> None:
        self.block = (1, 1, 1)
        self.shared = 0
        self.size = 0  # of the parameters
        self.buffer = function.buffer()


_prepared: weakref.WeakKeyDictionary[Function, Prepared] = weakref.WeakKeyDictionary()


def _find(handle: int) -> tuple[Function, Prepared]:
    function = function_of(handle)
    return function, once.made(_prepared, function, lambda: Prepared(function))


def cuFuncSetBlockShape(hfunc: int, x: int, y: int, z: int) -> None:
    function, found = _find(hfunc)
    threads = x * y * z
    if min(x, y, z) < 1 or threads > function.kernel.max_threads:
        raise invalid(f"cuFuncSetBlockShape: {(x, y, z)} must be 1 to {function.kernel.max_threads} threads")
    found.block = (x, y, z)


def cuFuncSetSharedSize(hfunc: int, bytes_: int) -> None:
    function, found = _find(hfunc)
    if bytes_ > function.dynamic:
        raise invalid(f"cuFuncSetSharedSize: bytes is {bytes_}, at most {function.dynamic} are possible")
    found.shared = bytes_


def cuParamSetSize(hfunc: int, numbytes: int) -> None:
    function, found = _find(hfunc)
    if numbytes > function.kernel.parameter_bytes:
        raise invalid(f"cuParamSetSize: numbytes is {numbytes}, the parameters have {function.kernel.parameter_bytes}")
    found.size = numbytes


def _set(name: str, handle: int, offset: int, data: bytes) -> None:
    function, found = _find(handle)
    room = function.kernel.parameter_bytes
    if not 0 <= offset <= offset + len(data) <= room:
        raise invalid(f"{name}: {len(data)} bytes at offset {offset}, the parameters have {room}")
    ctypes.memmove(addressof(found.buffer) + offset, data, len(data))


def cuParamSeti(hfunc: int, offset: int, value: int) -> None:
    _set("cuParamSeti", hfunc, offset, struct.pack("=I", value))


def cuParamSetf(hfunc: int, offset: int, value: float) -> None:
    _set("cuParamSetf", hfunc, offset, struct.pack("=f", value))


def cuParamSetv(hfunc: int, offset: int, ptr: int, numbytes: int) -> None:
    if numbytes and not ptr:
        raise invalid("cuParamSetv: ptr is NULL")
    room = function_of(hfunc).kernel.parameter_bytes
    if numbytes > room:
        raise invalid(f"cuParamSetv: numbytes is {numbytes}, the parameters have {room}")
    _set("cuParamSetv", hfunc, offset, ctypes.string_at(ptr, numbytes) if numbytes else b"")


def _launch(name: str, handle: int, width: int, height: int, stream_handle: int) -> None:
    function, found = _find(handle)
    wanted = function.kernel.parameter_bytes
    if found.size < wanted:
        raise invalid(f"{name}: cuParamSetSize gave {found.size} bytes, the parameters need {wanted}")
    kernel_params: Any = (ctypes.c_uint64 * max(len(function.kernel.parameters), 1))(
        *(addressof(found.buffer) + each.offset for each in function.kernel.parameters)
    )
    grid, params = (width, height, 1), addressof(kernel_params)
    stream = streams.find(stream_handle)
    launch.submit(function, grid, found.block, function.cluster, found.shared, stream, params, 0, False)


def cuLaunch(f: int) -> None:
    _launch("cuLaunch", f, 1, 1, 0)


def cuLaunchGrid(f: int, grid_width: int, grid_height: int) -> None:
    _launch("cuLaunchGrid", f, grid_width, grid_height, 0)


def cuLaunchGridAsync(f: int, grid_width: int, grid_height: int, hStream: int) -> None:
    _launch("cuLaunchGridAsync", f, grid_width, grid_height, hStream)
