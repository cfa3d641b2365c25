# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""cuRAND's generators in kernels, compared word by word with their papers, and its distributions."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest
from support.compilers import cached_for_compiler, library
from test_cuda_headers import load

pytestmark = [pytest.mark.cpu_only, pytest.mark.needs_nvrtc]
# The parameters of MTGP32 are in a host header; here they are device variables.
SOURCE = """#include <curand_kernel.h>
    #ifndef __clang__ // neither MTGP32 nor tables of discrete distributions are among its headers
    #include <curand_mtgp32dc_p_11213.h>
    #endif
    extern "C" __global__ void xorwow(unsigned *first, unsigned *words, const unsigned long long *skips, int n) {
        curandStateXORWOW_t a, b; curand_init(0x123456789abcdefull, 0, 0, &a); first[0] = a.d;
        for (int i = 0; i < 5; i++) first[1 + i] = a.v[i];
        b = a; for (int i = 0; i < 40; i++) *words++ = curand(&b);
        for (int i = 0; i < n; i++) { b = a; skipahead(skips[i], &b); *words++ = curand(&b);
            b = a; skipahead_sequence(skips[i], &b); *words++ = curand(&b);
            curand_init(0x123456789abcdefull, skips[i], skips[n - 1 - i], &b); *words++ = curand(&b); } }
    extern "C" __global__ void mrg(unsigned *first, unsigned *words, const unsigned long long *skips, int n) {
        curandStateMRG32k3a_t a, b; curand_init(987654321, 0, 0, &a);
        for (int i = 0; i < 3; i++) { first[i] = a.s1[i]; first[3 + i] = a.s2[i]; }
        b = a; for (int i = 0; i < 40; i++) *words++ = curand(&b);
        for (int i = 0; i < n; i++) { b = a; skipahead(skips[i], &b); *words++ = curand(&b);
            b = a; skipahead_subsequence(skips[i], &b); *words++ = curand(&b); } }
    #ifdef __clang__
    struct curandDiscreteDistribution_st;
    template <class S> __device__ unsigned curand_discrete(S *, void *) { return 0; }
    template <class S> __device__ uint4 curand_discrete4(S *, void *) { return make_uint4(0, 0, 0, 0); }
    #else
    extern "C" __global__ void mtgp(mtgp32_params_fast_t *given, const unsigned *state, unsigned *words, float *f,
            int rounds) {
        __shared__ mtgp32_kernel_params_t k; __shared__ curandStateMtgp32_t s; int t = threadIdx.x, b = blockIdx.x;
        const mtgp32_params_fast_t &p = mtgp32dc_params_fast_11213[b];
        if (t < 16) { k.param_tbl[b][t] = p.tbl[t]; k.temper_tbl[b][t] = p.tmp_tbl[t];
            k.single_temper_tbl[b][t] = p.flt_tmp_tbl[t]; }
        if (t == 0) { k.pos_tbl[b] = p.pos; k.sh1_tbl[b] = p.sh1; k.sh2_tbl[b] = p.sh2; k.mask[0] = p.mask;
            s.offset = 0; s.pIdx = b; s.k = &k; given[b] = p; }
        for (int i = t; i < 1024; i += 256) s.s[i] = i < 351 ? state[351 * b + i] : 0;
        __syncthreads(); words += 256 * rounds * b; f += 256 * b;
        for (int r = 0; r < rounds; r++) words[256 * r + t] = curand(&s);
        f[t] = curand_uniform(&s); }
    #endif
    template <class S> __device__ void draw(S &s, double *o, int n) {
        o[0] = curand_uniform(&s); o[n] = curand_uniform_double(&s); o[2 * n] = curand_normal(&s);
        o[3 * n] = curand_normal_double(&s); o[4 * n] = log(curand_log_normal_double(&s, 1.0, 2.0));
        o[5 * n] = logf(curand_log_normal(&s, 1.0f, 0.5f)); o[6 * n] = curand_poisson(&s, 3.0);
        o[7 * n] = curand_poisson(&s, 200.0); o[8 * n] = curand_poisson(&s, 5000.0); }
    template <class S> __device__ void both(S &s, double *o, int n) { float2 f = curand_normal2(&s);
        double2 d = curand_normal2_double(&s); o[9 * n] = f.x; o[10 * n] = f.y; o[11 * n] = d.x; o[12 * n] = d.y; }
    #define KERNEL(name, State, ...) extern "C" __global__ void name(double *o, const unsigned *v, \\
            const unsigned long long *w, curandDiscreteDistribution_st *d) { \\
        int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x; State s; o += i; __VA_ARGS__ }
    KERNEL(of_xorwow, curandStateXORWOW_t, curand_init(11, i, 0, &s); draw(s, o, n); both(s, o, n);
        o[13 * n] = curand_discrete(&s, d);)
    KERNEL(of_mrg, curandStateMRG32k3a_t, curand_init(12, i, 0, &s); draw(s, o, n); both(s, o, n);
        o[13 * n] = curand_discrete(&s, d);)
    KERNEL(of_philox, curandStatePhilox4_32_10_t, curand_init(13, i, 0, &s); draw(s, o, n); both(s, o, n);
        uint4 four = curand_discrete4(&s, d); o[13 * n] = i & 1 ? four.x : four.w; uint4 p = curand_poisson4(&s, 3.0);
        o[6 * n] = i & 1 ? p.y : p.z; float4 f = curand_normal4(&s); o[9 * n] = f.z; o[10 * n] = f.w;)
    KERNEL(of_sobol, curandStateSobol32_t, curand_init((unsigned *)v, 9 * i, &s); draw(s, o, n);)
    KERNEL(of_scrambled, curandStateScrambledSobol64_t, curand_init((unsigned long long *)w, 12345, 9 * i, &s);
        draw(s, o, n);)
    """
