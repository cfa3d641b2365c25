# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""nvcuda::wmma: all shapes, types and layouts, saturation, and numbers of less than a byte."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")
pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from support.addresses import Table
from support.compilers import compile_cuda, include_option
from support.loaded import Loaded

pytestmark = pytest.mark.needs_nvrtc
SHAPES = [(16, 16, 16), (32, 8, 16), (8, 32, 16)]
NAMES = {"half": np.float16, "__nv_bfloat16": ml_dtypes.bfloat16, "signed char": np.int8, "unsigned char": np.uint8,
         "float": np.float32, "int": np.int32, "double": np.float64}  # fmt: skip
# Element in memory and in the fragment, of C, of D, and the shapes.
TYPES = [
    ("half", "half", "float", "float", SHAPES),
    ("half", "half", "half", "half", SHAPES),
    ("half", "half", "half", "float", SHAPES),
    ("half", "half", "float", "half", SHAPES),
    ("__nv_bfloat16", "__nv_bfloat16", "float", "float", SHAPES),
    ("signed char", "signed char", "int", "int", SHAPES),
    ("unsigned char", "unsigned char", "int", "int", SHAPES),
    ("float", "precision::tf32", "float", "float", [(16, 16, 8)]),
    ("double", "double", "double", "double", [(8, 8, 4)]),
]
MULTIPLY = """#include <mma.h>
    #include <cuda_bf16.h>
    using namespace nvcuda::wmma;
    template <class T, class A, class C, class D, int M, int N, int K, class LA, class LB>
    __device__ void multiply(const T *a, const T *b, const C *c, D *d, layout_t l) {
        fragment<matrix_a, M, N, K, A, LA> fa; fragment<matrix_b, M, N, K, A, LB> fb;
        fragment<accumulator, M, N, K, C> fc; fragment<accumulator, M, N, K, D> fd;
        load_matrix_sync(fa, a, LAYOUT_A ? K : M); load_matrix_sync(fb, b, LAYOUT_B ? N : K);
        load_matrix_sync(fc, c, l == mem_row_major ? N : M, l); mma_sync(fd, fa, fb, fc);
        store_matrix_sync(d, fd, l == mem_row_major ? N : M, l); }
    """


def laid(matrix: np.ndarray, by_row: int) -> np.ndarray:
    return np.ascontiguousarray(matrix if by_row else matrix.T)


@pytest.mark.parametrize(("a_row", "b_row", "c_row"), [(1, 1, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1)])
def test_products(a_row, b_row, c_row):
    random = np.random.default_rng(a_row * 4 + b_row * 2 + c_row)
    body, pointers, expected = "", [], []
    for element, fragment, c_name, d_name, shapes in TYPES:
        for m, n, k in shapes:
            least = 0 if element == "unsigned char" else -4
            a = random.integers(least, 5, (m, k)).astype(NAMES[element])
            b = random.integers(least, 5, (k, n)).astype(NAMES[element])
            c = random.integers(-9, 9, (m, n)).astype(NAMES[c_name])
            d = np.zeros((m, n) if c_row else (n, m), NAMES[d_name])
            body += f"multiply<{element}, {fragment}, {c_name}, {d_name}, {m}, {n}, {k}, LA, LB>("
            given = [(element, "const "), (element, "const "), (c_name, "const "), (d_name, "")]
            body += ", ".join(f"({const}{name} *)p[{len(pointers) + i}]" for i, (name, const) in enumerate(given))
            body += f", {'mem_row_major' if c_row else 'mem_col_major'});\n"
            pointers += [laid(a, a_row), laid(b, b_row), laid(c, c_row), d]
            expected.append(a.astype(float) @ b.astype(float) + c.astype(float))
    layouts = ["col_major", "row_major"]
    source = MULTIPLY.replace("LAYOUT_A", str(a_row)).replace("LAYOUT_B", str(b_row))
    source += f"typedef {layouts[a_row]} LA; typedef {layouts[b_row]} LB;"
    source += f'extern "C" __global__ void k(void *const *p) {{ {body} }}'
    Loaded(compile_cuda(source, "--gpu-architecture=sm_80", include_option())).launch("k", 1, 32, Table(pointers))
    for found, exact in zip(pointers[3::4], expected, strict=True):
        np.testing.assert_array_equal(found.astype(float), laid(exact, c_row))


NARROW = """#include <mma.h>
    using namespace nvcuda::wmma;
    using namespace nvcuda::wmma::experimental;
    template <class T> __device__ void four(const void *a, const void *b, int *d) {
        fragment<matrix_a, 8, 8, 32, T, row_major> fa; fragment<matrix_b, 8, 8, 32, T, col_major> fb;
        fragment<accumulator, 8, 8, 32, int> f; fill_fragment(f, 3);
        load_matrix_sync(fa, a, 32); load_matrix_sync(fb, b, 32); mma_sync(f, fa, fb, f);
        store_matrix_sync(d, f, 8, mem_row_major); }
    extern "C" __global__ void k(const void *a, const void *b, int *d, int *most) {
        four<experimental::precision::s4>(a, b, d); four<experimental::precision::u4>(a, b, d + 64);
        fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major> fa;
        fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major> fb;
        fragment<accumulator, 8, 8, 128, int> f, g; fill_fragment(f, 0);
        load_matrix_sync(fa, a, 128); load_matrix_sync(fb, b, 128); bmma_sync(g, fa, fb, f);
        store_matrix_sync(d + 128, g, 8, mem_row_major); bmma_sync(f, fa, fb, f, bmmaBitOpAND);
        store_matrix_sync(d + 192, f, 8, mem_row_major);
        fragment<matrix_a, 16, 16, 16, unsigned char, row_major> x;
        fragment<matrix_b, 16, 16, 16, unsigned char, col_major> y;
        fragment<accumulator, 16, 16, 16, int> z; fill_fragment(x, 255);
        fill_fragment(y, 255); fill_fragment(z, 0x7fffffff);
        mma_sync(z, x, y, z, true); store_matrix_sync(most, z, 16, mem_row_major); }"""


def test_numbers_of_less_than_a_byte_and_saturation():
    random = np.random.default_rng(7)
    a, b = random.integers(0, 256, (2, 8, 16)).astype(np.uint8)
    d, most = np.zeros((4, 8, 8), np.int32), np.zeros((16, 16), np.int32)
    Loaded(compile_cuda(NARROW, "--gpu-architecture=sm_80", include_option())).launch("k", 1, 32, a, b, d, most)
    unsigned = [np.stack([x & 15, x >> 4], -1).reshape(8, 32).astype(int) for x in (a, b)]
    signed = [np.where(x > 7, x - 16, x) for x in unsigned]
    np.testing.assert_array_equal(d[0], signed[0] @ signed[1].T + 3)
    np.testing.assert_array_equal(d[1], unsigned[0] @ unsigned[1].T + 3)
    bits = [np.unpackbits(x, axis=1, bitorder="little") for x in (a, b)]
    np.testing.assert_array_equal(d[2], (bits[0][:, None] ^ bits[1][None]).sum(2))
    np.testing.assert_array_equal(d[3], (bits[0][:, None] & bits[1][None]).sum(2))
    assert set(most.flat) == {2**31 - 1}
