# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Static `__shared__` variables in debuggers: their types come from the declarations in the source."""

import re

import pytest
from support.gdb_programs import program

pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from cuda.cpu.debug.shared_arrays import Declared, declared

pytestmark = pytest.mark.cpu_only

PROGRAM = program("""
struct Pair { int first; float second; };

template <int N> __device__ void fill(float *out)
{
    __shared__ unsigned short small[N];
    __shared__ float tile[4][N / 4];
    __shared__ double total;
    small[threadIdx.x] = threadIdx.x;
    tile[threadIdx.x / 8][threadIdx.x % 8] = threadIdx.x + 0.5f;
    total = 2.25;
    __syncthreads();
    out[threadIdx.x] = tile[0][1] + small[0] + total;
}

extern "C" __global__ void k(float *out)
{
    __shared__ Pair pairs[2];
    __shared__ int tile[2][16];
    Pair one = {3, 0.5f};
    pairs[threadIdx.x % 2] = one;
    tile[threadIdx.x / 16][threadIdx.x % 16] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[0][1] + pairs[0].second;
    fill<32>(out);
}
""")
INNER, OUTER = (
    number for number, line in enumerate(PROGRAM.splitlines(), 1) if line.startswith("    out[threadIdx.x]")
)


@pytest.mark.needs_nvrtc
def test_variables_have_the_types_of_the_source(debug):
    """Each function shows its own `tile`."""
    out = debug(
        PROGRAM,
        f"break program.py:{INNER}", f"break program.py:{OUTER}", "run", "print pairs", "print tile[1][2]",
        "ptype tile", "continue", "print tile[1][2]", "print small[31]", "ptype small", "print total", "ptype tile",
    )  # fmt: skip
    found = re.findall(r"^(?:\$\d+|type) = (.*)$", out, re.MULTILINE)
    assert found == [
        "{{first = 3, second = 0.5}, {first = 3, second = 0.5}}", "18", "int [2][16]",
        "10.5", "31", "unsigned short [32]", "2.25", "float [4][8]",
    ], out  # fmt: skip


@pytest.mark.parametrize(
    ("text", "size", "expected"),
    [
        ("__shared__ float a[4][8];", 128, ("float", [4, 8])),
        ("__shared__ __align__(16) unsigned long long int a[2];", 16, ("unsigned long long", [2])),
        ("__shared__ __align__(16) volatile unsigned int a[0x10];", 64, ("unsigned int", [16])),
        ("__shared__ alignas(8) std::uint16_t a[N];", 64, ("uint16_t", [32])),
        ("__shared__ int a[N][M];", 64, ("int", [16])),
        ("__shared__ int a[N][4];", 64, ("int", [4, 4])),
        ("__shared__ int a;", 4, ("int", [])),
        ("__shared__ int a[5];", 64, None),
        ("__shared__ Known a[3];", 36, ("Known", [3])),
        ("__shared__ Other a[3];", 36, None),
        ("__shared__ int ab[4], b;", 16, None),
        ("__shared__ int a[4];\n__shared__ float a[4];", 16, ("float", [4])),
        ("__shared__ float a[4];\n\n", 16, ("float", [4])),
        ("", 4, None),
    ],
)
def test_declarations(tmp_path, text, size, expected):
    path = tmp_path / "k.cu"
    path.write_text(text)
    found = declared(str(path), 2, "a", size, {"Known": 12}.get)
    assert found == (Declared(*expected) if expected else None)


def test_a_source_that_is_absent():
    assert declared("/nowhere.cu", 1, "a", 4, {}.get) is None
