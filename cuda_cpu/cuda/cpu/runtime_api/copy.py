# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Copies of the runtime API (cudaMemcpy); cudaMemcpyKind gives the direction."""

from __future__ import annotations

import ctypes
from typing import Any

from cuda.cpu import runtime_abi as abi
from cuda.cpu.abi import (
    CU_MEMORYTYPE_ARRAY,
    CU_MEMORYTYPE_DEVICE,
    CU_MEMORYTYPE_HOST,
    CU_MEMORYTYPE_UNIFIED,
    CUDA_MEMCPY2D,
    CUDA_MEMCPY3D,
)
from cuda.cpu.driver.array import array as arrays
from cuda.cpu.driver.array import copy_box
from cuda.cpu.driver.base.error import CudaError, invalid
from cuda.cpu.driver.memory import copy
from cuda.cpu.runtime_api.device import ensure_context, primary_context

# Whether destination and source must be on the device: checked, as the driver checks cuMemcpyHtoD.
KINDS = {
    abi.cudaMemcpyHostToHost: (False, False),
    abi.cudaMemcpyHostToDevice: (True, False),
    abi.cudaMemcpyDeviceToHost: (False, True),
    abi.cudaMemcpyDeviceToDevice: (True, True),
    abi.cudaMemcpyDefault: (False, False),
}


def ends(name: str, kind: int) -> tuple[bool, bool]:
    if kind not in KINDS:
        raise CudaError(abi.cudaErrorInvalidMemcpyDirection, f"{name}: kind is {kind}, no cudaMemcpyKind")
    return KINDS[kind]


def copy_linear(name: str, target: int, source: int, size: int, kind: int, stream: int) -> None:
    to_device, from_device = ends(name, kind)
    ensure_context()
    copy.copy(name, target, source, size, stream, to_device=to_device, from_device=from_device)


def cudaMemcpy(dst: int, src: int, count: int, kind: int) -> None:
    copy_linear("cudaMemcpy", dst, src, count, kind, copy.SYNC)


def cudaMemcpyAsync(dst: int, src: int, count: int, kind: int, stream: int) -> None:
    copy_linear("cudaMemcpyAsync", dst, src, count, kind, stream)


def cudaMemcpyPeer(dst: int, dstDevice: int, src: int, srcDevice: int, count: int) -> None:
    ensure_context()
    copy.cuMemcpyPeer(dst, primary_context(dstDevice), src, primary_context(srcDevice), count)


def cudaMemcpyPeerAsync(dst: int, dstDevice: int, src: int, srcDevice: int, count: int, stream: int) -> None:
    ensure_context()
    copy.cuMemcpyPeerAsync(dst, primary_context(dstDevice), src, primary_context(srcDevice), count, stream)


def set_end(box: Any, end: str, start: int, pitch: int, on_device: bool, kind: int) -> None:
    """Set one end of a box."""
    if kind == abi.cudaMemcpyDefault:
        setattr(box, f"{end}MemoryType", CU_MEMORYTYPE_UNIFIED)
    else:
        setattr(box, f"{end}MemoryType", CU_MEMORYTYPE_DEVICE if on_device else CU_MEMORYTYPE_HOST)
    setattr(box, f"{end}Host" if kind != abi.cudaMemcpyDefault and not on_device else f"{end}Device", start)
    setattr(box, f"{end}Pitch", pitch)


def rectangle(
    name: str, target: int, to_pitch: int, source: int, of_pitch: int, width: int, height: int, kind: int, stream: int
) -> None:
    to_device, from_device = ends(name, kind)
    if width > to_pitch or width > of_pitch:
        text = f"{name}: width {width} is more than dpitch {to_pitch} or spitch {of_pitch}"
        raise CudaError(abi.cudaErrorInvalidPitchValue, text)
    ensure_context()
    box = CUDA_MEMCPY2D(WidthInBytes=width, Height=height)
    set_end(box, "dst", target, to_pitch, to_device, kind)
    set_end(box, "src", source, of_pitch, from_device, kind)
    copy_box.copy_box(name, box, stream)


def cudaMemcpy2D(dst: int, dpitch: int, src: int, spitch: int, width: int, height: int, kind: int) -> None:
    rectangle("cudaMemcpy2D", dst, dpitch, src, spitch, width, height, kind, copy.SYNC)


def cudaMemcpy2DAsync(
    dst: int, dpitch: int, src: int, spitch: int, width: int, height: int, kind: int, stream: int
) -> None:
    rectangle("cudaMemcpy2DAsync", dst, dpitch, src, spitch, width, height, kind, stream)


def box_of(name: str, given: Any, kind: int) -> Any:
    """Return a cudaMemcpy3DParms or cudaMemcpy3DPeerParms as a CUDA_MEMCPY3D."""
    to_device, from_device = ends(name, kind)
    sides = {end: getattr(given, f"{end}Array") for end in ("src", "dst")}
    found = {end: arrays.find_plain(handle, name) for end, handle in sides.items() if handle}
    # Extents count elements where there is an array, else bytes.
    elements = {each.shape.element for each in found.values()} or {1}
    if len(elements) > 1:
        raise invalid(f"{name}: the elements of the arrays have {' and '.join(map(str, sorted(elements)))} bytes")
    element, extent = elements.pop(), given.extent
    box = CUDA_MEMCPY3D(WidthInBytes=extent.width * element, Height=extent.height, Depth=extent.depth)
    for end, on_device in (("dst", to_device), ("src", from_device)):
        memory, corner = getattr(given, f"{end}Ptr"), getattr(given, f"{end}Pos")
        if end in found:
            setattr(box, f"{end}MemoryType", CU_MEMORYTYPE_ARRAY)
            setattr(box, f"{end}Array", found[end].handle)
        else:
            set_end(box, end, memory.ptr, memory.pitch, on_device, kind)
            setattr(box, f"{end}Height", memory.ysize)
        setattr(box, f"{end}XInBytes", corner.x * (element if end in found else 1))
        setattr(box, f"{end}Y", corner.y)
        setattr(box, f"{end}Z", corner.z)
    return box


def parameters(name: str, structure: type[ctypes.Structure], at: int) -> Any:
    if not at:
        raise invalid(f"{name}: p is NULL")
    ensure_context()
    return structure.from_address(at)


def cudaMemcpy3D(p: int) -> None:
    given = parameters("cudaMemcpy3D", abi.cudaMemcpy3DParms, p)
    copy_box.copy_box("cudaMemcpy3D", box_of("cudaMemcpy3D", given, given.kind), copy.SYNC)


def cudaMemcpy3DAsync(p: int, stream: int) -> None:
    given = parameters("cudaMemcpy3DAsync", abi.cudaMemcpy3DParms, p)
    copy_box.copy_box("cudaMemcpy3DAsync", box_of("cudaMemcpy3DAsync", given, given.kind), stream)


def peers(name: str, at: int) -> Any:
    given = parameters(name, abi.cudaMemcpy3DPeerParms, at)
    primary_context(given.srcDevice), primary_context(given.dstDevice)
    return box_of(name, given, abi.cudaMemcpyDeviceToDevice)


def cudaMemcpy3DPeer(p: int) -> None:
    copy_box.copy_box("cudaMemcpy3DPeer", peers("cudaMemcpy3DPeer", p), copy.SYNC)


def cudaMemcpy3DPeerAsync(p: int, stream: int) -> None:
    copy_box.copy_box("cudaMemcpy3DPeerAsync", peers("cudaMemcpy3DPeerAsync", p), stream)
