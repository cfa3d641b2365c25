# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Advice for messages of compilers and linkers."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from cuda.core._utils._options import similar

# Headers of the host's C and C++ standard libraries, as in #include.
_C = (
    "assert complex ctype errno fenv float inttypes limits locale math setjmp signal stdarg stdbool stddef stdint stdio"
)
_C += " stdlib string tgmath time uchar wchar wctype"
_CXX = (
    "algorithm any array atomic barrier bit bitset charconv chrono codecvt compare complex concepts condition_variable"
)
_CXX += " coroutine deque exception execution expected filesystem format forward_list fstream functional future"
_CXX += " initializer_list iomanip ios iosfwd iostream istream iterator latch limits list locale map mdspan memory"
_CXX += " memory_resource mutex new numbers numeric optional ostream print queue random ranges ratio regex"
_CXX += " scoped_allocator semaphore set shared_mutex source_location span sstream stack stdexcept stop_token streambuf"
_CXX += " string string_view syncstream system_error thread tuple type_traits typeindex typeinfo unordered_map"
_CXX += " unordered_set utility valarray variant vector version"
HOST = {f"{name}.h" for name in _C.split()} | {f"c{name}" for name in _C.split()} | set(_CXX.split())

# Those with a counterpart in cuda::std (libcu++ documentation, "Standard API").
_STD = (
    "algorithm array atomic barrier bit bitset cassert ccomplex cfloat charconv chrono climits cmath complex concepts"
)
_STD += " cstddef cstdint cstdlib cstring ctime execution expected functional initializer_list iterator latch limits"
_STD += " mdspan memory numbers numeric optional random ranges ratio semaphore source_location span string_view tuple"
_STD += " type_traits utility variant version"
CUDA_STD = set(_STD.split())

# Headers of the toolkit that are bundled with NVRTC, or their folders.
_CARRIED = re.compile(
    r"(cuda|cub|thrust|nv|cooperative_groups|crt)/|cooperative_groups\.h$|cuComplex\.h$|mma\.h$|math_constants\.h$"
    r"|vector_types\.h$|cuda_(fp4|fp6|fp8|fp16|bf16|tf32|pipeline|awbarrier)(_primitives|_helpers)?\.h(pp)?$"
)
# Headers of other packages -> the package's name for pip.
_ELSEWHERE = {
    "curand": "nvidia-curand",
    "cublas": "nvidia-cublas",
    "cufft": "nvidia-cufft",
    "cusparse": "nvidia-cusparse",
    "cusolver": "nvidia-cusolver",
    "cutlass": "nvidia-cutlass",
    "cute": "nvidia-cutlass",
}
_NO_HEADER = {
    "stdio.h": "printf needs no header",
    "cstdio": "printf needs no header",
    "iostream": "use printf, which needs no header",
    "assert.h": "assert needs no header",
    "math.h": "the functions of math.h need no header",
    "cmath": "the functions of <cmath> need no header",
    "cuda_runtime.h": "NVRTC includes what kernels need of it by itself: leave it out",
    "cuda.h": "it is the driver's interface for host code: leave it out",
}

_STANDARDS = "'c++11', 'c++14', 'c++17', 'c++20' or 'c++23'"
_BYTES = re.compile(
    r"'(?P<kernel>[^']+)' uses too much shared data \((?P<used>0x[0-9a-f]+) bytes, (?P<most>0x[0-9a-f]+)"
)
_UNRESOLVED = re.compile(r"(?:[Uu]nresolved extern (?:function|variable)|Undefined reference to) '(?P<name>[^']+)'")
_UNRESOLVED_AT_LOAD = re.compile(r"unresolved in \S+: (?P<name>\w+)")
_CLANG_HEADER = re.compile(r"error: '(?P<name>[^']+)' file not found")
_HEADER = re.compile(r"(?:could not|cannot) open source file \"(?P<name>[^\"]+)\"")


