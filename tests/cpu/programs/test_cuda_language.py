# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""C++ language features in device code: classes, objects that outlive a launch, lambdas, large parameters, printf."""

from __future__ import annotations

import math

import numpy as np
import pytest

pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")
pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from support.compilers import compile_cuda
from support.loaded import Loaded

pytestmark = pytest.mark.needs_nvrtc
CLASSES = r"""
    __device__ int destroyed;
    struct Base { int id; __device__ Base(int i) : id(i) {} __device__ virtual ~Base() { atomicAdd(&destroyed, id); }
        __device__ virtual int f(int x) const { return x + id; } };
    struct Other { double w; __device__ virtual double g() { return w * 2; } __device__ virtual ~Other() {} };
    struct Both : Base, Other { int more[3];
        __device__ Both(int i) : Base(i) { w = i * 0.5; for (int j = 0; j < 3; j++) more[j] = i + j; }
        __device__ int f(int x) const override { return x * more[x % 3]; }
        __device__ double g() override { return w + more[2]; } };
    struct Left : virtual Base { __device__ Left() : Base(1) {} };
    struct Right : virtual Base { __device__ Right() : Base(2) {}
        __device__ int f(int x) const override { return 7 * x; } };
    struct Diamond : Left, Right { __device__ Diamond() : Base(9) {} };
    __device__ Base *kept[64];
    extern "C" __global__ void make() { int i = threadIdx.x;
        kept[i] = i % 3 == 0 ? new Base(i) : i % 3 == 1 ? (Base *)new Both(i) : (Base *)new Diamond; }
    extern "C" __global__ void use(int *o, double *d) { int i = threadIdx.x; o[i] = kept[i]->f(i);
        if (i % 3 == 1) d[i] = ((Other *)(Both *)kept[i])->g();
        delete kept[i]; }"""
KINDS = r"""
    __device__ int counter() { static int n = 5; return atomicAdd(&n, 1); }
    template <int N> __device__ int *room() { static __shared__ int r[32]; return r; }
    template <class F> __device__ int twice(F f, int x) { return f(f(x)); }
    template <class... T> __device__ int sum(T... x) { return (0 + ... + x); }
    struct S { int a; int b : 5; unsigned c : 7; long long d : 40; int arr[3];
        __device__ int q(int x) const { return a * x + b; } };
    union U { float f; unsigned u; unsigned char c[4]; };
    namespace in { constexpr int table[4] = {3, 1, 4, 1}; __constant__ S fixed = {7, -3, 100, -1, {1, 2, 3}}; }
    extern "C" __global__ void kinds(int *o, int n) { int i = threadIdx.x; o += i * COLUMNS;
        *o++ = counter() >= 5; room<1>()[i] = i; room<2>()[i] = -i;
        __syncthreads(); *o++ = room<1>()[31 - i] + 100 * room<2>()[i];
        int base = n; auto add = [=](int x) { return x + base; }; auto grow = [&](int x) { base++; return x * base; };
        *o++ = twice(add, i); *o++ = twice(grow, i); *o++ = base;
        auto factorial = [](auto self, int k) -> int { return k < 2 ? 1 : k * self(self, k - 1); };
        *o++ = factorial(factorial, i % 8); int (*squared)(int) = [](int x) { return x * x; }; *o++ = squared(i);
        S s{}; s.a = i; s.b = i; s.c = i * 5; s.d = (long long)i << 35;
        int S::*field = &S::a; int (S::*method)(int) const = &S::q; *o++ = s.*field; *o++ = (s.*method)(3);
        *o++ = s.b; *o++ = s.c; *o++ = (int)(s.d >> 30);
        alignas(16) char place[64]; S *p = new (place + 16) S(s); p->arr[1] = 4; *o++ = p->a + p->arr[1]; p->~S();
        int *a = new int[i + 1]; for (int j = 0; j <= i; j++) a[j] = j;
        int total = 0; for (int j = 0; j <= i; j++) total += a[j];
        *o++ = total; delete[] a; U u; u.f = i + 0.5f; *o++ = u.u; *o++ = u.c[3];
        switch (i * 7 % 13) { case 0: *o = 10; break; case 1: case 2: *o = 20; break; case 5: goto out;
            case 6: *o = 3; case 7: *o += 9; break; default: *o = -1; }
        out: o++; auto [x, y] = make_int2(i, i * 2); *o++ = x + y;
        *o++ = __isGlobal(o) + 2 * __isShared(room<1>()) + 4 * __isLocal(place) + 8 * __isConstant(o); int r;
        asm volatile("{ .reg .pred p; setp.gt.s32 p, %1, 5; selp.s32 %0, 11, 22, p; }" : "=r"(r) : "r"(i)); *o++ = r;
        void *memory = malloc(100 + i); *o++ = memory != nullptr && ((size_t)memory & 15) == 0; free(memory);
        *o++ = sum(i, 2.5f, (char)3, 1ll << 3) + in::table[i & 3] + in::fixed.b + in::fixed.c + in::fixed.arr[i % 3];
        try_again: if (base > n) { base--; goto try_again; } *o++ = base;
        struct { __device__ int operator()(int w) const { return w ? 2 * w : 5; } } local; *o++ = local(i); }"""
