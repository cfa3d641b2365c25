# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Destruction of texture objects that kernels use."""

from __future__ import annotations

import ctypes
import threading

import arrays
import kernels
import numpy as np
import pytest

from cuda.cpu import driver

pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

SPIN_THEN_FETCH = """
.visible .entry k(.param .u64 out, .param .u64 texture, .param .u64 flag)
{
 .reg .b64 %rd<3>; .reg .b32 %r<1>; .reg .f32 %f<5>; .reg .pred %p;
 ld.param.u64 %rd0, [out]; ld.param.u64 %rd1, [texture]; ld.param.u64 %rd2, [flag];
again:
 ld.volatile.u32 %r0, [%rd2]; setp.eq.u32 %p, %r0, 0; @%p bra again;
 mov.f32 %f0, 0.5;
 tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f0}];
 st.global.f32 [%rd0], %f1; ret;
}
"""


def test_destroying_an_object_waits_for_kernels_that_use_it(context):
    module = driver.cuModuleLoadData(kernels.address_of(kernels.text(SPIN_THEN_FETCH)))
    flag, out = kernels.Flag(), driver.cuMemAlloc(4)
    timer = threading.Timer(0.3, flag.raise_)
    with arrays.array(np.full(4, 3.5, np.float32)) as handle:
        with arrays.texture(handle) as texture:
            kernels.run(module, "k", ctypes.c_uint64(out), ctypes.c_uint64(texture), flag.argument())
            timer.start()
        assert kernels.read(out, ctypes.c_float) == 3.5
    timer.join()
    flag.close()
    driver.cuMemFree(out)
    driver.cuModuleUnload(module)
