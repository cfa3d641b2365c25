# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
import io
import re
import subprocess
import sys

import pytest
from support.scripts import run_checked

from cuda.bindings import nvjitlink
from cuda.core import ClosedError, NvJitLinkError, NVRTCError, Program, ProgramOptions
from cuda.core.typing import CompilerBackendType, ObjectCodeFormatType, SourceCodeType

pytestmark = pytest.mark.needs_nvrtc

SOURCE = """
template <typename T> __global__ void scale(T *x, T factor) { x[threadIdx.x] *= factor; }
extern "C" __global__ void add(float *x, double y, char z) { x[0] += y + z; }
"""
SM90 = ProgramOptions(arch="sm_90")
ELF = repr(b"\x7fELF")
PTX = """
.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 k_param_0) { ret; }
"""


def test_ptx_cubin_and_ltoir():
    with Program(SOURCE, "c++", ProgramOptions(arch="sm_90", name="mine.cu")) as program:
        ptx = program.compile("ptx")
        assert ".target sm_90" in ptx.code.decode()
        assert (ptx.code_type, ptx.name, ptx.symbol_mapping) == ("ptx", "mine.cu", {})
        assert program.compile(ObjectCodeFormatType.CUBIN).code.startswith(b"\x7fELF")
        assert program.compile("ltoir").code_type == "ltoir"
    program.close()
    assert program.is_closed
    assert not program.handle or int(program.handle) == 0
    with pytest.raises(ValueError, match=r"^this Program is closed$"):
        program.compile("ptx")


@pytest.mark.of_nvrtc
def test_backend_and_handle():
    with Program(SOURCE, "c++", SM90) as program:
        assert program.backend == CompilerBackendType.NVRTC == "NVRTC"
        assert int(program.handle)
    assert int(program.handle) == 0


def test_name_expressions():
    names = ("scale<float>", "scale<int>", "add")
    mapping = Program(SOURCE, SourceCodeType.CXX, SM90).compile("ptx", names).symbol_mapping
    assert mapping == {"scale<float>": "_Z5scaleIfEvPT_S0_", "scale<int>": "_Z5scaleIiEvPT_S0_", "add": "add"}
    program = Program(SOURCE, "c++", SM90)
    for names in ((), ["scale<double>"], ()):
        assert len(program.compile("ptx", names).symbol_mapping) == len(names)
    with pytest.raises(TypeError, match=r"^name_expressions must be str, not int$"):
        program.compile("ptx", [1])


def test_source_that_ends_with_nul():
    assert b".entry add" in Program(SOURCE + "\0", "c++", SM90).compile("ptx").code


@pytest.mark.parametrize("code", [1, SOURCE.encode(), bytearray(SOURCE.encode())], ids=type)
@pytest.mark.parametrize("kind", ["c++", "ptx"])
def test_source_is_text(code, kind):
    with pytest.raises(TypeError, match=r"^code must be the (c\+\+|ptx) source as str, not (int|bytes|bytearray)$"):
        Program(code, kind)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((1, "nvvm"), TypeError, r"^code must be the nvvm source as str or bytes, not int$"),
        (("a\0b", "c++"), ValueError, r"^code has a NUL character at 1$"),
        (("", "c"), RuntimeError, r"^code_type must be 'c\+\+', 'ptx', 'nvvm' or 'tile', not 'c'$"),
        (("", "c++", 1), TypeError, r"^options must be ProgramOptions, a dict of its fields or None, not int$"),
    ],
)
def test_wrong_arguments(arguments, error, message):
    with pytest.raises(error, match=message):
        Program(*arguments)


def test_wrong_target():
    with pytest.raises(
        ValueError, match=r"^target_type must be one of 'ptx', 'cubin', 'ltoir', 'tile_ir' for c\+\+ programs, not"
    ):
        Program(SOURCE, "c++", SM90).compile("exe")
    with pytest.raises(ValueError, match=r"^target_type must be one of 'cubin', 'ptx' for ptx programs, not 'ltoir'$"):
        Program(PTX, "ptx", SM90).compile("ltoir")


@pytest.mark.of_nvrtc
def test_cubins_are_for_real_architectures():
    with pytest.raises(NVRTCError, match=r"^NVRTC made no cubin: arch must be a real architecture such as 'sm_90'$"):
        Program(SOURCE, "c++", ProgramOptions(arch="compute_90")).compile("cubin")