KINDS_COLUMNS = 24


BY_VALUE = r"""
    struct S { int a[5]; float f; short h; };
    __device__ __noinline__ int pick(S s, int i) { return s.a[i] + (int)s.f + s.h; }
    __device__ __noinline__ int change(S s, int i) { s.a[i] += 3; s.h = i;
        return i == 0 ? s.a[0] : s.a[i] + s.h + change(s, i - 1); }
    extern "C" __global__ void by_value(int *o, S s) { int i = threadIdx.x; s.a[1] = i; s.h = -i;
        o[i] = pick(s, i % 5) + 1000 * change(s, i % 5) + 100000 * s.a[i % 5]; }"""


def load(arch: str, source: str) -> Loaded:
    return Loaded(compile_cuda(source, f"--gpu-architecture={arch}", "--std=c++17", "-default-device"))


@pytest.mark.parametrize("arch", ["sm_75", "sm_120"])
def test_objects_created_in_one_launch_and_used_in_the_next(arch):
    loaded, threads = load(arch, CLASSES), range(64)
    loaded.launch("make", 1, 64)
    found, sums = np.zeros(64, np.int32), np.zeros(64)
    loaded.launch("use", 1, 64, found, sums)
    assert found.tolist() == [(i + i, i * (i + i % 3), 7 * i)[i % 3] for i in threads]
    assert sums.tolist() == [i * 0.5 + i + 2 if i % 3 == 1 else 0 for i in threads]
    assert loaded.variable("destroyed", np.int32)[0] == sum(9 if i % 3 == 2 else i for i in threads)


@pytest.mark.parametrize("arch", ["sm_75", "sm_120"])
def test_structures_by_value_that_functions_index_and_change(arch):
    structure = np.zeros(1, np.dtype([("a", np.int32, 5), ("f", np.float32), ("h", np.int16)], align=True))
    structure["a"], structure["f"] = [10, 20, 30, 40, 50], 7
    found = np.zeros(32, np.int32)
    load(arch, BY_VALUE).launch("by_value", 1, 32, found, structure[0])
    for i, value in enumerate(found):
        a, k = [10, i, 30, 40, 50], i % 5
        changed = a[0] + 3 + sum(a[j] + 3 + j for j in range(1, k + 1))
        assert value == a[k] + 7 - i + 1000 * changed + 100000 * a[k]


STANDARD = r"""
    struct Value { int n; Value(const Value &) = delete; __device__ Value(int n) : n(n) {}
        __device__ Value(Value &&other) : n(other.n) { other.n = -1; } };
    __device__ int kind(Value &) { return 1; }
    __device__ int kind(Value &&) { return 2; }
    template <class T> __device__ int passed(T &&value) { return kind(std::forward<T>(value)); }
    __device__ int sum(std::initializer_list<int> values) { int s = 100 * values.size();
        for (int each : values) s += each; return s; }
    extern "C" __global__ void standard(int *o) { Value first(threadIdx.x), second(std::move(first)); *o++ = first.n;
        *o++ = second.n; *o++ = passed(first); *o++ = passed(Value(3)); *o++ = sum({1, 2, 3}); *o = sum({}); }"""


