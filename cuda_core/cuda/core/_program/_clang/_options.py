# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Translation of ProgramOptions to clang's command line."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from cuda.bindings import _loader
from cuda.core._program._clang._cccl import cccl_options
from cuda.core._program._clang._find import headers
from cuda.core._program._clang._ptx_version import version_options
from cuda.core._program._compile_advice import arch_advice
from cuda.core._program._option_values import as_texts

if TYPE_CHECKING:
    from cuda.core._program._program_options import ProgramOptions

ARCHITECTURES = [75, 80, 86, 87, 89, 90, 100, 101, 103, 120, 121]  # sm_N of clang 20 and newer
# Field -> (kind of its value, clang's option).
#   flag: the option itself if true    pair: one of two options, for true and false
#   value, list, macro: option and value joined, once for each value    path, trace: the same, with absolute paths
#   each: option and value as two arguments
_OPTIONS: dict[str, tuple[str, Any]] = {
    "relocatable_device_code": ("pair", ("-fgpu-rdc", "-fno-gpu-rdc")),
    "ftz": ("pair", ("-fgpu-flush-denormals-to-zero -D__OPEN_CUDA_FTZ__", "-fno-gpu-flush-denormals-to-zero")),
    "prec_div": ("pair", ("-mllvm -nvptx-prec-divf32=2", "-mllvm -nvptx-prec-divf32=1")),
    "prec_sqrt": ("pair", ("-mllvm -nvptx-prec-sqrtf32=1", "-mllvm -nvptx-prec-sqrtf32=0")),
    "fma": ("pair", ("-ffp-contract=fast", "-ffp-contract=off")),
    "use_fast_math": ("flag", "-D__OPEN_CUDA_FAST_MATH__"),
    "builtin_move_forward": ("flag", "-D__NV_BUILTIN_MOVE_FORWARD"),
    "builtin_initializer_list": ("flag", "-D__NV_BUILTIN_INITIALIZER_LIST"),
    "define_macro": ("macro", "-D"),
    "undefine_macro": ("list", "-U"),
    "include_path": ("path", "-I"),
    "pre_include": ("each", "-include"),
    "std": ("value", "-std="),
    "disable_warnings": ("flag", "-w"),
    "warn_reorder": ("flag", "-Wreorder"),
    "warn_conversion": ("flag", "-Wconversion"),
    "optimization_info": ("value", "-Rpass="),
    "brief_diagnostics": ("flag", "-fno-caret-diagnostics"),
    "fdevice_syntax_only": ("flag", "-fsyntax-only"),
    "fdevice_time_trace": ("trace", "-ftime-trace="),
    "frandom_seed": ("value", "-frandom-seed="),
}
# Fields that change the meaning of the device headers, or the target.
_LANGUAGE = (
    "relocatable_device_code", "ftz", "prec_div", "prec_sqrt", "fma", "use_fast_math", "std", "builtin_move_forward",
    "builtin_initializer_list",
)  # fmt: skip
_DEFAULTS = {"builtin_move_forward": True, "builtin_initializer_list": True}
# Fields that are handled elsewhere, or that have no effect with clang: it always does, or never, what they ask for.
_OTHERS = (
    "name",
    "compiler",
    "link_time_optimization",  # a target, "ltoir"
    "arch",
    "debug",
    "lineinfo",
    "device_code_optimize",
    "max_register_count",
    "ptxas_options",  # for cubins
    "no_source_include",
    "device_as_default_execution_space",
    "warning_as_error",
    "use_bundled_headers",  # always, and CCCL if it is installed
    "device_int128",  # always
    "no_display_error_number",  # clang's messages have no numbers
    "minimal",
    "no_cache",
    "split_compile",
    "ofast_compile",
    "extra_device_vectorization",
    "modify_stack_limit",
)
_WARNINGS = {
    "all-warnings": "-Werror",
    "reorder": "-Werror=reorder",
    "deprecated-declarations": "-Werror=deprecated-declarations",
    "conversion": "-Werror=conversion",
}
# Macros of programs on which the device headers depend.
_READ_BY_HEADERS = ("NDEBUG", "CUDA_FORCE_CDP1_IF_SUPPORTED")
# A flag that a field implies unless the field in question is set itself: NVRTC documentation, --use_fast_math.
_FAST = {"ftz": True, "prec_div": False, "prec_sqrt": False, "fma": True}


def refuse_unknown(options: ProgramOptions) -> None:
    """Raise ValueError for options that clang has no equivalent of."""
    refused = [
        field
        for field in options.__dataclass_fields__
        if field not in _OPTIONS and field not in _OTHERS and getattr(options, field) not in (None, False)
    ]
    if refused:
        raise ValueError(
            f"{', '.join(refused)}: clang has no such option{'s' if len(refused) > 1 else ''}; leave "
            f"{'them' if len(refused) > 1 else 'it'} out, or compile with ProgramOptions(compiler='nvrtc')"
        )


