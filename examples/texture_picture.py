# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Rotate and enlarge a picture with a texture, which interpolates it and repeats it beyond its edges. Needs pillow."""

import sys

import numpy as np
from PIL import Image

from cuda.core import Device, LaunchConfig, LegacyPinnedMemoryResource, Module, launch
from cuda.core.texture import ResourceDescriptor, TextureObjectOptions

SOURCE = r"""
extern "C" __global__ void turn(cudaTextureObject_t picture, uchar4 *out, int size, float angle, float zoom)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= size || y >= size)
        return;
    float s = sinf(angle), c = cosf(angle), u = (x + 0.5f) / size - 0.5f, v = (y + 0.5f) / size - 0.5f;
    float4 p = tex2D<float4>(picture, (c * u - s * v) / zoom + 0.5f, (s * u + c * v) / zoom + 0.5f);
    out[y * size + x] = make_uchar4(255 * p.x + 0.5f, 255 * p.y + 0.5f, 255 * p.z + 0.5f, 255);
}
"""


def checkerboard(size):
    """Return a chessboard of 8 x 8 orange and blue fields."""
    rows, columns = np.indices((size, size)) // (size // 8)
    return np.array([[255, 160, 40, 255], [30, 60, 160, 255]], np.uint8)[(rows + columns) % 2]


def main(path="turned.png"):
    size = 256
    device = Device()
    device.set_current()
    stream = device.create_stream()
    kernel = Module.from_source(SOURCE).turn
    picture = checkerboard(64)

    array = device.create_opaque_array({"shape": (64, 64), "format": "uint8", "num_channels": 4})
    array.copy_from(picture, stream=stream)
    options = TextureObjectOptions(
        address_mode="wrap", filter_mode="linear", read_mode="normalized_float", normalized_coords=True
    )
    texture = device.create_texture_object(resource=ResourceDescriptor.from_opaque_array(array), options=options)

    out = LegacyPinnedMemoryResource().allocate(4 * size * size, stream=stream)
    config = LaunchConfig(grid=((size + 15) // 16, (size + 15) // 16), block=(16, 16))

    def turned(angle, zoom):
        launch(stream, config, kernel, texture, out, size, angle, zoom)
        stream.sync()
        return np.frombuffer(bytes(out), np.uint8).reshape(size, size, 4)

    plain = turned(0.0, 1.0)
    step = size // 64  # the centre of each enlarged pixel has the original colour
    assert np.abs(plain[step // 2 :: step, step // 2 :: step].astype(int) - picture).max() < 60
    Image.fromarray(turned(0.4, 0.6)).save(path)
    print(f"texture_picture: {size} x {size} pixels on {device.name} written to {path}")


if __name__ == "__main__":
    main(*sys.argv[1:])