def test_what_compilers_define_of_the_standard_library():
    found = np.zeros(6, np.int32)
    load("sm_80", STANDARD).launch("standard", 1, 1, found)
    assert found.tolist() == [-1, 0, 1, 2, 306, 0]


def as_signed(value: int, bits: int) -> int:
    return (value + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)


@pytest.mark.parametrize("arch", ["sm_75", "sm_120"])
def test_kinds_of_expressions_and_statements(arch):
    found = np.zeros((32, KINDS_COLUMNS), np.int32)
    load(arch, KINDS.replace("COLUMNS", str(KINDS_COLUMNS))).launch("kinds", 1, 32, found, np.int32(10))
    for i in range(32):
        b, bits = as_signed(i, 5), int(np.float32(i + 0.5).view(np.int32))
        switched = {0: 10, 1: 20, 2: 20, 5: 0, 6: 12, 7: 9}.get(i * 7 % 13, -1)
        wanted = [
            1, 31 - i - 100 * i, i + 20, i * 11 * 12, 12, math.factorial(i % 8), i * i, i, 3 * i + b, b, i * 5 % 128,
            as_signed(i << 35, 40) >> 30, i + 4, i * (i + 1) // 2, bits, bits >> 24, switched, 3 * i, 7,
            11 if i > 5 else 22, 1, i + 13 + (3, 1, 4, 1)[i & 3] - 3 + 100 + i % 3 + 1, 10, 2 * i or 5,
        ]  # fmt: skip
        assert found[i].tolist() == wanted, i


PARAMETERS = r"""
    struct Large { int head; double values[4000]; char tail[700]; };
    struct Four { float4 v; short s; };
    __device__ __noinline__ double pick(const Large *p, int i) { return p->values[i] + p->tail[i % 700]; }
    extern "C" __global__ void large(const __grid_constant__ Large p, double *o, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) o[i] = pick(&p, i) + p.head; }
    extern "C" __global__ void changed(Large p, double *o, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; p.values[i] *= 2; p.values[(i + 1) % n] = -1;
        o[i] = p.values[i] + p.tail[i % 700]; }
    extern "C" __global__ void many(char a, Four b, bool c, short d, double *o, float e, const Four f[2], long long g,
                                    unsigned char h) {
        o[threadIdx.x] = (double)a + b.v.w + b.s + c + d + e + f[1].v.x + g + h; }"""


@pytest.mark.parametrize("arch", ["sm_75", "sm_120"])
def test_parameters_of_maximum_size(arch):
    """32,764 bytes, since CUDA 12.1 and sm_70; indexed, accessed through pointers, and modified by each thread."""
    large = np.dtype([("head", "i4"), ("values", "f8", 4000), ("tail", "i1", 700)], align=True)
    assert 32700 <= large.itemsize + 12 <= 32764
    given, out = np.zeros((), large), np.zeros(4000)
    given["head"], given["values"], given["tail"] = 5, np.arange(4000) * 0.25, np.arange(700) % 100
    loaded, i = load(arch, PARAMETERS), np.arange(4000)
    loaded.launch("large", 16, 256, given[()], out, np.int32(4000))
    np.testing.assert_array_equal(out, i * 0.25 + i % 700 % 100 + 5)
    loaded.launch("changed", 16, 256, given[()], out, np.int32(4000))
    np.testing.assert_array_equal(out, i * 0.5 + i % 700 % 100)
    four = np.dtype([("v", "f4", 4), ("s", "i2"), ("rest", "V14")])
    value = np.zeros(2, four)
    value["v"], value["s"] = [[1, 2, 3, 4], [5, 6, 7, 8]], 9
    ends = np.float32(0.5), value, np.int64(1 << 40), np.uint8(200)
    loaded.launch("many", 1, 32, np.int8(-3), value[0], np.bool_(True), np.int16(-7), out, *ends)
    assert set(out[:32]) == {-3 + 4 + 9 + 1 - 7 + 0.5 + 5 + (1 << 40) + 200}


