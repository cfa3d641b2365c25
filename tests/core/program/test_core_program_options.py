# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
import dataclasses

import pytest
from support.scripts import run_checked

from cuda.core import CUDAError, LinkerOptions, Program, ProgramOptions

# Field -> a value that NVRTC accepts, and its compiler option.
SPELLED = {
    "arch": ("sm_80", "-arch=sm_80"),
    "relocatable_device_code": (True, "--relocatable-device-code=true"),
    "extensible_whole_program": (True, "--extensible-whole-program"),
    "debug": (True, "--device-debug"),
    "lineinfo": (True, "--generate-line-info"),
    "device_code_optimize": (True, "--dopt=on"),
    "ptxas_options": ("-v", "--ptxas-options=-v"),
    "max_register_count": (32, "--maxrregcount=32"),
    "ftz": (True, "--ftz=true"),
    "prec_sqrt": (False, "--prec-sqrt=false"),
    "prec_div": (False, "--prec-div=false"),
    "fma": (True, "--fmad=true"),
    "use_fast_math": (True, "--use_fast_math"),
    "extra_device_vectorization": (True, "--extra-device-vectorization"),
    "link_time_optimization": (True, "--dlink-time-opt"),
    "gen_opt_lto": (True, "--gen-opt-lto"),
    "define_macro": (("A", "1"), "--define-macro=A=1"),
    "undefine_macro": ("A", "--undefine-macro=A"),
    "include_path": ("/tmp", "--include-path=/tmp"),
    "pre_include": (["cuda_fp16.h"], "--pre-include=cuda_fp16.h"),
    "no_source_include": (True, "--no-source-include"),
    "std": ("c++20", "--std=c++20"),
    "builtin_move_forward": (False, "--builtin-move-forward=false"),
    "builtin_initializer_list": (False, "--builtin-initializer-list=false"),
    "disable_warnings": (True, "--disable-warnings"),
    "restrict": (True, "--restrict"),
    "device_as_default_execution_space": (True, "--device-as-default-execution-space"),
    "device_int128": (True, "--device-int128"),
    "optimization_info": ("inline", "--optimization-info=inline"),
    "no_display_error_number": (True, "--no-display-error-number"),
    "diag_error": (1234, "--diag-error=1234"),
    "diag_suppress": ((1234,), "--diag-suppress=1234"),
    "diag_warn": ([1234], "--diag-warn=1234"),
    "brief_diagnostics": (True, "--brief-diagnostics=true"),
    "time": ("-", "--time=-"),
    "split_compile": (2, "--split-compile=2"),
    "fdevice_syntax_only": (True, "--fdevice-syntax-only"),
    "minimal": (True, "--minimal"),
    "no_cache": (True, "--no-cache"),
    "fdevice_time_trace": ("/nowhere/trace.json", "--fdevice-time-trace=/nowhere/trace.json"),
    "device_float128": (True, "--device-float128"),
    "frandom_seed": ("seed", "--frandom-seed=seed"),
    "ofast_compile": ("min", "--Ofast-compile=min"),
    "pch": (True, "--pch"),
    "create_pch": ("/nowhere/mine.pch", "--create-pch=/nowhere/mine.pch"),
    "use_pch": ("/nowhere/mine.pch", "--use-pch=/nowhere/mine.pch"),
    "pch_dir": ("/tmp", "--pch-dir=/tmp"),
    "pch_verbose": (True, "--pch-verbose=true"),
    "pch_messages": (False, "--pch-messages=false"),
    "instantiate_templates_in_pch": (True, "--instantiate-templates-in-pch=true"),
    "numba_debug": (True, "--numba-debug"),
    "warning_as_error": (["reorder"], "--warning-as-error=reorder"),
    "warn_reorder": (True, "--Wreorder"),
    "warn_conversion": (True, "--Wconversion"),
    "device_stack_protector": (True, "--device-stack-protector=true"),
    "jump_table_density": (101, "--jump-table-density=101"),
    "modify_stack_limit": (False, "--modify-stack-limit=false"),
    "tile_only": (True, "--tile-only"),
    "tile_as_default_execution_space": (True, "--tile-as-default-execution-space"),
}
ELSEWHERE = {"compiler", "enable_tile", "name", "extra_sources", "use_bundled_headers", "use_libdevice"}