loaded = cached_for_compiler(lambda: load(SOURCE, "curand_kernel.h"))
SKIPS = np.array([1, 2, 31, 2**20 + 7, 2**40 + 3, 2**63 + 12345], np.uint64)


def of_bits(word: int) -> np.ndarray:
    return np.array([word >> i & 1 for i in range(32)], np.float64)


def shifted(by: int) -> np.ndarray:
    """Return the matrix over two elements of x ^ x << by, or of x ^ x >> -by."""
    return np.eye(32) + np.eye(32, k=-by)


@functools.cache
def xorwow_steps() -> list[np.ndarray]:
    """Return the matrices by which the five shifted words change in 2**k steps (Marsaglia, "Xorshift RNGs", 2003)."""
    step = np.eye(160, k=32)
    step[128:, :32] = shifted(1) @ shifted(-2) % 2
    step[128:, 128:] = shifted(4)
    steps = [step]
    while len(steps) < 132:
        steps.append(steps[-1] @ steps[-1] % 2)
    return steps


def after(first: list[int], steps: int) -> int:
    """Return the word that XORWOW draws once `steps` words have been drawn."""
    bits = np.concatenate([of_bits(word) for word in first[1:]])
    for index, matrix in enumerate(xorwow_steps()):
        if steps + 1 >> index & 1:
            bits = matrix @ bits % 2
    return (int(sum(int(bit) << i for i, bit in enumerate(bits[128:]))) + first[0] + 362437 * (steps + 1)) % 2**32


def test_xorwow_output():
    first, words = np.zeros(6, np.uint32), np.zeros(40 + 3 * len(SKIPS), np.uint32)
    loaded().launch("xorwow", 1, 1, first, words, SKIPS, np.int32(len(SKIPS)))
    start, skips = first.tolist(), SKIPS.tolist()
    assert words[:40].tolist() == [after(start, i) for i in range(40)]
    for found, skip, back in zip(words[40:].reshape(-1, 3).tolist(), skips, skips[::-1], strict=True):
        assert found == [after(start, skip), after(start, skip << 67), after(start, (skip << 67) + back)]


def power(base: np.ndarray, exponent: int, modulus: int) -> np.ndarray:
    result = np.eye(3, dtype=object)
    while exponent:
        if exponent & 1:
            result = base @ result % modulus
        base, exponent = base @ base % modulus, exponent >> 1
    return result


FIRST, SECOND = 4294967087, 4294944443  # the moduli of MRG32k3a (L'Ecuyer, 1999)


