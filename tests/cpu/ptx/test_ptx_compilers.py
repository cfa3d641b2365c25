# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Output of the installed compilers: PTX of all dialects, and the PTX in cubins and fatbins.

That cubins made with -lineinfo contain their PTX is not documented: these tests check it for each compiler version.
"""

from __future__ import annotations

import ctypes
import sys
import unittest.mock

import pytest
from ptx_printer import module_text
from support.compilers import CUBIN_KIND, LTOIR_KIND, PTX_KIND, compile_cuda, fatbin, include_option, link

from cuda.cpu.compile.locate import frames_of_site
from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.image.image import image_size, ptx_of
from cuda.cpu.ptx.instructions import form_of
from cuda.cpu.ptx.parser import parse
from cuda.cpu.ptx.program import build
from cuda.cpu.ptx.syntax import Instruction, Module

ARCHES = ("sm_75", "sm_90", "sm_100", "sm_120")

SOURCES = {
    "arithmetic": """
        template <class T> __device__ void all(T *p) {
            int i = threadIdx.x; T x = p[i], y = p[i + 1];
            p[i] = x + y * x - x / y; p[i + 2] = x < y && x != T(3) || !(y >= T(5)) ? -x : y;
            p[i + 3] = min(x, y) + max(x, T(2));
        }
        #define K(name, type) extern "C" __global__ void name(type *p) { all(p); }
        K(k8, signed char) K(k16, unsigned short) K(k32, int) K(ku32, unsigned) K(k64, long long)
        K(kf, float) K(kd, double)
        extern "C" __global__ void math(float *f, double *d, unsigned *u) {
            int i = threadIdx.x; float x = f[i]; double z = d[i]; unsigned a = u[i];
            f[i] = sinf(x) + expf(x) + powf(x, 3) + sqrtf(x) + rsqrtf(x)
                + floorf(x) + fmodf(x, 3) + __sinf(x) + __expf(x) + tanhf(x);
            d[i] = sin(z) + exp(z) + log(z) + sqrt(z) + fma(z, z, z) + ceil(z) + (float)z;
            u[i] = __popc(a) + __clz(a) + __brev(a) + __ffs(a) + __byte_perm(a, a, 0x3210) + __funnelshift_l(a, a, a)
                + __umulhi(a, a) + __sad(a, a, a) + __dp4a(a, a, a) + (a << 3 | a >> 4) % 7 + __float2uint_rn(x);
        }
    """,
    "memory": """
        struct __align__(16) Pair { int a; double b; char c[5]; };
        __constant__ Pair constants[2] = {{1, 2.0, {3}}, {4}};
        __device__ int matrix[3][4] = {{1, 2}, {3}};
        __device__ int *inside = &matrix[1][2];
        __device__ const char *words[2] = {"ab", "cd"};
        extern "C" __global__ void __launch_bounds__(128, 2) k(
                float4 *v, const float2 *__restrict__ r, Pair by_value, short *s) {
            extern __shared__ char dynamic[];
            __shared__ Pair shared[4];
            int i = threadIdx.x, local[40];
            v[i].x += r[i].y; shared[i & 3] = by_value; __syncthreads();
            for (int j = 0; j < 40; j++) local[j] = s[j] * i;
            s[i] = local[s[1]] + shared[i & 1].c[2] + dynamic[i] + constants[i & 1].a
                + matrix[i & 1][i & 3] + *inside + words[i & 1][1];
            switch (i) { case 0: s[0] = 1; break; case 1: s[0] = 4; break; case 2: s[0] = 9; break;
                         case 3: s[0] = 2; break; case 4: s[0] = 7; break; case 5: s[3] = 1; break;
                         case 6: s[5] = 1; break; }
        }
    """,
    "threads": """
        extern "C" __global__ void k(int *p, float *f, double *d, unsigned long long *l) {
            int i = threadIdx.x + blockIdx.y * blockDim.z, x = p[i];
            for (int k = 16; k; k >>= 1) x += __shfl_down_sync(~0u, x, k);
            f[i] = __shfl_xor_sync(~0u, f[i], 1);
            x += __ballot_sync(~0u, x > 3) + __any_sync(~0u, x == 2) + __activemask();
            x += __match_any_sync(~0u, x) + __syncthreads_count(x) + __syncthreads_and(x);
            __syncwarp(); __threadfence();
            atomicAdd(p, x); atomicAdd(f, 1.f); atomicAdd(d, 2.);
            x += atomicCAS(p, 1, 2) + atomicExch(p, 3) + atomicMax(p, 4)
                + atomicInc((unsigned *)p, 5) + atomicOr(l, 6); p[i] = x + clock(); volatile int *q = p; *q = *q + 1;
            asm volatile("{ .reg .pred P; W: setp.eq.u32 P, %0, 5; @P bra D; bra W; D: }" ::"r"(x));
            asm volatile("{ .reg .pred P; W: setp.eq.u32 P, %0, 6; @P bra D; bra W; D: }" ::"r"(x));
        }
    """,
    "calls": """
        struct S { int a[6]; double d; };
        __device__ __noinline__ S f(S s, int i, double x, char c) { s.a[i] += x + c; return s; }
        __device__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
        struct Base { __device__ virtual int go(int x) = 0; };
        struct One : Base { int k; __device__ int go(int x) override { return x + k; } };
        struct Two : Base { __device__ int go(int x) override { return x * 2; } };
        typedef float (*Op)(float);
        __device__ float twice(float x) { return x * 2; }
        __device__ float more(float x) { return x + 2; }
        __device__ Op table[2] = {twice, more};
        extern "C" __global__ void k(int *p, float *q, int n) {
            S s; for (int i = 0; i < 6; i++) s.a[i] = p[i];
            s = f(s, n, q[0], n); p[0] = s.a[2] + s.d + fib(n);
            One one; one.k = 4; Two two; Base *base = n & 1 ? (Base *)&one : (Base *)&two; p[2] = base->go(n);
            q[1] = table[n & 1](q[2]); int *m = (int *)malloc(n * 4); p[7] = m[n - 1]; free(m);
            printf("%d %f %s\\n", n, q[0], "x"); assert(n > 0);
        }
    """,
    "halves": """
        #include <cuda_fp16.h>
        #include <cuda_bf16.h>
        extern "C" __global__ void h(__half *p, __half2 *q, __nv_bfloat16 *b) {
            int i = threadIdx.x; __half x = p[i];
            p[i] = x + x * x - x / p[3] + hexp(x) + hsqrt(x) + __hmax(x, p[4]);
            q[i] = __hfma2(q[i], q[1], __hadd2(q[2], q[3]));
            if (x < p[5]) p[1] = (__half)(float)x; p[2] = (__half)(int)x; b[i] = b[i] + b[1] * (__nv_bfloat16)(float)x;
            atomicAdd(p + 9, x);
        }
    """,
}


def instructions(module: Module) -> list[tuple]:
    """Return all instructions without their lines and source locations."""
    return [
        (statement.opcode, statement.modifiers, statement.operands, statement.guard)
        for function in module.functions.values()
        for statement in function.body or ()
        if isinstance(statement, Instruction)
    ]


@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize("name", SOURCES)
def test_ptx_of_nvrtc_is_supported(name, arch):
    text = compile_cuda(SOURCES[name], f"--gpu-architecture={arch}", include_option(), "-default-device").decode()
    module = parse(text)
    for function in module.functions.values():
        for statement in function.body or ():
            if isinstance(statement, Instruction):
                assert form_of(statement).family, statement
    assert module_text(parse(module_text(module))) == module_text(module)
    assert build([text]).symbols is not None


def test_instructions_have_source_lines():
    text = compile_cuda(
        '__device__ int f(int x) {\n return x * 3; }\nextern "C" __global__ void k(int *p) {\n *p = f(*p);\n}',
        "-lineinfo",
    )
    lines = {statement.source.line for statement in parse(text.decode()).functions["k"].body if statement.source}
    files = {statement.source.file for statement in parse(text.decode()).functions["k"].body if statement.source}
    assert {2, 4} <= lines
    assert all(file.endswith("test.cu") for file in files)


INLINED = """
__device__ __forceinline__ void inner(float *p, int i) {
    p[i] = 1; }
