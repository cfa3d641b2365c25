# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""C++ programs compiled by clang: choice of the compiler, options, names, messages, caches, a missing compiler."""

from __future__ import annotations

import dataclasses
import io
import os
import pathlib
import shlex
import stat
import subprocess
import sys

import numpy as np
import pytest

from cuda.core import (
    ClangError,
    LaunchConfig,
    LegacyPinnedMemoryResource,
    Linker,
    LinkerOptions,
    NVRTCError,
    Program,
    ProgramOptions,
    launch,
)
from cuda.core._program import _compiler
from cuda.core._program._clang import _find, _options, _ptx_version
from cuda.core.typing import CompilerBackendType

if not _find.is_installed():
    pytest.skip("clang is not installed: pip install ziglang", allow_module_level=True)

SCALE = """
template <class T> __global__ void scale(T *x, T factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= factor;
}
__constant__ float table[4] = {1, 2, 3, 4};
"""


@pytest.fixture(autouse=True)
def _folder(monkeypatch, tmp_path_factory):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "clang"))


def program(source: str, **options) -> Program:
    return Program(source, "c++", ProgramOptions(compiler="clang", **options))


def compiled(source: str, names=(), **options) -> str:
    return bytes(program(source, **options).compile("ptx", name_expressions=names).code).decode()


@pytest.mark.parametrize("target", ["ptx", "cubin"])
def test_a_template_runs(target, device):
    stream = device.create_stream()
    code = program(SCALE).compile(target, name_expressions=("scale<float>", "&table"))
    assert code.symbol_mapping == {"scale<float>": "_Z5scaleIfEvPT_S0_i", "&table": "table"}
    assert code.code_type == target
    kernel = code.get_kernel("scale<float>")
    buffer = LegacyPinnedMemoryResource().allocate(400, stream=stream)
    values = np.from_dlpack(buffer).view(np.float32)
    values[:] = np.arange(100)
    launch(stream, LaunchConfig(grid=1, block=128), kernel, buffer, 3.0, 100)
    stream.sync()
    np.testing.assert_array_equal(values, 3 * np.arange(100, dtype=np.float32))


def test_pure_virtual_functions(device):
    """The table of the class that has them names a function of the C++ library."""
    source = """struct Shape { __device__ virtual int area() const = 0; };
        struct Square : Shape { int side; __device__ Square(int x) : side(x) {}
                                __device__ int area() const override { return side * side; } };
        extern "C" __global__ void measure(int *to) { Shape *made = new Square(*to); *to = made->area(); }"""
    kernel = program(source, debug=True).compile("cubin").get_kernel("measure")
    stream = device.create_stream()
    value = device.to_device(np.array([7], np.int32), stream=stream)
    launch(stream, LaunchConfig(grid=1, block=1), kernel, value)
    assert value.to_host(stream=stream) == [49]


def test_a_program_may_define_the_standard_library_itself():
    own = "namespace std { template <class T> __device__ int move(T) { return 7; } template <class T> struct %s {}; }"
    own = own % "initializer_list" + "__global__ void k(int *x) { *x = std::move(1); }"
    assert "7" in compiled(own, builtin_move_forward=False, builtin_initializer_list=False)
    with pytest.raises(NVRTCError, match="initializer_list"):
        compiled(own, builtin_move_forward=False)


@pytest.fixture
def without_toolkit(monkeypatch, tmp_path):
    """Let clang find no CUDA toolkit, whatever the machine has."""
    (tmp_path / "empty").mkdir()
    script = tmp_path / "clang"
    script.write_text(f'#!/bin/sh\nexec {shlex.join(_find.find()[0])} --cuda-path={tmp_path}/empty "$@"\n')
    script.chmod(0o700)
    monkeypatch.setenv(_find.VARIABLE, str(script))


