# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Time cuda.core's memory calls on a driver that does nothing."""

import pyperf

from cuda.core import Device, LegacyPinnedMemoryResource


def allocate_and_close(resource, stream):
    resource.allocate(1024, stream=stream).close()


if __name__ == "__main__":
    runner = pyperf.Runner()
    device = Device()
    device.set_current()
    stream = device.create_stream()
    first, second = (device.allocate(1024, stream=stream) for _ in range(2))
    runner.bench_func("allocate and close, device", allocate_and_close, device.memory_resource, stream)
    runner.bench_func("allocate and close, pinned", allocate_and_close, LegacyPinnedMemoryResource(), stream)
    runner.bench_func("Buffer.copy_from", lambda: first.copy_from(second, stream=stream))
