# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""cuda_fp8.h, cuda_fp6.h and cuda_fp4.h: conversions of every half, every bfloat16, and many floats, with ml_dtypes."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")
pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from support.compilers import compile_cuda, include_option
from support.loaded import Loaded

pytestmark = [pytest.mark.needs_nvrtc, pytest.mark.filterwarnings("ignore::RuntimeWarning")]
COUNT = 1 << 16
# Class and format: what a NaN becomes, the largest number, and the functions' names and last arguments.
FORMATS = {
    "fp8_e4m3": (ml_dtypes.float8_e4m3fn, 0x7F, 448, "fp8", "__NV_E4M3"),
    "fp8_e5m2": (ml_dtypes.float8_e5m2, 0x7F, 57344, "fp8", "__NV_E5M2"),
    "fp6_e2m3": (ml_dtypes.float6_e2m3fn, 0x1F, 7.5, "fp6", "__NV_E2M3"),
    "fp6_e3m2": (ml_dtypes.float6_e3m2fn, 0x1F, 28, "fp6", "__NV_E3M2"),
    "fp4_e2m1": (ml_dtypes.float4_e2m1fn, 0x07, 6, "fp4", "__NV_E2M1"),
}
HEAD = """#include <cuda_fp16.h>
    #include <cuda_bf16.h>
    #include <cuda_fp8.h>
    #include <cuda_fp6.h>
    #include <cuda_fp4.h>
    """


def run(source: str, arch: str, *arrays: np.ndarray) -> None:
    loaded = Loaded(compile_cuda(HEAD + source, f"--gpu-architecture={arch}", include_option()))
    loaded.launch("k", COUNT // 256, 256, *arrays)


def codes(x: np.ndarray, name: str) -> np.ndarray:
    """Return the codes of doubles: rounded once, saturated."""
    dtype, nan, most, *_ = FORMATS[name]
    count = {"fp8": 128, "fp6": 32, "fp4": 8}[name[:3]]
    values = np.arange(count).astype(np.uint8).view(dtype).astype(float)
    values = values[np.isfinite(values)]
    magnitude = np.minimum(np.abs(x), most)
    above = np.clip(np.searchsorted(values, magnitude), 1, len(values) - 1)
    low, high = values[above - 1], values[above]
    nearer = (magnitude - low) - (high - magnitude)
    code = np.where((nearer > 0) | ((nearer == 0) & (above % 2 == 0)), above, above - 1)
    sign = {"fp8": 0x80, "fp6": 0x20, "fp4": 0x08}[name[:3]]
    return np.where(np.isnan(x), nan, code | np.where(np.signbit(x), sign, 0)).astype(np.uint8)


def floats() -> np.ndarray:
    random = np.random.default_rng(3)
    x = random.standard_normal(COUNT) * 2.0 ** random.uniform(-20, 18, COUNT)
    x[::4] = (x[::4] * 16).round() / 16  # ties
    x[:8] = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, 3.4e38, -464]
    return x.astype(np.float32)


@pytest.mark.parametrize("arch", ["sm_75", "sm_90"])
@pytest.mark.parametrize("name", FORMATS)
def test_to_and_from(name, arch):
    family = name[:3]
    source = f"""extern "C" __global__ void k(const unsigned short *w, const float *f, unsigned char *o, float *back) {{
        typedef __nv_{name} T; int t = blockIdx.x * blockDim.x + threadIdx.x; __half_raw h; h.x = w[t];
        __nv_bfloat16_raw b; b.x = w[t]; T x((__half)h), y((__nv_bfloat16)b), z(f[t]);
        T d((double)f[t] * (1 + (t % 3 - 1) * 0x1p-40));
        o[t] = x.__x; o[65536 + t] = y.__x; o[131072 + t] = z.__x; o[196608 + t] = d.__x; T c; c.__x = t;
        if (t < 256) {{ back[t] = (float)c; back[256 + t] = (float)(__half)c;
            back[512 + t] = (float)(__nv_bfloat16)c; }} }}"""
    words, x = np.arange(COUNT).astype(np.uint16), floats()
    found, back = np.zeros((4, COUNT), np.uint8), np.zeros((3, 256), np.float32)
    run(source, arch, words, x, found, back)
    doubles = x.astype(float) * (1 + (np.arange(COUNT) % 3 - 1) * 2.0**-40)
    given = [words.view(np.float16), words.view(ml_dtypes.bfloat16), x, doubles]
    found[(found > 0x7C) & (found < 0x80)] |= 0x03 if name == "fp8_e5m2" else 0  # one of the NaNs for all
    for result, values in zip(found, given, strict=True):
        np.testing.assert_array_equal(result, codes(values.astype(float), name))
    dtype, bits = FORMATS[name][0], {"fp8": 256, "fp6": 64, "fp4": 16}[family]
    exact = np.arange(bits).astype(np.uint8).view(dtype).astype(np.float32)
    for each in back[:, :bits]:
        np.testing.assert_array_equal(each, exact)


