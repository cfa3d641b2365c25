# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Arrays, textures with linear filtering, and surfaces."""

import numpy as np
from common import begin, compiled, outcome, pinned

from cuda.core import LaunchConfig, launch
from cuda.core.texture import OpaqueArrayOptions, ResourceDescriptor, TextureObjectOptions
from cuda.core.typing import AddressModeType, ArrayFormatType, FilterModeType

device, stream = begin()
read, write = compiled(
    'extern "C" __global__ void read(cudaTextureObject_t t, float *out) { out[threadIdx.x] = tex2D<float>(t, threadIdx.x * 0.5f, 1.5f); }'
    'extern "C" __global__ void write(cudaSurfaceObject_t s) { surf2Dwrite(float(threadIdx.x), s, int(threadIdx.x * 4), 0); }',
    "read", "write",
)  # fmt: skip
options = OpaqueArrayOptions(shape=(8, 4), format=ArrayFormatType.FLOAT32, num_channels=1, is_surface_load_store=True)
with device.create_opaque_array(options) as array:
    print(
        array.shape,
        array.format,
        array.num_channels,
        array.element_bytes,
        array.size_bytes,
        array.is_surface_load_store,
    )
    image = np.arange(32, dtype=np.float32).reshape(4, 8)
    array.copy_from(image, stream=stream)
    stream.sync()
    resource = ResourceDescriptor.from_opaque_array(array)
    print(resource.kind, resource.source is array)
    out_buffer, out = pinned(16, np.float32)
    for mode in (FilterModeType.POINT, FilterModeType.LINEAR):
        settings = TextureObjectOptions(address_mode=AddressModeType.CLAMP, filter_mode=mode)
        with device.create_texture_object(resource=resource, options=settings) as texture:
            launch(stream, LaunchConfig(grid=1, block=16), read, np.uint64(int(texture.handle)), out_buffer)
            stream.sync()
            print(mode, out)
    with device.create_surface_object(resource=resource) as surface:
        launch(stream, LaunchConfig(grid=1, block=8), write, np.uint64(int(surface.handle)))
        stream.sync()
    back = np.zeros_like(image)
    array.copy_to(back, stream=stream)
    stream.sync()
    print(back[0], back[1])
print(array.is_closed)


def make(shape, channels):
    options = OpaqueArrayOptions(shape=shape, format=ArrayFormatType.FLOAT32, num_channels=channels)
    return device.create_opaque_array(options).shape


for shape, channels in (((), 1), ((4,), 3), ((0, 4), 1)):
    print(outcome(make, shape, channels))
