# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""libcu++: atomics, barriers, pipelines, semaphores, annotated pointers, PTX by name, and the standard library."""

from __future__ import annotations

import cmath
import datetime
import functools

import numpy as np
import pytest
from test_cuda_headers import load

pytestmark = [pytest.mark.cpu_only, pytest.mark.needs_nvrtc]
random = np.random.default_rng(6)
HEADERS = """
    cuda/annotated_ptr cuda/atomic cuda/barrier cuda/cmath cuda/latch cuda/pipeline cuda/ptx cuda/semaphore
    cuda/std/algorithm cuda/std/array cuda/std/bit cuda/std/bitset cuda/std/charconv cuda/std/chrono cuda/std/cmath
    cuda/std/complex cuda/std/expected cuda/std/functional cuda/std/inplace_vector cuda/std/limits cuda/std/mdspan
    cuda/std/numeric cuda/std/optional cuda/std/ratio cuda/std/span cuda/std/string_view cuda/std/tuple
    cuda/std/variant cooperative_groups.h
    """
SYNCHRONISING = """namespace cg = cooperative_groups; namespace ptx = cuda::ptx;
    constexpr auto BLOCK = cuda::thread_scope_block;
    template <cuda::thread_scope S> __device__ void change(int *p) { cuda::atomic_ref<int, S> a(*p);
        a.fetch_add(2); a.fetch_sub(1); a.fetch_xor(0); a.fetch_or(0); a.fetch_and(-1); }
    struct alignas(16) Pair { long long a, b; };
    extern "C" __global__ void atomics(int *p, Pair *pair, unsigned char *bytes, unsigned short *halves, double *d,
            float *f, long long *q) { int i = threadIdx.x;
        change<cuda::thread_scope_system>(p); change<cuda::thread_scope_device>(p + 1);
        cuda::atomic_ref<Pair, cuda::thread_scope_device> both(*pair); Pair old = both.load(), next;
        do { next = {old.a + 1, old.b - 2}; } while (!both.compare_exchange_weak(old, next));
        cuda::atomic_ref<unsigned char> c(bytes[i & 3]); c.fetch_add(1);
        cuda::atomic_ref<unsigned short> s(halves[i & 1]); s.fetch_add(3); cuda::atomic_ref<double> e(*d);
        e.fetch_add(0.5, cuda::std::memory_order_relaxed); cuda::atomic_ref<float> g(*f); g.fetch_max((float)i);
        cuda::atomic_ref<long long> m(*q); m.fetch_min(-(long long)i);
        cuda::atomic_ref<unsigned char> t(bytes[4]); t.exchange(7);
        __shared__ cuda::atomic<int, BLOCK> block; __shared__ cuda::std::atomic_flag flag;
        if (i == 0) { block = 0; flag.clear(); }
        __syncthreads(); block++; if (!flag.test_and_set()) atomicAdd(p + 3, 1);
        cuda::atomic_thread_fence(cuda::std::memory_order_seq_cst, cuda::thread_scope_device);
        __syncthreads(); if (i == 0) atomicAdd(p + 2, block.load()); }
    extern "C" __global__ void barriers(const int *in, int *out, int n) {
        typedef cuda::barrier<BLOCK> Barrier; typedef cuda::latch<BLOCK> Latch; __shared__ Barrier bar;
        __shared__ alignas(128) int s[256]; __shared__ alignas(8) char room[sizeof(Latch)]; Latch *gone = (Latch *)room;
        auto block = cg::this_thread_block(); int i = threadIdx.x;
        if (i == 0) { init(&bar, blockDim.x); new (gone) Latch(blockDim.x); }
        block.sync();
        for (int r = 0; r < n; r++) {
            if (i == 0) cuda::memcpy_async(s, in + 256 * r, cuda::aligned_size_t<16>(1024), bar);
            bar.arrive_and_wait(); out[256 * r + i] = s[255 - i] * (r + 1); out[256 * r + 128 + i] = s[127 - i];
            bar.arrive_and_wait(); }
        cuda::memcpy_async(block, s, in, 1024, bar); auto token = bar.arrive();
        bar.wait(static_cast<Barrier::arrival_token &&>(token)); out[256 * n + i] = s[i + 5]; gone->arrive_and_wait();
        if (i < 96) bar.arrive_and_drop();
        else { bar.arrive_and_wait(); s[i] = i; bar.arrive_and_wait(); out[256 * n + 32 + i] = s[96 + (i + 1) % 32]; } }
    extern "C" __global__ void pipelines(const int *in, int *out, int n) {
        typedef cuda::pipeline_shared_state<BLOCK, 2> State; __shared__ State state, split;
        __shared__ alignas(16) int s[2][64]; auto block = cg::this_thread_block(); int i = threadIdx.x;
        { auto pipe = cuda::make_pipeline(block, &state);
            for (int f = 0, c = 0; c < n; c++) {
                for (; f < n && f < c + 2; f++) { pipe.producer_acquire();
                    cuda::memcpy_async(block, s[f & 1], in + 64 * f, 256, pipe); pipe.producer_commit(); }
                pipe.consumer_wait(); out[64 * c + i] = s[c & 1][63 - i] + c; pipe.consumer_release(); } }
        block.sync(); auto own = cuda::make_pipeline(); own.producer_acquire();
        cuda::memcpy_async(&s[0][i], in + i, sizeof(int), own); own.producer_commit();
        cuda::pipeline_consumer_wait_prior<0>(own); out[64 * n + i] = s[0][i] * 3; block.sync();
        auto role = i < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
        auto pipe = cuda::make_pipeline(block, &split, role); auto warp = cg::tiled_partition<32>(block);
        for (int r = 0; r < n; r++)
            if (role == cuda::pipeline_role::producer) { pipe.producer_acquire();
                cuda::memcpy_async(warp, s[r & 1], in + 64 * r, 256, pipe); pipe.producer_commit(); }
            else { pipe.consumer_wait(); out[64 * (n + 1) + 32 * r + i - 32] = s[r & 1][i]; pipe.consumer_release(); } }
    extern "C" __global__ void annotated(const float *in, float *out) {
        int i = threadIdx.x; typedef cuda::access_property P;
        cuda::annotated_ptr<const float, P::streaming> a(in); cuda::annotated_ptr<float, P::persisting> b(out);
        __shared__ float s[32]; cuda::annotated_ptr<float, P::shared> c(s); b[i] = a[31 - i] * 2; c[i] = a[i];
        __syncwarp(); b[32 + i] = c[i ^ 1]; cuda::apply_access_property(in, 128, P::persisting{}); }
    extern "C" __global__ void by_name(unsigned *o) { unsigned i = threadIdx.x; o += i; __shared__ uint64_t bar;
        o[0] = ptx::get_sreg_laneid() + ptx::get_sreg_ntid_x() * 100; o[32] = ptx::get_sreg_lanemask_lt();
        o[64] = ptx::bmsk_clamp(3u, i & 7); o[96] = ptx::shl(1u, i); o[128] = ptx::bfind(i * 37u);
        o[160] = ptx::prmt(0x03020100u, 0x07060504u, 0x5410u + i % 4); o[192] = ptx::elect_sync(~0u);
        if (i == 0) ptx::mbarrier_init(&bar, 32);
        __syncwarp(); auto t = ptx::mbarrier_arrive(&bar); while (!ptx::mbarrier_try_wait(&bar, t)) {}
        o[224] = ptx::mbarrier_test_wait_parity(&bar, 0); o[256] = ptx::mbarrier_test_wait_parity(&bar, 1);
        ptx::fence(ptx::sem_acq_rel, ptx::scope_gpu); ptx::fence_proxy_async(); }"""