@pytest.mark.parametrize("name", FORMATS)
def test_pairs_and_fours(name):
    """Pairs have the first number in the lower bits."""
    family, kind = FORMATS[name][3:]
    last = f"__NV_SATFINITE, {kind}" if family == "fp8" else f"{kind}, cudaRoundNearest"
    source = f"""extern "C" __global__ void k(const float *f, unsigned *o, float *back) {{
        int t = blockIdx.x * blockDim.x + threadIdx.x; o += 4 * t; back += 6 * t; int i = t & 0xfffc;
        float a = f[i], b = f[i + 1], c = f[i + 2], d = f[i + 3];
        o[0] = __nv_cvt_float2_to_{family}x2(make_float2(a, b), {last});
        o[1] = __nv_{family}x2_{name[4:]}(make_double2(a, b)).__x;
        __nv_{family}x4_{name[4:]} q(make_float4(a, b, c, d));
        o[2] = q.__x; __half2 h = __floats2half2_rn(a, b); o[3] = __nv_cvt_halfraw2_to_{family}x2(h, {last});
        float4 r = (float4)q; back[0] = r.x; back[1] = r.y; back[2] = r.z; back[3] = r.w;
        float2 p = (float2)__nv_{family}x2_{name[4:]}(make_float2(c, d)); back[4] = p.x; back[5] = p.y; }}"""
    x = floats()[8:]
    x = np.concatenate([x, x[:8]])
    found, back = np.zeros((COUNT, 4), np.uint32), np.zeros((COUNT, 6), np.float32)
    run(source, "sm_90", x, found, back)
    bits = 4 if family == "fp4" else 8
    one = codes(x.astype(float), name).reshape(-1, 4).astype(np.uint32)
    pair = one[:, 0] | one[:, 1] << bits
    four = pair | one[:, 2] << 2 * bits | one[:, 3] << 3 * bits
    halves = codes(x.astype(np.float16).astype(float), name).reshape(-1, 4).astype(np.uint32)
    np.testing.assert_array_equal(found[::4], np.stack([pair, pair, four, halves[:, 0] | halves[:, 1] << bits], 1))
    values = one.astype(np.uint8).view(FORMATS[name][0]).astype(np.float32)
    np.testing.assert_array_equal(back[::4], values[:, [0, 1, 2, 3, 2, 3]])


@pytest.mark.parametrize("arch", ["sm_75", "sm_90"])
def test_without_saturation(arch):
    source = """extern "C" __global__ void k(const float *f, unsigned char *o) {
        int t = blockIdx.x * blockDim.x + threadIdx.x; o[t] = __nv_cvt_float_to_fp8(f[t], __NV_NOSAT, __NV_E4M3);
        o[65536 + t] = __nv_cvt_float_to_fp8(f[t], __NV_NOSAT, __NV_E5M2); }"""
    x, found = floats(), np.zeros((2, COUNT), np.uint8)
    run(source, arch, x, found)
    for name, result in zip(("fp8_e4m3", "fp8_e5m2"), found, strict=True):
        dtype, most = FORMATS[name][0], FORMATS[name][2]
        wanted = x.astype(dtype).astype(np.float32)  # of ml_dtypes: NaN or infinity where it is too large
        np.testing.assert_array_equal(result.view(dtype).astype(np.float32), wanted)
        assert (np.abs(x) > 1.1 * most).any()


@pytest.mark.needs_recent_nvrtc
@pytest.mark.parametrize("name", FORMATS)
def test_codes_to_bfloat16(name):
    dtype, _, _, family, last = FORMATS[name]
    source = f"""extern "C" __global__ void k(float *back) {{
        int t = blockIdx.x * blockDim.x + threadIdx.x;
        __nv_bfloat16_raw x = __nv_cvt_{family}_to_bf16raw(t & 255, {last});
        __nv_bfloat162_raw y = __nv_cvt_{family}x2_to_bf162raw(__nv_{family}x2_storage_t(t), {last});
        back[t] = (float)__nv_bfloat16(x); back[65536 + t] = (float)__nv_bfloat162(y).x;
        back[131072 + t] = (float)__nv_bfloat162(y).y; }}"""
    back = np.zeros((3, COUNT), np.float32)
    run(source, "sm_90", back)
    bits = 4 if family == "fp4" else 8
    used = (1 << int(family[2:])) - 1
    values = np.arange(256).astype(np.uint8)
    as_float = (values & used).view(dtype).astype(np.float32)
    t = np.arange(COUNT)
    limit = 256 if bits == 4 else COUNT
    np.testing.assert_array_equal(back[0, : used + 1], as_float[: used + 1])
    valid = (t < limit) & ((t & 255) & ~used == 0) if bits == 8 else t < limit
    valid &= ((t >> 8) & ~used) == 0
    np.testing.assert_array_equal(back[1][valid], as_float[(t & used if bits == 4 else t & 255)][valid])
    np.testing.assert_array_equal(back[2][valid], as_float[(t >> bits) & used][valid])
