# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""What can be known of a kernel: attributes, arguments, occupancy; code from PTX; names that are missing."""

from common import begin, outcome

from cuda.core import Kernel, ObjectCode, Program, ProgramOptions

device, stream = begin()
SOURCE = """
struct pair { double a; int b; };
extern "C" __global__ void __launch_bounds__(256) k(float *p, int n, pair q, char c)
{
    __shared__ float part[64];
    part[threadIdx.x % 64] = p[n] + q.a + c;
    __syncthreads();
    p[threadIdx.x] = part[0];
}
"""
code = Program(SOURCE, "c++", ProgramOptions(arch=f"sm_{device.arch}", name="mine")).compile("ptx")
print(code.code_type, code.name, type(code.code).__name__)
kernel = code.get_kernel("k")
print(kernel.num_arguments, [tuple(info) for info in kernel.arguments_info])
attributes = kernel.attributes
for name in sorted(dir(attributes)):
    if not name.startswith("_") and not callable(getattr(type(attributes), name, None)):
        value = outcome(getattr, attributes, name)
        print(
            name,
            value
            if name not in ("num_regs", "binary_version", "ptx_version", "cache_mode_ca")
            else type(value).__name__,
        )
print(
    outcome(attributes.max_threads_per_block)
    if callable(attributes.max_threads_per_block)
    else attributes.max_threads_per_block
)
occupancy = kernel.occupancy
print(occupancy.max_active_blocks_per_multiprocessor(256, 0) > 0)
print(type(occupancy.max_potential_block_size(0, 256)).__name__)
print(type(occupancy.available_dynamic_shared_memory_per_block(1, 128)).__name__)
again = ObjectCode.from_ptx(code.code, name="mine")
print(again == code, again.get_kernel(b"k") == kernel, again.code == code.code)
print(outcome(code.get_kernel, "nothing"), outcome(code.get_kernel, 3), outcome(ObjectCode), outcome(Kernel))
print(outcome(ObjectCode.from_ptx, b"not PTX").code_type, outcome(ObjectCode.from_ptx(b"not PTX").get_kernel, "k"))
print(Kernel.from_handle(int(kernel.handle), code).num_arguments)