@pytest.mark.of_nvrtc
def test_compile_error_shows_the_line():
    source = 'extern "C" __global__ void k(float *x) {\n\tx[0] = y;\n    return z;\n}\n'
    with pytest.raises(NVRTCError) as caught:
        Program(source, "c++", ProgramOptions(arch="sm_90", name="mine.cu")).compile("ptx")
    text = str(caught.value)
    assert text.startswith("NVRTC_ERROR_COMPILATION: 2 errors in 'mine.cu' (nvrtcCompileProgram)\n")
    assert 'mine.cu(2): error: identifier "y" is undefined\n    2 | \tx[0] = y;\n      | \t       ^\n' in text
    assert "\n    3 |     return z;\n      |            ^\n" in text
    assert 'identifier "y" is undefined' in caught.value.log
    assert caught.value.name == "NVRTC_ERROR_COMPILATION"


def test_compile_error_names_the_line_of_the_python_string(tmp_path):
    script = tmp_path / "demo.py"
    script.write_text(
        "from cuda.core import Module, NVRTCError\n"
        'SOURCE = r"""\n'
        'extern "C" __global__ void k(float *x) {\n'
        "    x[0] = y;\n"
        '}"""\n'
        "try:\n"
        "    Module.from_source(SOURCE)\n"
        "except NVRTCError as error:\n"
        "    print(error)\n"
    )
    result = subprocess.run([sys.executable, "-W", "ignore", script], capture_output=True, text=True, timeout=60)
    assert f"    3 |     x[0] = y;\n      |            ^\n      --> {script}:4\n" in result.stdout, result.stderr


def test_a_brief_compile_error_shows_the_line():
    options = ProgramOptions(arch="sm_90", brief_diagnostics=True, name="mine.cu")
    with pytest.raises(NVRTCError, match=r'"y" is undefined\n    1 | __device__ int x = y;'):
        Program("__device__ int x = y;", "c++", options).compile("ptx")


def test_logs():
    logs = io.StringIO()
    Program("__device__ int f() { int unused; }", "c++", SM90).compile("ptx", logs=logs)
    assert "warning" in logs.getvalue()
    logs = io.StringIO()
    with pytest.raises(NVRTCError):
        Program("error", "c++", SM90).compile("ptx", logs=logs)
    assert "error" in logs.getvalue()


@pytest.mark.of_nvrtc
def test_wrong_option_value():
    with pytest.raises(NVRTCError, match=r"NVRTC_ERROR_INVALID_OPTION .*\n.*--gpu-architecture"):
        Program(SOURCE, "c++", ProgramOptions(arch="sm_1")).compile("ptx")


@pytest.mark.needs_nvjitlink
def test_ptx_program():
    program = Program(PTX, "ptx", ProgramOptions(arch="sm_90", name="mine"))
    assert program.backend == "nvJitLink"
    assert int(program.handle) != 0
    assert program.compile("ptx").code == PTX.encode()
    assert program.compile("cubin").code == program.compile("cubin").code  # a linker links once
    assert int(program.handle) != 0
    with pytest.raises(ValueError, match=r"^name_expressions are for C\+\+ programs"):
        program.compile("cubin", ("k",))
    program.close()
    assert int(program.handle) == 0
    with pytest.raises(ClosedError):
        program.compile("cubin")


@pytest.mark.needs_nvjitlink
def test_ptx_to_cubin():
    cubin = Program(PTX, "ptx", ProgramOptions(arch="sm_90", name="mine")).compile("cubin")
    assert cubin.code.startswith(b"\x7fELF")
    assert (cubin.name, cubin.code_type) == ("mine", "cubin")
    with pytest.raises(NvJitLinkError, match=r"line 5; error .*\n    5 | .visible .entry k.* nothing; }") as caught:
        Program(PTX.replace("ret;", "nothing;"), "ptx", SM90)
    assert "nothing" in caught.value.log
    assert isinstance(caught.value, nvjitlink.nvJitLinkError)
    # Options for other programs have no meaning for PTX.
    options = ProgramOptions(arch="sm_90", name="mine", std="c++17", pch=True, use_fast_math=True, numba_debug=True)
    assert Program(PTX, "ptx", options).compile("cubin").code == cubin.code
    with pytest.raises(ValueError, match=r"^extra_sources is for NVVM programs"):
        Program(PTX, "ptx", ProgramOptions(extra_sources=[("a", "b")]))