@pytest.mark.parametrize("arch", ["sm_75", "sm_90a", "sm_121"])
def test_no_toolkit_is_needed(without_toolkit, arch):
    assert f".target {arch}\n" in compiled(F, arch=arch)
    code = program(F, arch=arch).compile("ltoir")
    linked = Linker(code, options=LinkerOptions(arch=arch, link_time_optimization=True, ptx=True)).link("ptx")
    assert f".target {arch}\n" in bytes(linked.code).decode()


def test_the_version_of_ptx_is_one_that_clang_writes():
    numbers = {}
    for release in range(_find.OLDEST, _find.NEWEST + 2):
        *_, feature = _ptx_version.version_options(f"Debian clang version {release}.1.0 (1)", "sm_90")
        numbers[release] = feature
    assert numbers[18] == "--cuda-feature=+ptx83"
    assert numbers[20] == "--cuda-feature=+ptx87"
    assert {numbers[release] for release in numbers if release > 20} == {"--cuda-feature=+ptx88"}
    assert "--cuda-feature=+ptx90" in _ptx_version.version_options("clang version 22.1.8", "sm_110a")


def test_the_variables_for_names_are_removed():
    text = compiled(SCALE, ["scale<float>", "scale<double>"])
    assert "_Z5scaleIdEvPT_S0_i" in text
    assert "open_cuda_name" not in text


def test_an_invalid_name_is_reported_by_its_text():
    with pytest.raises(ClangError, match=r"name_expressions: scale<void>\(1\): error"):
        compiled(SCALE, ["scale<void>"])


def test_choice(monkeypatch):
    monkeypatch.delenv(_compiler.VARIABLE, raising=False)
    monkeypatch.setattr(_compiler, "_has_nvrtc", lambda: True)
    assert [_compiler.is_clang(value) for value in (None, "auto", "nvrtc", "clang")] == [False, False, False, True]
    monkeypatch.setenv(_compiler.VARIABLE, "clang")
    assert _compiler.is_clang(None)
    assert not _compiler.is_clang("nvrtc")
    monkeypatch.setenv(_compiler.VARIABLE, "auto")
    monkeypatch.setattr(_compiler, "_has_nvrtc", lambda: False)
    assert _compiler.is_clang(None)
    monkeypatch.setattr(_find, "_candidates", lambda: [])
    assert not _compiler.is_clang(None)  # the message about NVRTC says what to install


@pytest.mark.parametrize("value", ["gcc", 3])
def test_unknown_compilers_are_refused(value, monkeypatch):
    with pytest.raises(ValueError, match="compiler must be 'auto', 'nvrtc' or 'clang'"):
        Program("", "c++", ProgramOptions(compiler=value))
    monkeypatch.setenv(_compiler.VARIABLE, str(value))
    with pytest.raises(ValueError, match="CUDA_PYTHON_COMPILER must be"):
        Program("", "c++")


def test_backend_and_handle():
    with program("") as made:
        assert made.backend == CompilerBackendType.CLANG == "clang"
        assert made.handle is None
    assert made.is_closed


def test_messages_look_as_nvrtcs(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "from cuda.core import Program, ProgramOptions\n"
        'source = """\n__global__ void f(int *x) {\n    x[0] = y;\n}\n"""\n'
        'Program(source, "c++", ProgramOptions(compiler="clang", name="f.cu")).compile("ptx")\n'
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60)
    assert "ClangError: CLANG_ERROR_COMPILATION: 1 error in 'f.cu' (clang)\n" in done.stderr
    shown = "    3 |     x[0] = y;\n      |            ^\n"
    assert f"f.cu(3): error: use of undeclared identifier 'y'\n{shown}" in done.stderr
    assert f"--> {script}:4" in done.stderr


def test_the_place_of_an_error_is_shown_once():
    with pytest.raises(ClangError) as caught:
        compiled('\n#include "absent.h"\n', name="f.cu")
    shown = '    2 | #include "absent.h"\n      |          ^~~~~~~~~~\n'
    assert f"f.cu(2): fatal error: 'absent.h' file not found\n{shown}" in str(caught.value)
    assert str(caught.value).count("#include") == 1