def of_log(log: str, options: Any = None, supported: Iterable[int] = ()) -> str:
    """Return advice on a compiler's or linker's log, one line for each message that is recognised, "" if none is.

    Parameters
    ----------
    log : str
        The log of NVRTC, nvJitLink or the driver's compiler.
    options : ProgramOptions or LinkerOptions, optional
        The options of the compilation or link.
    supported : iterable of int
        The architectures that the compiler supports.
    """
    found: dict[str, None] = {}
    for pattern, advise in _RULES:
        for match in re.finditer(pattern, log):
            for line in advise(match, options, supported):
                found[line] = None
    return "\n".join(found)


def _of_header(match: re.Match, options: Any, supported: Iterable[int]) -> Iterator[str]:
    name = match["name"]
    folders = _folders(options)
    bundled = getattr(options, "use_bundled_headers", None)
    package = next((package for word, package in _ELSEWHERE.items() if name.startswith(word)), None)
    if name in HOST:
        yield from _of_host_header(name, bundled)
    elif name in _NO_HEADER:
        yield f"<{name}>: {_NO_HEADER[name]}."
    elif _CARRIED.match(name):
        if not bundled:
            yield f"<{name}> is one of the headers that NVRTC carries: give ProgramOptions(use_bundled_headers=True)."
    elif package is not None:
        yield f"<{name}> is a header of the package {package}: install it, and name its folder by include_path."
    else:
        looked = ", ".join(map(repr, folders)) if folders else "no folder, for include_path names none"
        yield f'"{name}" was looked for in {looked}: name its folder by ProgramOptions(include_path=...).'
    for folder in folders:
        if not os.path.isdir(folder):
            yield f"include_path names {folder!r}, which is not a folder."


def _of_clang_header(match: re.Match, options: Any, supported: Iterable[int]) -> Iterator[str]:
    if match["name"].startswith(("cuda/", "cub/", "thrust/", "nv/")):
        yield (
            f"<{match['name']}> is a header of CCCL: install nvidia-cuda-cccl and give "
            "ProgramOptions(use_bundled_headers=True), or name a folder that has it by include_path."
        )
    elif _CARRIED.match(match["name"]):
        yield (
            f"<{match['name']}> is not among the device headers for clang (see docs, Compile with clang): "
            "compile with ProgramOptions(compiler='nvrtc')."
        )
    else:
        yield from _of_header(match, options, supported)


def _of_host_header(name: str, bundled: bool | None) -> Iterator[str]:
    if name in _NO_HEADER:
        yield f"<{name}> is a header for host code, which device code does not have: {_NO_HEADER[name]}."
        return
    # stdint.h -> cstdint
    counterpart = f"c{name[:-2]}" if name.endswith(".h") else name
    if counterpart in CUDA_STD:
        use = "" if bundled else " and ProgramOptions(use_bundled_headers=True)"
        advice = f"use <cuda/std/{counterpart}> with the names of cuda::std{use}."
    else:
        advice = "its contents cannot be used in kernels, and cuda::std has no counterpart."
    yield f"<{name}> is a header for host code, which device code does not have: {advice}"


def _folders(options: Any) -> list[str]:
    value = getattr(options, "include_path", None)
    return [str(each) for each in (value if isinstance(value, (list, tuple)) else [value] if value else [])]


def _of_unresolved(match: re.Match, options: Any, supported: Iterable[int]) -> Iterator[str]:
    yield (
        f"{match['name']!r} is declared, but defined in none of the programs: compile each of them with "
        "ProgramOptions(relocatable_device_code=True), and link them all: Linker(first, second).link('cubin')."
    )


def _of_shared(match: re.Match, options: Any, supported: Iterable[int]) -> Iterator[str]:
    used, most = int(match["used"], 16), int(match["most"], 16)
    yield (
        f"Kernel {match['kernel']!r} declares {used:,} bytes of static shared memory, {most:,} are allowed. More must "
        "be dynamic: declare the array 'extern __shared__ T name[];', set the kernel's attribute "
        "max_dynamic_shared_size_bytes to its bytes and give them at launch, LaunchConfig(shmem_size=...)."
    )


