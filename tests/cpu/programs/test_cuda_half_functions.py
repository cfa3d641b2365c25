# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Functions of one 16-bit floating-point number, for all 65,536 of half and of bfloat16."""

from __future__ import annotations

from collections.abc import Callable

import ml_dtypes
import numpy as np
import pytest

pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")
pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from support.compilers import compile_cuda, include_option
from support.loaded import Loaded

pytestmark = [pytest.mark.needs_nvrtc, pytest.mark.filterwarnings("ignore::RuntimeWarning")]
ALL = np.arange(1 << 16).astype(np.uint16)
KINDS = {"__half": np.float16, "__nv_bfloat16": ml_dtypes.bfloat16}
# The documentation promises correct rounding for most; one unit in the last place is allowed for the others.
CORRECT: dict[str, Callable] = {
    "hsqrt": np.sqrt, "hrcp": lambda x: 1 / x, "hfloor": np.floor, "hceil": np.ceil, "htrunc": np.trunc,
    "hrint": np.rint, "__hneg": np.negative, "__habs": np.abs,
}  # fmt: skip
NEAR: dict[str, Callable] = {
    "hexp": np.exp, "hexp2": np.exp2, "hexp10": lambda x: 10.0**x, "hlog": np.log, "hlog2": np.log2,
    "hlog10": np.log10, "hsin": np.sin, "hcos": np.cos, "htanh": np.tanh, "hrsqrt": lambda x: 1 / np.sqrt(x),
}  # fmt: skip


def rounded(x: np.ndarray, dtype: type) -> np.ndarray:
    """Round double once, to the nearest: through a float with an odd significand where it is inexact."""
    single = x.astype(np.float32)
    single = np.where(np.abs(single) > np.abs(x), np.nextafter(single, np.float32(0)), single)
    inexact = np.isfinite(x) & (single != x)
    return (single.view(np.uint32) | inexact).view(np.float32).astype(dtype)


def ordinal(x: np.ndarray) -> np.ndarray:
    """Return integers whose differences are units in the last place."""
    bits = x.view(np.int16).astype(int)
    return np.where(bits < 0, -(bits & 0x7FFF), bits)


def apply(kind: str, names: list[str], arch: str, result: str = "", dtype: type | None = None) -> dict[str, np.ndarray]:
    """Return the results of functions for all numbers."""
    body = "".join(f"o[{i} * 65536 + t] = {name}(x);" for i, name in enumerate(names))
    source = f"""#include <cuda_fp16.h>
        #include <cuda_bf16.h>
        extern "C" __global__ void k(const {kind} *in, {result or kind} *o) {{
            int t = blockIdx.x * blockDim.x + threadIdx.x; {kind} x = in[t]; {body} }}"""
    out = np.zeros((len(names), 1 << 16), dtype or KINDS[kind])
    loaded = Loaded(compile_cuda(source, f"--gpu-architecture={arch}", include_option()))
    loaded.launch("k", 256, 256, ALL, out)
    return dict(zip(names, out, strict=True))


@pytest.mark.parametrize("arch", ["sm_75", "sm_90"])
@pytest.mark.parametrize("kind", KINDS)
def test_functions_of_every_number(kind, arch):
    dtype = KINDS[kind]
    x = ALL.view(dtype).astype(np.float64)
    for name, found in apply(kind, [*CORRECT, *NEAR], arch).items():
        wanted = rounded((CORRECT | NEAR)[name](x), dtype)
        nan = np.isnan(wanted)
        np.testing.assert_array_equal(np.isnan(found), nan, err_msg=name)
        off = np.abs(ordinal(found) - ordinal(wanted))[~nan]
        assert off.max() <= (1 if name in NEAR else 0), name
        assert np.count_nonzero(off) <= 8, name


WHOLE = {"short": np.int16, "ushort": np.uint16, "int": np.int32, "uint": np.uint32, "ll": np.int64}
PICK = {"rn": np.rint, "rz": np.trunc, "rd": np.floor, "ru": np.ceil}


