# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""One compilation by clang: the source goes in, PTX, the lowered names and the messages come out."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
from typing import TYPE_CHECKING

from cuda.core._errors import ClangError, compiler_error
from cuda.core._program._clang._find import ENVIRONMENT, find
from cuda.core._program._clang._options import changes_headers, language_options, own_options
from cuda.core._program._clang._precompiled import leading_headers, prelude

if TYPE_CHECKING:
    from cuda.core._program._program_options import ProgramOptions

# The address of what a name expression names becomes the initial value of a variable, from which its lowered name is
# read; the variables are removed afterwards.
_VARIABLE = "__open_cuda_name_"
_NAMED = re.compile(
    rf"^\.visible \.global \.align 8 \.u64 {_VARIABLE}(\d+) = (?:generic\()?([\w$.]+)\)?;\n", re.MULTILINE
)
_ENTRY = re.compile(r"^(\.(?:visible|weak) \.entry [^(;{]+\([^)]*\)[^{;]*?)(?=\{)", re.MULTILINE)
_COUNT = re.compile(
    r"^\d+ (?:warnings?|errors?)(?: and \d+ errors?)? generated when compiling for \S+\.\n?", re.MULTILINE
)


def compile_ptx(
    source: bytes, name: str, options: ProgramOptions, names: list[str], target: str
) -> tuple[bytes, dict[str, str], str]:
    """Return the PTX of a program, the lowered name of each name expression, and the compiler's messages.

    `target` is what becomes of the PTX: "cubin" if it is assembled.

    Raises
    ------
    ClangError
        clang is not installed, rejects the program, or was killed; `log` has its messages.
    ValueError, TypeError
        An option is invalid.
    """
    command, version = find()
    language, own = language_options(options, target), own_options(options)
    first = prelude(command, version, language, changes_headers(options), leading_headers(source))
    folder = os.path.dirname(os.path.abspath(name))
    with tempfile.TemporaryDirectory(prefix="cuda-core-clang-") as work:
        output = os.path.join(work, "program.ptx")
        arguments = [*command, *language, *first, *own, "-S", "-o", output, "-"]
        # Includes with quotes are looked for in the current directory of clang.
        where = work if options.no_source_include or not os.path.isdir(folder) else folder
        done = subprocess.run(
            arguments, input=_text(source, name, options, names), capture_output=True, cwd=where,
            env={**ENVIRONMENT, "TMPDIR": work},
        )  # fmt: skip
        log = _COUNT.sub("", done.stderr.decode(errors="replace")).strip("\n")
        if done.returncode:
            raise _error(done.returncode, log)
        if not os.path.exists(output):  # of -fsyntax-only
            return b"", {}, log
        with open(output, encoding="ascii") as file:
            ptx = file.read()
    found = {names[int(match[1])]: match[2] for match in _NAMED.finditer(ptx)}
    ptx = _NAMED.sub("", ptx) if names else ptx
    if options.max_register_count:
        ptx = _ENTRY.sub(rf"\1.maxnreg {int(options.max_register_count)}\n", ptx)
    return ptx.encode(), found, log


def _text(source: bytes, name: str, options: ProgramOptions, names: list[str]) -> bytes:
    """Return the program with what precedes and follows it."""
    everywhere = options.device_as_default_execution_space
    parts = [b"#pragma clang force_cuda_host_device begin\n" if everywhere else b"", _line(name), source, b"\n"]
    parts += [b"#pragma clang force_cuda_host_device end\n" if everywhere else b""]
    for index, each in enumerate(names):
        variable = f"__device__ const void *{_VARIABLE}{index} = (const void *)&{each.strip().lstrip('&')};\n"
        parts += [_line(f"name_expressions: {each}"), variable.encode()]
    return b"".join(parts)


def _line(name: str) -> bytes:
    quoted = name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
    return f'#line 1 "{quoted}"\n'.encode()


def _error(status: int, log: str) -> ClangError:
    if status < 0:
        killed = signal.Signals(-status).name
        return compiler_error(
            ClangError,
            "CLANG_KILLED",
            status,
            "clang",
            f"{log}\nclang was ended by {killed}: too little memory?".strip(),
        )
    error: ClangError = compiler_error(ClangError, "CLANG_ERROR_COMPILATION", status, "clang", log)
    return error