def language_options(options: ProgramOptions, version: str, target: str = "ptx") -> list[str]:
    """Return the options that the meaning of the device headers depends on; `version` is what clang says about itself.

    Raises
    ------
    ValueError
        An option has no equivalent, or an invalid value.
    TypeError
        The value of an option has a wrong type.
    """
    refuse_unknown(options)
    arch = options._arch_among(ARCHITECTURES)
    match = re.fullmatch(r"(?:sm|compute)_(\d+[af]?)", arch)
    if match is None or int(match[1].rstrip("af")) < ARCHITECTURES[0]:
        raise ValueError(arch_advice(options.arch, ARCHITECTURES))
    given = [
        "-x", "cuda", "--cuda-device-only", f"--cuda-gpu-arch=sm_{match[1]}",
        "-nocudainc", "-nocudalib", "-nostdlibinc", "-nostdinc++", "--no-default-config",
        "-fdeclspec", *version_options(version, f"sm_{match[1]}"), *_generation(options),
    ]  # fmt: skip
    given += [] if options.std else ["-std=c++17"]
    for field in _LANGUAGE:
        value = getattr(options, field)
        if value is None:
            value = {**_DEFAULTS, **(_FAST if options.use_fast_math else {})}.get(field)
        given += _spelled(field, value)
    # What launches from kernels are made of.
    given += ["-D__OPEN_CUDA_CUBIN__"] if target == "cubin" and options.relocatable_device_code else []
    return [*given, "-I", headers()]


def own_options(options: ProgramOptions) -> list[str]:
    """Return the other options: macros, include paths, warnings, and the form of messages.

    Raises
    ------
    ValueError, TypeError
        An option has an invalid value.
    """
    # Messages as NVRTC's: name(line): error: text, the source line, a caret.
    given = [
        "-fdiagnostics-format=msvc", "-fno-show-column", "-fno-diagnostics-show-line-numbers", "-fno-color-diagnostics",
        "-ferror-limit=100",
    ]  # fmt: skip
    folders = as_texts("include_path", "list", options.include_path)
    given += cccl_options(folders, bool(options.use_bundled_headers))
    for field in _OPTIONS:
        if field not in _LANGUAGE:
            given += _spelled(field, getattr(options, field))
    return given + [_WARNINGS[kind] for kind in as_texts("warning_as_error", "warnings", options.warning_as_error)]


def changes_headers(options: ProgramOptions) -> bool:
    """Return whether a program's macros may change the meaning of the device headers."""
    macros = as_texts("define_macro", "macro", options.define_macro)
    return bool(options.undefine_macro) or any(macro.partition("=")[0] in _READ_BY_HEADERS for macro in macros)


def macros_behind_headers(options: ProgramOptions) -> list[str]:
    """Return the options for macros that must not change the device headers, where these are parsed."""
    undefined = {*as_texts("undefine_macro", "list", options.undefine_macro), *_READ_BY_HEADERS}
    macros = as_texts("define_macro", "macro", options.define_macro)
    return [f"-D{macro}" for macro in macros if macro.partition("=")[0] not in undefined]


def macros_apart(options: ProgramOptions) -> list[str]:
    """Return the options for macros whose names must not be replaced in the device headers, where these are parsed."""
    seen = {*as_texts("undefine_macro", "list", options.undefine_macro), *_READ_BY_HEADERS}
    macros = as_texts("define_macro", "macro", options.define_macro)
    return [f"-D{macro}" for macro in macros if macro.partition("=")[0] not in seen]


def _generation(options: ProgramOptions) -> Iterator[str]:
    """Yield options for optimisation and debug information."""
    if options.debug:
        yield "-g"
        yield "-O1" if options.device_code_optimize else "-O0"
    else:
        yield "-O0" if options.device_code_optimize is False else "-O3"
        # On the CPU device always, as with NVRTC (cuda/bindings/_line_info.py): errors of kernels name their lines.
        if options.lineinfo or (options.lineinfo is None and _loader.will_use_cpu()):
            yield "-gline-tables-only"


def _spelled(field: str, value: Any) -> Iterator[str]:
    """Yield one option in its command-line form."""
    kind, option = _OPTIONS[field]
    if value is None or (kind in ("flag", "trace") and not value):
        return
    if kind == "flag":
        yield option
    elif kind == "pair":
        yield from option[0 if value else 1].split()
    else:
        for text in as_texts(field, "macro" if kind == "macro" else "list", value):
            if kind in ("path", "trace"):
                text = os.path.abspath(text)
            yield from (option, text) if kind == "each" else (f"{option}{text}",)
