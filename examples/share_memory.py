# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Share device memory between two processes without a copy."""

import multiprocessing

import numpy as np

from cuda.core import (
    Device,
    DeviceMemoryResource,
    DeviceMemoryResourceOptions,
    LaunchConfig,
    LegacyPinnedMemoryResource,
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
    host = LegacyPinnedMemoryResource().allocate(4 * COUNT, stream=stream)
    values = np.from_dlpack(host).view(np.int32)
    values[:] = np.arange(COUNT)
    buffer.copy_from(host, stream=stream)
    stream.sync()  # before the other process reads

    process = multiprocessing.get_context("spawn").Process(target=work, args=(buffer,))
    process.start()
    process.join()
    assert process.exitcode == 0

    buffer.copy_to(host, stream=stream)
    stream.sync()
    np.testing.assert_array_equal(values, 2 * np.arange(COUNT))
    print(f"share_memory: another process doubled {COUNT} numbers on {device.name}")


if __name__ == "__main__":
    main()
