# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Advice added to compiler errors: each case is a common mistake and the advice that its error gives."""

from __future__ import annotations

import os
import re

import pytest

from cuda.core import CUDAError, Linker, LinkerOptions, Module, NvJitLinkError, NVRTCError, Program, ProgramOptions
from cuda.core._program import _bundled_headers as bundled
from cuda.core._program import _compile_advice as advice

KERNEL = 'extern "C" __global__ void f(int *x) { *x = 1; }'
TEMPLATE = "template <class T> __global__ void scale(T a, T *x) { *x *= a; }"
CALLER = 'extern "C" __device__ int other(); extern "C" __global__ void f(int *x) { *x = other(); }'
CARRIES = " is one of the headers that NVRTC carries: give ProgramOptions(use_bundled_headers=True)."
HOST = "is a header for host code, which device code does not have: "

pytestmark = pytest.mark.needs_nvrtc


def compile_it(source=KERNEL, target="cubin", names=(), **options):
    return Program(source, "c++", ProgramOptions(**{"arch": "sm_90", **options})).compile(target, names)


@pytest.mark.parametrize(
    ("header", "options", "expected"),
    [
        ("<stdio.h>", {}, f"<stdio.h> {HOST}printf needs no header."),
        ("<stdio.h>", {"use_bundled_headers": True}, f"<stdio.h> {HOST}printf needs no header."),
        ("<vector>", {}, f"<vector> {HOST}its contents cannot be used in kernels, and cuda::std has no counterpart."),
        (
            "<stdint.h>",
            {},
            f"<stdint.h> {HOST}use <cuda/std/cstdint> with the names of cuda::std and "
            "ProgramOptions(use_bundled_headers=True).",
        ),
        ("<array>", {"use_bundled_headers": True}, f"<array> {HOST}use <cuda/std/array> with the names of cuda::std."),
        ('"mine.h"', {}, '"mine.h" was looked for in no folder, for include_path names none: name its folder by'),
        ('"mine.h"', {"include_path": "/"}, "\"mine.h\" was looked for in '/': name its folder by ProgramOptions("),
        ('"mine.h"', {"include_path": ["/", "/absent"]}, "include_path names '/absent', which is not a folder."),
    ],
)
def test_a_missing_header(header, options, expected):
    with pytest.raises(NVRTCError, match=re.escape(expected)) as caught:
        compile_it(f"#include {header}\n{KERNEL}", **options)
    assert expected not in caught.value.log  # which is the compiler's own


@pytest.mark.of_nvrtc
@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("<cuda/std/array>", CARRIES),
        ("<cub/cub.cuh>", CARRIES),
        ("<cuda_fp16.h>", CARRIES),
        ("<cuda_runtime.h>", ": NVRTC includes what kernels need of it by itself: leave it out."),
        ("<curand_kernel.h>", " is a header of the package nvidia-curand: install it, and"),
    ],
)
def test_headers_that_nvrtc_does_not_find_by_itself(header, expected):
    test_a_missing_header(header, {}, f"{header}{expected}")


@pytest.mark.of_nvrtc
@pytest.mark.needs_recent_nvrtc
def test_the_listed_cuda_std_headers_exist():
    """The tables of headers are those of the NVRTC that is installed."""
    compile_it("#include <cuda/std/array>\n", "ptx", use_bundled_headers=True)  # unpacks the headers
    folder = os.path.join(bundled.folder(), "cccl", "cuda", "std")
    there = {name for name in os.listdir(folder) if re.fullmatch(r"[a-z_]+", name)}
    assert there >= advice.CUDA_STD
    assert there & advice.HOST <= advice.CUDA_STD
    own = {name for name in os.listdir(bundled.folder()) if name.endswith(".h")}
    assert all(advice._CARRIED.match(name) for name in own - {"cudart_platform.h"})


UNRESOLVED = "'other' is declared, but defined in none of the programs: compile each of them with ProgramOptions("


def test_a_function_of_another_program():
    with pytest.raises((NVRTCError, CUDAError), match=re.escape(UNRESOLVED)):  # CUDAError by a linker, after clang
        compile_it(CALLER)
    code = compile_it(CALLER, "ptx", relocatable_device_code=True)
    with pytest.raises(CUDAError, match=re.escape(UNRESOLVED)) as caught:
        Linker(code, options=LinkerOptions(arch="sm_90")).link("cubin")
    assert "link them all: Linker(first, second).link('cubin')" in str(caught.value)
    with pytest.raises(CUDAError, match=re.escape(UNRESOLVED)):
        compile_it(CALLER, "ptx", relocatable_device_code=True).get_kernel("f")


