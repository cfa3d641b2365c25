# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Program: compilation of C++, NVVM IR or PTX by NVRTC, libNVVM or nvJitLink, without a driver."""

from __future__ import annotations

import copy
import dataclasses
import hashlib
import json
import sys
import warnings
from _thread import RLock  # threading is slow to import
from collections.abc import Sequence
from typing import Any

from cuda.bindings._signals import of_program
from cuda.core._errors import ClangError, ClosedError, NVRTCError, compiler_error, not_pickled
from cuda.core._launch._signature import kernel_signatures
from cuda.core._program import _compile_advice, _compiler, _debugger, _diagnostics, _tile
from cuda.core._program._compile_arguments import code_type_of, names_of, source_of, target_of
from cuda.core._program._compile_target import default_arch
from cuda.core._program._linker_options import LinkerOptions
from cuda.core._program._module import ObjectCode
from cuda.core._program._program_options import ProgramOptions
from cuda.core._utils._options import as_options
from cuda.core._utils._progress import Progress
from cuda.core.typing import CompilerBackendType, PCHStatusType, SourceCodeType

_BACKENDS = {
    SourceCodeType.CXX: CompilerBackendType.NVRTC,
    SourceCodeType.NVVM: CompilerBackendType.NVVM,
    SourceCodeType.PTX: CompilerBackendType.NVJITLINK,
    SourceCodeType.TILE: CompilerBackendType.TILEIRAS,
}
_GETTERS = {"ptx": "PTX", "cubin": "CUBIN", "ltoir": "LTOIR", "tile_ir": "TileIR"}
# Options for the assembler of PTX that a compiler made.
_ASSEMBLED = ("name", "arch", "debug", "lineinfo", "max_register_count", "no_cache")
_PCH_OPTIONS = ("pch", "create_pch", "use_pch")


def _check(nvrtc: Any, call: str, answer: tuple) -> Any:
    """Return the result of an NVRTC function without its status, or raise if that is an error."""
    status, *values = answer
    if status != 0:
        raise compiler_error(NVRTCError, status.name, int(status), call, "")
    return values[0] if values else None


def _filled(nvrtc: Any, output: str, program: Any) -> bytes:
    """Return one of the program's outputs, by nvrtcGet...Size and nvrtcGet..."""
    size = _check(nvrtc, f"nvrtcGet{output}Size", getattr(nvrtc, f"nvrtcGet{output}Size")(program))
    data = bytearray(size)
    if size:
        _check(nvrtc, f"nvrtcGet{output}", getattr(nvrtc, f"nvrtcGet{output}")(program, data))
    return bytes(data)