@pytest.mark.of_nvrtc
def test_precompiled_header(tmp_path):
    options = ProgramOptions(arch="sm_90", create_pch=str(tmp_path / "mine.pch"))
    program = Program(SOURCE, "c++", options)
    assert program.pch_status is None
    program.compile("ptx")
    assert program.pch_status == "created"
    program = Program(SOURCE, "c++", SM90)
    program.compile("ptx")
    assert program.pch_status is None


def test_include_path(tmp_path):
    (tmp_path / "mine.h").write_text("#define VALUE 42\n")
    source = '#include "mine.h"\nextern "C" __global__ void k(int *x) { *x = VALUE; }'
    options = ProgramOptions(arch="sm_90", include_path=str(tmp_path))
    assert b"42;" in Program(source, "c++", options).compile("ptx").code
    with pytest.raises(NVRTCError, match=r"""["']mine.h["'].*\n +1 \| #include "mine.h"\n      \| """):
        Program(source, "c++", SM90).compile("ptx")


def test_compile_without_a_driver():
    text = """
        from cuda.core import Program, ProgramOptions
        source = 'extern "C" __global__ void k() {}'
        print(Program(source, "c++").compile("ptx").code.decode())
    """
    said = run_checked(text, CUDA_PYTHON_DRIVER="/nowhere/libcuda.so.1")
    assert re.search(r"\.target sm_75\n", said)  # the oldest that CUDA 13 compiles for: its PTX runs on all newer ones


@pytest.mark.parametrize("by", ["driver", pytest.param("nvJitLink", marks=pytest.mark.needs_nvjitlink)])
def test_cubins_need_no_current_device(by):
    text = f"""
        from cuda.core import Device, Linker, Program, ProgramOptions
        from cuda.core._program import _linker

        _linker._backend = lambda: _linker.CompilerBackendType({by!r})
        source = 'extern "C" __global__ void k() {{}}'
        options = ProgramOptions(arch=f"sm_{{Device().arch}}")
        print(Program(source, "c++", options).compile("cubin").code[:4])
        ptx = Program(source, "c++", options).compile("ptx")
        print(Linker(ptx).link("cubin").code[:4], Linker.which_backend())
    """
    assert run_checked(text).splitlines() == [ELF, f"{ELF} {by}"]


@pytest.mark.needs_nvjitlink
def test_cubins_without_a_driver():
    text = """
        from cuda.core import Program, ProgramOptions
        source = 'extern "C" __global__ void k() {}'
        print(Program(source, "c++", ProgramOptions(arch="sm_90")).compile("cubin").code[:4])
    """
    assert run_checked(text, CUDA_PYTHON_DRIVER="/nowhere/libcuda.so.1") == f"{ELF}\n"


def test_the_device_is_the_default_architecture(device):
    assert f".target sm_{device.arch}" in Program(SOURCE, "c++").compile("ptx").code.decode()


@pytest.mark.parametrize("compiler", ["auto", "nvrtc"])
def test_without_a_compiler(compiler):
    text = f"""
        import os
        import cuda.pathfinder as pathfinder

        def missing(name):
            raise pathfinder.DynamicLibNotFoundError('no ' + name)

        pathfinder.load_nvidia_dynamic_lib = missing
        os.environ["CUDA_PYTHON_CLANG"] = "/nowhere"
        from cuda.core import Program
        try:
            Program('', 'c++', {{'compiler': {compiler!r}}}).compile('ptx')
        except RuntimeError as error:
            print(error)
        print('alive')
    """
    said = run_checked(text)
    assert "libnvrtc is not found: install it by pip install 'open-cuda-python[cu13]'" in said
    assert ("or clang, which compiles CUDA C++ as well, by pip install 'open-cuda-python[open]'" in said) == (
        compiler == "auto"
    )
    assert said.endswith("alive\n")


@pytest.mark.of_nvrtc
def test_the_error_for_a_missing_header_names_use_bundled_headers():
    with pytest.raises(NVRTCError, match=r"use_bundled_headers=True") as caught:
        Program("#include <cuda_fp16.h>", "c++").compile("ptx")
    assert "use_bundled_headers" not in caught.value.log