def test_every_field_is_covered():
    assert {field.name for field in dataclasses.fields(ProgramOptions)} == set(SPELLED) | ELSEWHERE


def test_the_architecture_is_that_of_the_device(device):
    options = ProgramOptions()
    assert options.arch == f"sm_{device.arch}"
    assert options.as_bytes("nvrtc") == [f"-arch=sm_{device.arch}".encode()]


@pytest.mark.needs_nvrtc
def test_without_a_driver_the_compiler_chooses():
    code = """
from cuda.core import Program, ProgramOptions
assert ProgramOptions().arch is None and ProgramOptions().as_bytes("nvrtc") == []
assert b".target sm_" in Program('extern "C" __global__ void f() {}', "c++").compile("ptx").code
"""
    run_checked(code, CUDA_PYTHON_DRIVER="/nowhere/libcuda.so.1")


def test_a_compiler_that_does_not_know_the_device_compiles_for_an_older_one():
    options = ProgramOptions()
    options.arch = options._of_device = "sm_999"  # as made on such a device
    assert options._for_nvrtc("ptx", [80, 90, 100]) == [b"-arch=sm_100"]
    assert ProgramOptions(arch="sm_999")._for_nvrtc("ptx", [80, 90, 100]) == [b"-arch=sm_999"]  # NVRTC refuses it


def test_repr_shows_what_is_given():
    assert repr(ProgramOptions(arch="sm_80")) == "ProgramOptions(name='default_program', arch='sm_80')"
    options = ProgramOptions(arch="sm_80", std="c++17", ftz=False)
    assert repr(options) == "ProgramOptions(name='default_program', arch='sm_80', ftz=False, std='c++17')"
    assert eval(repr(options)) == options


@pytest.mark.parametrize("field", SPELLED)
def test_compiler_spelling_of_options(field):
    value, option = SPELLED[field]
    options = ProgramOptions(**{"arch": "sm_90", field: value})
    expected = [option.encode()] if field == "arch" else [b"-arch=sm_90", option.encode()]
    assert options.as_bytes("NVRTC") == expected


def test_flags_that_are_false_are_not_spelt():
    options = ProgramOptions(arch="sm_90", device_code_optimize=False, debug=False, use_fast_math=False)
    assert options.as_bytes("NVRTC") == options.as_bytes("nvJitLink") == [b"-arch=sm_90"]


@pytest.mark.of_nvrtc
@pytest.mark.needs_recent_nvrtc
@pytest.mark.parametrize("field", SPELLED)
def test_nvrtc_accepts_the_option(field, tmp_path):
    value = SPELLED[field][0]
    if isinstance(value, str):
        value = value.replace("/nowhere", str(tmp_path))
    options = ProgramOptions(**{"arch": "sm_100", field: value})
    if field == "numba_debug":
        options.debug = True
    if field == "use_pch":
        options.create_pch, options.use_pch = options.use_pch, None
        Program("", "c++", options).compile("ptx")
        options.create_pch, options.use_pch = None, options.create_pch
    if field == "pre_include":
        (tmp_path / "cuda_fp16.h").touch()
        options.include_path = str(tmp_path)
    target = "ltoir" if field == "link_time_optimization" else "ptx"
    Program("", "c++", options).compile(target)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("A", ["A"]),
        (("A", "1"), ["A=1"]),
        (["A", "B"], ["A", "B"]),
        ([("A", "1"), "B"], ["A=1", "B"]),
        ((("A", "1"), ("B", "2")), ["A=1", "B=2"]),
    ],
)
def test_macros(value, expected):
    options = ProgramOptions(arch="sm_90", define_macro=value).as_bytes("NVRTC")
    assert options[1:] == [f"--define-macro={text}".encode() for text in expected]


