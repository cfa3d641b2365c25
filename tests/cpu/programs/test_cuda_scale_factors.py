# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Scale factors of kind e8m0 in cuda_fp8.h: rounding to powers of two, and all conversions of their classes."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")
pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from support.compilers import compile_cuda, include_option
from support.loaded import Loaded

pytestmark = pytest.mark.needs_nvrtc
MODES = ["cudaRoundNearest", "cudaRoundZero", "cudaRoundPosInf", "cudaRoundMinInf"]
ARCHS = ["sm_75", "sm_90"]


def wanted(x: np.ndarray, saturate: bool, mode: str) -> np.ndarray:
    """Return the codes of doubles: the exponents of their magnitudes, rounded to powers of two."""
    with np.errstate(all="ignore"):
        fraction, exponent = np.frexp(np.abs(x))  # fraction 2**exponent, 1/2 <= fraction < 1
    up = {"cudaRoundNearest": fraction >= 0.75, "cudaRoundPosInf": fraction > 0.5}.get(mode, np.zeros(x.shape, bool))
    code = exponent.astype(int) - 1 + 127 + up
    code = np.where(x == 0, 0, np.clip(code, 0, 255))
    code = np.where(np.isinf(x), 255, code)
    return np.where(np.isnan(x), 255, np.where(saturate & (code == 255), 254, code))


def numbers() -> np.ndarray:
    random = np.random.default_rng(6)
    x = np.concatenate([2.0 ** np.arange(-149, 128), 1.5 * 2.0 ** np.arange(-148, 127), random.normal(0, 9, 300)])
    x = np.concatenate([x, 2.0 ** random.uniform(-140, 128, 500), [0.0, np.inf, np.nan, 3.4e38, 1e-45]])
    x = np.concatenate([x, np.nextafter(x.astype(np.float32), np.float32(0)), np.nextafter(x, np.inf)])
    with np.errstate(over="ignore"):
        return np.concatenate([x, -x]).astype(np.float32)