@pytest.mark.parametrize("kind", KINDS)
def test_every_number_as_an_integer(kind):
    dtype = KINDS[kind]
    stem = {"__half": "half", "__nv_bfloat16": "bfloat16"}[kind]
    x = ALL.view(dtype).astype(np.float64)
    for word, type_ in WHOLE.items():
        names = {f"__{stem}2{word}_{mode}": mode for mode in PICK}
        result = {"ushort": "unsigned short", "uint": "unsigned", "ll": "long long"}.get(word, word)
        info = np.iinfo(type_)
        for name, found in apply(kind, list(names), "sm_90", result, type_).items():
            exact = PICK[names[name]](x)
            known = ~np.isnan(x) & (np.abs(exact) < 2.0**63)
            wanted = np.clip(exact[known], info.min, info.max).astype(type_)
            np.testing.assert_array_equal(found[known], wanted, err_msg=name)
            large = ~np.isnan(x) & ~known
            np.testing.assert_array_equal(found[large], np.where(x[large] > 0, info.max, info.min))


MEMBERS = """#include <cuda_fp16.h>
    #include <cuda_bf16.h>
    template <class T, class T2> __device__ void members(T *o, float *f, long long *w, T2 *o2) {
        T a = 2.5f, b = 3, c, one(1u); c = -1.5; short s = -7;
        o[0] = a + b; o[1] = a - b; o[2] = a * b; o[3] = a / b; o[4] = -a; o[5] = a; o[5] += b; o[6] = a; o[6] /= b;
        o[7] = a++; o[8] = a; o[9] = --a; o[10] = c; o[11] = s; o[12] = (T)1000000ull; o[13] = (T)-5ll;
        f[0] = a; f[1] = (double)b;
        w[0] = (int)c; w[1] = (unsigned char)c; w[2] = (signed char)(T)300.0f; w[3] = (long long)b;
        w[4] = (a < b) + 2 * (a == b) + 4 * (a != c) + 8 * (a >= one) + 16 * (b <= a) + 32 * (b > a);
        w[5] = a ? 1 : 2; w[6] = (unsigned short)c; w[7] = (T)0.0f ? 1 : 2;
        T2 p(a, b), q(b, c); o2[0] = p + q; o2[1] = p * q; o2[2] = p / q; o2[3] = -p; o2[4] = p; o2[4] -= q;
        o2[5] = ++q; o2[6] = __h2div(p, p);
#if __CUDA_ARCH__ >= 800
        o2[7] = __hcmadd(p, q, p);
#else
        o2[7] = T2(p.x * q.x - p.y * q.y + p.x, p.x * q.y + p.y * q.x + p.y);  // exact
#endif
        w[8] = (p == p) + 2 * (p != q) + 4 * (p < q) + 8 * (p >= p);
        o2[8] = __heq2(p, q); o2[9] = __hgtu2(p, q); o2[10] = __hisnan2(p);
    }
    extern "C" __global__ void halves(__half *o, float *f, long long *w, __half2 *o2) { members(o, f, w, o2); }
    extern "C" __global__ void brains(__nv_bfloat16 *o, float *f, long long *w, __nv_bfloat162 *o2) {
        members(o, f, w, o2); }"""


@pytest.mark.parametrize("arch", ["sm_75", "sm_80", "sm_90"])
def test_members_and_operators(arch):
    loaded = Loaded(compile_cuda(MEMBERS, f"--gpu-architecture={arch}", include_option()))
    for kernel, dtype in (("halves", np.float16), ("brains", ml_dtypes.bfloat16)):
        o, f, w, o2 = np.zeros(14, dtype), np.zeros(2, np.float32), np.zeros(9, np.int64), np.zeros((11, 2), dtype)
        loaded.launch(kernel, 1, 1, o, f, w, o2)
        wanted = [5.5, -0.5, 7.5, 2.5 / 3, -2.5, 5.5, 2.5 / 3, 2.5, 3.5, 2.5, -1.5, -7, 1e6, -5]
        np.testing.assert_array_equal(o, np.array(wanted).astype(dtype))
        np.testing.assert_array_equal(f, [2.5, 3])
        np.testing.assert_array_equal(w, [-1, 0, 127, 3, 1 + 4 + 8 + 32, 1, 0, 2, 1 + 2 + 8])
        p, q = np.array([2.5, 3]), np.array([3, -1.5])
        pairs = [p + q, p * q, p / q, -p, p - q, q + 1, p / p]
        q = q + 1
        pairs += [[p[0] * q[0] - p[1] * q[1] + p[0], p[0] * q[1] + p[1] * q[0] + p[1]], [0, 0], [0, 1], [0, 0]]
        np.testing.assert_array_equal(o2, np.array(pairs).astype(dtype))


