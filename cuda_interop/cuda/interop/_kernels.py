# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Kernels of one source: compiled at first use for each name, and cached on disk."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable
from copy import copy
from typing import Any

from cuda.core import CUDAError, Device, Kernel, ObjectCode, Program, ProgramOptions
from cuda.core.utils import FileStreamProgramCache

# Where types of elements are declared.
HEADERS = {
    "__half": "cuda_fp16.h",
    "__nv_bfloat16": "cuda_bf16.h",
    "__nv_fp8": "cuda_fp8.h",
    "__nv_fp4": "cuda_fp4.h",
    "cuda::std::complex": "cuda/std/complex",
}


class Kernels:
    """The kernels of a CUDA C++ source, each compiled when it is first asked for.

    Threads may share it. Compiled code is cached on disk (`FileStreamProgramCache`). Pickling keeps the compiled code.

    Parameters
    ----------
    source : str
        CUDA C++.
    options : ProgramOptions, optional
        Options of the compilation. Without, a source that includes headers finds those that come with the compiler.

    Examples
    --------
    >>> Kernels("template <class T> __global__ void zero(T *x) { *x = 0; }").get("zero<float>").num_arguments
    1
    """

    def __init__(self, source: str, options: ProgramOptions | None = None) -> None:
        if not isinstance(source, str):
            raise TypeError(f"source must be a str of CUDA C++, not {type(source).__name__}")
        if options is not None and not isinstance(options, ProgramOptions):
            raise TypeError(f"options is {options!r:.80}, must be a ProgramOptions, such as ProgramOptions(fma=False)")
        self.source = source
        self.options = options
        self._code: dict[tuple[str, str], ObjectCode] = {}
        self._kernels: dict[tuple[str, int], Kernel] = {}
        self._lock = threading.RLock()

    def get(self, name: str, ordinal: int = 0) -> Kernel:
        """Return a kernel by its name in C++, such as ``"scale<float>"``, for a device."""
        found = self._kernels.get((name, ordinal))
        if found is None:
            with self._lock:
                device = Device(ordinal)
                device.set_current()
                found = self._compiled(name, device.arch).get_kernel(name)
                self._kernels[name, ordinal] = found
        return found

    def compile(self, names: Iterable[str], arch: str | None = None) -> None:
        """Compile kernels for an architecture, such as ``"90"``; by default that of device 0."""
        if arch is None:
            arch = Device(0).arch
        if not isinstance(arch, str) or not re.fullmatch(r"\d{2,3}[af]?", arch):
            raise ValueError(f"arch is {arch!r:.60}, must be a text such as '90'")
        for name in names:
            with self._lock:
                self._compiled(name, arch)

    @property
    def compiled(self) -> list[tuple[str, str]]:
        """Return name and architecture of what is compiled."""
        return sorted(self._code)

    def add_compiled(self, other: Kernels) -> None:
        """Take over what another object for the same source has compiled."""
        with self._lock:
            self._code = {**other._code, **self._code}

    def _compiled(self, name: str, arch: str) -> ObjectCode:
        code = self._code.get((name, arch))
        if code is None:
            options = copy(self.options)
            if options is None:  # the compiler carries the headers of narrow types
                options = ProgramOptions(use_bundled_headers="#include" in self.source)
            options.arch = options.arch or f"sm_{arch}"
            try:
                code = self._code[name, arch] = _compile(self.source, options, name)
            except CUDAError as error:
                if message := _mistake(self.source, name):
                    raise ValueError(message) from error
                raise
        return code

    def __getstate__(self) -> dict[str, Any]:
        return {"source": self.source, "options": self.options, "_code": dict(self._code)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["source"], state["options"])  # type: ignore[misc]
        self._code = state["_code"]


def _mistake(source: str, name: str) -> str:
    """Return what is wrong with the name of a kernel that could not be compiled, "" if that is not known."""
    base = name.partition("<")[0].rpartition("::")[2]
    kernels = re.findall(r"__global__[^;{]*?\b((?!__)\w+)\s*\(", source)
    if not re.search(rf"\b{re.escape(base)}\b", source):
        return f"the source has no kernel {base!r}; it has {', '.join(map(repr, kernels)) or 'none'}"
    for spelling, header in HEADERS.items():
        if spelling in name and header not in source:
            return f"kernel {name} needs #include <{header}> in the source"
    return ""


def _compile(source: str, options: ProgramOptions, name: str) -> ObjectCode:
    from cuda.bindings._loader import will_use_cpu

    # The CPU device compiles PTX itself: assembling a cubin first would only cost time.
    target = "ptx" if will_use_cpu() else "cubin"
    with Program(source, "c++", options) as program:
        try:
            with FileStreamProgramCache() as cache:
                return program.compile(target, [name], cache=cache)
        except (ValueError, OSError):  # a source that includes files of its own, or no folder for caches
            return program.compile(target, [name])