SEMAPHORES = """constexpr auto BLOCK = cuda::thread_scope_block;
    extern "C" __global__ void semaphores(int *most, int *now) { typedef cuda::counting_semaphore<BLOCK, 5> Semaphore;
        __shared__ Semaphore s; if (threadIdx.x == 0) new (&s) Semaphore(5);
        __syncthreads(); s.acquire(); atomicMax(most, atomicAdd(now, 1) + 1); __nanosleep(100); atomicSub(now, 1);
        s.release(); __syncthreads(); if (threadIdx.x == 0) most[1] = s.try_acquire(); }"""


def include(source: str) -> str:
    return "".join(f"#include <{header}>\n" for header in HEADERS.split()) + source


synchronising = functools.cache(lambda: load(include(SYNCHRONISING), arch="sm_120"))


def aligned(values: np.ndarray, by: int = 16) -> np.ndarray:
    room = np.zeros(values.nbytes + by, np.uint8)
    found = room[-room.ctypes.data % by :][: values.nbytes].view(values.dtype)
    found[:] = values
    return found


def test_atomics_of_all_scopes_and_sizes():
    p, pair, f, d, q = (
        np.zeros(4, np.int32),
        aligned(np.zeros(2, np.int64)),
        np.zeros(1, "f4"),
        np.zeros(1),
        np.zeros(1, "i8"),
    )
    octets, halves = aligned(np.zeros(8, np.uint8)), np.zeros(2, np.uint16)  # changed by whole words
    synchronising().launch("atomics", 4, 96, p, pair, octets, halves, d, f, q)
    assert (p.tolist(), pair.tolist()) == ([384, 384, 384, 4], [384, -768])
    assert (octets[:5].tolist(), halves.tolist()) == ([96, 96, 96, 96, 7], [576, 576])
    assert (d[0], f[0], q[0]) == (192, 95, -95)


