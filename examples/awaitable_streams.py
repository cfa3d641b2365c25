# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Serve requests with asyncio: each request awaits its own stream and does not block the event loop."""

import asyncio

import numpy as np

from cuda.core import Device, LaunchConfig, LegacyPinnedMemoryResource, Module, launch

SOURCE = r"""
extern "C" __global__ void collatz(unsigned long long start, unsigned *steps)   // steps until 1
{
    unsigned long long value = start + threadIdx.x;
    unsigned count = 0;
    for (; value != 1; ++count)
        value = value % 2 ? 3 * value + 1 : value / 2;
    steps[threadIdx.x] = count;
}
"""


async def longest(device, kernel, start):
    """Return which of 256 numbers from `start` takes the most steps, and how many."""
    with device.create_stream() as stream:
        buffer = LegacyPinnedMemoryResource().allocate(4 * 256, stream=stream)
        launch(stream, LaunchConfig(grid=1, block=256), kernel, start, buffer)
        await stream
        steps = np.from_dlpack(buffer).view(np.uint32)
        return start + int(steps.argmax()), int(steps.max())


async def count_ticks(ticks):
    while True:
        ticks.append(None)
        await asyncio.sleep(0)


async def serve():
    device = Device()
    device.set_current()
    kernel = Module.from_source(SOURCE).collatz
    ticks = []
    ticking = asyncio.create_task(count_ticks(ticks))  # other work of the program in the meantime
    answers = await asyncio.gather(*(longest(device, kernel, start) for start in range(1, 256 * 40, 256)))
    ticking.cancel()
    return max(answers, key=lambda answer: answer[1]), len(ticks), device.name


def main():
    (number, steps), ticks, name = asyncio.run(serve())
    assert (number, steps) == (6171, 261)  # the longest sequence below 10,000, a known result
    assert ticks > 1  # the event loop was not blocked
    print(f"awaitable_streams: on {name}, {number} takes {steps} steps; the event loop ran meanwhile")


if __name__ == "__main__":
    main()
