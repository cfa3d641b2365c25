# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Pythonic access to CUDA: devices, streams, events, memory, compilation and kernel launches.

Names are looked up on first use, so that `import cuda.core` costs next to nothing.
"""

from __future__ import annotations

import importlib

from cuda.bindings import _neighbours as _neighbours  # warns where NVIDIA's packages lie beside

TYPE_CHECKING = False  # what type checkers take for true; importing typing would be half of this import's time

__version__ = "1.2.2"

# Public name -> module that defines it.
_HOME = {
    "Buffer": "_buffer",
    "CUDAError": "_errors",
    "ClosedError": "_errors",
    "Context": "_context",
    "ContextOptions": "_device_resources",
    "Device": "_device",
    "DeviceMemoryResource": "_device_memory_resource",
    "DeviceMemoryResourceOptions": "_options",
    "DeviceResources": "_device_resources",
    "Event": "_event",
    "EventOptions": "_options",
    "GraphMemoryResource": "_graph_memory_resource",
    "GraphicsResource": "_graphics",
    "Host": "_host",
    "Kernel": "_kernel",
    "LEGACY_DEFAULT_STREAM": "_stream",
    "LaunchConfig": "_launch_config",
    "Launcher": "_launcher",
    "LegacyPinnedMemoryResource": "_unpooled_memory",
    "Linker": "_linker",
    "LinkerOptions": "_linker_options",
    "ManagedBuffer": "_managed_buffer",
    "ManagedMemoryResource": "_managed_memory_resource",
    "ManagedMemoryResourceOptions": "_options",
    "MemoryResource": "_buffer",
    "Module": "_module",
    "NVRTCError": "_errors",
    "NVVMError": "_errors",
    "NvFatbinError": "_errors",
    "NvJitLinkError": "_errors",
    "ObjectCode": "_module",
    "PER_THREAD_DEFAULT_STREAM": "_stream",
    "PinnedMemoryResource": "_pinned_memory_resource",
    "PinnedMemoryResourceOptions": "_options",
    "Program": "_program",
    "ProgramOptions": "_program_options",
    "SMResource": "_device_resources",
    "SMResourceOptions": "_device_resources",
    "Stream": "_stream",
    "StreamOptions": "_options",
    "TensorMapDataType": "_tensor_map_options",
    "TensorMapDescriptor": "_tensor_map",
    "TensorMapDescriptorOptions": "_tensor_map_options",
    "TensorMapInterleave": "_tensor_map_options",
    "TensorMapL2Promotion": "_tensor_map_options",
    "TensorMapOOBFill": "_tensor_map_options",
    "TensorMapSwizzle": "_tensor_map_options",
    "VirtualMemoryResource": "_virtual_memory_resource",
    "VirtualMemoryResourceOptions": "_virtual_memory_resource",
    "WorkqueueResource": "_device_resources",
    "WorkqueueResourceOptions": "_device_resources",
    "launch": "_launch",
}
_SUBMODULES = ("checkpoint", "graph", "system", "texture", "typing", "utils")

__all__ = sorted(_HOME)


def __getattr__(name: str):
    if name in _HOME:
        value = getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    elif name in _SUBMODULES:
        value = importlib.import_module(f"{__name__}.{name}")
    else:
        raise AttributeError(f"module 'cuda.core' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*(name for name in globals() if name.startswith("__")), *__all__, *_SUBMODULES})


if TYPE_CHECKING:
    from ._buffer import Buffer as Buffer
    from ._buffer import MemoryResource as MemoryResource
    from ._context import Context as Context
    from ._device import Device as Device
    from ._device_memory_resource import DeviceMemoryResource as DeviceMemoryResource
    from ._device_resources import ContextOptions as ContextOptions
    from ._device_resources import DeviceResources as DeviceResources
    from ._device_resources import SMResource as SMResource
    from ._device_resources import SMResourceOptions as SMResourceOptions
    from ._device_resources import WorkqueueResource as WorkqueueResource
    from ._device_resources import WorkqueueResourceOptions as WorkqueueResourceOptions
    from ._errors import ClosedError as ClosedError
    from ._errors import CUDAError as CUDAError
    from ._errors import NvFatbinError as NvFatbinError
    from ._errors import NvJitLinkError as NvJitLinkError
    from ._errors import NVRTCError as NVRTCError
    from ._errors import NVVMError as NVVMError
    from ._event import Event as Event
    from ._graph_memory_resource import GraphMemoryResource as GraphMemoryResource
    from ._graphics import GraphicsResource as GraphicsResource
    from ._host import Host as Host
    from ._kernel import Kernel as Kernel
    from ._launch import launch as launch
    from ._launch_config import LaunchConfig as LaunchConfig
    from ._launcher import Launcher as Launcher
    from ._linker import Linker as Linker
    from ._linker_options import LinkerOptions as LinkerOptions
    from ._managed_buffer import ManagedBuffer as ManagedBuffer
    from ._managed_memory_resource import ManagedMemoryResource as ManagedMemoryResource
    from ._module import Module as Module
    from ._module import ObjectCode as ObjectCode
    from ._options import DeviceMemoryResourceOptions as DeviceMemoryResourceOptions
    from ._options import EventOptions as EventOptions
    from ._options import ManagedMemoryResourceOptions as ManagedMemoryResourceOptions
    from ._options import PinnedMemoryResourceOptions as PinnedMemoryResourceOptions
    from ._options import StreamOptions as StreamOptions
    from ._pinned_memory_resource import PinnedMemoryResource as PinnedMemoryResource
    from ._program import Program as Program
    from ._program_options import ProgramOptions as ProgramOptions
    from ._stream import LEGACY_DEFAULT_STREAM as LEGACY_DEFAULT_STREAM
    from ._stream import PER_THREAD_DEFAULT_STREAM as PER_THREAD_DEFAULT_STREAM
    from ._stream import Stream as Stream
    from ._tensor_map import TensorMapDescriptor as TensorMapDescriptor
    from ._tensor_map_options import TensorMapDataType as TensorMapDataType
    from ._tensor_map_options import TensorMapDescriptorOptions as TensorMapDescriptorOptions
    from ._tensor_map_options import TensorMapInterleave as TensorMapInterleave
    from ._tensor_map_options import TensorMapL2Promotion as TensorMapL2Promotion
    from ._tensor_map_options import TensorMapOOBFill as TensorMapOOBFill
    from ._tensor_map_options import TensorMapSwizzle as TensorMapSwizzle
    from ._unpooled_memory import LegacyPinnedMemoryResource as LegacyPinnedMemoryResource
    from ._virtual_memory_resource import VirtualMemoryResource as VirtualMemoryResource
    from ._virtual_memory_resource import VirtualMemoryResourceOptions as VirtualMemoryResourceOptions
