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
    "Context": "_context",
    "Device": "_device",
    "DeviceMemoryResource": "_memory_resource",
    "DeviceMemoryResourceOptions": "_options",
    "Event": "_event",
    "EventOptions": "_options",
    "Kernel": "_kernel",
    "LEGACY_DEFAULT_STREAM": "_stream",
    "LaunchConfig": "_launch_config",
    "LegacyPinnedMemoryResource": "_memory_resource",
    "Linker": "_linker",
    "LinkerOptions": "_linker_options",
    "MemoryResource": "_memory_resource",
    "Module": "_module",
    "NVRTCError": "_errors",
    "NvJitLinkError": "_errors",
    "ObjectCode": "_module",
    "PER_THREAD_DEFAULT_STREAM": "_stream",
    "Program": "_program",
    "ProgramOptions": "_program_options",
    "Stream": "_stream",
    "StreamOptions": "_options",
    "launch": "_launch",
}
_SUBMODULES = ("graph", "typing", "utils")

# Names of the public API that this version lacks: they get an error of their own, for a misspelling is another matter.
_NOT_YET = frozenset(
    [
        "ContextOptions",
        "DeviceResources",
        "GraphMemoryResource",
        "GraphicsResource",
        "Host",
        "ManagedBuffer",
        "ManagedMemoryResource",
        "ManagedMemoryResourceOptions",
        "PinnedMemoryResource",
        "PinnedMemoryResourceOptions",
        "SMResource",
        "SMResourceOptions",
        "TensorMapDescriptor",
        "TensorMapDescriptorOptions",
        "VirtualMemoryResource",
        "VirtualMemoryResourceOptions",
        "WorkqueueResource",
        "WorkqueueResourceOptions",
        "texture",
        "system",
        "checkpoint",
    ]
)

__all__ = sorted(_HOME)


def __getattr__(name: str):
    if name in _HOME:
        value = getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    elif name in _SUBMODULES:
        value = importlib.import_module(f"{__name__}.{name}")
    elif name in _NOT_YET:
        raise AttributeError(
            f"cuda.core.{name} is part of the API of cuda.core {__version__}, but not yet of this version"
        )
    else:
        raise AttributeError(f"module 'cuda.core' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME, *_SUBMODULES})


if TYPE_CHECKING:
    from ._buffer import Buffer as Buffer
    from ._context import Context as Context
    from ._device import Device as Device
    from ._errors import CUDAError as CUDAError
    from ._errors import NvJitLinkError as NvJitLinkError
    from ._errors import NVRTCError as NVRTCError
    from ._event import Event as Event
    from ._kernel import Kernel as Kernel
    from ._launch import launch as launch
    from ._launch_config import LaunchConfig as LaunchConfig
    from ._linker import Linker as Linker
    from ._linker_options import LinkerOptions as LinkerOptions
    from ._memory_resource import DeviceMemoryResource as DeviceMemoryResource
    from ._memory_resource import (
        LegacyPinnedMemoryResource as LegacyPinnedMemoryResource,
    )
    from ._memory_resource import MemoryResource as MemoryResource
    from ._module import Module as Module
    from ._module import ObjectCode as ObjectCode
    from ._options import DeviceMemoryResourceOptions as DeviceMemoryResourceOptions
    from ._options import EventOptions as EventOptions
    from ._options import StreamOptions as StreamOptions
    from ._program import Program as Program
    from ._program_options import ProgramOptions as ProgramOptions
    from ._stream import LEGACY_DEFAULT_STREAM as LEGACY_DEFAULT_STREAM
    from ._stream import PER_THREAD_DEFAULT_STREAM as PER_THREAD_DEFAULT_STREAM
    from ._stream import Stream as Stream
