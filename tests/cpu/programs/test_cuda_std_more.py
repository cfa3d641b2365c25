# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""libcu++ in one thread: algorithms, ranges, random engines and distributions, and utilities of namespace cuda."""

from __future__ import annotations

import functools
import itertools
import math

import numpy as np
import pytest
from test_cuda_headers import load

pytestmark = [pytest.mark.cpu_only, pytest.mark.needs_nvrtc]
HEADERS = """
    cuda/bit cuda/cmath cuda/discard_memory cuda/functional cuda/iterator cuda/mdspan cuda/memory cuda/numeric
    cuda/random cuda/std/algorithm cuda/std/numeric cuda/std/random cuda/std/ranges cuda/std/span cuda/warp
    """
SOURCE = """#define INFINITY __int_as_float(0x7f800000)  // which cuda/std/random takes from the host's headers
    namespace s = cuda::std; namespace views = s::views; namespace device = cuda::device;
    extern "C" __global__ void algorithms(int *o, const int *in, int n) {
        int a[32], b[32], c[64], m = 32, p[5] = {1, 2, 3, 4, 5}, k = 0, *e; s::copy_n(in, m, a);
        s::copy_n(in + m, m, b); s::make_heap(a, a + m); *o++ = s::is_heap(a, a + m);
        s::pop_heap(a, a + m); *o++ = a[m - 1];
        s::push_heap(a, a + m); s::sort_heap(a, a + m); *o++ = s::is_sorted(a, a + m); s::partial_sort(b, b + m, b + m);
        e = s::merge(a, a + m, b, b + m, c); *o++ = e - c; *o++ = s::is_sorted(c, e);
        *o++ = s::set_union(a, a + m, b, b + m, c) - c; *o++ = s::set_intersection(a, a + m, b, b + m, c) - c;
        *o++ = s::set_difference(a, a + m, b, b + m, c) - c; *o++ = s::includes(a, a + m, a + 3, a + 5);
        *o++ = s::unique(a, a + m) - a; s::copy_n(in, m, c);
        *o++ = s::partition(c, c + m, [](int x) { return x % 2 == 0; }) - c;
        *o++ = s::search(in, in + n, in + 7, in + 10) - in; do k++; while (s::next_permutation(p, p + 5)); *o++ = k;
        s::shift_left(b, b + m, 4); *o++ = b[0]; auto ends = s::minmax_element(in, in + n);
        *o++ = *ends.second - *ends.first; *o++ = s::lexicographical_compare(in, in + 4, in + 4, in + 8);
        s::replace_copy_if(in, in + m, c, [](int x) { return x > 10; }, -1); *o++ = s::count(c, c + m, -1);
        *o++ = s::accumulate(in, in + n, 0, s::bit_xor<>()); s::inclusive_scan(in, in + m, c, s::plus<>(), 7);
        *o++ = c[m - 1]; s::adjacent_difference(in, in + m, c); *o++ = c[m - 1]; }
    extern "C" __global__ void ranges(int *o, const int *in, int n) { s::span<const int> all(in, n); int sum = 0;
        for (int x : all | views::filter([](int x) { return x & 1; }) | views::transform([](int x) { return x * x; }))
            sum += x;
        *o++ = sum; sum = 0; for (int x : views::iota(3, 20) | views::drop(2) | views::take(5)) sum = sum * 10 + x;
        *o++ = sum; sum = 0; for (int x : all | views::reverse | views::take_while([](int x) { return x > 1; })) sum++;
        *o++ = sum; sum = 0; for (auto [x, y] : views::zip(all, views::iota(0))) sum += x * y;
        *o++ = sum; for (int x : views::repeat(7, 2)) *o++ = x;
        *o++ = s::ranges::min(all);
        *o++ = s::ranges::distance(all | views::drop_while([](int x) { return x > 15; })); }
    template <class D, class E> __device__ double mean(D d, E &e) {
        double t = 0; for (int i = 0; i < 4000; i++) t += d(e); return t / 4000; }
    extern "C" __global__ void engines(unsigned long long *o, double *d) { s::philox4x32 a; s::philox4x64 b;
        s::minstd_rand c; a.discard(9999); b.discard(9999); c.discard(9999); *o++ = a(); *o++ = b(); *o++ = c();
        cuda::pcg64 g(5), h(5); for (int i = 0; i < 70; i++) g(); h.discard(70); *o++ = g() == h();
        *d++ = mean(s::normal_distribution<double>(5, 2), a); *d++ = mean(s::gamma_distribution<double>(2, 3), a);
        *d++ = mean(s::poisson_distribution<int>(30), a); *d++ = mean(s::uniform_int_distribution<int>(-5, 14), a);
        *d++ = mean(s::binomial_distribution<int>(40, 0.25), a); *d++ = mean(s::weibull_distribution<double>(2, 1), a);
        cuda::shuffle_iterator<int> order{100, a}; for (int i = 0; i < 100; i++) o[order[i]] = i + 1; }
    struct Pair { double a; int b; };
    extern "C" __global__ void tools(unsigned long long *o, const int *in, int n) { int w = threadIdx.x; o += w;
        auto put = [&](unsigned long long x) { *o = x; o += 32; }; put(cuda::bit_reverse(0x12345678u));
        put(cuda::bitmask<unsigned>(4, 8)); put(cuda::bitfield_extract(0xabcdef12u, 8, 12));
        put(cuda::bitfield_insert(0u, 5u, 4, 3)); put(cuda::ipow(7ll, 13)); put(cuda::isqrt(999000006993ull));
        put(cuda::ilog10(12345678u)); put(cuda::round_up(1001, 128)); put(cuda::next_power_of_two(100u));
        put(cuda::mul_hi(0xfedcba9876543210ull, 0x123456789abcdefull)); cuda::fast_mod_div<unsigned> by(17);
        put((123456789u + w) / by * 100 + (123456789u + w) % by);
        auto sum = cuda::add_overflow(2000000000, 147483640 + w); put(sum.overflow * 10ull);
        put(cuda::mul_overflow(1 << 20, 1 << 12).overflow);
        auto zipped = cuda::make_zip_iterator(in, cuda::counting_iterator<int>(5)); auto [x, y] = zipped[3]; put(x + y);
        put(cuda::strided_iterator(in, 3)[4]); put(cuda::transform_iterator(in, [](int v) { return v * 3; })[6]);
        __shared__ int room[32]; cuda::shared_memory_mdspan<int, s::dextents<int, 2>> table(room, 4, 8);
        table(w / 8, w % 8) = w * w; __syncwarp(); put(table(2, 3));
        put(device::is_address_from(room, device::address_space::shared));
        put(device::is_address_from(in, device::address_space::global)); put(cuda::ptr_in_range(in + 2, in, in + n));
        put(device::warp_shuffle_xor(w, 1).data); put(device::warp_match_any(w & 3).value());
        put(device::warp_match_all(w >> 5)); Pair pair = device::warp_shuffle_down(Pair{w * 0.5, w}, 3);
        put((int)(pair.a * 2) + pair.b); put(device::lane_mask::this_lane().value());
        cuda::discard_memory(o, 0); }"""