def test_mrg32k3a_output():
    first, words = np.zeros(6, np.uint32), np.zeros(40 + 2 * len(SKIPS), np.uint32)
    loaded().launch("mrg", 1, 1, first, words, SKIPS, np.int32(len(SKIPS)))
    a = np.array([[0, 1, 0], [0, 0, 1], [-810728, 1403580, 0]], object)
    b = np.array([[0, 1, 0], [0, 0, 1], [-1370589, 0, 527612]], object)

    def drawn(steps: int) -> int:
        x = power(a, steps + 1, FIRST) @ first[:3].tolist() % FIRST
        y = power(b, steps + 1, SECOND) @ first[3:].tolist() % SECOND
        return (x[2] - y[2]) % FIRST * 2**32 // FIRST

    assert [abs(int(word) - drawn(i)) <= 1 for i, word in enumerate(words[:40])] == [True] * 40
    for found, skip in zip(words[40:].reshape(-1, 2)[:5].tolist(), SKIPS[:5].tolist(), strict=True):  # up to 2**51
        assert abs(found[0] - drawn(skip)) <= 1
        assert abs(found[1] - drawn(skip << 76)) <= 1


def test_mtgp32_of_two_blocks(compiler):
    if compiler == "clang":
        pytest.skip("MTGP32 is not among clang's headers")
    """Saito and Matsumoto, "Variants of Mersenne Twister Suitable for Graphic Processors", 2010."""
    fields = [("mexp", "i4"), ("pos", "i4"), ("sh1", "i4"), ("sh2", "i4"), ("tbl", "u4", 16), ("tmp", "u4", 16),
              ("single", "u4", 16), ("mask", "u4"), ("digest", "u1", 21)]  # fmt: skip
    rounds, parameters = 5, np.zeros(2, np.dtype(fields, align=True))
    state = np.random.default_rng(1).integers(0, 2**32, (2, 351), np.uint32)
    words, singles = np.zeros((2, 256 * rounds), np.uint32), np.zeros((2, 256), np.float32)
    loaded().launch("mtgp", 2, 256, parameters, state, words, singles, np.int32(rounds))
    assert parameters["mexp"].tolist() == [11213, 11213]
    for p, x, found, uniform in zip(parameters, state.tolist(), words, singles, strict=True):
        wanted = []
        for i in range(256 * (rounds + 1)):
            y = x[i + p["pos"]]
            new = x[i] & int(p["mask"]) ^ x[i + 1]
            new ^= new << int(p["sh1"]) & 0xFFFFFFFF
            new ^= y >> int(p["sh2"])
            x.append(new ^ int(p["tbl"][new & 15]))
            t = x[i + p["pos"] - 1]
            t ^= t >> 16
            t ^= t >> 8
            wanted.append(x[-1] ^ int(p["tmp"][t & 15]))
        assert found.tolist() == wanted[: 256 * rounds]
        np.testing.assert_allclose(uniform, (np.array(wanted[256 * rounds :]) + 0.5) * 2.0**-32, rtol=1e-6)


COUNT = 64 * 256
CDF = [lambda x: x] * 2 + [lambda x: (1 + math.erf(x / math.sqrt(2))) / 2] * 2
CDF += [lambda x: CDF[2]((x - 1) / 2), lambda x: CDF[2]((x - 1) / 0.5)]
METHOD = 5  # CURAND_M2
WEIGHTS = np.array([1, 5, 2, 0.5, 1.5]) / 10


