# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Types for annotations, and the enumerations whose members the API takes and returns as strings."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

if TYPE_CHECKING:
    from cuda.bindings.driver import CUdeviceptr

    DevicePointerType: TypeAlias = int | CUdeviceptr | None

__all__ = [
    "CompilerBackendType",
    "DevicePointerType",
    "IsStreamType",
    "ObjectCodeFormatType",
    "PCHStatusType",
    "SourceCodeType",
]


class CompilerBackendType(StrEnum):
    """What compiles or links a program."""

    NVRTC = "NVRTC"
    NVVM = "NVVM"
    NVJITLINK = "nvJitLink"
    DRIVER = "driver"


class ObjectCodeFormatType(StrEnum):
    """What an `ObjectCode` holds."""

    PTX = "ptx"
    CUBIN = "cubin"
    LTOIR = "ltoir"
    FATBIN = "fatbin"
    OBJECT = "object"
    LIBRARY = "library"


class PCHStatusType(StrEnum):
    """Whether a compilation wrote a precompiled header."""

    CREATED = "created"
    NOT_ATTEMPTED = "not_attempted"
    FAILED = "failed"


class SourceCodeType(StrEnum):
    """What a `Program` is written in."""

    CXX = "c++"
    PTX = "ptx"
    NVVM = "nvvm"


@runtime_checkable
class IsStreamType(Protocol):
    """Any object that hands out a CUDA stream by the `__cuda_stream__` protocol."""

    def __cuda_stream__(self) -> tuple[int, int]:
        """Return the protocol's version, 0, and the stream's address."""
        ...


# Types of what this version lacks: graphs, textures, managed and virtual memory, green contexts, checkpoints.
_NOT_YET = frozenset(
    [
        "AddressModeType",
        "ArrayFormatType",
        "DeviceResourcesType",
        "FilterModeType",
        "GraphConditionalType",
        "GraphMemoryType",
        "ManagedMemoryLocationType",
        "ProcessStateType",
        "ReadModeType",
        "VirtualMemoryAccessType",
        "VirtualMemoryAllocationType",
        "VirtualMemoryGranularityType",
        "VirtualMemoryHandleType",
        "VirtualMemoryLocationType",
        "WorkqueueSharingScopeType",
    ]
)


def __getattr__(name: str) -> Any:
    if name == "DevicePointerType":
        # Made on first use, since CUdeviceptr needs the bindings.
        from cuda.bindings.driver import CUdeviceptr

        globals()[name] = value = int | CUdeviceptr | None
        return value
    if name in _NOT_YET:
        raise AttributeError(
            f"cuda.core.typing.{name} is part of the API of cuda.core 1.2.2, but not yet of this version"
        )
    raise AttributeError(f"module 'cuda.core.typing' has no attribute {name!r}")
