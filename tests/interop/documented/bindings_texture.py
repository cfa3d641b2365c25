# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A cube map of six faces, read by direction; a two-dimensional array copied with a pitch."""

import numpy as np
from common import check
from driver_kernels import begin, functions

from cuda.bindings import driver

begin()
SOURCE = """
extern "C" __global__ void faces(cudaTextureObject_t t, float *out)
{
    float d[6][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    int i = threadIdx.x;
    out[i] = texCubemap<float>(t, d[i][0], d[i][1], d[i][2]);
}
"""
(kernel,) = functions(SOURCE, "faces")
description = driver.CUDA_ARRAY3D_DESCRIPTOR()
description.Width, description.Height, description.Depth = 4, 4, 6
description.Format, description.NumChannels = driver.CUarray_format.CU_AD_FORMAT_FLOAT, 1
description.Flags = driver.CUDA_ARRAY3D_CUBEMAP
array = check(driver.cuArray3DCreate(description))
data = np.repeat(np.arange(6, dtype=np.float32), 16)
copy = driver.CUDA_MEMCPY3D()
copy.srcMemoryType, copy.srcHost, copy.srcPitch, copy.srcHeight = (
    driver.CUmemorytype.CU_MEMORYTYPE_HOST,
    data.ctypes.data,
    16,
    4,
)
copy.dstMemoryType, copy.dstArray = driver.CUmemorytype.CU_MEMORYTYPE_ARRAY, array
copy.WidthInBytes, copy.Height, copy.Depth = 16, 4, 6
check(driver.cuMemcpy3D(copy))
resource, texture = driver.CUDA_RESOURCE_DESC(), driver.CUDA_TEXTURE_DESC()
resource.resType = driver.CUresourcetype.CU_RESOURCE_TYPE_ARRAY
resource.res.array.hArray = array
texture.addressMode = [driver.CUaddress_mode.CU_TR_ADDRESS_MODE_WRAP] * 3
texture.filterMode = driver.CUfilter_mode.CU_TR_FILTER_MODE_LINEAR
texture.flags = driver.CU_TRSF_NORMALIZED_COORDINATES
handle = check(driver.cuTexObjectCreate(resource, texture, None))
memory = check(driver.cuMemAlloc(24))
check(driver.cuLaunchKernel(kernel, 1, 1, 1, 6, 1, 1, 0, 0, ((handle, memory), (None, None)), 0))
out = np.zeros(6, np.float32)
check(driver.cuMemcpyDtoH(out.ctypes.data, memory, 24))
print(out)
got = check(driver.cuArray3DGetDescriptor(array))
print(got.Width, got.Height, got.Depth, got.Format, got.NumChannels, got.Flags)
check(driver.cuTexObjectDestroy(handle))
check(driver.cuArrayDestroy(array))
