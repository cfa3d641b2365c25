# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""ProgramOptions, and their translation to the options of NVRTC and nvJitLink."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

from cuda.core._program import _bundled_headers, _tile
from cuda.core._program._compile_target import current_arch, default_arch
from cuda.core._program._option_values import as_text, as_texts
from cuda.core._utils._options import named_options

# Field -> (kind of its value, NVRTC's option). NVRTC documentation, "Supported Compile Options".
#   flag: the option itself if true   bool: =true or =false   switch: =on if true
#   value: =VALUE                     list: once for each value
#   headers: =FOLDER if true
_NVRTC = {
    "arch": ("value", "-arch"),
    "relocatable_device_code": ("bool", "--relocatable-device-code"),
    "extensible_whole_program": ("flag", "--extensible-whole-program"),
    "debug": ("flag", "--device-debug"),
    "lineinfo": ("flag", "--generate-line-info"),
    "device_code_optimize": ("switch", "--dopt"),
    "ptxas_options": ("list", "--ptxas-options"),
    "max_register_count": ("value", "--maxrregcount"),
    "ftz": ("bool", "--ftz"),
    "prec_sqrt": ("bool", "--prec-sqrt"),
    "prec_div": ("bool", "--prec-div"),
    "fma": ("bool", "--fmad"),
    "use_fast_math": ("flag", "--use_fast_math"),
    "extra_device_vectorization": ("flag", "--extra-device-vectorization"),
    "link_time_optimization": ("flag", "--dlink-time-opt"),
    "gen_opt_lto": ("flag", "--gen-opt-lto"),
    "define_macro": ("macro", "--define-macro"),
    "undefine_macro": ("list", "--undefine-macro"),
    "include_path": ("list", "--include-path"),
    "use_bundled_headers": ("headers", "--use-bundled-headers"),
    "pre_include": ("list", "--pre-include"),
    "no_source_include": ("flag", "--no-source-include"),
    "std": ("value", "--std"),
    "builtin_move_forward": ("bool", "--builtin-move-forward"),
    "builtin_initializer_list": ("bool", "--builtin-initializer-list"),
    "disable_warnings": ("flag", "--disable-warnings"),
    "restrict": ("flag", "--restrict"),
    "device_as_default_execution_space": ("flag", "--device-as-default-execution-space"),
    "device_int128": ("flag", "--device-int128"),
    "optimization_info": ("value", "--optimization-info"),
    "no_display_error_number": ("flag", "--no-display-error-number"),
    "diag_error": ("list", "--diag-error"),
    "diag_suppress": ("list", "--diag-suppress"),
    "diag_warn": ("list", "--diag-warn"),
    "brief_diagnostics": ("bool", "--brief-diagnostics"),
    "time": ("value", "--time"),
    "split_compile": ("value", "--split-compile"),
    "fdevice_syntax_only": ("flag", "--fdevice-syntax-only"),
    "minimal": ("flag", "--minimal"),
    "no_cache": ("flag", "--no-cache"),
    "fdevice_time_trace": ("value", "--fdevice-time-trace"),
    "device_float128": ("flag", "--device-float128"),
    "frandom_seed": ("value", "--frandom-seed"),
    "ofast_compile": ("value", "--Ofast-compile"),
    "pch": ("flag", "--pch"),
    "create_pch": ("value", "--create-pch"),
    "use_pch": ("value", "--use-pch"),
    "pch_dir": ("value", "--pch-dir"),
    "pch_verbose": ("bool", "--pch-verbose"),
    "pch_messages": ("bool", "--pch-messages"),
    "instantiate_templates_in_pch": ("bool", "--instantiate-templates-in-pch"),
    "numba_debug": ("flag", "--numba-debug"),
    "warning_as_error": ("warnings", "--warning-as-error"),
    "warn_reorder": ("flag", "--Wreorder"),
    "warn_conversion": ("flag", "--Wconversion"),
    "device_stack_protector": ("bool", "--device-stack-protector"),
    "jump_table_density": ("percent", "--jump-table-density"),
    "modify_stack_limit": ("bool", "--modify-stack-limit"),
    "enable_tile": ("flag", "--enable-tile"),
    "tile_only": ("flag", "--tile-only"),
    "tile_as_default_execution_space": ("flag", "--tile-as-default-execution-space"),
}
_MOST_DENSE = 101  # --jump-table-density: percent; 101 disables jump tables