def _of_arch(match: re.Match, options: Any, supported: Iterable[int]) -> Iterator[str]:
    yield arch_advice(getattr(options, "arch", None), supported)


def arch_advice(value: Any, supported: Iterable[int] = ()) -> str:
    """Return the message for an invalid architecture, with the spelling that was probably meant."""
    known = [int(number) for number in supported]
    digits = re.sub(r"\D", "", str(value))
    form = f"'sm_{digits}'" if digits and (not known or int(digits) in known) else "'sm_90' or 'compute_90'"
    listed = f"; this compiler knows {', '.join(map(str, known))}" if known else ""
    return f"arch is {value!r}: write a str such as {form}{listed}."


def _of_std(match: re.Match, options: Any, supported: Iterable[int]) -> Iterator[str]:
    yield f"std is {getattr(options, 'std', None)!r}: write one of {_STANDARDS}."


def _of_option(match: re.Match, options: Any, supported: Iterable[int]) -> Iterator[str]:
    yield f"This NVRTC is too old for {match['option']}, or the option needs another name: leave it out."


def _of_instantiation(match: re.Match, options: Any, supported: Iterable[int]) -> Iterator[str]:
    if getattr(options, "device_as_default_execution_space", None):
        yield (
            "clang takes no explicit instantiation of a kernel (template __global__ void k<int>(int *);) with "
            "device_as_default_execution_space=True: give name_expressions=['k<int>'], or leave that option out."
        )


_RULES: list[tuple[re.Pattern, Callable[[re.Match, Any, Iterable[int]], Iterator[str]]]] = [
    (_HEADER, _of_header),
    (_CLANG_HEADER, _of_clang_header),
    (_UNRESOLVED, _of_unresolved),
    (_UNRESOLVED_AT_LOAD, _of_unresolved),
    (_BYTES, _of_shared),
    (re.compile(r"invalid value for --gpu-architecture"), _of_arch),
    (re.compile(r"unsupported CUDA gpu architecture"), _of_arch),
    (re.compile(r"invalid value for --std|invalid value '\S*' in '-std="), _of_std),
    (re.compile(r"error: 'global' and 'device' attributes are not compatible"), _of_instantiation),
    (re.compile(r"unrecognized option (?P<option>\S+) found"), _of_option),
]


# A mangled C++ name of global scope: the length of the identifier, and the identifier with what follows.
_MANGLED = re.compile(r"_Z(\d+)(\w+)")


def no_kernel(name: str, names: list[str], mapped: Iterable[str] = ()) -> str:
    """Return the message for a kernel that was not found, with the names of those that exist.

    Parameters
    ----------
    name : str
        The requested name.
    names : list of str
        The names of the kernels in the code, mangled by the compiler.
    mapped : iterable of str
        The names by which some of them can be looked up: the `name_expressions` of the compilation.
    """
    template = name if "<" in name else f"{name}<float>"
    if not names:
        return (
            f"There is no kernel {name!r} in this code. A template becomes code only for the arguments that are named "
            f"when it is compiled, as by name_expressions=({template!r},)."
        )
    more = " ..." if len(names) > 10 else ""
    advice = f"There is no kernel {name!r} in this code, but: {', '.join(names[:10])}{more}."
    plain = [other for other in names if not other.startswith("_Z")]
    meant = similar(name, [*mapped, *plain], 0.9 if "<" in name else 0.6)  # instances of one template are similar
    if meant:
        return f"{advice} Did you mean {meant!r}?"
    if any(other.startswith("_Z") and re.split(r"[<:]", name)[0] in other for other in names):
        advice += f' Declare it extern "C", or compile with name_expressions=({name!r},), since C++ mangles names.'
    elif "<" in name:
        advice += f" Name the template's instances when compiling: name_expressions=({name!r},)."
    else:
        meant = similar(name, [match[2][: int(match[1])] for match in map(_MANGLED.match, names) if match])
        advice += f' Did you mean {meant!r}? C++ mangles its name: declare it extern "C".' if meant else ""
    return advice
