# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Options of `python -m cuda.cpu cc`: named as nvcc's and clang's, translated to clang's."""

from __future__ import annotations

import dataclasses
import re
import shlex
from collections.abc import Iterator

from cuda.core._program._clang._options import ARCHITECTURES
from cuda.core._program._compile_advice import arch_advice


class UsageError(Exception):
    """The command line is wrong; the message says what to change."""


@dataclasses.dataclass
class Command:
    """A parsed command line: options for each tool, in the order given."""

    inputs: list[str] = dataclasses.field(default_factory=list)
    output: str = ""
    stop: str = ""  # "-c", "-ptx", "-fatbin", "-E", "-M" or "-MM": do not link
    arch: str = "sm_75"  # nvcc's default
    generated: list[int] = dataclasses.field(default_factory=list)  # architectures that -gencode names
    language: str = ""  # the extension that sources are taken to have
    dependencies: list[str] = dataclasses.field(default_factory=list)  # -MD and others, which write rules for make
    relocatable: bool = False  # device code that uses that of other files
    openmp: bool = False  # in host code
    verbose: bool = False
    version: bool = False
    help: bool = False
    both: list[str] = dataclasses.field(default_factory=list)  # compilations for the device and for the host
    device: list[str] = dataclasses.field(default_factory=list)
    host: list[str] = dataclasses.field(default_factory=list)
    link: list[str] = dataclasses.field(default_factory=list)


# Long names of nvcc -> the name used below.
_ALIASES = {
    "--output-file": "-o", "--compile": "-c", "--ptx": "-ptx", "--std": "-std", "--gpu-architecture": "-arch",
    "--define-macro": "-D", "--undefine-macro": "-U", "--include-path": "-I", "--pre-include": "-include",
    "--library-path": "-L", "--library": "-l", "--optimize": "-O", "--debug": "-g", "--device-debug": "-G",
    "--generate-line-info": "-lineinfo", "--use_fast_math": "-use_fast_math", "--ftz": "-ftz",
    "--prec-div": "-prec-div", "--prec-sqrt": "-prec-sqrt", "--fmad": "-fmad", "--compiler-options": "-Xcompiler",
    "--linker-options": "-Xlinker", "--default-stream": "-default-stream", "--verbose": "-v", "--shared": "-shared",
    "--disable-warnings": "-w", "--cudart": "-cudart", "--help": "-h", "--arch": "-arch", "-gpu-architecture": "-arch",
    "--relocatable-device-code": "-rdc", "--generate-code": "-gencode", "--machine": "-m", "--include": "-include",
    "--isystem": "-isystem", "--compiler-bindir": "-ccbin", "--maxrregcount": "-maxrregcount",
    "--extended-lambda": "-extended-lambda", "--expt-extended-lambda": "-extended-lambda",
    "-expt-extended-lambda": "-extended-lambda", "--expt-relaxed-constexpr": "-expt-relaxed-constexpr",
    "--device-c": "-dc", "--device-link": "-dlink", "--dryrun": "-dryrun", "--ptxas-options": "-Xptxas",
    "--fatbin": "-fatbin", "--threads": "-t", "--diag-suppress": "-diag-suppress", "--x": "-x", "--gpu-code": "-code",
    "--preprocess": "-E", "--generate-dependencies": "-M", "--generate-nonsystem-dependencies": "-MM",
    "--generate-dependencies-with-compile": "-MD", "--generate-nonsystem-dependencies-with-compile": "-MMD",
    "--dependency-output": "-MF", "--version": "-V",
}  # fmt: skip
_TAKE_VALUES = (
    "-o", "-std", "-arch", "-D", "-U", "-I", "-include", "-isystem", "-L", "-l", "-O", "-ftz", "-prec-div",
    "-prec-sqrt", "-fmad", "-Xcompiler", "-Xlinker", "-default-stream", "-cudart", "-rdc", "-gencode", "-m", "-ccbin",
    "-maxrregcount", "-Xptxas", "-Xclang", "-x", "-t", "-diag-suppress", "-Xcudafe", "-code", "-MF", "-MT", "-MQ",
)  # fmt: skip
_JOINED = ("-D", "-U", "-I", "-L", "-l", "-O")  # also without a space
_PAIRS = {
    "-ftz": (["-fgpu-flush-denormals-to-zero", "-D__OPEN_CUDA_FTZ__"], ["-fno-gpu-flush-denormals-to-zero"]),
    "-prec-div": (["-mllvm", "-nvptx-prec-divf32=2"], ["-mllvm", "-nvptx-prec-divf32=1"]),
    "-prec-sqrt": (["-mllvm", "-nvptx-prec-sqrtf32=1"], ["-mllvm", "-nvptx-prec-sqrtf32=0"]),
    "-fmad": (["-ffp-contract=fast"], ["-ffp-contract=off"]),
}
_TO_DEVICE = {
    "-G": ["-O0", "-g"],
    "-lineinfo": ["-gline-tables-only"],
    "-use_fast_math": [
        "-D__OPEN_CUDA_FAST_MATH__",
        *_PAIRS["-ftz"][0],
        *_PAIRS["-prec-div"][1],
        *_PAIRS["-prec-sqrt"][1],
    ],
}
# clang always accepts what the first two permit; the others concern nvcc's own tools.
_NO_EFFECT = (
    "-extended-lambda", "-expt-relaxed-constexpr", "-restrict", "-m64", "-Xptxas", "-t", "-diag-suppress", "-Xcudafe",
    "-code", "-Wno-deprecated-gpu-targets",
)  # fmt: skip
_LANGUAGES = {"cu": ".cu", "cuda": ".cu", "c++": ".cpp", "c": ".c"}
_DEVICE = 90  # architecture of the CPU device: of several, a program has the newest that it runs
# What is not supported, and what to do.
_REFUSED = {
    "-dlink": "device code is linked when the program starts; link the objects by cc",
    "-dlto": "link-time optimisation is not supported",
    "-lib": "use -c, then ar",
    "-keep": "use -v, which prints the commands, and -ptx",
    "-maxrregcount": "not supported; use __launch_bounds__",
    "-ccbin": "the host compiler is clang; CUDA_PYTHON_CLANG names another one",
    "-m": "programs are for 64-bit machines",
    "-dryrun": "use -v, which prints the commands and runs them",
    "-static": "a statically linked program cannot load the runtime library",
    "-cubin": "programs have PTX; use -ptx",
    "-run": "run the program yourself",
}


