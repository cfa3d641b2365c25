# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Two devices in one program: a stream and memory on each, a copy between them."""

import numpy as np
from common import compiled, outcome, pinned

from cuda.core import Device, LaunchConfig, launch

devices = Device.get_all_devices()
print(len(devices), devices[1])
results = []
for device in devices[:2]:
    device.set_current()
    stream = device.create_stream()
    (kernel,) = compiled('extern "C" __global__ void fill(int *x, int y) { x[threadIdx.x] = y; }', "fill")
    on_device = device.allocate(64, stream=stream)
    launch(stream, LaunchConfig(grid=1, block=16), kernel, on_device, np.int32(device.device_id + 1))
    results.append((device, stream, on_device))
for _, stream, _ in results:
    stream.sync()
host, data = pinned(16, np.int32)
for _, stream, on_device in results:
    on_device.copy_to(host, stream=stream)
    stream.sync()
    print(data[:4], on_device.device_id, stream.device)
print(devices[0].can_access_peer(devices[1]), devices[0].can_access_peer(1))
devices[0].set_current()
results[0][2].copy_from(results[1][2], stream=results[0][1])
results[0][2].copy_to(host, stream=results[0][1])
results[0][1].sync()
print(data[:4])
print(outcome(Device, 2))
