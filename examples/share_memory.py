# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Share device memory between two processes without a copy."""

import multiprocessing

import numpy as np

from cuda.core import (
    Device,
    DeviceArray,
    DeviceMemoryResource,
    DeviceMemoryResourceOptions,
    LaunchConfig,
    Module,
    launch,
)

COUNT = 128


def work(buffer):
    """Run in the other process: double the numbers in the buffer."""
    device = Device()
    device.set_current()
    twice = Module.from_source('extern "C" __global__ void twice(int *x) { x[threadIdx.x] *= 2; }').twice
    with device.create_stream() as stream:
        launch(stream, LaunchConfig(grid=1, block=COUNT), twice, buffer)
        stream.sync()
    buffer.close()


def main():
    device = Device()
    device.set_current()
    stream = device.create_stream()
    resource = DeviceMemoryResource(device, DeviceMemoryResourceOptions(max_size=1 << 20, ipc_enabled=True))
    buffer = resource.allocate(4 * COUNT, stream=stream)
    values = DeviceArray.from_buffer(buffer, COUNT, np.int32)  # the same memory, with shape and type
    values.copy_from(np.arange(COUNT, dtype=np.int32), stream=stream)
    stream.sync()  # before the other process reads

    process = multiprocessing.get_context("spawn").Process(target=work, args=(buffer,))
    process.start()
    process.join()
    assert process.exitcode == 0

    np.testing.assert_array_equal(values.to_host(stream=stream), 2 * np.arange(COUNT))
    print(f"share_memory: another process doubled {COUNT} numbers on {device.name}")


if __name__ == "__main__":
    main()
