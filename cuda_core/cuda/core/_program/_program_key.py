# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""make_program_cache_key(): the key of a compiled program, a hash of everything that it depends on."""

from __future__ import annotations

import dataclasses
import hashlib
import re
from collections.abc import Sequence
from typing import Any, Literal

from cuda.core._program import _compiler, _compiler_build, _debugger, _tile
from cuda.core._program._compile_arguments import code_type_of, names_of, source_of, target_of
from cuda.core._program._compile_target import default_arch
from cuda.core._program._linker_options import LinkerOptions
from cuda.core._program._program_options import ProgramOptions
from cuda.core._utils._options import as_options

# Incremented when the contents of cache entries change.
_FORM = b"open-cuda-python program 1"

# Options that read files, whose contents are not part of the key.
_READING = ("include_path", "pre_include", "use_pch", "pch", "pch_dir")
# Options that write files, which a cache hit would not do.
_WRITING = ("create_pch", "fdevice_time_trace", "time")
_INCLUDE = re.compile(rb"(?:#|%:|\?\?=)(?:\s|/\*.*?\*/)*(?:include|embed)|__has_include|__has_embed", re.DOTALL)


def make_program_cache_key(
    *,
    code: str | bytes,
    code_type: str,
    options: ProgramOptions,
    target_type: str,
    name_expressions: Sequence[str | bytes | bytearray] = (),
    extra_digest: bytes | None = None,
) -> bytes:
    """Return the key of a compiled program in a cache.

    It is a hash of everything that the result depends on: source, options, architecture (by default that of the
    current device), target, names, and the version and build of the compiler.

    Parameters
    ----------
    code : str or bytes
        The source, as for `Program`.
    code_type : str
        ``"c++"``, ``"ptx"`` or ``"nvvm"``.
    options : ProgramOptions
        The options of the compilation.
    target_type : str
        ``"ptx"``, ``"cubin"`` or ``"ltoir"``, as for `Program.compile`.
    name_expressions : sequence of str
        C++ names, as for `Program.compile`.
    extra_digest : bytes, optional
        A digest of the files that the program reads, such as a SHA-256 of all its headers.

    Returns
    -------
    bytes
        32 bytes.

    Raises
    ------
    TypeError
        If `extra_digest` is not bytes.
    ValueError
        If the program reads files and `extra_digest` is not given, or if the compilation writes files.

    Examples
    --------
    >>> key = make_program_cache_key(
    ...     code=source, code_type="c++", options=ProgramOptions(arch="sm_90"), target_type="cubin"
    ... )
    >>> len(key)
    32
    """
    if extra_digest is not None and not isinstance(extra_digest, (bytes, bytearray)):
        raise TypeError(f"extra_digest must be bytes or None, not {type(extra_digest).__name__}")
    kind = code_type_of(code_type)
    source = source_of(code, kind, encoded=True)
    options = as_options(ProgramOptions, options, "options")
    if kind == "c++" and _debugger.active():
        source, options = _debugger.prepared(source, options.name or "", options)
    return key_of(source, kind, options, target_of(kind, target_type), names_of(name_expressions), extra_digest)


def key_of(
    source: bytes,
    kind: str,
    options: ProgramOptions,
    target: str,
    names: Sequence[str],
    extra_digest: bytes | None = None,
) -> bytes:
    """Return the key for arguments that are validated already; see `make_program_cache_key`."""
    _refuse_files(options, source if kind == "c++" else b"", extra_digest)
    parts = [_FORM, kind.encode(), target.encode(), (options.name or "").encode(), source]
    parts += [b"" if extra_digest is None else b"+" + extra_digest, b"%d" % len(names)]
    parts += [*(name.encode() for name in names), *_spelled(options, kind, target)]
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.digest()


def _refuse_files(options: ProgramOptions, source: bytes, extra_digest: bytes | None) -> None:
    writing = [field for field in _WRITING if getattr(options, field)]
    if writing:
        raise ValueError(f"{', '.join(writing)}: compile without a cache, for a program found in one writes no file")
    if extra_digest is not None:
        return
    reading = [field for field in _READING if getattr(options, field)]
    only_bundled = options.use_bundled_headers and options.no_source_include
    if not only_bundled and _INCLUDE.search(re.sub(rb"\\\r?\n", b"", source)):
        reading.append("#include")
    if reading:
        raise ValueError(
            f"{', '.join(reading)}: the program reads files, which may change while its key does not. Give "
            "make_program_cache_key an extra_digest of them and keep the result in the cache yourself, or compile "
            "without a cache"
        )


def _build(api: Literal["nvrtc", "nvvm"], version: Sequence[int]) -> bytes:
    return f"{api} {'.'.join(map(str, version))} {_compiler_build.of(api)}".encode()


def _spelled(options: ProgramOptions, kind: str, target: str) -> list[bytes]:
    """Return the compiler's version and its command-line options."""
    if kind == "c++" and _compiler.is_clang(options.compiler):
        return _spelled_for_clang(options, target)
    if kind == "c++":
        from cuda.bindings import nvrtc

        version: Any = nvrtc.nvrtcVersion()[1:]
        assembler = [_tile.build()] if target == "cubin" and options.tile_only else []
        arguments = options._for_nvrtc(target, nvrtc.nvrtcGetSupportedArchs()[1])
        return [_build("nvrtc", version), *arguments, *assembler]
    if kind == "tile":
        return [_tile.build(), *map(str.encode, _tile.command_line(options))] if target == "cubin" else []
    arch = options.arch or default_arch(None)
    options = dataclasses.replace(options, arch=arch)
    spelled: list[bytes] = []
    if kind == "nvvm":
        spelled = _spelled_ir(options, target)
    if target == "cubin":
        from cuda.core._program._linker import assembler_build

        linker = options._for_linker() if kind == "ptx" else LinkerOptions(arch=arch)
        spelled += [assembler_build(), *linker.as_bytes("nvjitlink")]
    return spelled  # empty if PTX is returned unchanged


def _spelled_for_clang(options: ProgramOptions, target: str) -> list[bytes]:
    from cuda.core._program._clang import _find, _options

    spelled = [*_options.language_options(options, _find.find()[1]), *_options.own_options(options)]
    more = ["max_register_count", "device_as_default_execution_space"]
    given = [f"{field}={getattr(options, field)}" for field in more]
    assembler: list[bytes] = []
    if target == "cubin":
        from cuda.core._program._linker import assembler_build

        assembler = [assembler_build(), *LinkerOptions(arch=options.arch).as_bytes("nvjitlink")]
    return [_find.build(), *(text.encode() for text in [*spelled, *given]), *assembler]


def _spelled_ir(options: ProgramOptions, target: str) -> list[bytes]:
    """Return libNVVM's version, its options, and the other inputs of an NVVM program."""
    from cuda.bindings import nvvm
    from cuda.core._program import _nvvm

    spelled = [_build("nvvm", nvvm.version()), *options.as_bytes("NVVM", target)]
    for name, source in _nvvm._extra(options):
        spelled += [name.encode(), source]
    if options.use_libdevice:
        spelled.append(hashlib.sha256(_nvvm.libdevice()).digest())
    return spelled
