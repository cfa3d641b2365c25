# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Compilation of NVVM IR (LLVM IR with NVIDIA's extensions) by libNVVM."""

from __future__ import annotations

import functools
import pathlib
from typing import TYPE_CHECKING, Any

from cuda.bindings import nvvm
from cuda.core._errors import CUDAError, compiler_error
from cuda.core._errors import NVVMError as _NVVMError
from cuda.core._program import _diagnostics

if TYPE_CHECKING:
    from cuda.core._program._program_options import ProgramOptions

# Field -> (kind of its value, libNVVM's option). libNVVM documentation, "nvvmCompileProgram".
_OPTIONS = {
    "debug": ("flag", "-g"),
    "lineinfo": ("flag", "-generate-line-info"),
    "ftz": ("digit", "-ftz"),
    "prec_sqrt": ("digit", "-prec-sqrt"),
    "prec_div": ("digit", "-prec-div"),
    "fma": ("digit", "-fma"),
    "max_register_count": ("value", "-maxreg"),
    "split_compile": ("value", "-split-compile"),
    "numba_debug": ("flag", "-numba-debug"),
}
# Other fields that NVVM programs accept: they are handled elsewhere, implied by the target, or have no meaning there.
_OTHERS = (
    "name",
    "arch",
    "device_code_optimize",
    "extra_sources",
    "use_libdevice",
    "link_time_optimization",
    "no_cache",
    "create_pch",
    "device_float128",
    "fdevice_time_trace",
    "frandom_seed",
    "instantiate_templates_in_pch",
    "ofast_compile",
    "pch",
    "pch_dir",
    "pch_messages",
    "pch_verbose",
    "use_pch",
)


def spelled(options: ProgramOptions, target_type: str | None, given: list[str]) -> list[bytes]:
    """Return the options in libNVVM's command-line form; `given` are the fields that are set."""
    refused = [field for field in given if field not in _OPTIONS and field not in _OTHERS]
    if refused:
        raise CUDAError(f"{', '.join(refused)} {'is' if len(refused) == 1 else 'are'} not for NVVM programs")
    arch = options.arch or "sm_75"
    texts = [f"-arch=compute_{arch.rpartition('_')[2]}"]
    for field, (kind, option) in _OPTIONS.items():
        value = getattr(options, field)
        if value is None or (kind == "flag" and not value):
            continue
        texts.append(option if kind == "flag" else f"{option}={int(value)}")
    if options.device_code_optimize is not None:
        texts.append(f"-opt={3 if options.device_code_optimize else 0}")
    if target_type == "ltoir":
        texts.append("-gen-lto")
    return [text.encode() for text in texts]


@functools.cache
def libdevice() -> bytes:
    """Return libdevice, NVIDIA's library of mathematical functions, as bitcode."""
    from cuda import pathfinder

    return pathlib.Path(pathfinder.find_bitcode_lib("device")).read_bytes()


class NVVMError(_NVVMError, nvvm.nvvmError):
    """The error of cuda.core that is also the exception of the bindings, which NVIDIA's cuda.core lets pass."""


class NVVMProgram:
    """An nvvmProgram with the modules of a `Program`."""

    def __init__(self, code: bytes, name: str, options: ProgramOptions) -> None:
        self.handle: Any = nvvm.create_program()
        self.code = code
        self.name = name
        try:
            for module_name, source in [(name, code), *_extra(options)]:
                self._call("nvvmAddModuleToProgram", nvvm.add_module_to_program, source, len(source), module_name)
            if options.use_libdevice:
                data = libdevice()
                self._call(
                    "nvvmLazyAddModuleToProgram", nvvm.lazy_add_module_to_program, data, len(data), "libdevice.10.bc"
                )
        except BaseException:
            self.close()
            raise

    def compile(self, options: list[bytes]) -> tuple[bytes, str]:
        """Return the compiled code and the log."""
        texts = [option.decode() for option in options]
        self._call("nvvmVerifyProgram", nvvm.verify_program, len(texts), texts)
        self._call("nvvmCompileProgram", nvvm.compile_program, len(texts), texts)
        data = bytearray(nvvm.get_compiled_result_size(self.handle))
        nvvm.get_compiled_result(self.handle, data)
        return bytes(data), self._log()

    def _call(self, name: str, function: Any, *arguments: Any) -> None:
        try:
            function(self.handle, *arguments)
        except nvvm.nvvmError as error:
            log = self._log()
            text = _diagnostics.annotate(log, self.code.decode(errors="replace"), self.name)
            made = compiler_error(NVVMError, str(error), int(getattr(error, "status", 0)), name, text)
            made.log = log
            raise made from None

    def _log(self) -> str:
        log = bytearray(nvvm.get_program_log_size(self.handle))
        if log:
            nvvm.get_program_log(self.handle, log)
        return log.rstrip(b"\0").decode(errors="replace").strip("\n")

    def close(self) -> None:
        handle, self.handle = self.handle, None
        if handle is not None:
            nvvm.destroy_program(handle)


def _extra(options: ProgramOptions) -> list[tuple[str, bytes]]:
    """Return the validated `extra_sources` of a program."""
    modules = []
    given = options.extra_sources or ()
    if not isinstance(given, (list, tuple)):
        raise TypeError(f"extra_sources must be a list of tuples (name, source), not {type(given).__name__}")
    for i, item in enumerate(given):
        if not isinstance(item, (list, tuple)) or len(item) != 2 or not isinstance(item[0], str):
            raise TypeError(f"extra_sources[{i}] must be a tuple (name, source), not {item!r:.60}")
        name, source = item
        if isinstance(source, str):
            source = source.encode()
        if not isinstance(source, (bytes, bytearray)):
            raise TypeError(f"extra_sources[{i}]: the source must be str or bytes, not {type(source).__name__}")
        modules.append((name, bytes(source)))
    return modules
