# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""What the programs share: a device with a stream, compilation, pinned arrays, checked calls of the bindings."""

import atexit

import numpy as np

from cuda.core import Device, LegacyPinnedMemoryResource, Program, ProgramOptions

_buffers = []  # kept until the program ends: arrays are views of them


def begin():
    """Return the current device and a stream of it."""
    device = Device()
    device.set_current()
    return device, device.create_stream()


def compiled(source, *names, arch=None, **options):
    """Return the kernels of a source."""
    target = arch or f"sm_{Device().arch}"
    program = Program(source, code_type="c++", options=ProgramOptions(std="c++17", arch=target, **options))
    code = program.compile("cubin", name_expressions=names)
    return [code.get_kernel(name) for name in names]


def pinned(count, kind, values=None):
    """Return pinned memory and an array over it."""
    buffer = LegacyPinnedMemoryResource().allocate(count * np.dtype(kind).itemsize)
    _buffers.append(buffer)
    array = np.from_dlpack(buffer).view(kind)
    array[:] = 0 if values is None else values
    return buffer, array


def check(result):
    """Return what a function of the bindings returns beside its status, which must be success."""
    status, *values = result
    if status.value:
        raise RuntimeError(f"{status.name} ({status.value})")
    return values[0] if len(values) == 1 else tuple(values) if values else None


def outcome(call, *arguments, **keywords):
    """Return the value of a call, or the type of what it raises."""
    try:
        return call(*arguments, **keywords)
    except Exception as error:
        return type(error).__name__


atexit.register(_buffers.clear)
