# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Time cuda.core's hot calls on a driver that does nothing: launches of 0, 3 and 10 arguments, records, queries."""

import numpy as np
import pyperf

from cuda.core import Device, LaunchConfig, ObjectCode, launch

# The driver reads no PTX: it knows kernels by the number of parameters in their names.
PTX = b".version 8.0\n.target sm_90\n.address_size 64\n.entry takes_0() { ret; }\0"

if __name__ == "__main__":
    runner = pyperf.Runner()
    device = Device()
    device.set_current()
    stream = device.create_stream()
    event = device.create_event()
    module = ObjectCode.from_ptx(PTX)
    none, three, ten = (module.get_kernel(f"takes_{count}") for count in (0, 3, 10))
    config = LaunchConfig(grid=16, block=256)
    buffers = [device.allocate(1024, stream=stream) for _ in range(8)]
    few = (np.float32(2), buffers[0], buffers[1])
    many = (*buffers, np.uint64(5), np.int32(7))
    runner.bench_func("launch, 0 arguments", launch, stream, config, none)
    runner.bench_func("launch, 3 arguments", launch, stream, config, three, *few)
    runner.bench_func("launch, 10 arguments", launch, stream, config, ten, *many)
    runner.bench_func("Stream.record(event)", stream.record, event)
    runner.bench_func("Event.is_done", lambda: event.is_done)
    runner.bench_func("Stream.sync()", stream.sync)
