# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Linker: linking of compiled code by nvJitLink or the driver."""

from __future__ import annotations

import dataclasses
import functools
import re
import sys
import warnings
from _thread import RLock  # threading is slow to import
from typing import Any

from cuda.core._errors import ClangError, ClosedError, CUDAError, compiler_error, not_pickled
from cuda.core._program import _compile_advice, _diagnostics
from cuda.core._program._compile_target import current_arch, default_arch
from cuda.core._program._linker_options import LinkerOptions
from cuda.core._program._module import ObjectCode
from cuda.core._utils._options import as_options
from cuda.core.typing import CompilerBackendType

_CALLS = {
    CompilerBackendType.NVJITLINK: ("nvJitLinkCreate", "nvJitLinkAddData", "nvJitLinkComplete"),
    CompilerBackendType.DRIVER: ("cuLinkCreate", "cuLinkAddData", "cuLinkComplete"),
}


@functools.cache
def _backend() -> CompilerBackendType:
    """Return the linker in use: nvJitLink if it is installed, else the driver."""
    from cuda import pathfinder

    try:
        pathfinder.load_nvidia_dynamic_lib("nvJitLink")
    except pathfinder.DynamicLibNotFoundError:
        return CompilerBackendType.DRIVER
    return CompilerBackendType.NVJITLINK


@functools.cache
def _warn_of_driver() -> None:
    warnings.warn(
        "nvJitLink is not installed: the driver links, which knows neither LTO-IR nor most options. "
        "pip install 'open-cuda-python[cu13]'",
        RuntimeWarning,
        stacklevel=3,
    )


def assembler_build() -> bytes:
    """Return an identifier of what assembles PTX, for keys of caches."""
    if _backend() == CompilerBackendType.NVJITLINK:
        from cuda.core._program import _compiler_build

        return b"nvjitlink " + _compiler_build.of("nvjitlink").encode()
    from cuda.bindings import driver

    return b"driver %d" % driver.cuDriverGetVersion()[1]


def _start(options: LinkerOptions) -> Any:
    """Return a link by nvJitLink or the driver."""
    if _backend() == CompilerBackendType.NVJITLINK:
        from cuda.core._program._nvjitlink_link import NvJitLink

        return NvJitLink(options)
    from cuda.core._program._driver_link import DriverLink

    return DriverLink(options)


def _start_bitcode(options: LinkerOptions) -> Any:
    """Return a link by clang, whose result is linked by nvJitLink or the driver."""
    from cuda.core._program._clang._link import BitcodeLink

    return BitcodeLink(options, _is_bitcode, _start)


def _is_bitcode(code: ObjectCode) -> bool:
    """Return whether code is LLVM bitcode (LLVM, "LLVM Bitcode File Format"), which clang makes for ``"ltoir"``."""
    return code.code_type == "ltoir" and code._bytes().startswith(b"BC\xc0\xde")


