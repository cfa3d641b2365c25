# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Pythonic access to CUDA: devices, streams, events, memory, compilation and kernel launches.

Names are looked up on first use, so that `import cuda.core` costs next to nothing.
"""

from __future__ import annotations

from cuda.bindings import _conflicts as _conflicts  # warns if NVIDIA's packages are installed in the same folder
from cuda.core._utils._lazy import lazy_names

TYPE_CHECKING = False  # type checkers assume True; importing typing would double the time of this import

__version__ = "1.2.2"

# Public name -> module that defines it.
_MODULES = {
    "Buffer": "_memory._buffer",
    "CUDAError": "_errors",
    "ClangError": "_errors",
    "ClosedError": "_errors",
    "Context": "_device._context",
    "ContextOptions": "_device._device_resources",
    "Device": "_device._device",
    "DeviceArray": "_array._device_array",
    "DeviceMemoryResource": "_memory._device_memory_resource",
    "DeviceMemoryResourceOptions": "_memory._pool_options",
    "DeviceResources": "_device._device_resources",
    "Event": "_stream._event",
    "EventOptions": "_stream._options",
    "GraphMemoryResource": "_memory._graph_memory_resource",
    "GraphicsResource": "_memory._graphics",
    "Host": "_device._host",
    "Kernel": "_launch._kernel",
    "LEGACY_DEFAULT_STREAM": "_stream._stream",
    "LaunchConfig": "_launch._launch_config",
    "Launcher": "_launch._launcher",
    "LegacyPinnedMemoryResource": "_memory._unpooled_memory",
    "Linker": "_program._linker",
    "LinkerOptions": "_program._linker_options",
    "ManagedBuffer": "_memory._managed_buffer",
    "ManagedMemoryResource": "_memory._managed_memory_resource",
    "ManagedMemoryResourceOptions": "_memory._pool_options",
    "MemoryResource": "_memory._resource",
    "Module": "_program._module",
    "NVRTCError": "_errors",
    "NVVMError": "_errors",
    "NvFatbinError": "_errors",
    "NvJitLinkError": "_errors",
    "ObjectCode": "_program._module",
    "PER_THREAD_DEFAULT_STREAM": "_stream._stream",
    "PinnedMemoryResource": "_memory._pinned_memory_resource",
    "PinnedMemoryResourceOptions": "_memory._pool_options",
    "Program": "_program._program",
    "ProgramOptions": "_program._program_options",
    "SMResource": "_device._device_resources",
    "SMResourceOptions": "_device._device_resources",
    "Stream": "_stream._stream",
    "StreamOptions": "_stream._options",
    "TileError": "_errors",
    "TensorMapDataType": "_launch._tensor_map_options",
    "TensorMapDescriptor": "_launch._tensor_map",
    "TensorMapDescriptorOptions": "_launch._tensor_map_options",
    "TensorMapInterleave": "_launch._tensor_map_options",
    "TensorMapL2Promotion": "_launch._tensor_map_options",
    "TensorMapOOBFill": "_launch._tensor_map_options",
    "TensorMapSwizzle": "_launch._tensor_map_options",
    "VirtualMemoryResource": "_memory._virtual_memory_resource",
    "VirtualMemoryResourceOptions": "_memory._virtual_memory_resource",
    "WorkqueueResource": "_device._device_resources",
    "WorkqueueResourceOptions": "_device._device_resources",
    "launch": "_launch._launch",
}
_SUBMODULES = ("checkpoint", "graph", "system", "texture", "typing", "utils")

__all__ = sorted(_MODULES)
__getattr__, __dir__ = lazy_names(globals(), _MODULES, _SUBMODULES)


if TYPE_CHECKING:
    from cuda.core._array._device_array import DeviceArray as DeviceArray
    from cuda.core._device._context import Context as Context
    from cuda.core._device._device import Device as Device
    from cuda.core._device._device_resources import ContextOptions as ContextOptions
    from cuda.core._device._device_resources import DeviceResources as DeviceResources
    from cuda.core._device._device_resources import SMResource as SMResource
    from cuda.core._device._device_resources import SMResourceOptions as SMResourceOptions
    from cuda.core._device._device_resources import WorkqueueResource as WorkqueueResource
    from cuda.core._device._device_resources import WorkqueueResourceOptions as WorkqueueResourceOptions
    from cuda.core._device._host import Host as Host
    from cuda.core._launch._kernel import Kernel as Kernel
    from cuda.core._launch._launch import launch as launch
    from cuda.core._launch._launch_config import LaunchConfig as LaunchConfig
    from cuda.core._launch._launcher import Launcher as Launcher
    from cuda.core._launch._tensor_map import TensorMapDescriptor as TensorMapDescriptor
    from cuda.core._launch._tensor_map_options import TensorMapDataType as TensorMapDataType
    from cuda.core._launch._tensor_map_options import TensorMapDescriptorOptions as TensorMapDescriptorOptions
    from cuda.core._launch._tensor_map_options import TensorMapInterleave as TensorMapInterleave
    from cuda.core._launch._tensor_map_options import TensorMapL2Promotion as TensorMapL2Promotion
    from cuda.core._launch._tensor_map_options import TensorMapOOBFill as TensorMapOOBFill
    from cuda.core._launch._tensor_map_options import TensorMapSwizzle as TensorMapSwizzle
    from cuda.core._memory._buffer import Buffer as Buffer
    from cuda.core._memory._device_memory_resource import DeviceMemoryResource as DeviceMemoryResource
    from cuda.core._memory._graph_memory_resource import GraphMemoryResource as GraphMemoryResource
    from cuda.core._memory._graphics import GraphicsResource as GraphicsResource
    from cuda.core._memory._managed_buffer import ManagedBuffer as ManagedBuffer
    from cuda.core._memory._managed_memory_resource import ManagedMemoryResource as ManagedMemoryResource
    from cuda.core._memory._pinned_memory_resource import PinnedMemoryResource as PinnedMemoryResource
    from cuda.core._memory._resource import MemoryResource as MemoryResource
    from cuda.core._memory._unpooled_memory import LegacyPinnedMemoryResource as LegacyPinnedMemoryResource
    from cuda.core._memory._virtual_memory_resource import VirtualMemoryResource as VirtualMemoryResource
    from cuda.core._memory._virtual_memory_resource import (
        VirtualMemoryResourceOptions as VirtualMemoryResourceOptions,
    )
    from cuda.core._program._linker import Linker as Linker
    from cuda.core._program._linker_options import LinkerOptions as LinkerOptions
    from cuda.core._program._module import Module as Module
    from cuda.core._program._module import ObjectCode as ObjectCode
    from cuda.core._program._program import Program as Program
    from cuda.core._program._program_options import ProgramOptions as ProgramOptions
    from cuda.core._stream._event import Event as Event
    from cuda.core._stream._stream import LEGACY_DEFAULT_STREAM as LEGACY_DEFAULT_STREAM
    from cuda.core._stream._stream import PER_THREAD_DEFAULT_STREAM as PER_THREAD_DEFAULT_STREAM
    from cuda.core._stream._stream import Stream as Stream

    from ._errors import ClangError as ClangError
    from ._errors import ClosedError as ClosedError
    from ._errors import CUDAError as CUDAError
    from ._errors import NvFatbinError as NvFatbinError
    from ._errors import NvJitLinkError as NvJitLinkError
    from ._errors import NVRTCError as NVRTCError
    from ._errors import NVVMError as NVVMError
    from ._errors import TileError as TileError
    from ._memory._pool_options import DeviceMemoryResourceOptions as DeviceMemoryResourceOptions
    from ._memory._pool_options import ManagedMemoryResourceOptions as ManagedMemoryResourceOptions
    from ._memory._pool_options import PinnedMemoryResourceOptions as PinnedMemoryResourceOptions
    from ._stream._options import EventOptions as EventOptions
    from ._stream._options import StreamOptions as StreamOptions
