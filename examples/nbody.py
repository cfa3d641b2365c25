# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Simulate and draw two colliding galaxies: `python nbody.py galaxies.gif [stars]`. Needs pillow and tqdm."""

import sys

import numpy as np
from PIL import Image
from tqdm import tqdm

from cuda.core import Device, LaunchConfig, LegacyPinnedMemoryResource, Module, launch

SOURCE = r"""
extern "C" __global__ void step(const float4 *old, float4 *now, float4 *speed, int stars, float seconds)
{
    __shared__ float4 tile[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 mine = old[i];   // w is the mass; the 0.01 below limits the force between close stars
    float ax = 0, ay = 0, az = 0;
    for (int first = 0; first < stars; first += blockDim.x) {
        tile[threadIdx.x] = old[first + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < blockDim.x; ++j) {
            float dx = tile[j].x - mine.x, dy = tile[j].y - mine.y, dz = tile[j].z - mine.z;
            float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), pull = tile[j].w * inverse * inverse * inverse;
            ax += dx * pull, ay += dy * pull, az += dz * pull;
        }
        __syncthreads();
    }
    speed[i].x += ax * seconds, speed[i].y += ay * seconds, speed[i].z += az * seconds;
    now[i] = make_float4(mine.x + speed[i].x * seconds, mine.y + speed[i].y * seconds,
                         mine.z + speed[i].z * seconds, mine.w);
}
"""


def galaxy(rng, stars, centre, drift):
    """Return positions with masses, and speeds, of stars that orbit a heavy centre."""
    radius, angle = np.sqrt(rng.uniform(0.05, 1, stars)), rng.uniform(0, 2 * np.pi, stars)
    turn = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    star, speed = np.zeros((2, stars, 4), np.float32)
    star[:, :2] = radius[:, None] * turn + centre
    star[:, 2], star[:, 3] = rng.normal(0, 0.05, stars), 0.2 / stars
    speed[:, :2] = turn[:, ::-1] * (-1, 1) * np.sqrt((1 + 0.2 * radius**2) / np.sqrt(radius**2 + 0.01))[:, None] + drift
    star[0], speed[0] = (*centre, 0, 1), (*drift, 0, 0)
    return star, speed


def draw(stars, size=300):
    """Return a picture: each star is a spot of light; the more light, the whiter, on a logarithmic scale."""
    light = np.histogram2d(stars[:, 1], stars[:, 0], bins=size, range=[(-3, 3), (-3, 3)])[0]
    spot = np.exp(-np.square(np.arange(-4, 5)) / 3)
    for axis in (0, 1):
        light = np.apply_along_axis(np.convolve, axis, light, spot, mode="same")
    level = np.minimum(np.log1p(6 * light) / np.log(30), 1)
    return Image.fromarray((255 * level[..., None] ** (1.6, 1.1, 0.6)).astype(np.uint8))


def main(path="galaxies.gif", stars=1024, frames=40):
    assert stars % 256 == 0, f"stars must be a multiple of 256, not {stars}"
    device = Device()
    device.set_current()
    stream = device.create_stream()
    memory = LegacyPinnedMemoryResource()
    old, new, speeds = (memory.allocate(16 * stars, stream=stream) for _ in range(3))
    star, speed = (np.from_dlpack(buffer).view(np.float32).reshape(stars, 4) for buffer in (old, speeds))
    rng = np.random.default_rng(seed=5)
    halves = galaxy(rng, stars // 2, (-1.2, -0.6), (0.4, 0.1)), galaxy(rng, stars // 2, (1.2, 0.6), (-0.4, -0.1))
    star[:], speed[:] = (np.concatenate(parts) for parts in zip(*halves, strict=True))
    momentum = (star[:, 3:] * speed[:, :3]).sum(axis=0)
    kernel, config = Module.from_source(SOURCE).step, LaunchConfig(grid=stars // 128, block=128)
    pictures = []
    for _ in tqdm(range(frames), desc=f"nbody on {device.name}", unit="frame"):
        for _ in range(2):
            launch(stream, config, kernel, old, new, speeds, stars, 0.02)
            launch(stream, config, kernel, new, old, speeds, stars, 0.02)
        stream.sync()
        pictures.append(draw(star))
    pictures[0].save(path, save_all=True, append_images=pictures[1:], duration=60, loop=0)
    drift = np.abs((star[:, 3:] * speed[:, :3]).sum(axis=0) - momentum).max()
    assert drift < 1e-3, drift  # momentum is conserved
    print(f"nbody: {stars} stars, {frames} frames in {path}; momentum error {drift:.0e}")


if __name__ == "__main__":
    main(*sys.argv[1:2], *map(int, sys.argv[2:4]))