class Linker:
    """Link compiled code.

    Thread safety: threads may share it; one at a time links or closes it, and the others wait.

    Parameters
    ----------
    *object_codes : ObjectCode
        The inputs.
    options : LinkerOptions, optional
        The options of the link.

    Examples
    --------
    >>> options = ProgramOptions(arch="sm_90", relocatable_device_code=True)
    >>> part = Program('extern "C" __device__ int one() { return 1; }', "c++", options).compile("cubin")
    >>> use = 'extern "C" __device__ int one(); extern "C" __global__ void f(int *x) { *x = one(); }'
    >>> main = Program(use, "c++", options).compile("cubin")
    >>> Linker(main, part, options=LinkerOptions(arch="sm_90")).link("cubin").get_kernel("f").num_arguments
    1
    """

    __slots__ = ("__weakref__", "_calls", "_codes", "_link", "_lock", "_logs", "_options")
    _warns = True

    def __init__(self, *object_codes: ObjectCode, options: LinkerOptions | None = None) -> None:
        self._link: Any = None
        self._lock = RLock()  # one thread at a time links, reads the log, or closes
        self._logs = ("", "")
        if not object_codes:
            raise ValueError("give one or more ObjectCodes to link")
        for code in object_codes:
            if not isinstance(code, ObjectCode):
                raise TypeError(f"what is linked must be an ObjectCode, not {type(code).__name__}")
            if code.code_type == "tile_ir":
                raise ValueError("Tile IR is not linked: load it, or assemble it by Program(code, 'tile')")
        self._options = dataclasses.replace(as_options(LinkerOptions, options, "options"))
        self._options.arch = self._options.arch or default_arch(f"sm_{current_arch()}" if current_arch() else None)
        self._codes = object_codes
        self._calls = _CALLS[_backend()]
        bitcode = any(_is_bitcode(code) for code in object_codes)
        if self._warns and not bitcode:
            self.which_backend()
        with self._errors(self._calls[0]):
            self._link = _start_bitcode(self._options) if bitcode else _start(self._options)
        try:
            for code in object_codes:
                with self._errors(self._calls[1]):
                    self._link.add(code)
        except BaseException:
            self.close()
            raise

    def _errors(self, call: str) -> _Errors:
        return _Errors(self, call)

    def link(self, target_type: str) -> ObjectCode:
        """Link the inputs (nvJitLinkComplete, or cuLinkComplete without nvJitLink).

        Parameters
        ----------
        target_type : str
            ``"cubin"``, or with options `link_time_optimization` and `ptx` ``"ptx"``.

        Returns
        -------
        ObjectCode
            The linked code, which stays valid when the linker is closed.

        Raises
        ------
        NvJitLinkError
            If linking fails; `log` is the linker's log.
        ValueError
            If `target_type` is unknown, or does not fit the options.
        ClosedError
            If the linker is closed.

        Examples
        --------
        >>> ptx = Program(source, "c++", ProgramOptions(arch="sm_90")).compile("ptx")
        >>> with Linker(ptx, options=LinkerOptions(arch="sm_90")) as linker:
        ...     linker.link("cubin").code_type
        'cubin'
        """
        target = str(target_type).lower()
        if target not in ("cubin", "ptx"):
            raise ValueError(f"target_type must be 'cubin' or 'ptx', not {target_type!r}")
        if target == "ptx" and not (self._options.ptx and self._options.link_time_optimization):
            raise ValueError("target_type 'ptx' needs LinkerOptions(link_time_optimization=True, ptx=True)")
        with self._lock:
            self._check_open()
            with self._errors(self._calls[2]):
                data = self._link.complete(target)
            self._logs = self._link.logs()
        mapping: dict[str, str] = {}
        kinds: dict[str, str] = {}
        for code in self._codes:
            mapping.update(code.symbol_mapping)
            kinds.update(code._signatures())
        return ObjectCode._make(data, target, self._options.name or "", mapping, kinds)

    def _check_open(self) -> None:
        if self._link is None:
            raise ClosedError("this Linker is closed")

    def get_error_log(self) -> str:
        """Return the linker's error messages.

        Returns
        -------
        str
            The messages so far, "" if there are none.

        Raises
        ------
        ClosedError
            If the linker is closed.

        Examples
        --------
        >>> ptx = Program(source, "c++", ProgramOptions(arch="sm_90")).compile("ptx")
        >>> Linker(ptx, options=LinkerOptions(arch="sm_90")).get_error_log()
        ''
        """
        return self._read_logs()[0]

    def get_info_log(self) -> str:
        """Return the linker's other messages, such as those of `LinkerOptions` `time` and `verbose`.

        Returns
        -------
        str
            The messages so far, "" if there are none.

        Raises
        ------
        ClosedError
            If the linker is closed.

        Examples
        --------
        >>> ptx = Program(source, "c++", ProgramOptions(arch="sm_90")).compile("ptx")
        >>> linker = Linker(ptx, options=LinkerOptions(arch="sm_90", verbose=True))
        >>> code = linker.link("cubin")
        >>> "scale" in linker.get_info_log()
        True
        """
        return self._read_logs()[1]

    def _read_logs(self) -> tuple[str, str]:
        with self._lock:
            self._check_open()
            self._logs = self._link.logs()
            return self._logs

    def close(self) -> None:
        """Destroy the linker's state. Closing twice does nothing; linked code stays valid.

        Examples
        --------
        >>> ptx = Program(source, "c++", ProgramOptions(arch="sm_90")).compile("ptx")
        >>> linker = Linker(ptx, options=LinkerOptions(arch="sm_90"))
        >>> linker.close()
        >>> linker.is_closed
        True
        """
        with self._lock:
            link, self._link = self._link, None
            if link is not None:
                self._logs = link.logs()
                link.close()

    def __del__(self) -> None:
        # At interpreter shutdown nothing can be imported any more, and the process frees everything anyway.
        if getattr(self, "_link", None) is not None and not sys.is_finalizing():
            self.close()

    def __reduce__(self) -> Any:
        raise not_pickled(self)

    def __enter__(self) -> Linker:
        return self

    def __exit__(self, exc_type: object, exc_val: object, exc_tb: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Linker of {len(self._codes)} codes{', closed' if self.is_closed else ''}>"

    @property
    def handle(self) -> Any:
        """Return the linker's handle: an int, or `cuda.bindings.driver.CUlinkState`; 0 once closed."""
        if self._link is not None and self._link.handle is not None:
            return self._link.handle
        if self._calls is _CALLS[CompilerBackendType.NVJITLINK]:
            return 0
        from cuda.bindings import driver

        return driver.CUlinkState(0)

    @property
    def is_closed(self) -> bool:
        """Return whether `close` was called."""
        return self._link is None

    @classmethod
    def which_backend(cls) -> CompilerBackendType:
        """Return the linker in use: nvJitLink if it is installed, else the driver.

        Returns
        -------
        CompilerBackendType
            ``"nvJitLink"`` or ``"driver"``. The driver links neither LTO-IR nor with most options; a warning says
            so.

        Examples
        --------
        >>> print(Linker.which_backend())
        nvJitLink
        """
        if _backend() == CompilerBackendType.DRIVER:
            _warn_of_driver()
        return _backend()


class Assembler(Linker):
    """A Linker of one PTX text that clang made: the driver knows all its options."""

    __slots__ = ()
    _warns = False


class _Errors:
    """A context manager that turns exceptions of nvJitLink or the driver into errors with the linker's log."""

    def __init__(self, linker: Linker, call: str) -> None:
        self.linker = linker
        self.call = call

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if isinstance(error, ClangError):
            return
        if isinstance(error, CUDAError):
            name, kind = error.name, CUDAError
        elif type(error).__name__ == "nvJitLinkError":
            from cuda.core._program._nvjitlink_link import NvJitLinkError

            name, kind = str(error), NvJitLinkError
        else:
            return
        log = "" if self.linker.is_closed else self.linker.get_error_log()
        text = log
        for code in self.linker._codes:
            if code.code_type == "ptx" and isinstance(code.code, bytes):
                text = _diagnostics.annotate(text, code.code.decode(errors="replace"), code.name)
        options = self.linker._options
        advice = text or f"The options were: {' '.join(f.decode() for f in options.as_bytes())}"
        if self.call == "nvJitLinkCreate" and not re.fullmatch(r"(sm|compute|lto)_[1-9]\d+[af]?", str(options.arch)):
            advice += f"\n{_compile_advice.arch_advice(options.arch)}"
        if more := _compile_advice.of_log(log, options):
            advice += f"\n{more}"
        made = compiler_error(kind, name, int(getattr(error, "status", 0)), self.call, advice)
        made.log = log
        raise made from None
