# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Draw the Mandelbrot set: python mandelbrot.py [OUT.png]. Needs pillow."""

import sys

import numpy as np
from PIL import Image

from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch

WIDTH, HEIGHT, LIMIT = 480, 320, 200
SOURCE = r"""
extern "C" __global__ void mandelbrot(unsigned char *rounds, int width, int height, int limit)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= width || row >= height)
        return;
    const double c_re = -2.2 + 3.2 * column / width, c_im = -1.1 + 2.2 * row / height;
    double re = 0, im = 0;
    int round = 0;
    while (round < limit && re * re + im * im <= 4) {
        const double next = re * re - im * im + c_re;
        im = 2 * re * im + c_im;
        re = next;
        ++round;
    }
    rounds[row * width + column] = round;
}
"""


def with_numpy():
    """Return the number of iterations of each pixel, computed on the host."""
    c_re, c_im = np.meshgrid(-2.2 + 3.2 * np.arange(WIDTH) / WIDTH, -1.1 + 2.2 * np.arange(HEIGHT) / HEIGHT)
    re, im, rounds = np.zeros_like(c_re), np.zeros_like(c_im), np.zeros(c_re.shape, np.uint8)
    for _ in range(LIMIT):
        inside = re * re + im * im <= 4
        rounds += inside
        re, im = np.where(inside, re * re - im * im + c_re, re), np.where(inside, 2 * re * im + c_im, im)
    return rounds


def main(path="mandelbrot.png"):
    device = Device()
    device.set_current()
    stream = device.create_stream()
    options = ProgramOptions(arch=f"sm_{device.arch}", fma=False)  # rounded as in NumPy
    kernel = Program(SOURCE, code_type="c++", options=options).compile("cubin").get_kernel("mandelbrot")

    rounds_device = device.empty((HEIGHT, WIDTH), np.uint8, stream=stream)
    config = LaunchConfig(grid=(-(-WIDTH // 32), -(-HEIGHT // 8)), block=(32, 8))
    launch(stream, config, kernel, rounds_device, WIDTH, HEIGHT, LIMIT)
    rounds = rounds_device.to_host(stream=stream)
    np.testing.assert_array_equal(rounds, with_numpy())

    shade = np.where(rounds == LIMIT, 0, rounds / LIMIT)[..., None] ** np.array([0.7, 0.45, 0.3])
    Image.fromarray((255 * shade).astype(np.uint8)).save(path)
    print(f"mandelbrot: {WIDTH}x{HEIGHT} pixels on {device.name} equal NumPy's; see {path}")


if __name__ == "__main__":
    main(*sys.argv[1:])