# Fields used when PTX is assembled; LinkerOptions has fields of the same names.
LINKER_FIELDS = [
    "name",
    "arch",
    "max_register_count",
    "debug",
    "lineinfo",
    "ftz",
    "prec_div",
    "prec_sqrt",
    "fma",
    "ptxas_options",
    "split_compile",
    "no_cache",
]


def spell(field: str, kind: str, option: str, value: Any) -> Iterator[str]:
    """Yield one option in its command-line form."""
    if value is None or (kind in ("flag", "switch") and not value):
        return
    if kind == "flag":
        yield option
    elif kind == "bool":
        yield f"{option}={'true' if value else 'false'}"
    elif kind == "headers":
        if value:
            yield from _bundled_headers.options()
    elif kind == "switch":
        yield f"{option}=on"
    elif kind in ("macro", "warnings", "list"):
        yield from (f"{option}={text}" for text in as_texts(field, kind, value))
    elif kind == "percent":
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeError(f"{field} must be an int from 0 to {_MOST_DENSE}, not {value!r}")
        if not 0 <= value <= _MOST_DENSE:
            raise ValueError(f"{field} must be from 0 to {_MOST_DENSE}, not {value}")
        yield f"{option}={value}"
    else:
        yield f"{option}={as_text(field, value)}"