def test_errors_are_those_of_nvrtc_for_programs_that_catch_them():
    with pytest.raises(NVRTCError) as caught:
        compiled("__global__ void f() { g(); }")
    assert caught.value.name == "CLANG_ERROR_COMPILATION"
    assert caught.value.log.startswith("default_program(1): error:")


def test_warnings_are_written_to_the_logs():
    logs = io.StringIO()
    source = "__global__ void f(int *x) { int a = 3000000000000; x[0] = a; }"
    program(source).compile("ptx", logs=logs)
    assert "default_program(1): warning: implicit conversion" in logs.getvalue()
    assert "generated when compiling" not in logs.getvalue()
    logs = io.StringIO()
    program(source, disable_warnings=True).compile("ptx", logs=logs)
    assert logs.getvalue() == ""
    with pytest.raises(ClangError, match="error: implicit conversion"):
        compiled(source, warning_as_error=True)


F = 'extern "C" __global__ void f(float *x) { x[0] = x[0] * x[1] + x[2] / x[3] + sqrtf(x[4]); }'
MACRO = 'extern "C" __global__ void f(int *x) { x[0] = COUNT; }'
# Options, source, text in the PTX, text that is not there.
OPTIONS = [
    ({"arch": "sm_90"}, F, ".target sm_90", None),
    ({"arch": "compute_80"}, F, ".target sm_80", None),
    ({"arch": "sm_90a"}, F, ".target sm_90a", None),
    ({}, F, "fma.rn.f32", ".ftz"),
    ({"fma": False}, F, "mul.rn.f32", "fma.rn.f32"),
    ({"ftz": True}, F, "fma.rn.ftz.f32", None),
    ({"prec_div": False}, F, "div.full.f32", "div.rn"),
    ({"prec_sqrt": False}, F, "sqrt.approx.f32", "sqrt.rn"),
    ({"use_fast_math": True}, F, "sqrt.approx.ftz.f32", "div.rn"),
    ({"use_fast_math": True, "ftz": False}, F, "sqrt.approx.f32", ".ftz"),
    ({"use_fast_math": True}, 'extern "C" __global__ void f(float *x) { *x = sinf(*x); }', "sin.approx.ftz.f32", None),
    ({"define_macro": ("COUNT", "41")}, MACRO, "41", None),
    ({"define_macro": ["COUNT=42", "OTHER"]}, MACRO, "42", None),
    ({"lineinfo": True, "name": "some.cu"}, F, 'some.cu"', None),
    ({"lineinfo": False}, F, ".entry f", ".loc"),
    ({"debug": True}, F, ".section\t.debug_info", None),
    ({"max_register_count": 40}, F, ".maxnreg 40", None),
    ({"max_register_count": 40}, SCALE + "template __global__ void scale<int>(int *, int, int);", ".maxnreg 40", None),
    ({"std": "c++20"}, "template <class T> concept C = sizeof(T) == 4; static_assert(C<int>);" + F, ".entry f", None),
    ({"device_as_default_execution_space": True}, "int g() { return 3; }" + MACRO.replace("COUNT", "g()"), "3", None),
    ({"relocatable_device_code": True}, 'extern "C" __device__ int g(); ' + MACRO.replace("COUNT", "g()"), "g", None),
]


@pytest.mark.parametrize(("options", "source", "there", "absent"), OPTIONS, ids=[str(row[0]) for row in OPTIONS])
def test_options(options, source, there, absent):
    text = compiled(source, **options)
    assert there in text
    assert absent is None or absent not in text


def test_include_paths_with_spaces_and_quotes(tmp_path):
    folder = tmp_path / 'a "quoted" folder'
    folder.mkdir()
    (folder / "mine.h").write_text("#define COUNT 51\n")
    assert "51" in compiled(f'#include "mine.h"\n{MACRO}', include_path=str(folder))
    assert "51" in compiled(MACRO, include_path=[str(folder)], pre_include="mine.h")
    # As with NVRTC, the folder of the program is searched, unless the options say otherwise.
    assert "51" in compiled(f'#include "mine.h"\n{MACRO}', name=str(folder / "program.cu"))
    with pytest.raises(ClangError, match=r"'mine.h' file not found[\s\S]*\"mine.h\" was looked for"):
        compiled(f'#include "mine.h"\n{MACRO}', name=str(folder / "program.cu"), no_source_include=True)