def parse(arguments: list[str]) -> Command:
    """Return what a command line asks for.

    Raises
    ------
    UsageError
        An option is unknown, is not supported, or lacks its value.
    """
    command = Command()
    for name, value in _options(arguments):
        if not name:
            command.inputs.append(value)
        else:
            _apply(command, name, value)
    if command.generated:
        known = [number for number in command.generated if number in ARCHITECTURES]
        if not known:
            raise UsageError(f"-gencode: {arch_advice(f'compute_{command.generated[0]}', ARCHITECTURES)}")
        command.arch = f"sm_{max((each for each in known if each <= _DEVICE), default=min(known))}"
    return command


def _options(arguments: list[str]) -> Iterator[tuple[str, str]]:
    """Yield each option with its value, and each input as ("", path)."""
    rest = iter(arguments)
    for word in rest:
        if not word.startswith("-") or word == "-":
            yield "", word
            continue
        name, equals, value = word.partition("=")
        if re.match(r"-(f|W|pthread|isystem)", word) and _ALIASES.get(name, name) not in _TAKE_VALUES:
            yield word, ""  # clang's own: joined values are part of them
            continue
        known = _ALIASES.get(name, name)
        joined = next(filter(word.startswith, _JOINED), "")
        if joined and not any(known in names for names in (_TAKE_VALUES, _TO_DEVICE, _REFUSED)):
            yield joined, word[2:]
        elif known in _TAKE_VALUES and not equals:
            following = next(rest, None)
            if following is None:
                raise UsageError(f"{word} lacks its value")
            yield known, following
        else:
            yield known, value


