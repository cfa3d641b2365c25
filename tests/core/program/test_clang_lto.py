# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Link-time optimisation of clang's LLVM bitcode."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from cuda.core import (
    ClangError,
    CUDAError,
    LaunchConfig,
    LegacyPinnedMemoryResource,
    Linker,
    LinkerOptions,
    ObjectCode,
    Program,
    ProgramOptions,
    launch,
)
from cuda.core._program import _linker
from cuda.core._program._clang import _find
from cuda.core.typing import CompilerBackendType

if not _find.is_installed():
    pytest.skip("clang is not installed: pip install ziglang", allow_module_level=True)

FUNCTION = """static __device__ int own(int x) { return 10 * x; }
    extern "C" __device__ int f(int x) { return own(x) + 5; }"""
KERNEL = """extern "C" __device__ int f(int x); static __device__ int own(int x) { return x + 1; }
    extern "C" __global__ void k(int *p) { p[threadIdx.x] = f(own(p[threadIdx.x])); }"""
PTX = LinkerOptions(arch="sm_90", link_time_optimization=True, ptx=True)


@pytest.fixture(autouse=True)
def _folder(monkeypatch, tmp_path_factory):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "clang"))


def made(source: str, target: str = "ltoir", names=(), **options) -> ObjectCode:
    options = ProgramOptions(compiler="clang", arch="sm_90", link_time_optimization=True, **options)
    return Program(source, "c++", options).compile(target, name_expressions=names)


def run(device, code: ObjectCode, name: str = "k") -> list[int]:
    stream = device.create_stream()
    buffer = LegacyPinnedMemoryResource().allocate(32, stream=stream)
    values = np.from_dlpack(buffer).view(np.int32)
    values[:] = np.arange(8)
    launch(stream, LaunchConfig(grid=1, block=8), code.get_kernel(name), buffer)
    stream.sync()
    return values.tolist()


EXPECTED = [10 * (x + 1) + 5 for x in range(8)]


def test_functions_of_other_programs_become_inline(device):
    parts = [made(KERNEL), made(FUNCTION)]
    assert all(part.code_type == "ltoir" and part.code.startswith(b"BC\xc0\xde") for part in parts)
    code = Linker(*parts, options=PTX).link("ptx")
    text = bytes(code.code).decode()
    assert "call" not in text
    assert ".target sm_90" in text
    assert run(device, code) == EXPECTED
    options = LinkerOptions(arch="sm_90", link_time_optimization=True)
    assert run(device, Linker(*parts, options=options).link("cubin")) == EXPECTED


def test_the_driver_links_where_nvjitlink_is_missing(device, monkeypatch):
    monkeypatch.setattr(_linker, "_backend", lambda: CompilerBackendType.DRIVER)
    options = LinkerOptions(arch="sm_90", link_time_optimization=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        code = Linker(made(KERNEL), made(FUNCTION), options=options).link("cubin")
    assert run(device, code) == EXPECTED


def test_other_inputs_are_linked_with_the_result(device):
    function = made(FUNCTION, "ptx", relocatable_device_code=True)
    code = Linker(made(KERNEL), function, options=LinkerOptions(arch="sm_90")).link("cubin")
    assert run(device, code) == EXPECTED
    with pytest.raises(ValueError, match="needs inputs of clang's LLVM bitcode, not ptx"):
        Linker(made(KERNEL), function, options=PTX).link("ptx")


def test_names_of_several_programs(device):
    template = "template <class T> __global__ void scale(T *p) { p[threadIdx.x] *= FACTOR; }"
    parts = [made(template, names=["scale<int>"], define_macro=("FACTOR", "3"))]
    parts.append(made(template.replace("scale", "other"), names=["other<int>"], define_macro=("FACTOR", "5")))
    code = Linker(*parts, options=PTX).link("ptx")
    assert "open_cuda_name" not in bytes(code.code).decode()
    assert run(device, code, "scale<int>") == [3 * x for x in range(8)]
    assert run(device, code, "other<int>") == [5 * x for x in range(8)]


def test_options_of_the_link():
    source = made('extern "C" __global__ void k(float *x) { x[0] = x[1] / x[2]; }')
    assert "div.rn.f32" in bytes(Linker(source, options=PTX).link("ptx").code).decode()
    fast = LinkerOptions(arch="sm_100", link_time_optimization=True, ptx=True, prec_div=False)
    text = bytes(Linker(source, options=fast).link("ptx").code).decode()
    assert "div.full.f32" in text
    assert ".target sm_100" in text


def test_bitcode_is_loaded_from_bytes_and_files(tmp_path):
    path = tmp_path / "part.bc"
    path.write_bytes(made(FUNCTION).code)
    for given in (made(FUNCTION).code, str(path)):
        code = Linker(made(KERNEL), ObjectCode.from_ltoir(given), options=PTX).link("ptx")
        assert "call" not in bytes(code.code).decode()


def test_errors(device):
    with pytest.raises(ClangError, match="multiply defined"):
        Linker(made(FUNCTION), made(FUNCTION), options=PTX).link("ptx")
    with pytest.raises(ClangError, match="CLANG_ERROR"):
        Linker(made(FUNCTION), ObjectCode.from_ltoir(b"BC\xc0\xde" + bytes(100)), options=PTX).link("ptx")
    with pytest.raises(CUDAError, match=r"\bf\b"):
        Linker(made(KERNEL), options=LinkerOptions(arch="sm_90")).link("cubin")