def test_ndebug_reaches_the_device_headers():
    source = 'extern "C" __global__ void f(int *x) { assert(x[0] == 1); }'
    assert "__assertfail" in compiled(source)
    assert "__assertfail" not in compiled(source, define_macro="NDEBUG")


# Fields that clang has an equivalent of, or ignores for a stated reason; each other one is refused.
ALL = [field.name for field in dataclasses.fields(ProgramOptions)]


@pytest.mark.parametrize("field", sorted(set(ALL) - set(_options._OPTIONS) - set(_options._OTHERS)))
def test_options_without_an_equivalent_are_refused_by_name(field):
    with pytest.raises(ValueError, match=f"{field}: clang has no such option"):
        _options.refuse_unknown(ProgramOptions(**{field: True}))


def test_targets_that_clang_does_not_have():
    with pytest.raises(ValueError, match="not 'tile_ir': compile with"):
        program(F).compile("tile_ir")


@pytest.mark.parametrize(("arch", "advice"), [("sm_20", "arch is 'sm_20'"), ("sm_999", "this compiler knows 75, 80")])
def test_architectures(arch, advice):
    with pytest.raises((ValueError, ClangError), match=advice):
        compiled(F, arch=arch)


@pytest.mark.parametrize(
    ("source", "advice"),
    [
        ("#include <vector>", "is a header for host code"),
        ("#include <cub/cub.cuh>", "is a header of CCCL: install nvidia-cuda-cccl"),
        ("#include <cuda_tf32.h>", "not among the device headers for clang"),
    ],
)
def test_advice_on_headers(source, advice):
    with pytest.raises(ClangError, match=advice):
        compiled(source)


def test_standards():
    with pytest.raises(ClangError, match=r"std is 'c\+\+99': write one of"):
        compiled(F, std="c++99")


HOSTILE = ['"\\', "\0x", "/*", "#if 1", "\udcff", "\\\n" * 1000, "(" * 5000, "é" * 100, "#error " + "x" * 10000]