FORMATS = [  # format, arguments in C, the same in Python, or the text where Python's differs
    ("%d|%5d|%-5d|%+d|%05d", "-7, 42, 42, 42, 42", (-7, 42, 42, 42, 42)),
    ("%i %u %o %x %X %#x %#o", "3, 4000000000u, 8, 255, 255, 255, 8", "3 4000000000 10 ff FF 0xff 010"),
    (
        "%ld %lld %lu %llu %zu",
        "-1l, -1ll << 40, 1ul << 63, 1ull << 63, sizeof(int)",
        f"-1 {-1 << 40} {1 << 63} {1 << 63} 4",
    ),
    ("%hd %hhd %hu %hhu", "(short)-2, (signed char)-3, (unsigned short)65535, (unsigned char)255", "-2 -3 65535 255"),
    (
        "%f %e %g %G %E %a",
        "1.5, 12345.678, 1e-7, 1e20, 0.0, 1.0",
        "1.500000 1.234568e+04 1e-07 1E+20 0.000000E+00 0x1p+0",
    ),
    (
        "%8.3f|%-8.2f|%+.1e|%#.0f|%010.4f",
        "3.14159f, 2.5, -0.125, 3.0, -2.5",
        "   3.142|2.50    |-1.2e-01|3.|-0002.5000",
    ),
    ("%c%c %s %.2s %6s|%-6s|", '\'a\', \'b\', "word", "cut", "r", "l"', "ab word cu      r|l     |"),
    ("%*d %.*f", "6, 42, 2, 1.0 / 3", "    42 0.33"),
    ("%% %5.1f%% %p", "99.5, (void *)0x1234", "%  99.5% 0x1234"),
    ("%f %f %f %d", "1.0 / 0.0 * (n + 1), -1.0 / (n * 0.0), 0.0 * (n - 1), n", "inf -inf 0.000000 1"),
]


@pytest.mark.cpu_only
def test_formats_of_printf(capfd):
    from cuda.cpu.runtime import _runtime

    lines = "".join(f'r += printf("{text}\\n", {arguments});\n' for text, arguments, _ in FORMATS)
    many = ", ".join(f"n + {i}" for i in range(32))
    lines += f'r += printf("{"%d " * 32}\\n", {many}); r += printf("plain\\n");'
    found = np.zeros(1, np.int32)
    source = f'extern "C" __global__ void k(int *o, int n) {{ int r = 0; {lines} o[0] = r; }}'
    load("sm_90", source).launch("k", 1, 1, found, np.int32(1))
    _runtime.flush_printf()
    printed = capfd.readouterr().out.splitlines()
    wanted = [value if isinstance(value, str) else text % value for text, _, value in FORMATS]
    assert printed == [*wanted, " ".join(map(str, range(1, 33))) + " ", "plain"]
    places = sum(arguments.count(",") + 1 for _, arguments, _ in FORMATS) + 32
    assert found[0] == places  # printf returns how many arguments it got


LEAST = r"""
    extern "C" __global__ void least(const int *x, const long long *y, long long *o) { int i = threadIdx.x;
        o[4 * i] = abs(x[i]); o[4 * i + 1] = abs(y[i]); o[4 * i + 2] = llabs(y[i]); o[4 * i + 3] = abs((int)y[i]); }"""


def test_the_absolute_value_of_the_least_integer_is_itself():
    """It is undefined in C; PTX defines it, and NVRTC's code extends its sign."""
    x, y = np.array([-(1 << 31), -7, 7], np.int32), np.array([-(1 << 63), -(1 << 31), 7], np.int64)
    found = np.zeros((3, 4), np.int64)
    Loaded(compile_cuda(LEAST)).launch("least", 1, 3, x, y, found)
    assert found.tolist() == [[x[0], y[0], y[0], 0], [7, 1 << 31, 1 << 31, -(1 << 31)], [7, 7, 7, 7]]
