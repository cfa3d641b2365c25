# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A tensor map over device memory, used by a kernel's bulk copy."""

import numpy as np
from common import begin, compiled, outcome, pinned

from cuda.core import LaunchConfig, TensorMapDescriptor, launch
from cuda.core.utils import StridedMemoryView

device, stream = begin()
SOURCE = r"""
struct alignas(64) tensor_map { unsigned long long opaque[16]; };
extern "C" __global__ void tile(const __grid_constant__ tensor_map map, float *out)
{
    __shared__ alignas(128) float part[64];
    __shared__ alignas(8) unsigned long long barrier;
    unsigned bar = unsigned(__cvta_generic_to_shared(&barrier)), to = unsigned(__cvta_generic_to_shared(part));
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(bar));
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" :: "r"(bar));
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                     :: "r"(to), "l"(&map), "r"(8), "r"(4), "r"(bar) : "memory");
    }
    __syncthreads();
    asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra again; }" :: "r"(bar));
    out[threadIdx.x] = part[threadIdx.x];
}
"""
(kernel,) = compiled(SOURCE, "tile")
host, data = pinned(32 * 32, np.float32, np.arange(1024))
on_device = device.allocate(4096, stream=stream)
on_device.copy_from(host, stream=stream)
stream.sync()
view = StridedMemoryView.from_buffer(on_device, (32, 32), dtype=np.dtype(np.float32))
tensor_map = view.as_tensor_map((8, 8))
print(type(tensor_map).__name__, tensor_map.device)
out_buffer, out = pinned(64, np.float32)
launch(stream, LaunchConfig(grid=1, block=64), kernel, tensor_map, out_buffer)
stream.sync()
print(out.reshape(8, 8)[0], out[-1], np.array_equal(out.reshape(8, 8), data.reshape(32, 32)[4:12, 8:16]))
print(outcome(TensorMapDescriptor), outcome(view.as_tensor_map, (0, 8)), outcome(view.as_tensor_map, (8,)))