def test_barriers_and_latches():
    """A barrier also waits for copies, and not for threads that have dropped."""
    rounds, given = 3, aligned(random.integers(0, 1000, 1024).astype(np.int32))
    out = np.zeros(256 * rounds + 160, np.int32)
    synchronising().launch("barriers", 1, 128, given, out, np.int32(rounds))
    parts = given[: 256 * rounds].reshape(rounds, 256)
    expected = [np.concatenate([part[:127:-1] * (r + 1), part[127::-1]]) for r, part in enumerate(parts)]
    np.testing.assert_array_equal(out, np.concatenate([*expected, given[5:133], 96 + (np.arange(32) + 1) % 32]))


def test_pipelines():
    rounds = 7
    given, out = aligned(random.integers(0, 1000, 64 * rounds).astype(np.int32)), np.zeros(96 * rounds + 64, np.int32)
    synchronising().launch("pipelines", 1, 64, given, out, np.int32(rounds))
    parts = given.reshape(rounds, 64)
    expected = (parts[:, ::-1] + np.arange(rounds)[:, None]).ravel(), parts[0] * 3, parts[:, 32:].ravel()
    np.testing.assert_array_equal(out, np.concatenate(expected))


def test_semaphores():
    most, now = np.zeros(2, np.int32), np.zeros(1, np.int32)
    load(include(SEMAPHORES), arch="sm_120").launch("semaphores", 1, 96, most, now)
    assert 1 <= most[0] <= 5
    assert (most[1], now[0]) == (1, 0)


def test_annotated_pointers():
    given, out = random.standard_normal(32).astype(np.float32), np.zeros(64, np.float32)
    synchronising().launch("annotated", 1, 32, given, out)
    np.testing.assert_array_equal(out, [*(given[::-1] * 2), *given[np.arange(32) ^ 1]])


def test_ptx_by_name():
    out, i = np.zeros((9, 32), np.uint32), np.arange(32)
    synchronising().launch("by_name", 1, 32, out)
    highest = [int(lane * 37).bit_length() - 1 & 0xFFFFFFFF for lane in i]
    halves = [0x05040100 + lane % 4 for lane in range(32)]  # the lowest byte is that of a byte's number
    expected = [i + 3200, (1 << i) - 1, ((1 << (i & 7)) - 1) << 3, 1 << i, highest, halves]
    np.testing.assert_array_equal(out[:6], expected)
    assert out[6].sum() == 1
    assert out[7].all()
    assert not out[8].any()