@pytest.mark.parametrize("source", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_sources(source):
    try:
        outcome = compiled(source)
    except (ClangError, ValueError) as error:  # UnicodeEncodeError is a ValueError
        outcome = str(error)
    assert outcome


def test_names_with_quotes_and_line_breaks():
    with pytest.raises(ClangError) as caught:
        compiled("\nx", name='a"b\\c\nd.cu')
    assert 'a"b\\c d.cu(2): error' in str(caught.value)


def test_two_compilations_at_once_and_again(device):
    with program(SCALE) as made:
        first = made.compile("ptx", name_expressions=["scale<float>"])
        second = made.compile("ptx", name_expressions=["scale<int>"])
    assert set(first.symbol_mapping) == {"scale<float>"}
    assert set(second.symbol_mapping) == {"scale<int>"}


class TestMissing:
    """What is said when clang is missing, too old, not a program, or killed."""

    @pytest.fixture
    def fake(self, tmp_path, monkeypatch):
        def make(script: str) -> pathlib.Path:
            path = tmp_path / "clang"
            path.write_text(f"#!/bin/sh\n{script}\n")
            path.chmod(path.stat().st_mode | stat.S_IXUSR)
            monkeypatch.setenv(_find.VARIABLE, str(path))
            return path

        return make

    def test_missing(self, monkeypatch):
        monkeypatch.setenv(_find.VARIABLE, "/nowhere/clang")
        with pytest.raises(
            ClangError, match=r"/nowhere/clang is no working clang.*pip install 'open-cuda-python\[open\]"
        ):
            compiled(F)

    def test_too_old(self, fake):
        fake("echo Debian clang version 14.0.6")
        with pytest.raises(ClangError, match=r"is Debian clang version 14.0.6. clang is not installed"):
            compiled(F)

    def test_killed(self, fake):
        fake('[ "$1" = --version ] && echo clang version 19.1 || kill -9 $$')
        with pytest.raises(ClangError, match="ended by SIGKILL: too little memory"):
            compiled(F)

    def test_crash_of_the_code_generator(self, fake):
        """What crashes with optimisation is generated without; the program is optimised before."""
        clang, _ = _find.find()
        real = " ".join(clang)
        crash = "echo clang: error: clang frontend command failed with exit code 139 >&2; exit 139"
        fake(f'case "$*" in *" -O3 "*" -S "*) case "$*" in *emit-pch*) ;; *) {crash};; esac;; esac; exec {real} "$@"')
        source = "__global__ void f(float *x, float y) { for (int i = 0; i < 4; i++) *x = *x * y + 1.0f; }"
        logs = io.StringIO()
        code = bytes(program(source, arch="sm_90").compile("ptx", logs=logs).code).decode()
        assert "repeated without the code generator's optimisations" in logs.getvalue()
        assert code.count("fma.rn.f32") == 4
        unfused = bytes(program(source, arch="sm_90", fma=False).compile("ptx").code).decode()
        assert "fma" not in unfused
        assert ".target sm_90" in unfused

    def test_not_executable(self, fake):
        fake("").chmod(0o600)
        with pytest.raises(ClangError, match="no working clang"):
            compiled(F)

    def test_programs_in_relative_folders_of_the_path_are_not_run(self, tmp_path, monkeypatch):
        (tmp_path / "clang").write_text("#!/bin/sh\ntouch ran\n")
        (tmp_path / "clang").chmod(0o755)
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("PATH", f".:{os.environ['PATH']}")
        assert all(os.path.isabs(command[0]) for command in _find._candidates())


def test_variables_of_clang_are_not_passed_on(monkeypatch, tmp_path):
    (tmp_path / "vector").write_text("#define COUNT 3\n")
    monkeypatch.setenv("CPATH", str(tmp_path))
    monkeypatch.setenv("CCC_OVERRIDE_OPTIONS", "+-DCOUNT=4")
    with pytest.raises(ClangError, match="'vector' file not found"):
        compiled(f"#include <vector>\n{MACRO}")


def test_cache_keys_depend_on_the_compiler(monkeypatch):
    from cuda.core.utils import make_program_cache_key

    def key(**options):
        made = ProgramOptions(**{"compiler": "clang", "arch": "sm_80", **options})
        return make_program_cache_key(code=F, code_type="c++", options=made, target_type="ptx")

    keys = [key(), key(ftz=True), key(max_register_count=32), key(define_macro="A")]
    if _compiler._has_nvrtc():
        keys.append(key(compiler="nvrtc"))
    assert len(set(keys)) == len(keys)
    assert key() == keys[0]
    monkeypatch.setattr(_find, "_headers_digest", lambda: b"other headers")
    assert key() != keys[0]


def test_programs_are_cached(tmp_path):
    from cuda.core.utils import FileStreamProgramCache

    with FileStreamProgramCache(tmp_path) as cache:
        first = program(SCALE).compile("ptx", name_expressions=["scale<int>"], cache=cache)
        second = program(SCALE).compile("ptx", name_expressions=["scale<int>"], cache=cache)
    assert first.symbol_mapping == second.symbol_mapping != {}
    assert bytes(first.code) == bytes(second.code)


def test_explicit_instantiations():
    source = SCALE + "template __global__ void scale<int>(int *, int, int);"
    assert ".entry _Z5scaleIiEvPT_S0_i(" in compiled(source)
    with pytest.raises(
        ClangError, match=r"no explicit instantiation of a kernel .*: give name_expressions=\['k<int>'\]"
    ):
        compiled(source, device_as_default_execution_space=True)
    found = compiled(SCALE, ("scale<int>",), device_as_default_execution_space=True)
    assert ".entry _Z5scaleIiEvPT_S0_i(" in found