def _apply(command: Command, name: str, value: str) -> None:
    if name in _REFUSED and (name, value) != ("-m", "64"):
        raise UsageError(f"{name}: {_REFUSED[name]}")
    if name in _OWN:
        _apply_own(command, name, value)
    elif name in _NO_EFFECT:
        pass
    elif name in ("-MD", "-MMD", "-MP", "-MF", "-MT", "-MQ"):
        command.dependencies += [name, value] if name in _TAKE_VALUES else [name]
    elif name == "-cudart":
        if value not in ("shared", "none"):
            raise UsageError(f"-cudart={value}: the runtime library is this project's shared one; use -cudart=shared")
    elif name == "-default-stream":
        _default_stream(command, value)
    elif name in _PAIRS:
        if value not in ("true", "false"):
            raise UsageError(f"{name} is {value!r}: give true or false")
        command.device += _PAIRS[name][value == "false"]
    elif name in _TO_DEVICE:
        command.device += _TO_DEVICE[name]
    elif name == "-g":
        command.host.append("-g")
    elif name in ("-D", "-U", "-I", "-O"):
        command.both.append(name + value)
    elif name == "-std":
        command.both.append(f"-std={value}")
    elif name in ("-include", "-isystem"):
        command.both += [name, value]
    elif name in ("-Xcompiler", "-Xlinker"):
        _pass_on(command, name, value)
    elif name in ("-rdc", "-dc"):
        _relocatable(command, name, value)
    elif name in ("-L", "-l"):
        if value not in ("cuda", "cudart", "cudart_static", "cudadevrt"):  # linked where they are needed
            command.link.append(name + value)
    elif name == "-w" or (name.startswith("-W") and not name.startswith("-Wl,")):
        command.both.append(name)
    elif name in ("-shared", "-pthread") or name.startswith("-Wl,"):
        command.link.append(name)
    elif name.startswith("-f"):
        _host_option(command, name)
    elif name != "-m":
        raise UsageError(f"{name} is not an option of cc; for the host compiler: -Xcompiler {name}")


_OWN = ("-o", "-arch", "-gencode", "-x", "-c", "-ptx", "-fatbin", "-E", "-M", "-MM", "-v", "-V", "-h")


def _apply_own(command: Command, name: str, value: str) -> None:
    if name == "-o":
        command.output = value
    elif name == "-x":
        if value not in _LANGUAGES:
            raise UsageError(f"-x is {value!r}: give {', '.join(_LANGUAGES)}")
        command.language = _LANGUAGES[value]
    elif name == "-gencode":
        command.generated.append(_generated(value))
    elif name == "-arch" and value == "native":
        command.arch = f"sm_{_DEVICE}"
    elif name == "-arch":
        match = re.fullmatch(r"(?:sm|compute)_(\d+[af]?)", value)
        if match is None or int(match[1].rstrip("af")) < ARCHITECTURES[0]:
            raise UsageError(f"-arch: {arch_advice(value, ARCHITECTURES)}")
        command.arch = f"sm_{match[1]}"
    elif name == "-v":
        command.verbose = True
    elif name == "-V":
        command.version = True
    elif name == "-h":
        command.help = True
    else:
        command.stop = name


def _generated(value: str) -> int:
    match = re.match(r"arch=(?:compute|sm)_(\d+)", value)
    if match is None:
        raise UsageError(f"-gencode is {value!r}: give arch=compute_NN,code=sm_NN")
    return int(match[1])


def _relocatable(command: Command, name: str, value: str) -> None:
    if name == "-rdc" and value not in ("true", "false"):
        raise UsageError(f"-rdc is {value!r}: give true or false")
    command.relocatable = value != "false"
    command.stop = "-c" if name == "-dc" else command.stop


def _default_stream(command: Command, value: str) -> None:
    if value not in ("legacy", "per-thread"):
        raise UsageError(f"-default-stream is {value!r}: give legacy or per-thread")
    command.both.append(f"-fgpu-default-stream={value}")


def _pass_on(command: Command, name: str, value: str) -> None:
    """Add options for another tool, which commas separate."""
    words = [word for each in value.split(",") for word in shlex.split(each)]
    if name == "-Xlinker":
        command.link += [word for each in words for word in ("-Xlinker", each)]
    else:
        for word in words:
            _host_option(command, word)


def _host_option(command: Command, word: str) -> None:
    name, _, value = word.partition("=")
    if name == "-fopenmp":
        if value not in ("", "libomp", "libiomp5"):
            raise UsageError(f"{word}: clang's code calls LLVM's OpenMP library; use -fopenmp")
        command.openmp = True
        return
    command.host.append(word)
    if word == "-pthread" or name == "-fsanitize":
        command.link.append(word)
