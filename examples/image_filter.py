# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Find the edges in a picture: python image_filter.py IN OUT (all formats that Pillow supports). Needs pillow."""

import sys

import numpy as np
from PIL import Image

from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch

SOURCE = r"""
__device__ int pixel(const uchar3 *image, int width, int height, int x, int y, int channel)
{
    const uchar3 p = image[min(max(y, 0), height - 1) * width + min(max(x, 0), width - 1)];
    return channel == 0 ? p.x : channel == 1 ? p.y : p.z;
}

__device__ unsigned char edge(const uchar3 *image, int width, int height, int x, int y, int channel)
{
    int across = 0, down = 0;   // the two Sobel operators
    for (int k = -1; k <= 1; ++k) {
        const int weight = 2 - k * k;
        across += weight * (pixel(image, width, height, x + 1, y + k, channel)
                            - pixel(image, width, height, x - 1, y + k, channel));
        down += weight * (pixel(image, width, height, x + k, y + 1, channel)
                          - pixel(image, width, height, x + k, y - 1, channel));
    }
    return min(abs(across) + abs(down), 255);
}

extern "C" __global__ void edges(const uchar3 *image, uchar3 *result, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        result[y * width + x] = make_uchar3(edge(image, width, height, x, y, 0), edge(image, width, height, x, y, 1),
                                            edge(image, width, height, x, y, 2));
}
"""


def with_numpy(image):
    """Return the edges, computed on the host."""
    rows = np.pad(image.astype(int), ((1, 1), (1, 1), (0, 0)), mode="edge")
    smooth_down = rows[:-2] + 2 * rows[1:-1] + rows[2:]
    smooth_across = rows[:, :-2] + 2 * rows[:, 1:-1] + rows[:, 2:]
    across, down = smooth_down[:, 2:] - smooth_down[:, :-2], smooth_across[2:] - smooth_across[:-2]
    return np.minimum(abs(across) + abs(down), 255)


def main(source, target):
    with Image.open(source) as picture:
        image = np.asarray(picture.convert("RGB"))
    height, width, _ = image.shape
    device = Device()
    device.set_current()
    stream = device.create_stream()
    program = Program(SOURCE, code_type="c++", options=ProgramOptions(arch=f"sm_{device.arch}"))
    kernel = program.compile("cubin").get_kernel("edges")

    before = device.to_device(image, stream=stream)
    after_device = device.empty(image.shape, np.uint8, stream=stream)
    config = LaunchConfig(grid=(-(-width // 32), -(-height // 8)), block=(32, 8))
    launch(stream, config, kernel, before, after_device, width, height)
    after = after_device.to_host(stream=stream)

    np.testing.assert_array_equal(after, with_numpy(image))
    Image.fromarray(after).save(target)
    print(f"image_filter: edges of {width}x{height} pixels on {device.name} equal NumPy's; see {target}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit("usage: python image_filter.py IN OUT")
    main(*sys.argv[1:])