__device__ __forceinline__ void middle(float *p, int i) {
    inner(p, 2 * i); }
extern "C" __global__ void first(float *p) {
    middle(p, threadIdx.x); }
extern "C" __global__ void second(float *p) {
    p[9] = 2;
    middle(p, threadIdx.x + 7);
}
"""


@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize("result", ["PTX", "CUBIN"])
def test_inlined_functions_have_their_calls(result, arch):
    """Of the PTX by .loc, of cubins by the row numbers in the line table."""
    (unit,) = ptx_of(compile_cuda(INLINED, f"--gpu-architecture={arch}", "-lineinfo", result=result))
    program = build([unit])
    for kernel, call in (("first", 7), ("second", 10)):
        stores = [
            each for each in program.functions[kernel].body if isinstance(each, Instruction) and each.opcode == "st"
        ]
        frames = frames_of_site(program, kernel, stores[-1].line)
        assert [(name, line) for name, _, line in frames] == [
            ("_Z5innerPfi", 3), ("_Z6middlePfi", 5), (kernel, call),
        ]  # fmt: skip
        assert {file.rpartition("/")[2] for _, file, _ in frames} == {"test.cu"}


CALLED = """
__device__ __noinline__ void far(float *p, int i) {
    p[i] = 1; }
extern "C" __global__ void once(float *p) {
    far(p, threadIdx.x); }