@named_options
@dataclass(repr=False)
class ProgramOptions:
    """Options of a `Program`. None leaves an option to the compiler.

    Thread safety: threads may read it together; assignments to its attributes are not guarded.

    Attributes
    ----------
    name : str
        The program's file name in messages; ``#include "..."`` searches its directory first.
    arch : str
        The architecture, such as ``"sm_90"`` or ``"compute_90"``; by default that of the device that is current when
        the options are made, None without a driver.
    relocatable_device_code : bool
        Whether to generate relocatable code, which can be linked with other code.
    extensible_whole_program : bool
        Whether to compile in extensible whole-program mode, for linking with the device runtime only.
    debug : bool
        Whether to generate debug information.
    lineinfo : bool
        Whether to generate line information; always on for the CPU device, whose driver needs it to find the PTX.
    device_code_optimize : bool
        Whether to optimise even if `debug` is set.
    ptxas_options : str or list of str
        Options for ptxas.
    max_register_count : int
        The maximum number of registers per thread.
    ftz : bool
        Whether single-precision denormals are flushed to zero.
    prec_sqrt, prec_div : bool
        Whether single-precision square root and division are correctly rounded (IEEE 754).
    fma : bool
        Whether a multiplication and an addition may be contracted to a fused multiply-add.
    use_fast_math : bool
        Whether to use fast mathematics: sets `ftz` and clears `prec_sqrt` and `prec_div`.
    extra_device_vectorization : bool
        Whether to vectorise more aggressively.
    link_time_optimization : bool
        Whether to generate LTO-IR for link-time optimisation.
    gen_opt_lto : bool
        Whether to run optimiser passes before LTO-IR is written.
    define_macro, undefine_macro : str, tuple of str, or list of them
        Macros, each given as a name or as (name, value).
    include_path : str or list of str
        Folders for ``#include``.
    use_bundled_headers : bool
        Whether to use the headers that are bundled with NVRTC.
    pre_include : str or list of str
        Headers to include first.
    no_source_include : bool
        Whether to exclude the folder of the program from the search for headers.
    std : str
        The language standard: ``"c++11"``, ``"c++14"``, ``"c++17"`` or ``"c++20"``.
    builtin_move_forward, builtin_initializer_list : bool
        Whether std::move and std::forward, or std::initializer_list, are provided as builtins.
    disable_warnings : bool
        Whether to suppress all warnings.
    restrict : bool
        Whether all pointer parameters of kernels are treated as ``__restrict__``.
    device_as_default_execution_space : bool
        Whether functions without an execution space specifier are ``__device__``.
    device_int128, device_float128 : bool
        Whether the types ``__int128`` and ``__float128`` are supported.
    optimization_info : str
        The kind of optimisation to report: ``"inline"``.
    no_display_error_number : bool
        Whether to omit the numbers of messages.
    diag_error, diag_suppress, diag_warn : int or list of int
        Numbers of messages to be treated as errors, suppressed, or treated as warnings.
    brief_diagnostics : bool
        Whether to omit the source line and the caret from messages.
    time : str
        A CSV file for the time of each phase; ``"-"`` writes it to the log.
    split_compile : int
        The number of threads for optimisation; 0 for all processors.
    fdevice_syntax_only : bool
        Whether to check only the syntax.
    minimal : bool
        Whether to omit language features that cost compile time.
    no_cache : bool
        Whether to disable the compiler's cache.
    fdevice_time_trace : str
        A JSON file for a trace of the compilation.
    frandom_seed : str
        A seed for the names that the compiler generates.
    ofast_compile : str
        How much optimisation to give up for compile time: ``"0"``, ``"min"``, ``"mid"`` or ``"max"``.
    pch : bool
        Whether to create and use precompiled headers automatically.
    create_pch, use_pch : str
        The file of a precompiled header to write, or to use.
    pch_dir : str
        The folder for precompiled headers.
    pch_verbose, pch_messages : bool
        Whether to report why a precompiled header is not used, and when one is.
    instantiate_templates_in_pch : bool
        Whether a precompiled header contains template instances.
    extra_sources : list of tuple
        Additional modules of an NVVM program, as (name, source).
    use_libdevice : bool
        Whether to link libdevice into an NVVM program.
    numba_debug : bool
        Whether to generate debug information in Numba's form.
    warning_as_error : bool, str or list of str
        Warnings to be treated as errors: True for ``"all-warnings"``, or ``"reorder"``, ``"conversion"``,
        ``"deprecated-declarations"``. NVRTC's ``--warning-as-error`` (``-Werror``).
    warn_reorder, warn_conversion : bool
        Whether to warn about initialisers in another order than their members, and about conversions that may change a
        value.
    device_stack_protector : bool
        Whether kernels detect stack overflows at run time.
    jump_table_density : int
        The minimum case density, in percent, for a ``switch`` to become a jump table; 101 disables jump tables.
    modify_stack_limit : bool
        Whether the compiler may raise the process's stack limit while it runs; by default it does.
    enable_tile : bool
        Whether to accept tile kernels (``__tile_global__``); implies ``std="c++20"``. Implied by the target
        ``"tile_ir"``.
    tile_only : bool
        Whether to generate code of tile kernels only; the target ``"cubin"`` then has them.
    tile_as_default_execution_space : bool
        Whether functions without an execution space specifier are ``__tile__``.
    compiler : str
        The compiler of C++ programs: ``"nvrtc"``, ``"clang"`` or ``"auto"``, which is NVRTC if it is installed, else
        clang. By default the environment variable CUDA_PYTHON_COMPILER, or ``"auto"``. NVIDIA's cuda.core has no such
        option.

    Examples
    --------
    >>> options = ProgramOptions(arch="sm_90", std="c++20", define_macro=("COUNT", "4"), use_fast_math=True)
    """

    name: str | None = "default_program"
    arch: str | None = None
    relocatable_device_code: bool | None = None
    extensible_whole_program: bool | None = None
    debug: bool | None = None
    lineinfo: bool | None = None
    device_code_optimize: bool | None = None
    ptxas_options: str | list[str] | tuple[str] | None = None
    max_register_count: int | None = None
    ftz: bool | None = None
    prec_sqrt: bool | None = None
    prec_div: bool | None = None
    fma: bool | None = None
    use_fast_math: bool | None = None
    extra_device_vectorization: bool | None = None
    link_time_optimization: bool | None = None
    gen_opt_lto: bool | None = None
    define_macro: str | tuple[str, str] | list[str | tuple[str, str]] | tuple[str | tuple[str, str], ...] | None = None
    undefine_macro: str | list[str] | tuple[str] | None = None
    include_path: str | list[str] | tuple[str] | None = None
    use_bundled_headers: bool | None = None
    pre_include: str | list[str] | tuple[str] | None = None
    no_source_include: bool | None = None
    std: str | None = None
    builtin_move_forward: bool | None = None
    builtin_initializer_list: bool | None = None
    disable_warnings: bool | None = None
    restrict: bool | None = None
    device_as_default_execution_space: bool | None = None
    device_int128: bool | None = None
    optimization_info: str | None = None
    no_display_error_number: bool | None = None
    diag_error: int | list[int] | tuple[int] | None = None
    diag_suppress: int | list[int] | tuple[int] | None = None
    diag_warn: int | list[int] | tuple[int] | None = None
    brief_diagnostics: bool | None = None
    time: str | None = None
    split_compile: int | None = None
    fdevice_syntax_only: bool | None = None
    minimal: bool | None = None
    no_cache: bool | None = None
    fdevice_time_trace: str | None = None
    device_float128: bool | None = None
    frandom_seed: str | None = None
    ofast_compile: str | None = None
    pch: bool | None = None
    create_pch: str | None = None
    use_pch: str | None = None
    pch_dir: str | None = None
    pch_verbose: bool | None = None
    pch_messages: bool | None = None
    instantiate_templates_in_pch: bool | None = None
    extra_sources: (
        list[tuple[str, str | bytes | bytearray]] | tuple[tuple[str, str | bytes | bytearray], ...] | None
    ) = None
    use_libdevice: bool | None = None
    numba_debug: bool | None = None
    warning_as_error: bool | str | list[str] | tuple[str, ...] | None = None
    warn_reorder: bool | None = None
    warn_conversion: bool | None = None
    device_stack_protector: bool | None = None
    jump_table_density: int | None = None
    modify_stack_limit: bool | None = None
    enable_tile: bool | None = None
    tile_only: bool | None = None
    tile_as_default_execution_space: bool | None = None
    compiler: str | None = None

    def __post_init__(self) -> None:
        self._of_device: str | None = None
        if self.arch is None and (number := current_arch()):
            self.arch = self._of_device = f"sm_{number}"

    def __repr__(self) -> str:
        given = [(field.name, getattr(self, field.name)) for field in fields(self)]
        shown = ", ".join(f"{name}={value!r}" for name, value in given if value is not None)
        return f"{type(self).__name__}({shown})"

    def _arch_among(self, supported: list[int]) -> str:
        """Return the architecture; if it is that of the device, one that a compiler supports."""
        return default_arch(self.arch, supported) if self.arch == self._of_device else str(self.arch)

    def _for_nvrtc(self, target: str, supported: list[int]) -> list[bytes]:
        """Return NVRTC's options for a target, with an architecture that it supports."""
        lto = self.link_time_optimization or target == "ltoir"
        settled = replace(self, arch=self._arch_among(supported), link_time_optimization=lto)
        return settled.as_bytes("NVRTC", target)

    def as_bytes(self, backend: str, target_type: str | None = None) -> list[bytes]:
        """Return the options in a compiler's command-line form.

        Parameters
        ----------
        backend : str
            ``"NVRTC"``, ``"NVVM"`` or ``"nvJitLink"``.
        target_type : str, optional
            The target; ``"tile_ir"`` implies `enable_tile`, and for NVVM programs ``"ltoir"`` adds what it needs.

        Returns
        -------
        list of bytes
            One item for each option.

        Raises
        ------
        ValueError
            If `backend` is unknown, or a field has an invalid value.
        TypeError
            If the value of a field cannot be written as an option; for `define_macro` it is a RuntimeError, too.
        CUDAError
            If a field is not for NVVM programs.

        Examples
        --------
        >>> ProgramOptions(arch="sm_90", std="c++20", define_macro=("SIZE", "4")).as_bytes("NVRTC")
        [b'-arch=sm_90', b'--define-macro=SIZE=4', b'--std=c++20']
        """
        kind = str(backend).lower()
        if kind == "nvjitlink":
            return self._for_linker().as_bytes("nvjitlink")
        if kind == "nvvm":
            from cuda.core._program._nvvm import spelled

            return spelled(self, target_type, [each.name for each in fields(self) if self._is_set(each.name)])
        if kind != "nvrtc":
            raise ValueError(f"backend must be 'NVRTC', 'NVVM' or 'nvJitLink', not {backend!r}")
        self._check_sources()
        options = [
            text for field, (form, name) in _NVRTC.items() for text in spell(field, form, name, getattr(self, field))
        ]
        options = _tile.with_implied(options, self, target_type)
        return [option.encode() for option in options]

    def _is_settled(self) -> bool:
        """Return whether all fields are immutable values rather than lists or other objects that may change later."""
        values = [getattr(self, field.name) for field in fields(self)]
        return all(value is None or isinstance(value, (str, bytes, int)) for value in values)

    def _is_set(self, field: str) -> bool:
        """Return whether a field asks for something; a flag that is false does not."""
        value = getattr(self, field)
        return value is not None and not (_NVRTC.get(field, ("",))[0] == "flag" and not value)

    def _check_sources(self) -> None:
        if self.extra_sources is not None:
            raise ValueError("extra_sources is for NVVM programs: other programs have one source")

    def _for_linker(self) -> Any:
        """Return the LinkerOptions with which a PTX program is assembled."""
        from cuda.core import LinkerOptions

        self._check_sources()
        values = {field: getattr(self, field) for field in LINKER_FIELDS}
        return LinkerOptions(**values, time=True if self.time else None)
