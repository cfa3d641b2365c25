# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""NVIDIA's Warp on the CPU device: its calls of the runtime library are replaced where it calls C.

Warp compiles by NVRTC and launches by libcuda. For the rest, its library warp.so contains NVIDIA's libcudart, which
needs NVIDIA's driver. Warp calls it by ctypes, where each function has its argument types:

- memory, copies, events and graphs become calls of our driver;
- a function `wp_..._device` that has the same arguments as `wp_..._host`, up to the context in front and the stream
  behind, becomes a wait and a call of the latter, or a node of a graph: the device's memory is the host's;
- every other `wp_..._device` raises an error. Warp itself does not check all of them.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from cuda.cpu.programs.driver_calls import address, call, current, returned, value
from cuda.cpu.programs.warp_graphs import Graphs

VERSION = "1.19."  # whose functions these are
_pointer, _size = ctypes.c_void_p, ctypes.c_size_t
# Functions that build trees, and the argument that selects how: LBVH has kernels only, SAH is built by the host.
BUILDERS = {"wp_mesh_create_device": 7, "wp_bvh_create_device": 4}
LBVH, SAH = 2, 0
STATUS = (None, ctypes.c_int, ctypes.c_bool)  # what functions return that create nothing
CURRENT = (None, 0, 2**64 - 1)  # Warp's streams that mean the current one of a context


def wait(context: Any) -> None:
    """Wait for all work of a context, see `current`."""
    with current(context):
        call("cuCtxSynchronize")


def fill(to: int, pattern: bytes, count: int, stream: ctypes.c_void_p) -> None:
    """Write a pattern of bytes several times, by commands of a stream, which may be captured into a graph."""
    unit = next(each for each in (4, 2, 1) if (to | len(pattern)) % each == 0)
    kind: Any = {4: ctypes.c_uint32, 2: ctypes.c_uint16, 1: ctypes.c_ubyte}[unit]
    words = (kind * (len(pattern) // unit)).from_buffer_copy(pattern)
    if len(set(words)) == 1:
        size = _size(len(words) * count)
        call(f"cuMemsetD{8 * unit}Async", _pointer(to), kind(words[0]), size, stream)
        return
    for at, word in enumerate(words):  # a column of one word in each repetition
        place, pitch = _pointer(to + at * unit), _size(len(pattern))
        call(f"cuMemsetD2D{8 * unit}Async", place, pitch, kind(word), _size(1), _size(count), stream)


class Functions(Graphs):
    """The replaced functions, by their names without the `wp_` in front."""

    def __init__(self, core: Any) -> None:
        super().__init__()
        self.core = core

    def _stream(self, context: Any, stream: Any) -> ctypes.c_void_p:
        stream = value(stream)
        return _pointer(self.core.wp_cuda_context_get_stream(context) if stream in CURRENT else stream)

    def alloc_device_managed(self, context: Any, size: int, *_: Any) -> int:
        return returned(_pointer, "cuMemAllocManaged", _size(max(size, 1)), 1)

    def alloc_pinned(self, size: int, *_: Any) -> int:
        with current():
            return returned(_pointer, "cuMemHostAlloc", _size(max(size, 1)), 0)

    def free_pinned(self, pointer: Any) -> None:
        call("cuMemFreeHost", address(pointer))

    def memcpy_h2d(self, context: Any, to: Any, source: Any, size: int, stream: Any) -> bool:
        call("cuMemcpyAsync", address(to), address(source), _size(size), self._stream(context, stream))
        return True

    memcpy_d2h = memcpy_d2d = memcpy_h2d

    def memset_device(self, context: Any, to: Any, byte: int, size: int, stream: Any) -> bool:
        call("cuMemsetD8Async", address(to), ctypes.c_ubyte(byte & 255), _size(size), self._stream(context, stream))
        return True

    def memtile_device(self, context: Any, to: Any, source: Any, size: int, count: int) -> None:
        if count and size:
            with current(context):
                fill(value(to), ctypes.string_at(value(source), size), count, self._stream(context, None))

    def cuda_event_elapsed_time(self, begin: Any, end: Any) -> float:
        return returned(ctypes.c_float, "cuEventElapsedTime", address(begin), address(end))


def on_host(core: Any, own: Functions, name: str) -> Callable[..., Any]:
    """Return what replaces a function of the device that needs kernels of Warp's own library."""
    original = getattr(core, name)
    types = list(original.argtypes or [])
    instead = getattr(core, name.replace("_device", "_host"), None)
    parts = [slice(0, None), slice(1, None), slice(1, -1)]  # all; without context; without context and stream
    part = next((part for part in parts if instead and types[part] == list(instead.argtypes or [])), None)

    def call_on_host(*arguments: Any) -> Any:
        if instead is None or part is None:
            raise NotImplementedError(f"{name} of Warp needs NVIDIA's libcudart, which does not run on the CPU device")
        builder = BUILDERS.get(name)
        if builder is not None and arguments[builder] == LBVH:
            arguments = (*arguments[:builder], SAH, *arguments[builder + 1 :])
        context, given = arguments[0] if part.start else None, arguments[part]
        stream = own._stream(context, arguments[-1] if part.stop else None)
        if own.captured.uses and own.cuda_stream_is_capturing(stream):
            if instead.restype not in STATUS:
                raise NotImplementedError(f"{name} of Warp cannot be part of a graph on the CPU device")
            own.call_in_graph(stream, lambda: instead(*given))
            return True
        wait(context)
        result = instead(*given)
        # Those that refit meshes return success for the device (ctypes' default type, int), nothing for the host.
        return True if instead.restype is None and original.restype is not None else result

    return call_on_host


def replace(core: Any) -> None:
    """Replace the functions of Warp's library that need libcudart."""
    own = Functions(core)
    names = [name for name in vars(core) if name.startswith("wp_")]
    for name in names:
        if hasattr(own, short := name.removeprefix("wp_")):
            setattr(core, name, getattr(own, short))
        elif name.endswith("_device"):
            setattr(core, name, on_host(core, own, name))


def install() -> None:
    """Let Warp replace the functions when it has opened its library.

    Raises
    ------
    ImportError
        This version of Warp is not supported.
    """
    from warp import config
    from warp._src.context import Runtime

    if not config.version.startswith(VERSION):
        raise ImportError(f"Warp {config.version} does not run on the CPU device; {VERSION}x does")
    open_library = Runtime.__init__

    def initialise(self: Any, *args: Any, **kwargs: Any) -> None:
        open_library(self, *args, **kwargs)
        replace(self.core)

    Runtime.__init__ = initialise