LIBRARY = """using namespace cuda::std;
    extern "C" __global__ void library(double *o, char *text, const int *in, unsigned long long *u) {
    auto span_of = chrono::duration_cast<chrono::milliseconds>(chrono::hours(2) + chrono::seconds(3));
    auto now = chrono::system_clock::now(); *o++ = span_of.count(); *o++ = chrono::system_clock::now() >= now;
    *o++ = chrono::sys_days(chrono::year(2026) / 11 / 22).time_since_epoch().count();
    variant<int, double, const char *> v = 2.5; *o++ = v.index() * 10 + get<double>(v); v = 7;
    *o++ = visit([](auto x) { return sizeof(x) * 1.0; }, v); *o++ = holds_alternative<int>(v);
    span<const int> s(in, 16); *o++ = s.subspan(3, 5).back() + s.size();
    auto end = to_chars(text, text + 32, -123456789); *end.ptr = 0; int back; from_chars(text, text + 20, back);
    *o++ = back; end = to_chars(text + 32, text + 64, 0xdeadbeefcafeull, 36); *end.ptr = 0;
    *o++ = gcd(84, 126) * 1000 + lcm(4, 6);
    int a[16]; copy(s.begin(), s.end(), a); partial_sort(a, a + 16, a + 16); *o++ = is_sorted(a, a + 16);
    *o++ = lower_bound(a, a + 16, 30) - a; reverse(a, a + 16); rotate(a, a + 3, a + 16);
    for (int i = 0; i < 16; i++) *u++ = a[i];
    auto square = [](int x) { return x * x; }; *o++ = inner_product(in, in + 16, in, 0); *o++ = reduce(in, in + 16);
    *o++ = transform_reduce(in, in + 16, 0, plus<>{}, square);
    *o++ = count_if(in, in + 16, [](int x) { return x & 1; });
    *o++ = *max_element(in, in + 16); *o++ = find(in, in + 16, in[9]) - in;
    exclusive_scan(in, in + 16, a, 0); *o++ = a[15];
    *u++ = bit_ceil(37u) + bit_width(255u) * 1000; *u++ = rotl(0x12345678u, 8); *u++ = bit_cast<unsigned>(1.5f);
    *u++ = has_single_bit(64u); *u++ = byteswap(0x0102030405060708ull); *u++ = countr_zero(0x50ull) + popcount(0xF0u);
    __int128 wide = (__int128)1 << 100; *u++ = wide / 12345678901234567ll; *u++ = (unsigned long long)(wide >> 64);
    expected<int, int> e = unexpected(4); *o++ = e.has_value() * 10 + e.error(); bitset<70> b("1011"); b.flip(69);
    *o++ = b.count(); inplace_vector<int, 8> few{3, 1, 2}; few.push_back(9); *o++ = few.size() * 10 + few.back();
    string_view words("hello world"); *o++ = words.find("world"); *o++ = words.substr(6) == "world";
    *o++ = cuda::std::hypot(3.0, 4.0) + cuda::std::lerp(1.0, 3.0, 0.25) + cuda::std::fma(2.0, 3.0, 1.0);
    *o++ = midpoint(3, 9); *o++ = ratio_add<ratio<1, 3>, ratio<1, 6>>::den;
    *o++ = not_fn([](int x) { return x > 2; })(1);
    mdspan<const int, dextents<int, 2>, layout_left> m(in, 4, 4); *o++ = m(1, 2);
    *o++ = submdspan(m, 2, full_extent)(3);
    auto [x, y] = pair<int, float>{1, 2.f}; *o++ = x + y + apply([](int i, int j) { return i * j; }, tuple{6, 7});
    *o++ = tuple<int, int>{1, 2} < tuple<int, int>{1, 3}; optional<int> maybe = 3; *o++ = optional<int>().value_or(7);
    *o++ = maybe.transform([](int i) { return i * 2; }).value_or(0); array<int, 3> few_more{4, 1, 3};
    *o++ = accumulate(few_more.begin(), few_more.end(), 0); *o++ = cuda::ceil_div(10, 4) + cuda::ilog2(1000) * 10;
    *o++ = numeric_limits<__int128>::digits; *o++ = cuda::std::saturating_add(2000000000, 2000000000);
    *o++ = clamp(12, 3, 9);
    complex<double> z(0.5, -1.25), w = z * z + exp(z) / pow(z, 3); *o++ = w.real(); *o++ = w.imag(); *o++ = abs(w); }"""


def test_standard_library():
    out, text, words = np.zeros(42), np.zeros(64, np.uint8), np.zeros(24, np.uint64)
    given = random.integers(0, 60, 16).astype(np.int32)
    load(include(LIBRARY), options=["--device-int128"]).launch("library", 1, 1, out, text, given, words)
    assert [bytes(part).partition(b"\0")[0] for part in (text[:32], text[32:])] == [b"-123456789", b"2escxszj0e"]
    ordered, squares, z = np.sort(given), (given * given).sum(), 0.5 - 1.25j
    w = z * z + cmath.exp(z) / z**3
    days = (datetime.date(2026, 11, 22) - datetime.date(1970, 1, 1)).days
    expected = [
        7203000, 1, days, 12.5, 4, 1, given[7] + 16, -123456789, 42012, 1, np.searchsorted(ordered, 30), squares,
        given.sum(), squares, (given & 1).sum(), given.max(), list(given).index(given[9]), given[:15].sum(), 4, 4, 49,
        6, 1, 13.5, 6, 2, 1, given[9], given[14], 45, 1, 7, 6, 8, 93, 127, 2**31 - 1, 9, w.real, w.imag, abs(w),
    ]  # fmt: skip
    np.testing.assert_allclose(out[: len(expected)], expected, rtol=1e-14)
    of_bits = [64 + 8000, 0x34567812, 0x3FC00000, 1, 0x0807060504030201, 8, 2**100 // 12345678901234567, 2**36]
    assert words.tolist() == [*np.roll(ordered[::-1], -3).tolist(), *of_bits]