extern "C" __global__ void twice(float *p) {
    far(p, threadIdx.x);
    far(p, threadIdx.x + 7); }
"""


@pytest.mark.parametrize("result", ["PTX", "CUBIN"])
def test_a_single_call_is_followed(result):
    """Of two calls, nothing tells which one it was."""
    (unit,) = ptx_of(compile_cuda(CALLED, "--gpu-architecture=sm_90", "-lineinfo", result=result))
    program = build([unit])
    for kernel, expected in (("once", [("_Z3farPfi", 3), ("once", 5)]), ("twice", [("_Z3farPfi", 3)])):
        number = program.reachable(kernel).index("_Z3farPfi")
        (store,) = (
            each
            for each in program.functions["_Z3farPfi"].body
            if isinstance(each, Instruction) and each.opcode == "st"
        )
        frames = frames_of_site(program, kernel, number << 32 | store.line)
        assert [(name, line) for name, _, line in frames] == expected


# --- cubins -------------------------------------------------------------------------------------------

KERNEL = """
    extern "C" __device__ int f(int x);
    __device__ int table[2] = {3, 4};
    extern "C" __global__ void k(int *p) { *p = f(*p) + table[*p & 1]; }
"""
FUNCTION = 'extern "C" __device__ int f(int x) { return x * 3; }'
WHOLE = FUNCTION + KERNEL


@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize("options", [(), ("-G",), ("-rdc=true",), ("--use_fast_math",), ("--dopt=on", "-G")], ids=str)
def test_a_cubin_has_the_ptx_that_the_compiler_writes(arch, options):
    options = (f"--gpu-architecture={arch}", "-lineinfo", *options)
    (unit,) = ptx_of(compile_cuda(WHOLE, *options, result="CUBIN"))
    direct = parse(compile_cuda(WHOLE, *options).decode())
    assert instructions(parse(unit)) == instructions(direct)
    assert parse(unit).variables.keys() == direct.variables.keys()
    assert "k" in build([unit]).functions


@pytest.mark.parametrize("name", ["memory", "calls"])
def test_line_numbers_of_a_cubins_ptx_match_the_text(name):
    options = ("--gpu-architecture=sm_90", "-lineinfo", "-default-device")
    (unit,) = ptx_of(compile_cuda(SOURCES[name], *options, result="CUBIN"))
    direct = parse(compile_cuda(SOURCES[name], *options).decode())
    instructions = [
        [
            (statement.line, statement.opcode)
            for statement in module.functions["k"].body
            if isinstance(statement, Instruction)
        ]
        for module in (direct, parse(unit))
    ]
    assert instructions[0] == instructions[1]


@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize("name", ["arithmetic", "memory"])
def test_memory_accesses_of_a_cubins_ptx_have_source_lines(name, arch):
    options = (f"--gpu-architecture={arch}", "-lineinfo", "-default-device")
    (unit,) = ptx_of(compile_cuda(SOURCES[name], *options, result="CUBIN"))
    direct = parse(compile_cuda(SOURCES[name], *options).decode())
    accesses = [
        statement
        for function in direct.functions.values()
        for statement in function.body or ()
        if isinstance(statement, Instruction) and statement.opcode in ("ld", "st") and "global" in statement.modifiers
    ]
    accesses = [each for each in accesses if each.source]  # the compiler's own functions have none
    found = [(unit.source(each.line), each.source) for each in accesses if unit.source(each.line)]
    assert len(found) > 0.9 * len(accesses) > 0  # some are joined in the GPU's code
    assert {source.file for source, _ in found} == {"test.cu"}
    # If two lines share one instruction of the machine code, the table has one of them.
    assert sum(mine.line == theirs.line for mine, theirs in found) > 0.9 * len(found)


@pytest.mark.parametrize("options", [("-G",), ("-rdc=true",)], ids=str)
def test_functions_added_by_ptxas_need_no_ptx(options):
    source = 'extern "C" __global__ void k(double *p) { *p = fmod(p[0], p[1]) / p[2]; }'
    (unit,) = ptx_of(compile_cuda(source, "--gpu-architecture=sm_90", "-lineinfo", *options, result="CUBIN"))
    assert "k" in build([unit]).functions


def test_a_cubin_without_lineinfo_has_no_ptx():
    with pytest.raises(PtxError, match="-lineinfo"):
        ptx_of(compile_cuda(WHOLE, "--gpu-architecture=sm_90", result="CUBIN"))


def inputs_of(kinds: str, arch: str) -> list[tuple[int, bytes]]:
    made = []
    for kind, source in zip(kinds.split("+"), (KERNEL, FUNCTION), strict=True):
        options = [f"--gpu-architecture={arch}", "-rdc=true"]
        if kind == "ltoir":
            made.append((LTOIR_KIND, compile_cuda(source, *options, "-dlto", result="LTOIR")))
        elif kind == "ptx":
            made.append((PTX_KIND, compile_cuda(source, *options) + b"\0"))
        else:
            made.append((CUBIN_KIND, compile_cuda(source, *options, "-lineinfo", result="CUBIN")))
    return made


@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize("kinds", ["cubin+cubin", "ptx+ptx", "cubin+ptx", "ltoir+ltoir", "ltoir+cubin", "ptx+ltoir"])
def test_linked_cubins_contain_all_units(kinds, arch):
    options = [f"-arch={arch}", "-lineinfo"] + (["-lto"] if "ltoir" in kinds else [])
    units = ptx_of(link(inputs_of(kinds, arch), *options))
    assert len(units) == (1 if kinds == "ltoir+ltoir" else 2)
    program = build(units)
    assert "k" in program.functions
    assert "f" in program.functions or kinds == "ltoir+ltoir"  # which inlines it
    text = program.unit_of["k"].text
    lines = {text.source(each.line).line for each in program.functions["k"].body if text.source(each.line)}
    assert lines == ({4} if kinds.startswith("cubin") else set())  # the others were compiled without -lineinfo


def test_the_error_names_a_unit_linked_without_ptx():
    text = compile_cuda(KERNEL, "--gpu-architecture=sm_90", "-rdc=true") + b"\0"
    cubin = compile_cuda(FUNCTION, "--gpu-architecture=sm_90", "-rdc=true", "-lineinfo", result="CUBIN")
    with pytest.raises(PtxError, match=r"the cubin has no PTX of k: compile and link with -lineinfo"):
        ptx_of(link([(PTX_KIND, text), (CUBIN_KIND, cubin)], "-arch=sm_90"))


# --- fatbins ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("compression", ["-compress=false", "-compress-mode=speed", "-compress-mode=size"])
def test_fatbins_of_nvfatbin(compression):
    entries = [("ptx", arch, compile_cuda(WHOLE, f"--gpu-architecture=compute_{arch}")) for arch in ("75", "90")]
    data = fatbin(entries, compression)
    for capability, arch in ((80, "75"), (90, "90")):
        (text,) = ptx_of(data, capability=capability)
        assert parse(text).target == f"sm_{arch}"
        assert instructions(parse(text)) == instructions(
            parse({entry[1]: entry[2] for entry in entries}[arch].decode())
        )


@pytest.mark.parametrize("library", ["libzstd.so.1", "libnothing.so"])
def test_zstd_falls_back_to_the_system_library(monkeypatch, library):
    data = fatbin([("ptx", "90", compile_cuda(WHOLE, "--gpu-architecture=compute_90"))], "-compress-mode=size")
    for name in ("compression", "backports"):
        monkeypatch.setitem(sys.modules, name, None)
    if library == "libnothing.so":  # a mock: an exception of a function of this file is no error of ours
        monkeypatch.setattr(ctypes, "CDLL", unittest.mock.Mock(side_effect=OSError))
    try:
        ctypes.CDLL("libzstd.so.1")
    except OSError:
        with pytest.raises(PtxError, match=r"by zstd: pip install backports\.zstd, or install libzstd.*, or rebuild"):
            ptx_of(data)
        return
    assert "k" in parse(ptx_of(data)[0]).functions
    damaged = bytearray(data)
    damaged[-40:] = bytes(40)
    with pytest.raises(PtxError, match="damaged: its zstd frame"):
        ptx_of(bytes(damaged))


def test_fatbins_of_cubins():
    cubin = compile_cuda(WHOLE, "--gpu-architecture=sm_90", "-lineinfo", result="CUBIN")
    (text,) = ptx_of(fatbin([("cubin", "90", cubin)]))
    assert "k" in parse(text).functions


def test_size_of_a_cubin_in_memory():

    cubin = compile_cuda(WHOLE, "--gpu-architecture=sm_120", "-lineinfo", result="CUBIN")
    buffer = ctypes.create_string_buffer(cubin, len(cubin) + 64)
    assert image_size(ctypes.addressof(buffer)) == len(cubin)
