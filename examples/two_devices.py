# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Use two devices at once: without GPUs, `CUDA_CPU_DEVICES=2 python two_devices.py` creates two CPU devices."""

import numpy as np

from cuda.core import Device, LaunchConfig, LegacyPinnedMemoryResource, Module, launch

SOURCE = r"""
extern "C" __global__ void squares(double *x, int first)
{
    x[threadIdx.x] = (double)(first + (int)threadIdx.x) * (first + (int)threadIdx.x);
}
"""
PART = 256


def main():
    devices = Device.get_all_devices()[:2]
    if len(devices) == 1:
        print("there is one device; to get two without a second GPU: CUDA_PYTHON_DRIVER=cpu CUDA_CPU_DEVICES=2")
    devices[0].set_current()
    result = LegacyPinnedMemoryResource().allocate(8 * PART * len(devices), stream=devices[0].default_stream)
    streams, parts = [], []
    for number, device in enumerate(devices):
        device.set_current()  # the following calls use this device
        stream = device.create_stream()
        part = device.allocate(8 * PART, stream=stream)
        kernel = Module.from_source(SOURCE).squares
        launch(stream, LaunchConfig(grid=1, block=PART), kernel, part, number * PART)
        streams.append(stream)
        parts.append(part)

    devices[0].set_current()
    gathered = devices[0].allocate(result.size, stream=streams[0])
    for number, (stream, part) in enumerate(zip(streams, parts, strict=True)):
        streams[0].wait(stream)  # across devices, too
        target = type(gathered).from_handle(int(gathered.handle) + number * part.size, part.size, owner=gathered)
        target.copy_from(part, stream=streams[0])
    gathered.copy_to(result, stream=streams[0])
    streams[0].sync()

    values = np.from_dlpack(result).view(np.float64)
    np.testing.assert_array_equal(values, np.arange(len(values), dtype=float) ** 2)
    print(f"two_devices: {len(values)} squares from {len(devices)} of {devices[0].name}")


if __name__ == "__main__":
    main()
