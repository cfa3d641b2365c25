# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Types for annotations, and the enumerations whose members the API takes and returns as strings."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, runtime_checkable

from cuda.core._utils._lazy import no_attribute

if TYPE_CHECKING:
    from cuda.bindings.driver import CUdeviceptr
    from cuda.core._device._device_resources import SMResource, WorkqueueResource

    DevicePointerType: TypeAlias = int | CUdeviceptr | None
    DeviceResourcesType: TypeAlias = Sequence[SMResource | WorkqueueResource]

__all__ = [
    "AddressModeType",
    "ArrayFormatType",
    "CompilerBackendType",
    "DevicePointerType",
    "DeviceResourcesType",
    "FilterModeType",
    "GraphConditionalType",
    "GraphMemoryType",
    "IsStreamType",
    "ManagedMemoryLocationType",
    "ObjectCodeFormatType",
    "PCHStatusType",
    "ProcessStateType",
    "ReadModeType",
    "SourceCodeType",
    "VirtualMemoryAccessType",
    "VirtualMemoryAllocationType",
    "VirtualMemoryGranularityType",
    "VirtualMemoryHandleType",
    "VirtualMemoryLocationType",
    "WorkqueueSharingScopeType",
]


class AddressModeType(StrEnum):
    """The result of texture reads outside of the image."""

    WRAP = "wrap"
    CLAMP = "clamp"
    MIRROR = "mirror"
    BORDER = "border"


class ArrayFormatType(StrEnum):
    """The type of an array element's channels."""

    UINT8 = "uint8"
    UINT16 = "uint16"
    UINT32 = "uint32"
    INT8 = "int8"
    INT16 = "int16"
    INT32 = "int32"
    FLOAT16 = "float16"
    FLOAT32 = "float32"


class FilterModeType(StrEnum):
    """The filtering of a texture: the nearest element or linear interpolation."""

    POINT = "point"
    LINEAR = "linear"


class ReadModeType(StrEnum):
    """The type of texture reads: the element type or normalized floating point."""

    ELEMENT_TYPE = "element_type"
    NORMALIZED_FLOAT = "normalized_float"


class CompilerBackendType(StrEnum):
    """The compiler or linker of a program."""

    NVRTC = "NVRTC"
    CLANG = "clang"
    NVVM = "NVVM"
    NVJITLINK = "nvJitLink"
    TILEIRAS = "tileiras"
    DRIVER = "driver"


class GraphConditionalType(StrEnum):
    """The type of a conditional node."""

    IF = "if"
    WHILE = "while"
    SWITCH = "switch"


class GraphMemoryType(StrEnum):
    """The type of memory that an allocation node allocates."""

    DEVICE = "device"
    HOST = "host"
    MANAGED = "managed"


class ObjectCodeFormatType(StrEnum):
    """The type of the code in an `ObjectCode`."""

    PTX = "ptx"
    CUBIN = "cubin"
    LTOIR = "ltoir"
    TILE_IR = "tile_ir"
    FATBIN = "fatbin"
    OBJECT = "object"
    LIBRARY = "library"


class PCHStatusType(StrEnum):
    """The outcome of creating a precompiled header."""

    CREATED = "created"
    NOT_ATTEMPTED = "not_attempted"
    FAILED = "failed"


# The type of `cuda.core.checkpoint.Process.state`.
ProcessStateType: TypeAlias = Literal["running", "locked", "checkpointed", "failed"]


class SourceCodeType(StrEnum):
    """The source language of a `Program`."""

    CXX = "c++"
    PTX = "ptx"
    NVVM = "nvvm"
    TILE = "tile"


class ManagedMemoryLocationType(StrEnum):
    """The type of a managed memory pool's preferred location."""

    DEVICE = "device"
    HOST = "host"
    HOST_NUMA = "host_numa"


class VirtualMemoryAccessType(StrEnum):
    """A device's access rights to virtual memory."""

    READ_WRITE = "rw"
    READ = "r"


class VirtualMemoryAllocationType(StrEnum):
    """The type of the physical memory behind virtual memory."""

    PINNED = "pinned"
    MANAGED = "managed"


class VirtualMemoryGranularityType(StrEnum):
    """The allocation granularity of virtual memory."""

    MINIMUM = "minimum"
    RECOMMENDED = "recommended"


class VirtualMemoryHandleType(StrEnum):
    """The type of handle with which other processes can open virtual memory."""

    POSIX_FD = "posix_fd"
    WIN32_KMT = "win32_kmt"
    FABRIC = "fabric"


class VirtualMemoryLocationType(StrEnum):
    """The location of the physical memory behind virtual memory."""

    DEVICE = "device"
    HOST = "host"
    HOST_NUMA = "host_numa"
    HOST_NUMA_CURRENT = "host_numa_current"


class WorkqueueSharingScopeType(StrEnum):
    """The sharing scope of a context's work queues."""

    DEVICE_CTX = "device_ctx"
    GREEN_CTX_BALANCED = "green_ctx_balanced"


@runtime_checkable
class IsStreamType(Protocol):
    """Any object that provides a CUDA stream by the `__cuda_stream__` protocol."""

    def __cuda_stream__(self) -> tuple[int, int]:
        """Return the protocol's version, 0, and the stream's address."""
        ...


def __getattr__(name: str) -> Any:
    if name == "DevicePointerType":
        # Created on first use, since CUdeviceptr requires importing the bindings.
        from cuda.bindings.driver import CUdeviceptr

        globals()[name] = value = int | CUdeviceptr | None
        return value
    if name == "DeviceResourcesType":
        from cuda.core import SMResource, WorkqueueResource

        globals()[name] = resources = Sequence[SMResource | WorkqueueResource]
        return resources
    raise no_attribute("module 'cuda.core.typing'", name, __all__)


def __dir__() -> list[str]:
    return sorted({*(name for name in globals() if name.startswith("__")), *__all__})