@functools.cache
def program():
    source = "".join(f"#include <{header}>\n" for header in HEADERS.split()) + SOURCE
    return load(source, arch="sm_120", options=["--std=c++20"])


random = np.random.default_rng(4)
GIVEN = random.integers(0, 60, 64).astype(np.int32)


def test_sequential_algorithms():
    out, all_ = np.zeros(20, np.int32), GIVEN.tolist()
    program().launch("algorithms", 1, 1, out, GIVEN, np.int32(64))
    a, b = sorted(all_[:32]), sorted(all_[32:])
    shared = sum(min(a.count(x), b.count(x)) for x in set(a))
    wanted = [1, a[-1], 1, 64, 1, 64 - shared, shared, 32 - shared, 1, len(set(a)), sum(x % 2 == 0 for x in a)]
    wanted += [next(i for i in range(64) if all_[i : i + 3] == all_[7:10]), math.factorial(5), b[4]]
    wanted += [max(all_) - min(all_), all_[:4] < all_[4:8], sum(x > 10 for x in a)]
    wanted += [functools.reduce(int.__xor__, all_), sum(a) + 7, all_[31] - all_[30]]
    assert out.tolist() == wanted


def test_ranges():
    out, all_ = np.zeros(8, np.int32), GIVEN.tolist()
    program().launch("ranges", 1, 1, out, GIVEN, np.int32(64))
    ends = len(list(itertools.takewhile(lambda x: x > 1, all_[::-1])))
    rest = len(list(itertools.dropwhile(lambda x: x > 15, all_)))
    wanted = [
        sum(x * x for x in all_ if x & 1),
        56789,
        ends,
        sum(i * x for i, x in enumerate(all_)),
        7,
        7,
        min(all_),
        rest,
    ]
    assert out.tolist() == wanted


def test_random_engines_and_distributions():
    """The 10,000th numbers of the engines are those that the C++ standard requires."""
    words, means = np.zeros(104, np.uint64), np.zeros(6)
    program().launch("engines", 1, 1, words, means)
    assert words[:4].tolist() == [1955073260, 3409172418970261260, 399268537, 1]
    assert sorted(words[4:].tolist()) == list(range(1, 101))
    spreads = [2, 3 * math.sqrt(2), math.sqrt(30), math.sqrt(33.25), math.sqrt(7.5), 0.47]
    exact = [5, 6, 30, 4.5, 10, math.sqrt(math.pi) / 2]
    for mean, wanted, spread in zip(means, exact, spreads, strict=True):
        assert abs(mean - wanted) < 4 * spread / math.sqrt(4000)


def test_utility_and_bit_functions():
    out, w = np.zeros((25, 32), np.uint64), np.arange(32)
    program().launch("tools", 1, 32, out, GIVEN, np.int32(64))
    x, number = GIVEN.tolist(), 123456789 + w
    high = 0xFEDCBA9876543210 * 0x123456789ABCDEF >> 64
    down = np.where(w < 29, w + 3, w)
    columns = [0x1E6A2C48, 0xFF0, 0xDEF, 80, 7**13, math.isqrt(999000006993), 7, 1024, 128, high]
    columns += [number // 17 * 100 + number % 17, (w > 7) * 10, 1, x[3] + 8, x[12], 3 * x[6], 19**2, 1, 1, 1, w ^ 1]
    columns += [0x11111111 << (w & 3), 1, 2 * down, 1 << w]
    for row, wanted in zip(out, columns, strict=True):
        np.testing.assert_array_equal(row, np.broadcast_to(wanted, 32))