MOVES = """#include <cuda_fp16.h>
    #include <cuda_bf16.h>
    template <class T, class T2> __device__ void move(T *in, T *o, T2 *o2, T *sums, T2 *sums2) {
        int t = threadIdx.x; T2 *in2 = (T2 *)in; T v = __ldg(in + t);
        o[t] = __shfl_sync(~0u, v, t ^ 5); o[32 + t] = __shfl_up_sync(~0u, v, 1);
        o[64 + t] = __shfl_down_sync(~0u, v, 2, 8);
        o[96 + t] = __shfl_xor_sync(~0u, v, 3);
        __stcg(o + 128 + t, __ldcs(in + t)); __stwt(o + 160 + t, __ldcv(in + t));
        T2 w = __ldcg(in2 + t % 16); o2[t] = __shfl_xor_sync(~0u, w, 1); __stcs(o2 + 32 + t, __lowhigh2highlow(w));
        __stwb(o2 + 64 + t, __ldca(in2 + t % 16)); o2[96 + t] = __shfl_sync(~0u, w, 3);
        atomicAdd(sums + t % 2, v); atomicAdd(sums2, w); }
    extern "C" __global__ void halves(__half *in, __half *o, __half2 *o2, __half *s, __half2 *s2) {
        move(in, o, o2, s, s2); }
    extern "C" __global__ void brains(__nv_bfloat16 *in, __nv_bfloat16 *o, __nv_bfloat162 *o2, __nv_bfloat16 *s,
                                      __nv_bfloat162 *s2) {
        move(in, o, o2, s, s2); }"""


@pytest.mark.parametrize("arch", ["sm_75", "sm_80", "sm_90"])
def test_shuffles_loads_stores_and_atomics(arch):
    loaded = Loaded(compile_cuda(MOVES, f"--gpu-architecture={arch}", include_option()))
    t = np.arange(32)
    for kernel, dtype in (("halves", np.float16), ("brains", ml_dtypes.bfloat16)):
        x = (t % 7 - 3).astype(dtype)
        o, o2, sums, sums2 = (
            np.zeros((6, 32), dtype),
            np.zeros((4, 32, 2), dtype),
            np.zeros(2, dtype),
            np.zeros(2, dtype),
        )
        loaded.launch(kernel, 1, 32, x, o, o2, sums, sums2)
        down = np.where(t % 8 + 2 < 8, t + 2, t) % 32
        np.testing.assert_array_equal(o, x[np.array([t ^ 5, np.maximum(t - 1, 0), down, t ^ 3, t, t])])
        pairs = x.reshape(16, 2)[t % 16]
        np.testing.assert_array_equal(o2, [pairs[t ^ 1], pairs[:, ::-1], pairs, pairs[np.full(32, 3)]])
        np.testing.assert_array_equal(sums, [x[::2].astype(float).sum(), x[1::2].astype(float).sum()])
        np.testing.assert_array_equal(sums2, pairs.astype(float).sum(0))


def test_denormals_are_kept_when_those_of_float_are_flushed():
    source = """#include <cuda_fp16.h>
        extern "C" __global__ void k(const __half *x, __half *o, int *w) { int t = threadIdx.x;
            o[t] = x[t] + x[t + 1]; w[t] = x[t] < x[t + 1]; w[t + 8] = (float)x[t] == 0.0f; }"""
    x = np.array([0, 1, 2, 3, 5, 7, 11, 13, 17], np.uint16).view(np.float16)  # all denormal
    out, words = np.zeros(8, np.float16), np.zeros(16, np.int32)
    text = compile_cuda(source, "--gpu-architecture=sm_90", include_option(), "--ftz=true")
    Loaded(text).launch("k", 1, 8, x, out, words)
    np.testing.assert_array_equal(out, x[:-1] + x[1:])
    np.testing.assert_array_equal(words, [*[1] * 8, 1, *[0] * 7])


@pytest.mark.parametrize("wide", ["float", "double"])
def test_integers_beyond_halves_become_infinite(wide):
    """LLVM, which compiles clang's code, takes an integer with few significant bits for exact in a half."""
    source = f"""#include <cuda_fp16.h>
        extern "C" __global__ void k(const long long *x, float *out) {{
            int t = threadIdx.x; out[t] = (float)__half(({wide})((x[t] & 1023) << 15)); }}"""
    out = np.zeros(4, np.float32)
    Loaded(compile_cuda(source, include_option())).launch("k", 1, 4, np.array([0, 1, 2, 1000]), out)
    assert out.tolist() == [0, 32768, np.inf, np.inf]