def alias_table(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return Walker's alias table (1977): the threshold and the alias of each interval."""
    count = len(weights)
    share, other = weights * count, np.arange(count, dtype=np.uint32)
    small, large = [i for i in range(count) if share[i] < 1], [i for i in range(count) if share[i] >= 1]
    while small and large:
        least, most = small.pop(), large[-1]
        other[least] = most
        share[most] -= 1 - share[least]
        if share[most] < 1:
            small.append(large.pop())
    return (np.arange(count) + share) / count, other


def distribution() -> tuple[np.ndarray, list[np.ndarray]]:
    """Return a curandDiscreteDistribution_st for numbers from 3 on, and the memory that it points to."""
    share, other = alias_table(WEIGHTS)
    histogram = np.array([share.ctypes.data, 0, other.ctypes.data, 0, 0], np.uint64)
    words = np.dtype([("histogram", "u8"), ("host", "u8"), ("shift", "u4"), ("length", "u4"), ("host_gen", "u4")])
    shift = np.zeros(1, np.dtype((np.void, words.itemsize + 4)))
    shift.view(np.uint8)[: words.itemsize] = np.array([(histogram.ctypes.data, 0, 3, 5, 0)], words).view(np.uint8)
    whole = np.array([0, shift.ctypes.data, 0, 0, 0, METHOD], np.uint64)
    return whole, [share, other, histogram, shift]


@pytest.mark.parametrize("generator", ["xorwow", "mrg", "philox", "sobol", "scrambled"])
def test_distributions(generator, compiler):
    # The first dimension of Sobol's sequence, in which each interval of 2**-k gets its share.
    directions = [
        np.array([1 << top - i for i in range(top + 1)], dtype) for top, dtype in ((31, np.uint32), (63, np.uint64))
    ]
    found, (discrete, _kept) = np.zeros((14, COUNT)), distribution()
    loaded().launch(f"of_{generator}", 64, 256, found, *directions, discrete)
    quasi = generator in ("sobol", "scrambled")
    for row, cdf in enumerate(CDF):
        ordered = np.sort(found[row])
        exact = np.array([cdf(x) for x in ordered])
        distance = np.abs(exact - (np.arange(COUNT) + 0.5) / COUNT).max()
        assert distance < 1.95 / math.sqrt(COUNT), (row, distance)  # Kolmogorov and Smirnov: one in a thousand
    for row, mean in ((6, 3), (7, 200), (8, 5000)):
        assert abs(found[row].mean() - mean) < 4 * math.sqrt(mean / COUNT), row
        assert abs(found[row].var() / mean - 1) < 0.06, row
        np.testing.assert_array_equal(found[row], np.rint(found[row]))
    shares = [math.exp(-3) * 3**k / math.factorial(k) for k in range(8)]
    np.testing.assert_allclose([(found[6] == k).mean() for k in range(8)], shares, atol=0.015)
    if not quasi:
        for row in range(9, 13):
            distance = np.abs([CDF[2](x) for x in np.sort(found[row])] - (np.arange(COUNT) + 0.5) / COUNT).max()
            assert distance < 1.95 / math.sqrt(COUNT), (row, distance)
    if not quasi and compiler != "clang":
        np.testing.assert_allclose([(found[13] == 3 + k).mean() for k in range(5)], WEIGHTS, atol=0.015)


SEEDED = """#include <curand_kernel.h>
    template <class S> __device__ __forceinline__ void words(unsigned long long seed, int i, unsigned *o, float *f) {
        S s; curand_init(seed, i * 3, i * 11, &s); for (int k = 0; k < 5; k++) *o++ = curand(&s);
        f[0] = curand_uniform(&s); f[1] = curand_uniform_double(&s); }
    extern "C" __global__ void k(const unsigned long long *seeds, unsigned *o, float *f) { int i = threadIdx.x;
        o += 15 * i; f += 6 * i; words<curandStateXORWOW_t>(seeds[i], i, o, f);
        words<curandStateMRG32k3a_t>(seeds[i], i, o + 5, f + 2);
        words<curandStatePhilox4_32_10_t>(seeds[i], i, o + 10, f + 4); }"""


def test_seeds_give_the_same_sequences_with_both_compilers(compiler, monkeypatch):
    if compiler == "nvrtc":
        pytest.skip("compares clang's with NVRTC's")
    library("nvrtc")  # or skip
    seeds = np.array([0, 1, 7, 2**31, 2**32, 2**63 + 12345, 0x123456789ABCDEF, 2**64 - 1], np.uint64)

    def drawn():
        words, uniform = np.zeros((len(seeds), 15), np.uint32), np.zeros((len(seeds), 6), np.float32)
        load(SEEDED, "curand_kernel.h").launch("k", 1, len(seeds), seeds, words, uniform)
        return words, uniform

    found = drawn()
    monkeypatch.setenv("CUDA_PYTHON_COMPILER", "nvrtc")
    for one, other in zip(found, drawn(), strict=True):
        np.testing.assert_array_equal(one, other)
