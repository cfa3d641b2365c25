# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Device memory and an event shared with another process."""

import multiprocessing

import numpy as np
from common import begin, compiled, pinned

from cuda.core import Device, DeviceMemoryResource, DeviceMemoryResourceOptions, EventOptions, LaunchConfig, launch

SOURCE = 'extern "C" __global__ void add(int *x, int y) { x[threadIdx.x] += y; }'


def child(buffer, queue):
    _, stream = begin()
    (add,) = compiled(SOURCE, "add")
    launch(stream, LaunchConfig(grid=1, block=16), add, buffer, np.int32(100))
    stream.sync()
    queue.put((buffer.size, buffer.is_mapped, buffer.memory_resource.is_mapped))
    buffer.close()


def main():
    device, stream = begin()
    resource = DeviceMemoryResource(device, DeviceMemoryResourceOptions(max_size=1 << 22, ipc_enabled=True))
    print(resource.is_ipc_enabled, resource.is_mapped, Device().properties.handle_type_posix_file_descriptor_supported)
    buffer = resource.allocate(64, stream=stream)
    buffer.fill(1, stream=stream)
    stream.sync()
    queue = multiprocessing.Queue()
    process = multiprocessing.Process(target=child, args=(buffer, queue))
    process.start()
    print(queue.get(timeout=60))
    process.join()
    host, data = pinned(16, np.int32)
    buffer.copy_to(host, stream=stream)
    stream.sync()
    print(process.exitcode, data[:4])
    event = stream.record(options=EventOptions(ipc_enabled=True))
    print(event.is_ipc_enabled, event.ipc_descriptor is not None)


if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    main()
