# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""One compilation by clang: PTX or LLVM bitcode of a source, with the lowered names and the messages."""

from __future__ import annotations

import dataclasses
import hashlib
import os
import re
import tempfile
from typing import TYPE_CHECKING

from cuda.core._errors import ClangError
from cuda.core._program._clang._attributes import ANNOTATIONS, with_attributes, with_register_limit
from cuda.core._program._clang._crash import generate_plainly
from cuda.core._program._clang._find import find
from cuda.core._program._clang._needed import needed_headers
from cuda.core._program._clang._options import changes_headers, language_options, macros_apart, own_options
from cuda.core._program._clang._precompiled import RUNTIME, including, leading_headers, parsing, preludes
from cuda.core._program._clang._run import run

if TYPE_CHECKING:
    from cuda.core._program._program_options import ProgramOptions

# The address of what a name expression names becomes the initial value of a variable, from which its lowered name is
# read; the variables are removed afterwards.
_VARIABLE = "__open_cuda_name_"
_NAMED = re.compile(
    rf"^\.visible \.global \.align 8 \.u64 {_VARIABLE}(?:\w+_)?(\d+) = (?:generic\()?([\w$.]+)\)?;\n", re.MULTILINE
)
_CRASH = re.compile(r"clang frontend command failed (?:with exit code|due to signal)")


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

    def compiled(form: list[str]) -> tuple[bytes | None, str]:
        return _compiled(source, name, options, text, target, form)

    text = _text(source, name, options, names, _VARIABLE)
    data, log = compiled(["-S"])
    if data is None:  # of -fsyntax-only
        return b"", {}, log
    ptx = with_attributes(data.decode("ascii"), lambda: (compiled(ANNOTATIONS)[0] or b"").decode())
    found = {names[int(match[1])]: match[2] for match in _NAMED.finditer(ptx)}
    ptx = _NAMED.sub("", ptx) if names else ptx
    if options.max_register_count:
        ptx = with_register_limit(ptx, int(options.max_register_count))
    return ptx.encode(), found, log


def compile_bitcode(
    source: bytes, name: str, options: ProgramOptions, names: list[str]
) -> tuple[bytes, dict[str, str], str]:
    """Return the LLVM bitcode of a program, for link-time optimisation, with the rest as for `compile_ptx`."""
    options = dataclasses.replace(options, relocatable_device_code=True)
    found = compile_ptx(source, name, options, names, "ptx")[1] if names else {}
    # Several programs with such variables may be linked: `without_names` removes these afterwards.
    variable = f"{_VARIABLE}{hashlib.sha256(source + name.encode()).hexdigest()[:16]}_"
    text = _text(source, name, options, names, variable)
    data, log = _compiled(source, name, options, text, "ptx", ["-emit-llvm", "-c"])
    return data or b"", found, log


def without_names(ptx: bytes) -> bytes:
    """Return PTX without the variables that instantiate what name expressions name."""
    return _NAMED.sub("", ptx.decode("ascii")).encode()


def _compiled(
    source: bytes, name: str, options: ProgramOptions, text: bytes, target: str, form: list[str]
) -> tuple[bytes | None, str]:
    command, version = find()
    language, own, macros = language_options(options, version, target), own_options(options), macros_apart(options)
    own = [option for option in own if option not in macros]
    folder = os.path.dirname(os.path.abspath(name))
    with tempfile.TemporaryDirectory(prefix="cuda-core-clang-") as work:
        # Includes with quotes are looked for in the current directory of clang.
        where = work if options.no_source_include or not os.path.isdir(folder) else folder
        if changes_headers(options):
            ways = iter([parsing([RUNTIME], macros, work)])
        else:
            # What files name that are included is not known.
            naming = b"\n".join([text.replace(_line(name), b""), *map(os.fsencode, macros)])
            needed = None if "-include" in own else needed_headers(naming)
            leading = including(leading_headers(source))
            ways = preludes([*command, *language, *leading], version, needed, macros, work)
        for prelude in ways:
            arguments = [*command, *language, *prelude, *own]
            try:
                return run([*arguments, *form, "-"], text, where, work)
            except ClangError as failed:
                error = failed
        if form != ["-S"] or not _CRASH.search(error.log):
            raise error
        bitcode, _ = run([*arguments, "-emit-llvm", "-c", "-"], text, where, work)
        return generate_plainly(command, language, bitcode or b"", work, options.fma is not False)


def _text(source: bytes, name: str, options: ProgramOptions, names: list[str], variables: str) -> bytes:
    """Return the program with what precedes and follows it; `variables` begins the names of those for `names`."""
    everywhere = options.device_as_default_execution_space
    parts = [b"#pragma clang force_cuda_host_device begin\n" if everywhere else b"", _line(name), source, b"\n"]
    parts += [b"#pragma clang force_cuda_host_device end\n" if everywhere else b""]
    for index, each in enumerate(names):
        variable = f"__device__ const void *{variables}{index} = (const void *)&{each.strip().lstrip('&')};\n"
        parts += [_line(f"name_expressions: {each}"), variable.encode()]
    return b"".join(parts)


def _line(name: str) -> bytes:
    quoted = name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
    return f'#line 1 "{quoted}"\n'.encode()
