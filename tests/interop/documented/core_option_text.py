# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""ProgramOptions as text: their repr, and the compilers' options."""

from common import begin

from cuda.core import LinkerOptions, Program, ProgramOptions

device, _ = begin()
print(ProgramOptions().arch == f"sm_{device.arch}", ProgramOptions().as_bytes("nvrtc"))
print(repr(ProgramOptions(arch="sm_80")), repr(ProgramOptions(name="mine.cu", arch="compute_90")))

fields = {
    "relocatable_device_code": (True, False), "extensible_whole_program": (True, False), "debug": (True, False),
    "lineinfo": (True, False), "device_code_optimize": (True, False), "ptxas_options": ("-v", ["-v", "-O2"]),
    "max_register_count": (32,), "ftz": (True, False), "prec_sqrt": (True, False), "prec_div": (True, False),
    "fma": (True, False), "use_fast_math": (True, False), "extra_device_vectorization": (True, False),
    "link_time_optimization": (True, False), "gen_opt_lto": (True, False),
    "define_macro": ("A", ("A", "1"), ["A", "B"], [("A", "1"), ("B", "2")]), "undefine_macro": ("A", ["A", "B"]),
    "include_path": ("/a", ["/a", "/b"], ("/a", "/b")), "pre_include": ("a.h", ["a.h", "b.h"]),
    "no_source_include": (True, False), "std": ("c++17", "c++20"), "builtin_move_forward": (True, False),
    "builtin_initializer_list": (True, False), "disable_warnings": (True, False), "restrict": (True, False),
    "device_as_default_execution_space": (True, False), "device_int128": (True, False),
    "optimization_info": ("inline",), "no_display_error_number": (True, False), "diag_error": (1, [1, 2]),
    "diag_suppress": (1, (1, 2)), "diag_warn": (1, [1, 2]), "brief_diagnostics": (True, False), "time": ("t.csv",),
    "split_compile": (0, 2), "fdevice_syntax_only": (True, False), "minimal": (True, False), "no_cache": (True, False),
    "fdevice_time_trace": ("t.json",), "device_float128": (True, False), "frandom_seed": ("1",),
    "ofast_compile": ("0", "max"), "pch": (True, False), "create_pch": ("a",), "use_pch": ("a",), "pch_dir": ("/a",),
    "pch_verbose": (True, False), "pch_messages": (True, False), "instantiate_templates_in_pch": (True, False),
    "numba_debug": (True, False),
}  # fmt: skip
# What libNVVM's documentation lists, but NVIDIA's cuda.core does not pass on.
ours = {"lineinfo", "max_register_count", "split_compile", "numba_debug"}
for field, values in fields.items():
    for value in values:
        options = ProgramOptions(arch="sm_80", **{field: value})
        print(field, value, options.as_bytes("nvrtc"))
        if field not in ours:
            try:
                print("NVVM", options.as_bytes("nvvm"))
            except Exception as error:
                print("NVVM", type(error).__name__)

ptx = ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry f() { ret; }\n"
for field in ("std", "use_fast_math", "define_macro", "pch", "relocatable_device_code"):
    options = ProgramOptions(arch="sm_80", **{field: fields[field][0]})
    print(field, type(Program(ptx, "ptx", options).compile("cubin").code).__name__)
for value in (True, False):
    print(LinkerOptions(arch="sm_80", verbose=value, ftz=value, debug=value, lineinfo=value).as_bytes("nvjitlink"))
