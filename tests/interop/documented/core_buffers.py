# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Buffers: fills of all sizes, copies and their errors, DLPack, pickling, equality, streams of close()."""

import pickle

import numpy as np
from common import begin, outcome, pinned

from cuda.core import Buffer, LegacyPinnedMemoryResource, MemoryResource

device, stream = begin()
buffer = device.allocate(64, stream=stream)
print(
    buffer.size,
    buffer.is_device_accessible,
    buffer.is_host_accessible,
    buffer.device_id,
    buffer.memory_resource is device.memory_resource,
)
for value in (
    7,
    b"\x01",
    b"\x01\x02",
    b"\x01\x02\x03\x04",
    np.uint8(3),
    np.int16(-2),
    np.float32(1.5),
    -1,
    256,
    1.5,
    b"123",
    b"",
    "a",
    None,
    np.float64(1),
    True,
):
    print(repr(value), outcome(buffer.fill, value, stream=stream))
host, data = pinned(64, np.uint8)
host.copy_from(buffer, stream=stream)
stream.sync()
print(data[:8])
small = device.allocate(32, stream=stream)
print(
    outcome(buffer.copy_to, small, stream=stream),
    outcome(buffer.copy_from, small, stream=stream),
    outcome(buffer.copy_to, 3, stream=stream),
)
made = outcome(lambda: type(buffer.copy_to(stream=stream)).__name__)
print(made, outcome(buffer.copy_to, small), outcome(buffer.copy_to, small, stream=3))
print(
    outcome(lambda: np.from_dlpack(buffer)) in ("BufferError", "RuntimeError", "ValueError"),
    [int(x) for x in buffer.__dlpack_device__()],
    [int(x) for x in host.__dlpack_device__()],
)
print(outcome(pickle.dumps, buffer))
print(outcome(len, buffer), outcome(int, buffer.handle) == int(buffer.handle), isinstance(buffer.handle, int))
wrapped = Buffer.from_handle(int(buffer.handle), 64)
print(
    wrapped.size,
    wrapped.memory_resource,
    wrapped.is_mapped,
    outcome(lambda: wrapped.device_id),
    wrapped == buffer,
    hash(wrapped) == hash(buffer),
)
print(outcome(lambda: wrapped.is_device_accessible), outcome(lambda: wrapped.is_host_accessible))
wrapped.close()
print(buffer.size, wrapped.size, int(wrapped.handle or 0))
for mr in (LegacyPinnedMemoryResource(), device.memory_resource):
    print(
        type(mr).__name__,
        mr.is_device_accessible,
        mr.is_host_accessible,
        outcome(getattr, mr, "device_id"),
        isinstance(mr, MemoryResource),
    )
    print(
        outcome(mr.allocate, -1, stream=stream),
        outcome(mr.allocate, "a", stream=stream),
        outcome(mr.allocate, 2**62, stream=stream),
    )
buffer.close(stream)
print(int(buffer.handle or 0), buffer.size, outcome(buffer.close))
