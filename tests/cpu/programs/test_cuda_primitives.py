# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Primitives of pipelines and of barriers in shared memory, and alloca."""

from __future__ import annotations

import numpy as np
import pytest
from test_cuda_headers import load

pytestmark = [pytest.mark.cpu_only, pytest.mark.needs_nvrtc]
PIPELINE = """#include <cuda_pipeline.h>
    extern "C" __global__ void k(const int *in, int *out, int batches) {
        __shared__ alignas(16) int s[2][256]; int t = threadIdx.x;
        __pipeline_memcpy_async(&s[0][4 * t], in + 4 * t, 16); __pipeline_commit();
        for (int b = 0; b < batches; b++) {
            if (b + 1 < batches)
                for (int i = 0; i < 4; i++) __pipeline_memcpy_async(&s[(b + 1) & 1][4 * t + i],
                    in + 256 * (b + 1) + 4 * t + i, 4);
            __pipeline_commit(); __pipeline_wait_prior(1); __syncthreads();
            for (int i = t; i < 256; i += blockDim.x) out[256 * b + i] = s[b & 1][255 - i];
            __syncthreads(); }
        int *z = s[0] + 4 * t; z[0] = z[1] = z[2] = z[3] = -1;
        __pipeline_memcpy_async(z, in + 4 * t, 16, 8); __pipeline_commit(); __pipeline_wait_prior(0);
        int *o = out + 256 * batches + 6 * t; for (int i = 0; i < 4; i++) o[i] = z[i];
        __pipeline_memcpy_async(z, in + 2 * t, 8, 4); __pipeline_commit(); __pipeline_wait_prior(0);
        o[4] = z[0]; o[5] = z[1]; }"""


@pytest.mark.parametrize("arch", ["sm_75", "sm_80", "sm_90"])
def test_pipelines(arch):
    given, out = np.arange(1024, dtype=np.int32) + 5, np.zeros(1024 + 6 * 64, np.int32)
    load(PIPELINE, "cuda_pipeline.h", arch).launch("k", 1, 64, given, out, np.int32(4))
    np.testing.assert_array_equal(out[:1024].reshape(4, 256), given.reshape(4, 256)[:, ::-1])
    filled, none = given[:256].reshape(64, 4), np.zeros((64, 2), np.int32)
    pairs = np.stack([given[:128:2], none[:, 0]], axis=1)
    np.testing.assert_array_equal(out[1024:].reshape(64, 6), np.hstack([filled[:, :2], none, pairs]))


BARRIERS = """#include <cuda_pipeline.h>
    #include <cuda_awbarrier_primitives.h>
    extern "C" __global__ void k(const int *in, int *out) {
        __shared__ __mbarrier_t bar, copied; __shared__ int s[64]; int t = threadIdx.x;
        if (t == 0) { __mbarrier_init(&bar, 64); __mbarrier_init(&copied, 64); }
        __syncthreads();
        __pipeline_memcpy_async(&s[t], in + t, 4); __pipeline_arrive_on(&copied);
        __mbarrier_token_t done = __mbarrier_arrive(&copied);
        while (!__mbarrier_test_wait(&copied, done)) {}
        int mine = s[63 - t];
        for (int phase = 0; phase < 5; phase++) {
            __mbarrier_token_t token = __mbarrier_arrive(&bar);
    #if __CUDA_ARCH__ >= 900 // before, NVIDIA's headers have no waits for parities or with time limits
            if (phase & 1) while (!__mbarrier_try_wait(&bar, token, 1000)) {}
            else while (!__mbarrier_test_wait_parity(&bar, phase & 1)) {}
    #else
            while (!__mbarrier_test_wait(&bar, token)) {}
    #endif
            s[t] = mine; __syncthreads(); mine = s[(t + 1) % 64]; __syncthreads(); }
        out[t] = mine; __mbarrier_token_t last;
        if (t < 32) { __mbarrier_arrive_and_drop(&bar); out[64 + t] = -1; }
        __syncthreads();
        if (t == 40) { last = __mbarrier_arrive(&bar); out[128] = __mbarrier_token_pending_count(last);
            out[129] = __mbarrier_test_wait(&bar, last); out[130] = __mbarrier_maximum_count() >= 1024;
    #if __CUDA_ARCH__ >= 900
            out[131] = __mbarrier_try_wait_parity(&bar, 0, 10);
    #endif
            }
        __syncthreads(); if (t == 0) { __mbarrier_inval(&bar); __mbarrier_inval(&copied); } }"""


@pytest.mark.parametrize("arch", ["sm_80", "sm_90"])
def test_barriers_in_shared_memory(arch):
    given, out = np.arange(64, dtype=np.int32) * 3, np.zeros(132, np.int32)
    load(BARRIERS, "cuda_pipeline.h", arch).launch("k", 1, 64, given, out)
    np.testing.assert_array_equal(out[:64], np.roll(given[::-1], -5))
    assert out[128:131].tolist() == [32, 0, 1]
    assert out[131] == (arch == "sm_90")


def test_alloca(compiler):
    if compiler == "nvrtc":
        pytest.skip("NVRTC has no alloca")
    source = """extern "C" __global__ void k(int *out, int n) { int t = threadIdx.x; int *p = 0;
        for (int r = 0; r < 3; r++) { p = (int *)alloca(4 * (n + t));
            for (int i = 0; i < n + t; i++) p[i] = i * (t + r); }
        int sum = 0; for (int i = 0; i < n + t; i++) sum += p[i]; out[t] = sum; }"""
    out = np.zeros(32, np.int32)
    load(source, "cuda_pipeline.h").launch("k", 1, 32, out, np.int32(10))
    threads = np.arange(32)
    np.testing.assert_array_equal(out, (threads + 2) * (threads + 10) * (threads + 9) // 2)
