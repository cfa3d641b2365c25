# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Solve the heat equation on a plate with one device. heat_mpi.py and heat_dask.py spread the rows over many."""

import argparse
import dataclasses
import os
import pathlib
import time

import numpy as np

from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch

SOURCE = r"""
// Row y of the arrays is row first + y of the plate. Rows outside of the plate are not computed, nor is the
// outermost row of a halo, of which one neighbour is missing.
extern "C" __global__ void step(const double *now, double *next, int first, int rows, int height, int width,
                                double ratio, bool insulated)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, row = first + y;
    if (x >= width || y >= rows || row < 0 || row >= height)
        return;
    if ((y == 0 && row > 0) || (y == rows - 1 && row < height - 1))
        return;
    const double *cell = now + (size_t)y * width + x;
    double here = *cell, outside = insulated ? here : 0;
    double north = row > 0 ? cell[-width] : outside, south = row < height - 1 ? cell[width] : outside;
    double west = x > 0 ? cell[-1] : outside, east = x < width - 1 ? cell[1] : outside;
    next[(size_t)y * width + x] = here + ratio * ((north + south) + (west + east) - 4 * here);
}
"""
BLOCK = (32, 8)


@dataclasses.dataclass(frozen=True)
class Plate:
    """A plate with three hot discs. Its edges are cold (0 degrees) or insulated."""

    height: int
    width: int
    edges: str = "cold"
    ratio: float = 0.2  # diffusivity * time step / cell size**2; the method is stable up to 0.25

    def start(self) -> np.ndarray:
        """Return the temperatures at step 0."""
        y, x = np.mgrid[: self.height, : self.width] / min(self.height, self.width)
        field = np.zeros((self.height, self.width))
        for row, column, radius, degrees in ((0.3, 0.3, 0.15, 100), (0.7, 0.55, 0.2, 70), (0.25, 0.75, 0.08, 90)):
            field[(y - row) ** 2 + (x - column) ** 2 < radius**2] = degrees
        return field

    def solve_on_host(self, steps: int) -> np.ndarray:
        """Return the temperatures after `steps`, computed by NumPy in the kernel's order: equal to the last bit."""
        field = self.start()
        for _ in range(steps):
            wide = np.pad(field, 1, mode="edge" if self.edges == "insulated" else "constant")
            around = (wide[:-2, 1:-1] + wide[2:, 1:-1]) + (wide[1:-1, :-2] + wide[1:-1, 2:])
            field = field + self.ratio * (around - 4 * field)
        return field


def compile_step(device):
    """Return the kernel's code, which can be sent to other processes."""
    options = ProgramOptions(arch=f"sm_{device.arch}", fma=False)  # rounded after each operation, as NumPy does
    return Program(SOURCE, "c++", options).compile("cubin")


class Slab:
    """Rows of the plate on a device, and a halo of so many rows of the neighbours above and below."""

    def __init__(self, device, code, plate, first, rows, halo=0):
        device.set_current()
        self.device, self.plate, self.first, self.halo = device, plate, first, halo
        self.stream = device.create_stream()
        self.kernel = code.get_kernel("step")
        self.now = device.to_device(np.pad(rows, ((halo, halo), (0, 0))), stream=self.stream)
        self.next = device.empty(self.now.shape, np.float64, stream=self.stream)

    def step(self, count):
        """Compute so many steps, at most as many as the halo has rows: the outermost row is lost at every step."""
        rows, width = self.now.shape
        config = LaunchConfig(grid=(-(-width // BLOCK[0]), -(-rows // BLOCK[1])), block=BLOCK)
        problem = (self.first - self.halo, rows, self.plate.height, width, self.plate.ratio)
        for _ in range(count):
            launch(self.stream, config, self.kernel, self.now, self.next, *problem, self.plate.edges == "insulated")
            self.now, self.next = self.next, self.now

    def rows(self):
        """Return the slab's own rows as an array of the host."""
        return self.now[self.halo : len(self.now) - self.halo].to_host(stream=self.stream)


def save(path, plate, step, field):
    """Write a checkpoint. Whenever the process ends, the file has this checkpoint or the one before, complete."""
    partial = pathlib.Path(f"{path}.part")
    with partial.open("wb") as file:
        np.savez(file, field=field, step=step, plate=repr(plate))
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)


def load(path, plate):
    """Return step and temperatures of a checkpoint of this plate."""
    with np.load(path) as saved:
        if str(saved["plate"]) != repr(plate):
            raise SystemExit(f"{path} is a checkpoint of {saved['plate']}, not of {plate}")
        return int(saved["step"]), saved["field"]


def draw(path, field):
    """Write a picture: black, red, yellow, white."""
    from PIL import Image

    degrees = field / max(field.max(), 1e-300) * 3
    colours = np.stack([degrees, degrees - 1, degrees - 2], axis=-1).clip(0, 1)
    Image.fromarray((255 * colours).astype(np.uint8)).save(path)


def parser(description):
    """Return the parser of the options that the programs on one and on many devices share."""
    made = argparse.ArgumentParser(description=description)
    made.add_argument("--height", type=int, default=240, help="cells (default: %(default)s)")
    made.add_argument("--width", type=int, default=320)
    made.add_argument("--steps", type=int, default=400)
    made.add_argument("--edges", choices=["cold", "insulated"], default="cold")
    made.add_argument("--every", type=int, default=100, metavar="N", help="steps between reports and checkpoints")
    made.add_argument("--checkpoint", metavar="FILE", help="write the temperatures to this file, for --resume")
    made.add_argument("--resume", action="store_true", help="continue from the checkpoint")
    made.add_argument("--picture", metavar="FILE", help="draw the result")
    made.add_argument("--check", action=argparse.BooleanOptionalAction, default=True, help="compare with NumPy")
    return made


def begin(options):
    """Return the plate, and the step and the temperatures to begin with."""
    plate = Plate(options.height, options.width, options.edges)
    if not options.resume:
        return plate, 0, plate.start()
    if not options.checkpoint:
        raise SystemExit("--resume needs --checkpoint FILE")
    step, field = load(options.checkpoint, plate)
    print(f"heat: resumed at step {step}", flush=True)
    return plate, step, field


def next_steps(options, step, most):
    """Return how many steps to compute at once: at most so many, and not beyond a checkpoint or the end."""
    return min(most, options.every - step % options.every, options.steps - step)


def report(options, plate, step, field):
    """Print the progress, and write the checkpoint."""
    if options.checkpoint:
        save(options.checkpoint, plate, step, field)
    written = ", checkpoint written" if options.checkpoint else ""
    print(f"heat: step {step} of {options.steps}, at most {field.max():.2f} degrees{written}", flush=True)


def finish(options, plate, field, name, seconds):
    """Check and draw the result, and print the last line."""
    if options.check:
        np.testing.assert_array_equal(field, plate.solve_on_host(options.steps))
    if options.picture:
        draw(options.picture, field)
    equal = "equal to NumPy's" if options.check else "not checked"
    print(f"{name} in {seconds:.1f} s: mean temperature {field.mean():.4f}, {equal}")


def main():
    options = parser(__doc__).parse_args()
    plate, step, field = begin(options)
    device = Device()
    device.set_current()
    slab = Slab(device, compile_step(device), plate, 0, field)
    started = time.perf_counter()
    while step < options.steps:
        count = next_steps(options, step, options.steps)
        slab.step(count)
        step += count
        field = slab.rows()
        report(options, plate, step, field)
    seconds = time.perf_counter() - started
    finish(options, plate, field, f"heat: {options.steps} steps on {device.name}", seconds)


if __name__ == "__main__":
    main()