@pytest.mark.of_nvrtc
def test_too_much_static_shared_memory():
    source = 'extern "C" __global__ void f(int *x) { __shared__ int a[20000]; a[*x] = 1; __syncthreads(); *x = a[5]; }'
    with pytest.raises(NVRTCError, match="declares 80,000 bytes of static shared memory, 49,152 are allowed") as caught:
        compile_it(source)
    for word in ("extern __shared__", "LaunchConfig(shmem_size=...)", "max_dynamic_shared_size_bytes"):
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"arch": "8.0"}, "arch is '8.0': write a str such as 'sm_80'; this compiler knows 75, 80"),
        ({"arch": 90}, "arch is 90: write a str such as 'sm_90'; this compiler knows"),
        ({"arch": "sm_20"}, "arch is 'sm_20': write a str such as 'sm_90' or 'compute_90'; this compiler knows"),
        ({"std": "c++99"}, "std is 'c++99': write one of 'c++11', 'c++14', 'c++17', 'c++20' or 'c++23'."),
        ({"std": 17}, "std is 17: write one of 'c++11'"),
    ],
)
def test_values_of_options(options, expected):
    with pytest.raises((NVRTCError, ValueError), match=re.escape(expected)):  # ValueError by clang
        compile_it(**options)


@pytest.mark.needs_nvjitlink
def test_architectures_of_links():
    code = compile_it(relocatable_device_code=True)
    with pytest.raises(NvJitLinkError, match=r"arch is '9.0': write a str such as 'sm_90'"):
        Linker(code, options=LinkerOptions(arch="9.0"))
    with pytest.raises(NvJitLinkError, match=r"arch is '8.0': write a str such as 'sm_80'"):
        Program(".version 8.0\n.target sm_75\n", "ptx", ProgramOptions(arch="8.0")).compile("cubin")


@pytest.mark.parametrize("names", ["scale<float>", b"scale<float>"])
def test_a_single_string_for_name_expressions(names):
    message = (
        rf"^name_expressions must be a sequence of names, such as \('scale<float>',\), not one {type(names).__name__}$"
    )
    with pytest.raises(TypeError, match=message):
        compile_it(TEMPLATE, names=names)
    with pytest.raises(TypeError, match=message):
        Module.from_source(TEMPLATE, name_expressions=names)


@pytest.mark.parametrize("name", ["scale", "scale<float>"])
def test_a_template_without_instantiations(name):
    expected = re.escape("A template becomes code only for the arguments that are named when it is compiled, as by "
                         "name_expressions=('scale<float>',).")  # fmt: skip
    with pytest.raises(CUDAError, match=expected):
        compile_it(TEMPLATE).get_kernel(name)
    with pytest.raises(AttributeError, match=re.escape("name_expressions=('scale<float>',)")):
        Module.from_source(TEMPLATE).scale  # noqa: B018
    with pytest.raises(
        CUDAError, match=r"There is no kernel 'scale<int>' in this code, but: .*\('scale<int>',\), since"
    ):
        compile_it(TEMPLATE, names=("scale<float>",)).get_kernel("scale<int>")
    with pytest.raises(CUDAError, match=r"but: f\. Name the template's instances when compiling: .*'scale<int>'"):
        compile_it(TEMPLATE + KERNEL).get_kernel("scale<int>")


WARNS = 'extern "C" __global__ void f(long long *x) { int unused; *x = 1; }'


@pytest.mark.needs_recent_nvrtc
def test_warnings_as_errors():
    compile_it(WARNS)
    compile_it(WARNS, warning_as_error=False)
    for value in (True, "all-warnings", ["reorder", "all-warnings"]):
        with pytest.raises(NVRTCError, match='variable "unused" was declared but never referenced'):
            compile_it(WARNS, warning_as_error=value)
    compile_it(WARNS, warning_as_error=["reorder"])


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("sapxy", "Did you mean 'saxpy'?"),
        ("Saxpy", "Did you mean 'saxpy'?"),
        ("scale<flot>", "Did you mean 'scale<float>'?"),
        ("mangeld", "Did you mean 'mangled'? C++ mangles its name: declare it extern \"C\"."),
        ("mangled", "since C++ mangles names."),
        ("scale<double>", "name_expressions=('scale<double>',), since C++ mangles names."),
        ("unrelated", "saxpy."),
    ],
)
def test_misspelt_kernels(name, advice):
    source = TEMPLATE + 'extern "C" __global__ void saxpy(int *p) { } __global__ void mangled(int *p) { }'
    module = Module.from_source(source, name_expressions=("scale<float>",))
    with pytest.raises(CUDAError, match=f"{re.escape(advice)}$"):
        module.get_kernel(name)
    with pytest.raises(AttributeError, match=f"{re.escape(advice)}$"):
        getattr(module, name)
