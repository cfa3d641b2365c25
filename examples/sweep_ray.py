# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Simulate the Gray-Scott reaction for a grid of parameters on the workers of a Ray cluster. Needs ray.

Two substances diffuse and react; patterns of spots, stripes or waves develop, depending on two rates. The kernel is
compiled once and put in Ray's object store, from which every worker loads it.
"""

import argparse
import os
import pathlib
import time

import numpy as np
import ray
from ray.util import ActorPool

from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch

SOURCE = r"""
extern "C" __global__ void react(const float2 *now, float2 *next, int size, float feed, float kill)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= size || y >= size)
        return;
    float2 here = now[y * size + x]; // the opposite edges are neighbours
    float2 north = now[(y > 0 ? y - 1 : size - 1) * size + x], south = now[(y < size - 1 ? y + 1 : 0) * size + x];
    float2 west = now[y * size + (x > 0 ? x - 1 : size - 1)], east = now[y * size + (x < size - 1 ? x + 1 : 0)];
    float spread_x = (north.x + south.x) + (west.x + east.x) - 4 * here.x;
    float spread_y = (north.y + south.y) + (west.y + east.y) - 4 * here.y;
    float reaction = here.x * here.y * here.y;
    next[y * size + x] = make_float2(here.x + (0.16f * spread_x - reaction + feed * (1 - here.x)),
                                     here.y + (0.08f * spread_y + reaction - (feed + kill) * here.y));
}
"""


def start(size):
    """Return the first substance everywhere, with some of the second in the middle: an array [y, x, substance]."""
    field = np.zeros((size, size, 2), np.float32)
    field[..., 0] = 1
    middle = slice(size // 2 - size // 10, size // 2 + size // 10)
    field[middle, middle] = 0.5, 0.25
    return field


def simulate_on_host(size, steps, feed, kill):
    """Return what the kernel computes, by NumPy: equal to the last bit."""
    feed, kill = np.float32(feed), np.float32(kill)
    now = start(size)
    for _ in range(steps):
        x, y = now[..., 0], now[..., 1]
        around = (np.roll(now, 1, 0) + np.roll(now, -1, 0)) + (np.roll(now, 1, 1) + np.roll(now, -1, 1)) - 4 * now
        reaction = x * y * y
        new_x = x + (0.16 * around[..., 0] - reaction + feed * (1 - x))
        new_y = y + (0.08 * around[..., 1] + reaction - (feed + kill) * y)
        now = np.stack([new_x, new_y], axis=-1)
    return now


@ray.remote(max_restarts=2, max_task_retries=2)  # Ray starts a dead worker again and repeats its task
class Simulator:
    """A worker process with a device."""

    def __init__(self, code):
        self.device = Device()
        self.device.set_current()
        self.stream = self.device.create_stream()
        self.kernel = code.get_kernel("react")

    def process(self):
        return os.getpid()

    def run(self, size, steps, feed, kill):
        """Return the parameters, the concentration of the second substance, and the process."""
        self.device.set_current()
        now = self.device.to_device(start(size), stream=self.stream)
        new = self.device.empty(now.shape, np.float32, stream=self.stream)
        config = LaunchConfig(grid=(-(-size // 32), -(-size // 8)), block=(32, 8))
        for _ in range(steps):
            launch(self.stream, config, self.kernel, now, new, size, np.float32(feed), np.float32(kill))
            now, new = new, now
        return feed, kill, now.to_host(stream=self.stream)[..., 1], os.getpid()


def draw(path, rows):
    """Write a picture of the results side by side."""
    from PIL import Image

    sheet = np.concatenate([np.concatenate([np.pad(each, 2) for each in row], axis=1) for row in rows])
    level = sheet / max(sheet.max(), 1e-30) * 2
    colours = np.stack([level - 1, level * 0.6, 0.25 + level / 2], axis=-1).clip(0, 1) * (sheet[..., None] > 0)
    Image.fromarray((255 * colours).astype(np.uint8)).save(path)


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--feed", type=float, nargs="+", default=[0.022, 0.03, 0.038], help="of the first substance")
    parser.add_argument("--kill", type=float, nargs="+", default=[0.051, 0.055, 0.059, 0.063], help="of the second")
    parser.add_argument("--size", type=int, default=96, help="cells in each direction")
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--address", help="of a running Ray cluster; default: a cluster of processes on this machine")
    parser.add_argument(
        "--results", metavar="FOLDER", help="write each result to a file, and do not repeat those there"
    )
    parser.add_argument("--picture", metavar="FILE", help="draw the results")
    return parser.parse_args()


def sweep(options, points, known):
    """Add the results of the points that are not known, as the workers deliver them."""
    device = Device()
    arch = ProgramOptions(arch=f"sm_{device.arch}", fma=False)  # rounded after each operation, as NumPy does
    # Compiled once; Ray copies it once to each node. The object exists while `code` does, for workers that start again.
    code = ray.put(Program(SOURCE, "c++", arch).compile("cubin"))
    gpus = min(1, ray.cluster_resources().get("GPU", 0) / options.workers)  # workers share if there are too few
    workers = [Simulator.options(num_gpus=gpus).remote(code) for _ in range(options.workers)]
    print("sweep: workers have the processes", *ray.get([worker.process.remote() for worker in workers]), flush=True)
    pool = ActorPool(workers)
    for point in points:
        if point not in known:
            pool.submit(lambda worker, point: worker.run.remote(options.size, options.steps, *point), point)
    while pool.has_next():
        feed, kill, field, process = pool.get_next_unordered(timeout=600)
        known[feed, kill] = field
        if options.results:
            save(path_of(options, feed, kill), field)
        print(f"sweep: {len(known)} of {len(points)}: feed {feed}, kill {kill}, by process {process}", flush=True)


def path_of(options, feed, kill):
    return pathlib.Path(options.results) / f"{feed}-{kill}-{options.size}-{options.steps}.npy"


def save(path, field):
    """Write a result. A file of this name is complete, whenever the program ends."""
    with path.with_suffix(".part").open("wb") as file:
        np.save(file, field)
    path.with_suffix(".part").replace(path)


def load_known(options, points):
    """Return the results of an earlier run."""
    if not options.results:
        return {}
    pathlib.Path(options.results).mkdir(exist_ok=True)
    return {point: np.load(path) for point in points if (path := path_of(options, *point)).exists()}


def main():
    options = parse()
    points = [(feed, kill) for feed in options.feed for kill in options.kill]
    known = load_known(options, points)
    ray.init(address=options.address, num_cpus=None if options.address else options.workers, include_dashboard=False)
    started = time.perf_counter()
    sweep(options, points, known)
    seconds = time.perf_counter() - started
    ray.shutdown()

    point = points[len(points) // 2]
    np.testing.assert_array_equal(known[point], simulate_on_host(options.size, options.steps, *point)[..., 1])
    if options.picture:
        draw(options.picture, [[known[feed, kill] for kill in options.kill] for feed in options.feed])
    name = f"sweep_ray: {len(points)} simulations by {options.workers} workers"
    print(f"{name} in {seconds:.1f} s, the middle one equal to NumPy's")


if __name__ == "__main__":
    main()
