# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Functions that the other process of the IPC tests runs; it imports this module."""

from __future__ import annotations

import multiprocessing
import os
import pickle


def serve(pipe):
    """Run requested functions of this module, and send back their results or exceptions."""
    from cuda.core import Device

    device = Device(0)
    device.set_current()
    kept = {}
    while True:
        name, *arguments = pipe.recv()
        if name == "end":
            return
        try:
            answer = globals()[name](kept, device.default_stream, *arguments)
        except Exception as error:
            answer = f"{type(error).__name__}: {error}"
        pipe.send(answer)


def read(kept, stream, buffer):
    """Return the bytes of a buffer."""
    from cuda.core import LegacyPinnedMemoryResource

    with LegacyPinnedMemoryResource().allocate(buffer.size, stream=stream) as pinned:
        buffer.copy_to(pinned, stream=stream)
        stream.sync()
        return bytes(pinned)


def write(kept, stream, buffer, value):
    """Fill a buffer, and return its attributes."""
    buffer.fill(value, stream=stream)
    stream.sync()
    return type(buffer).__name__, buffer.is_mapped, buffer.size, buffer.memory_resource.is_mapped


def keep(kept, stream, name, thing):
    """Store an object under a name."""
    kept[name] = thing
    return repr(thing)


def drop(kept, stream, name):
    """Close a stored object."""
    kept.pop(name).close()
    return "closed"


def read_pickled(kept, stream, data):
    """Return the bytes of a buffer that was sent with plain pickle."""
    return read(kept, stream, pickle.loads(data))


def write_twice(kept, stream, data):
    """Open one buffer twice, close the first, and use the second."""
    first, second = pickle.loads(data), pickle.loads(data)
    same = first.handle == second.handle
    first.close()
    second.fill(9, stream=stream)
    stream.sync()
    second.close()
    return same


def allocate(kept, stream, name):
    """Try to allocate from another process's resource."""
    return kept[name].allocate(8, stream=stream).size


def resource_facts(kept, stream, name):
    """Return the attributes of an opened resource."""
    resource = kept[name]
    return (
        resource.is_mapped,
        resource.is_ipc_enabled,
        resource.uuid,
        type(resource).from_registry(resource.uuid) is resource,
    )


def describe(kept, stream, buffer):
    """Return the descriptor of an imported buffer; raise if the file descriptor of its resource is closed."""
    os.fstat(int(buffer.memory_resource.allocation_handle))
    return buffer.ipc_descriptor


def forward(kept, stream, resource, buffer, value):
    """Forward a buffer of the parent to a third process, which fills it."""
    here, there = multiprocessing.get_context("spawn").Pipe()
    process = multiprocessing.get_context("spawn").Process(target=serve, args=(there,))
    process.start()
    there.close()
    here.send(("keep", "resource", resource))
    first = here.recv()
    here.send(("write", buffer, value))
    answer = first, here.recv()
    here.send(("end",))
    process.join(60)
    return answer


def open_descriptor(kept, stream, name, descriptor, value):
    """Open a buffer by its descriptor, and fill it."""
    from cuda.core import Buffer

    with Buffer.from_ipc_descriptor(kept[name], descriptor, stream=stream) as buffer:
        buffer.fill(value, stream=stream)
        stream.sync()
        return buffer.is_mapped


def export(kept, stream):
    """Return two exports of a buffer with 32 bytes of 3, and the descriptor of an event."""
    from multiprocessing.reduction import ForkingPickler

    from cuda.core import DeviceMemoryResource

    kept["buffer"] = DeviceMemoryResource(0, {"ipc_enabled": True}).allocate(32, stream=stream)
    kept["buffer"].fill(3, stream=stream)
    stream.sync()
    kept["event"] = stream.record(options={"ipc_enabled": True})
    exports = [bytes(ForkingPickler.dumps(kept["buffer"])) for _ in range(2)]
    return *exports, kept["event"].ipc_descriptor


def record(kept, stream, event):
    """Record an event of another process."""
    kept["event"] = event
    stream.record(event)
    return event.is_ipc_enabled, event.is_timing_enabled, event.is_blocking_sync, event.device.device_id


def is_done(kept, stream):
    """Return whether the stored event is done."""
    return kept["event"].is_done


def forked(answer):
    """Use CUDA in a forked child."""
    import warnings

    from cuda.core import Device

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            Device(0).sync()
            answer.send("works")
        except Exception as error:
            answer.send(str(error).splitlines()[0])


def open_event(descriptor):
    """Open an event of another process, in a process of a pool."""
    from cuda.core import Device, Event

    Device(0).set_current()
    Event.from_ipc_descriptor(descriptor).sync()


def open_buffer(resource, descriptor):
    """Open a buffer of another process, in a process of a pool."""
    from cuda.core import Buffer, Device

    device = Device(0)
    device.set_current()
    Buffer.from_ipc_descriptor(resource, descriptor, stream=device.default_stream).close()


def compile_wrong_source():
    """Compile a kernel with an error, in a process of a pool."""
    from cuda.core import Program, ProgramOptions

    Program("wrong", "c++", ProgramOptions(arch="sm_90")).compile("ptx")