class Program:
    """A program to compile.

    Thread safety: threads may share it; one at a time compiles or closes it, and the others wait.

    Parameters
    ----------
    code : str or bytes
        The source; bytes are for NVVM IR and Tile IR.
    code_type : str
        ``"c++"``, ``"ptx"``, ``"nvvm"``: NVVM IR as text or bitcode, or ``"tile"``: Tile IR bytecode.
    options : ProgramOptions, optional
        The options of the compilation.

    Raises
    ------
    NvJitLinkError
        If the code is PTX and wrong; C++ and NVVM IR are checked by `compile`.
    TypeError
        If `code` or `options` has a wrong type.
    RuntimeError
        If `code_type` is unknown.

    Examples
    --------
    >>> program = Program('extern "C" __global__ void add(int *x) { x[0] += 1; }', "c++")
    >>> kernel = program.compile("cubin").get_kernel("add")
    """

    __slots__ = ("__weakref__", "_by_clang", "_closed", "_code", "_code_type", "_compiled", "_handle", "_keys",
                 "_linker", "_lock", "_nvvm", "_options", "_pch_status")  # fmt: skip

    def __init__(self, code: str | bytes | bytearray, code_type: str, options: ProgramOptions | None = None) -> None:
        self._handle: Any = None
        self._by_clang = False
        self._lock = RLock()  # one thread at a time compiles, or closes
        self._closed = False
        self._compiled = False
        self._pch_status: PCHStatusType | None = None
        self._code_type = code_type_of(code_type)
        self._options = copy.copy(as_options(ProgramOptions, options, "options"))
        self._keys: dict[tuple, tuple[str, list[str], bytes, bytes | None]] = {}  # see _find_keys
        self._code = source_of(code, self._code_type)
        if self._code_type == SourceCodeType.CXX:
            if _debugger.active():
                self._code, self._options = _debugger.prepared(self._code, self._name, self._options)
            self._by_clang = _compiler.is_clang(self._options.compiler)
            self._handle = None if self._by_clang else self._create()
            _diagnostics.remember(self._name, self._code)
        elif self._code_type == SourceCodeType.NVVM:
            from cuda.core._program._nvvm import NVVMProgram

            self._nvvm: NVVMProgram = NVVMProgram(self._code, self._name, self._options)
            self._handle = self._nvvm.handle
        elif self._code_type == SourceCodeType.TILE:
            _tile.check(self._code)
            _tile.refuse_unused(self._options)
        else:
            self._linker = self._start_linker(self._code, self._options._for_linker())
            self._handle = self._linker.handle

    @property
    def _name(self) -> str:
        return self._options.name or "default_program"

    def _create(self) -> Any:
        from cuda.bindings import nvrtc

        with _compiler.naming_both(self._options.compiler):
            answer = nvrtc.nvrtcCreateProgram(self._code, self._name.encode(), 0, [], [])
        return _check(nvrtc, "nvrtcCreateProgram", answer)

    def close(self) -> None:
        """Destroy the compiler's program (nvrtcDestroyProgram, nvvmDestroyProgram, nvJitLinkDestroy).

        Closing twice does nothing; compiled code stays valid.

        Examples
        --------
        >>> program = Program(source, "c++")
        >>> program.close()
        >>> program.is_closed
        True
        """
        with self._lock:
            handle, self._closed = self._handle, True
            if handle is None or int(handle) == 0:
                return
            self._handle = type(handle)(0)
        if self._code_type == SourceCodeType.NVVM:
            self._nvvm.close()
        elif self._code_type == SourceCodeType.PTX:
            self._linker.close()
        else:
            from cuda.bindings import nvrtc

            _check(nvrtc, "nvrtcDestroyProgram", nvrtc.nvrtcDestroyProgram(handle))

    def __del__(self) -> None:
        # At interpreter shutdown nothing can be imported any more, and the process frees everything anyway.
        if getattr(self, "_handle", None) is not None and not sys.is_finalizing():
            self.close()

    def __reduce__(self) -> Any:
        raise not_pickled(self)

    def __enter__(self) -> Program:
        return self

    def __exit__(self, exc_type: object, exc_val: object, exc_tb: object) -> None:
        self.close()

    def _repr_html_(self) -> str:
        from cuda.core._utils._html import of_program

        return of_program(self, self._code)

    def __repr__(self) -> str:
        return f"<Program {self._name!r}: {self._code_type}{', closed' if self._closed else ''}>"

    @property
    def is_closed(self) -> bool:
        """Return whether `close` was called."""
        return self._closed

    @property
    def backend(self) -> CompilerBackendType:
        """Return the compiler of the program."""
        return CompilerBackendType.CLANG if self._by_clang else _BACKENDS[self._code_type]

    @property
    def handle(self) -> Any:
        """Return the `nvrtcProgram`, or the address of the nvvmProgram or of PTX's linker; 0 once closed.

        It is None for Tile IR, and for programs that clang compiles.
        """
        return self._handle

    @property
    def pch_status(self) -> PCHStatusType | None:
        """Return whether the last compilation wrote a precompiled header; None if none was requested."""
        return self._pch_status

    def compile(
        self,
        target_type: str,
        name_expressions: Sequence[str] = (),
        logs: Any = None,
        *,
        cache: Any = None,
    ) -> ObjectCode:
        """Compile the program, by NVRTC, libNVVM, the PTX assembler of nvJitLink, or tileiras.

        Parameters
        ----------
        target_type : str
            ``"ptx"``, ``"cubin"`` or, from C++ and NVVM IR, ``"ltoir"``. Tile kernels of C++ become ``"tile_ir"`` or,
            with the option `tile_only`, a cubin.
        name_expressions : sequence of str
            C++ names of kernels and variables, such as ``"scale<float>"`` or ``"&table"``: templates are
            instantiated, and `ObjectCode.get_kernel` accepts the names.
        logs : object with ``write``, optional
            The object to which the compiler's messages are written.
        cache : ProgramCacheResource, optional
            The cache in which the result is looked up and stored; see `make_program_cache_key`. After a cache hit
            nothing is written to `logs`.

        Returns
        -------
        ObjectCode
            The code; `ObjectCode.get_kernel` loads it.

        Raises
        ------
        NVRTCError, NVVMError, NvJitLinkError, TileError
            If it does not compile; the message shows the source lines, `log` is the compiler's log.
        ValueError
            If an argument is invalid, or `cache` is given and the program reads or writes files.
        TypeError
            If `cache` is not a ProgramCacheResource.
        ClosedError
            If the program is closed.

        Examples
        --------
        >>> code = Program(source, "c++", ProgramOptions(arch="sm_90")).compile("cubin")
        >>> launch(stream, config, code.get_kernel("scale"), buffer, 2.0, 100)
        >>> Program("__global__ void f() { g(); }", "c++").compile("ptx")
        Traceback (most recent call last):
        ...
        cuda.core._errors.NVRTCError: NVRTC_ERROR_COMPILATION: 1 error ... identifier "g" is undefined...
        """
        if self._closed:
            raise ClosedError("this Program is closed")
        if cache is not None:
            return self._cached(target_type, name_expressions, logs, cache)
        return self._compile(target_of(self._code_type, target_type), names_of(name_expressions), logs)

    def _cached(self, target_type: str, name_expressions: Sequence[str], logs: Any, cache: Any) -> ObjectCode:
        if type(cache) not in _CACHE_TYPES:
            _check_cache(cache)
        asked = (target_type, *name_expressions, self._options.arch or "")
        try:
            known = self._keys.get(asked)
        except TypeError:  # a bytearray among the names
            known = None
        if known is None:
            known = self._find_keys(asked, target_of(self._code_type, target_type), names_of(name_expressions))
        target, names, key, notes_key = known
        code = cache.get(key)
        notes = None if code is None or notes_key is None else cache.get(notes_key)
        if code is not None and (notes_key is None or notes is not None):
            self._pch_status = None
            mapping, kinds = ({}, None) if notes is None else json.loads(notes)
            return ObjectCode._make(code, target, self._name, mapping, kinds)
        result = self._compile(target, names, logs)
        try:
            if notes_key is not None:
                cache[notes_key] = json.dumps([result._symbol_mapping, result._kinds]).encode()
            cache[key] = result
        except OSError as error:
            if type(cache).__module__.startswith("cuda.core") and of_program(error.__traceback__):
                raise  # of a signal handler; caches of the program raise their own errors
            warnings.warn(f"the compiled program is not kept: {error}", RuntimeWarning, stacklevel=3)
        return result

    def _find_keys(self, asked: tuple, target: str, names: list[str]) -> tuple[str, list[str], bytes, bytes | None]:
        """Return the target and names of a compilation, and the keys of its cache entries."""
        from cuda.core._program._program_key import key_of

        key = key_of(self._code, self._code_type, self._options, target, names)
        # Symbols and parameter kinds are stored in a second entry, so that the first holds nothing but the code.
        notes_key = hashlib.sha256(key + b"notes").digest() if names or target == "cubin" else None
        found = target, names, key, notes_key
        if all(isinstance(value, (str, bytes)) for value in asked) and self._options._is_settled():
            self._keys[asked] = found
        return found

    def _compile(self, target: str, names: list[str], logs: Any) -> ObjectCode:
        with Progress(f"compiling {self._name!r}"), self._lock:
            if self._closed:
                raise ClosedError("this Program is closed")
            if self._code_type == SourceCodeType.PTX:
                return self._assemble_ptx(target, names, logs)
            if self._code_type == SourceCodeType.TILE:
                return self._assemble_tile(self._code, target, names, logs)
            if self._code_type == SourceCodeType.NVVM:
                return self._translate_ir(target, names, logs)
            translate = self._translate_by_clang if self._by_clang else self._translate
            return translate(target, names, logs)

    def _translate(self, target: str, names: list[str], logs: Any) -> ObjectCode:
        from cuda.bindings import nvrtc

        if self._compiled:  # NVRTC accepts name expressions only before the first compilation
            fresh = self._create()
            _check(nvrtc, "nvrtcDestroyProgram", nvrtc.nvrtcDestroyProgram(self._handle))
            self._handle = fresh
        self._compiled = True
        if target == "cubin" and _debugger.active():
            target = "ptx"
        supported = _check(nvrtc, "nvrtcGetSupportedArchs", nvrtc.nvrtcGetSupportedArchs())
        options = self._options._for_nvrtc(target, supported)
        for name in names:
            answer = nvrtc.nvrtcAddNameExpression(self._handle, name.encode())
            _check(nvrtc, "nvrtcAddNameExpression", answer)
        status = nvrtc.nvrtcCompileProgram(self._handle, len(options), options)[0]
        self._note_pch(nvrtc)
        log = _filled(nvrtc, "ProgramLog", self._handle).decode(errors="replace").strip("\0\n")
        if logs is not None and log:
            logs.write(log)
        if status != 0:
            raise self._error(nvrtc, status, log)
        return self._result(nvrtc, target, names, logs)

    def _translate_by_clang(self, target: str, names: list[str], logs: Any) -> ObjectCode:
        from cuda.core._program._clang._compile import compile_bitcode, compile_ptx
        from cuda.core._program._clang._options import ARCHITECTURES

        if target not in ("ptx", "cubin", "ltoir"):
            raise ValueError(
                f"clang makes 'ptx', 'cubin' and 'ltoir', not {target!r}: compile with ProgramOptions(compiler='nvrtc')"
            )
        self._pch_status = None
        try:
            if target == "ltoir":
                data, mapping, log = compile_bitcode(self._code, self._name, self._options, names)
            else:
                data, mapping, log = compile_ptx(self._code, self._name, self._options, names, target)
        except ClangError as error:
            if logs is not None and error.log:
                logs.write(error.log)
            raise self._annotated(ClangError, error.name, error.status, error.call, error.log, ARCHITECTURES) from None
        if logs is not None and log:
            logs.write(log)
        if target == "ltoir":
            return ObjectCode._make(data, "ltoir", self._name, mapping, {})
        code = ObjectCode._make(data, "ptx", self._name, mapping, kernel_signatures(data.decode()))
        if target == "ptx" or _debugger.active():
            return code
        from cuda.core._program._linker import Assembler, _backend

        # Options for clang have been applied; these are for the assembler.
        values = {field: getattr(self._options, field) for field in _ASSEMBLED}
        if self._options.relocatable_device_code and _backend() == CompilerBackendType.NVJITLINK:
            values["relocatable"] = True
        with Assembler(code, options=LinkerOptions(**values)) as linker:
            return _linked(linker, target, logs)

    def _error(self, nvrtc: Any, status: Any, log: str) -> Exception:
        supported = nvrtc.nvrtcGetSupportedArchs()[1]
        return self._annotated(NVRTCError, status.name, int(status), "nvrtcCompileProgram", log, supported)

    def _annotated(self, kind: Any, name: str, status: int, call: str, log: str, supported: Sequence[int]) -> Any:
        """Return the error of a compiler, with the source lines and advice in its message."""
        text = _diagnostics.annotate(log, self._code.decode(errors="replace"), self._name)
        if advice := _compile_advice.of_log(log, self._options, supported):
            text += f"\n{advice}"
        words = f"{_diagnostics.summary(log)} in {self._name!r}" if "COMPILATION" in name else ""
        error = compiler_error(kind, name, status, call, text, words)
        error.log = log
        return error

    def _result(self, nvrtc: Any, target: str, names: list[str], logs: Any) -> ObjectCode:
        tile = _tile.makes_tile_ir(self._options, target)
        data = _filled(nvrtc, "TileIR" if tile else _GETTERS[target], self._handle)
        if not data:
            raise NVRTCError(
                f"NVRTC made no {target}: "
                + ("arch must be a real architecture such as 'sm_90'" if target == "cubin" else "look at the options")
            )
        mapping = {
            name: _check(nvrtc, "nvrtcGetLoweredName", nvrtc.nvrtcGetLoweredName(self._handle, name.encode())).decode()
            for name in names
        }
        if tile:
            return self._assemble_tile(data, target, (), logs, mapping)
        ptx = b"" if target == "ltoir" or self._options.link_time_optimization else _filled(nvrtc, "PTX", self._handle)
        kinds = kernel_signatures(ptx.decode(errors="replace"))
        return ObjectCode._make(data, target, self._name, mapping, kinds)

    def _assemble_tile(
        self, code: bytes, target: str, names: Sequence[str], logs: Any, mapping: dict[str, str] | None = None
    ) -> ObjectCode:
        if names:
            raise ValueError("name_expressions are for C++ programs: Tile IR has the names themselves")
        if target == "cubin":
            code, log = _tile.assemble(code, self._options)
            if logs is not None and log:
                logs.write(log)
        return ObjectCode._make(code, target, self._name, mapping, {})

    def _note_pch(self, nvrtc: Any) -> None:
        if not any(getattr(self._options, field) for field in _PCH_OPTIONS):
            self._pch_status = None
            return
        status = nvrtc.nvrtcGetPCHCreateStatus(self._handle)[0]
        known = {0: PCHStatusType.CREATED, nvrtc.nvrtcResult.NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED: "not_attempted"}
        self._pch_status = PCHStatusType(known.get(status, "failed"))

    def _translate_ir(self, target: str, names: Sequence[str], logs: Any) -> ObjectCode:
        if names:
            raise ValueError("name_expressions are for C++ programs: NVVM IR has the names themselves")
        options = dataclasses.replace(self._options, arch=self._options.arch or default_arch(None))
        code, log = self._nvvm.compile(options.as_bytes("NVVM", target))
        if logs is not None and log:
            logs.write(log)
        if target == "ltoir":
            return ObjectCode._make(code, target, self._name, {}, {})
        code = code.rstrip(b"\0")
        if target == "ptx":
            return ObjectCode._make(code, "ptx", self._name, {}, None)
        # Options for libNVVM have been applied; these are for the assembler.
        values = {field: getattr(self._options, field) for field in _ASSEMBLED}
        with self._start_linker(code, LinkerOptions(**values)) as linker:
            return _linked(linker, target, logs)

    def _start_linker(self, code: bytes, options: LinkerOptions) -> Any:
        """Return a Linker that has assembled PTX."""
        from cuda.core._program._linker import Linker

        return Linker(ObjectCode._make(code, "ptx", self._name, {}, None), options=options)

    def _assemble_ptx(self, target: str, names: Sequence[str], logs: Any) -> ObjectCode:
        if names:
            raise ValueError("name_expressions are for C++ programs: PTX has the names themselves")
        if target == "ptx":
            return ObjectCode._make(self._code, "ptx", self._name, {}, None)
        if self._compiled:  # a linker links once
            fresh = self._start_linker(self._code, self._options._for_linker())
            self._linker.close()
            self._linker = fresh
            self._handle = fresh.handle
        self._compiled = True
        return _linked(self._linker, target, logs)


def _linked(linker: Any, target: str, logs: Any) -> ObjectCode:
    result = linker.link(target)
    if logs is not None and (log := linker.get_info_log()):
        logs.write(log)
    return result


# Known types of caches, since isinstance() with an abstract class is slow.
_CACHE_TYPES: set[type] = set()


def _check_cache(cache: Any) -> None:
    from cuda.core._program._program_cache import ProgramCacheResource

    if not isinstance(cache, ProgramCacheResource):
        raise TypeError(f"cache must be a ProgramCacheResource, not {type(cache).__name__}")
    _CACHE_TYPES.add(type(cache))
