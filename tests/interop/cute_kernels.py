# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A program for test_cute.py: a kernel of the CuTe DSL, whose PTX it prints. Its own launcher needs libcudart."""

import os
import sys

os.environ |= {"CUTE_DSL_KEEP_PTX": "1", "CUTE_DSL_DUMP_DIR": sys.argv[1], "CUTE_DSL_ARCH": "sm_90a"}

from cutlass import Float32, Int32, cute
from cutlass.cute.runtime import make_ptr


@cute.kernel
def scale(x: cute.Pointer, n: Int32):
    i = cute.arch.block_idx()[0] * 64 + cute.arch.thread_idx()[0]
    values = cute.make_tensor(x, cute.make_layout(n))
    if i < n:
        values[i] = values[i] * 2.0 + 1.0


@cute.jit
def launch_scale(x: cute.Pointer, n: Int32):
    scale(x, n).launch(grid=(4, 1, 1), block=(64, 1, 1))


pointer = make_ptr(Float32, 4096, cute.AddressSpace.gmem, assumed_align=16)
print(cute.compile(launch_scale, pointer, Int32(200)).__ptx__)