@pytest.mark.needs_recent_nvrtc  # before, the headers assert that the mode is one of two
@pytest.mark.parametrize("arch", ARCHS)
def test_numbers_are_rounded_to_powers_of_two(arch):
    calls = "".join(
        f"""o[{2 * i + j} * n + t] = __nv_cvt_float_to_e8m0(f[t], {saturation}, {mode});
            o[{8 + 2 * i + j} * n + t] = __nv_cvt_double_to_e8m0(d[t], {saturation}, {mode});
            w[{2 * i + j} * n + t] = __nv_cvt_float2_to_e8m0x2(make_float2(f[t], f[n - 1 - t]), {saturation}, {mode});
            o[{16 + 2 * i + j} * n + t] = __nv_cvt_bfloat16raw_to_e8m0(__float2bfloat16_rz(f[t]), {saturation}, {mode});
        """
        for i, mode in enumerate(MODES)
        for j, saturation in enumerate(["__NV_NOSAT", "__NV_SATFINITE"])
    )
    source = f"""#include <cuda_fp8.h>
        extern "C" __global__ void k(const float *f, const double *d, unsigned char *o, unsigned short *w, int n) {{
            int t = blockIdx.x * blockDim.x + threadIdx.x; if (t >= n) return; {calls} }}"""
    f = numbers()
    with np.errstate(all="ignore"):
        d = f.astype(float) * np.where(np.arange(f.size) % 3 == 0, 1 + 2.0**-40, 1)
    n = f.size
    o, w = np.zeros((24, n), np.uint8), np.zeros((8, n), np.uint16)
    loaded = Loaded(compile_cuda(source, f"--gpu-architecture={arch}", include_option()))
    loaded.launch("k", -(-n // 64), 64, f, d, o, w, np.int32(n))
    short = (f.view(np.uint32) & 0xFFFF0000).view(np.float32).astype(float)
    short = np.where(np.isnan(f), np.nan, short)
    for i, mode in enumerate(MODES):
        for j in range(2):
            single = wanted(f.astype(float), bool(j), mode)
            np.testing.assert_array_equal(o[2 * i + j], single, mode)
            np.testing.assert_array_equal(o[8 + 2 * i + j], wanted(d, bool(j), mode), mode)
            np.testing.assert_array_equal(o[16 + 2 * i + j], wanted(short, bool(j), mode), mode)
            np.testing.assert_array_equal(w[2 * i + j], single | single[::-1] << 8, mode)


@pytest.mark.parametrize("arch", ARCHS)
def test_classes_convert_all_codes(arch):
    types = ["signed char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long long", "u64"]
    calls = "".join(f"i[{row} * 256 + t] = (u64)({type_})x;" for row, type_ in enumerate(types))
    source = f"""#include <cuda_fp8.h>
        typedef unsigned long long u64;
        extern "C" __global__ void k(float *f, u64 *i, unsigned char *o, unsigned *w) {{
            int t = threadIdx.x; __nv_fp8_e8m0 x; x.__x = t; f[t] = (float)x; f[256 + t] = (float)(__nv_bfloat16)x;
            f[512 + t] = (float)(__half)x; f[768 + t] = (float)(double)x; {calls}
            __nv_fp8x4_e8m0 four; four.__x = t | 7 << 8 | t << 16 | 200 << 24; float4 v = (float4)four;
            w[t] = __nv_fp8x4_e8m0(v).__x; f[1024 + t] = v.x * v.y + v.z * 0 + v.w;
            __nv_fp8x2_e8m0 two; two.__x = t | t << 8; w[256 + t] = __nv_fp8x2_e8m0((float2)two).__x;
            w[512 + t] = __nv_fp8x2_e8m0((__nv_bfloat162)two).__x;
            o[t] = __nv_fp8_e8m0(t * 3 - 300).__x; o[256 + t] = __nv_fp8_e8m0((u64)t << (t & 56)).__x;
            o[512 + t] = (bool)x; o[768 + t] = __nv_fp8_e8m0(__float2half(t * 0.75f)).__x; }}"""
    f, i, o = np.zeros((5, 256), np.float32), np.zeros((8, 256), np.uint64), np.zeros((4, 256), np.uint8)
    w, t = np.zeros((3, 256), np.uint32), np.arange(256)
    loaded = Loaded(compile_cuda(source, f"--gpu-architecture={arch}", include_option()))
    loaded.launch("k", 1, 256, f, i, o, w)
    value = np.where(t == 255, np.nan, 2.0 ** (np.minimum(t, 254) - 127))
    for row in (0, 1, 3):
        np.testing.assert_array_equal(f[row], value.astype(np.float32))
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(f[2], value.astype(np.float16))
    for row, type_ in enumerate((np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64)):
        most = np.iinfo(type_).max
        nothing = 1 << 63 if most > 1 << 32 else 0
        whole = [nothing if v != v else min(int(v), most) for v in value]
        np.testing.assert_array_equal(i[row], np.array(whole, np.uint64), str(type_))
    np.testing.assert_array_equal(w[0], t | 7 << 8 | t << 16 | 200 << 24)
    np.testing.assert_array_equal(w[1], t | t << 8)
    np.testing.assert_array_equal(w[2], t | t << 8)
    np.testing.assert_array_equal(o[0], wanted((t * 3 - 300).astype(float), True, "cudaRoundPosInf"))
    shifted = np.array([float((v << (v & 56)) % 2**64) for v in t.tolist()])
    np.testing.assert_array_equal(o[1], wanted(shifted, True, "cudaRoundPosInf"))
    np.testing.assert_array_equal(o[2], np.ones(256))
    np.testing.assert_array_equal(o[3], wanted((t * 0.75).astype(np.float16).astype(float), True, "cudaRoundPosInf"))