@pytest.mark.parametrize(
    ("fields", "error", "message"),
    [
        ({"std": 1.5}, TypeError, r"^std must be a str such as 'c\+\+17', not 1.5$"),
        ({"arch": 8.0}, TypeError, r"^arch must be a str such as 'sm_90', not 8.0$"),
        ({"time": 1.5}, TypeError, r"^time must be a str or an int .*, not 1.5$"),
        ({"define_macro": ("N", 3)}, TypeError, r"the value of 'N' must be a str, not 3: write \('N', '3'\)$"),
        ({"define_macro": [("N", 3)]}, TypeError, r"the value of 'N' must be a str, not 3: write \('N', '3'\)$"),
        ({"define_macro": {"N": "3"}}, TypeError, r"not a dict: write \[\('N', '3'\)\]$"),
        (
            {"warning_as_error": "warnings"},
            ValueError,
            r"^warning_as_error must be among 'all-warnings', .* not 'warnings'$",
        ),
        ({"warning_as_error": 3}, TypeError, r"^warning_as_error must be True, or one of .*, not 3$"),
        ({"jump_table_density": 102}, ValueError, r"^jump_table_density must be from 0 to 101, not 102$"),
        ({"jump_table_density": "5"}, TypeError, r"^jump_table_density must be an int from 0 to 101, not '5'$"),
        ({"max_register_count": True}, TypeError, r"^max_register_count must be a str or an int"),
        ({"include_path": [None]}, TypeError, r"^include_path must be a str or an int"),
        ({"define_macro": 1}, TypeError, r"^define_macro must be a name, a tuple \(name, value\) or a list"),
        ({"define_macro": [["A", "1"]]}, TypeError, r"must be a name or a tuple \(name, value\)$"),
        ({"extra_sources": []}, ValueError, r"^extra_sources is for NVVM programs"),
    ],
)
def test_wrong_values(fields, error, message):
    with pytest.raises(error, match=message):
        ProgramOptions(**fields).as_bytes("NVRTC")


@pytest.mark.parametrize("value", [1, ("N", 3), {"N": "3"}, [["A", "1"]], b"A", [None]])
def test_macros_of_wrong_types_are_errors_of_two_kinds(value):
    """TypeErrors, and RuntimeErrors as in NVIDIA's cuda.core."""
    for kind in (TypeError, RuntimeError):
        with pytest.raises(kind):
            ProgramOptions(define_macro=value).as_bytes("NVRTC")


def test_backends():
    assert ProgramOptions(arch="sm_90", ftz=True).as_bytes("nvJitLink") == [b"-arch=sm_90", b"-ftz=true"]
    with pytest.raises(ValueError, match=r"^backend must be 'NVRTC', 'NVVM' or 'nvJitLink', not 'gcc'$"):
        ProgramOptions().as_bytes("gcc")


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, ""),
        ({"debug": True, "lineinfo": True, "numba_debug": True}, " -g -generate-line-info -numba-debug"),
        ({"ftz": True, "prec_sqrt": False, "prec_div": True, "fma": False}, " -ftz=1 -prec-sqrt=0 -prec-div=1 -fma=0"),
        ({"max_register_count": 32, "split_compile": 2}, " -maxreg=32 -split-compile=2"),
        ({"device_code_optimize": False}, " -opt=0"),
        ({"device_code_optimize": True, "use_libdevice": True, "debug": False}, " -opt=3"),
    ],
)
def test_nvvm_options(fields, expected):
    options = ProgramOptions(arch="sm_90a", **fields)
    assert b" ".join(options.as_bytes("NVVM", "ptx")).decode() == f"-arch=compute_90a{expected}"
    assert options.as_bytes("nvvm", "ltoir")[-1] == b"-gen-lto"


def test_options_not_supported_by_nvvm():
    with pytest.raises(CUDAError, match=r"^std is not for NVVM programs$"):
        ProgramOptions(std="c++17").as_bytes("NVVM")
    with pytest.raises(CUDAError, match=r"^define_macro, include_path are not for NVVM programs$"):
        ProgramOptions(include_path="a", define_macro="b").as_bytes("NVVM")
    options = ProgramOptions(arch="sm_90", use_fast_math=False, pch=True, frandom_seed="1")
    assert options.as_bytes("NVVM", "ptx") == [b"-arch=compute_90"]


def test_linker_options():
    options = LinkerOptions(
        arch="sm_90", link_time_optimization=True, optimization_level=2, kernels_used=["a", "b"], split_compile=0
    )
    expected = "-arch=sm_90 -lto -kernels-used=a -kernels-used=b -split-compile=0 -O2"
    assert options.as_bytes() == expected.encode().split()
    with pytest.raises(ValueError, match=r"^optimization_level must be 0 to 3, not 4$"):
        LinkerOptions(optimization_level=4).as_bytes()
    with pytest.raises(ValueError, match=r"^backend must be 'nvjitlink', not 'driver'$"):
        LinkerOptions().as_bytes("driver")
