# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Command lines of `python -m cuda.cpu cc`: options named as nvcc's and clang's, translated to clang's."""

from __future__ import annotations

import dataclasses
import difflib
import os
import re
import shlex

from cuda.core._program._clang import _whole_names as names
from cuda.core._program._clang._options import ARCHITECTURES
from cuda.core._program._clang._whole_words import UsageError, listed, options_of
from cuda.core._program._compile_advice import arch_advice


@dataclasses.dataclass
class Command:
    """A parsed command line: options for each tool, in the order given."""

    inputs: list[str] = dataclasses.field(default_factory=list)
    output: str = ""
    folder: str = ""  # of the outputs that have no name of their own
    stop: str = ""  # "-c", "-ptx", "-fatbin", "-E", "-M" or "-MM": do not link
    arch: str = "sm_75"  # nvcc's default
    generated: list[int] = dataclasses.field(default_factory=list)  # architectures that -gencode names
    registers: int = 0  # the most that a thread may have; 0: no limit
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
    forward: list[str] = dataclasses.field(default_factory=list)  # tools that get unknown options: "host", "link"


_DEVICE = 90  # architecture of the CPU device: of several, a program has the newest that it runs
_LEVEL = re.compile(r"\d|s|z|g|fast")
_COMPILERS = re.compile(r"(.*-)?(gcc|g\+\+|cc|c\+\+|clang|clang\+\+)(-[\d.]+)?")
_LINKED_BY = re.compile(r"-Wl,|-rdynamic$|-(no-)?pie$|-static-lib|-[lL]")  # options for the linker only


def parse(arguments: list[str]) -> Command:
    """Return what a command line asks for.

    Raises
    ------
    UsageError
        An option is unknown, is not supported, or lacks its value.
    """
    command, options = Command(), list(options_of(list(arguments)))
    for name, _ in options:
        command.forward += names.FORWARD.get(name, ())
    for name, value in options:
        if not name:
            command.inputs.append(value)
        else:
            _apply(command, name, value)
    if command.generated:
        known = [number for number in command.generated if number in ARCHITECTURES]
        if not known:
            raise UsageError(f"-gencode: {arch_advice(f'compute_{command.generated[0]}', ARCHITECTURES)}")
        command.arch = f"sm_{max((each for each in known if each <= _DEVICE), default=min(known))}"
    if ("-dopt", "on") in options and "-O0" in command.device:
        command.device.append("-O1")  # as ProgramOptions(debug=True, device_code_optimize=True)
    return command


def _apply(command: Command, name: str, value: str) -> None:
    if name in names.REFUSED:
        raise UsageError(f"{name}: {names.REFUSED[name]}")
    if value not in names.CHOICES.get(name, (value,)):
        raise UsageError(f"{name} is {value!r}: give {_one_of(names.CHOICES[name])}")
    if name in names.NO_EFFECT:
        pass
    elif name in names.DEPENDENCIES:
        command.dependencies += [name, value] if name in names.TAKE_VALUES else [name]
    elif name in _SETTERS:
        _SETTERS[name](command, value)
    elif name in names.LISTS:
        for each in listed(value):
            _add(command, name, each)
    elif name in names.PAIRS:
        command.device += names.PAIRS[name][value == "false"]
    elif name in names.TO_DEVICE:
        command.device += names.TO_DEVICE[name]
    elif name in names.NUMBERS:
        command.both.append(f"{names.NUMBERS[name]}{_number(name, value)}")
    elif name in names.STOPS:
        command.stop = name
    elif name in ("-shared", "-pthread") or name.startswith("-Wl,"):
        command.link.append(name)
    elif name == "-w" or name.startswith("-W"):
        command.both.append(name)
    elif name.startswith("-f"):
        _host_option(command, name)
    else:
        _unknown(command, name)


def _one_of(values: tuple[str, ...]) -> str:
    return f"{', '.join(values[:-1])} or {values[-1]}" if len(values) > 1 else values[0]


def _number(name: str, value: str) -> int:
    """Return a number, in decimal, or hexadecimal with 0x, as nvcc reads it."""
    if not re.fullmatch(r"\d+|0[xX][\da-fA-F]+", value):
        raise UsageError(f"{name} is {value!r}: give a number")
    return int(value, 16 if value[:2] in ("0x", "0X") else 10)


def _add(command: Command, name: str, value: str) -> None:
    """Add one value of an option that takes a list."""
    if name == "-Xlinker":
        command.link += [word for each in shlex.split(value) for word in (name, each)]
    elif name == "-Xcompiler":
        for word in shlex.split(value):
            _host_option(command, word)
    elif name in ("-include", "-isystem"):
        command.both += [name, value]
    elif name in ("-D", "-U", "-I"):
        command.both.append(name + value)
    elif value not in ("cuda", "cudart", "cudart_static", "cudadevrt"):  # linked where they are needed
        command.link.append(name + value)


def _host_option(command: Command, word: str) -> None:
    """Add an option for the compiler of host code, which nvcc also calls to link."""
    name, _, value = word.partition("=")
    if name == "-fopenmp":
        if value not in ("", "libomp", "libiomp5"):
            raise UsageError(f"{word}: clang's code calls LLVM's OpenMP library; use -fopenmp")
        command.openmp = True
    elif word == "-static":
        raise UsageError(f"{word}: {names.REFUSED[word]}")
    elif _LINKED_BY.match(word):
        command.link.append(word)
    else:
        command.host.append(word)
        if word in ("-pthread", "-pg") or name == "-fsanitize":
            command.link.append(word)


def _unknown(command: Command, word: str) -> None:
    for tool in command.forward:
        if tool == "link":
            command.link.append(word)
        else:
            _host_option(command, word)
    if not command.forward:
        known = [each for each in (*names.KNOWN, *names.ALIASES) if len(each) > 8]  # short ones are similar to many
        similar = difflib.get_close_matches(word.partition("=")[0], known, 1, 0.8)
        advice = f"did you mean {similar[0]}? For" if similar else "for"
        raise UsageError(f"{word} is not an option of cc; {advice} the host compiler: -Xcompiler {word}")


def _set_arch(command: Command, value: str) -> None:
    if value in ("native", "all", "all-major"):
        command.arch = f"sm_{_DEVICE}"
        return
    match = re.fullmatch(r"(?:sm|compute)_(\d+[af]?)", value)
    if match is None or int(match[1].rstrip("af")) < ARCHITECTURES[0]:
        raise UsageError(f"-arch: {arch_advice(value, ARCHITECTURES)}")
    command.arch = f"sm_{match[1]}"


def _set_level(command: Command, value: str) -> None:
    if not _LEVEL.fullmatch(value):
        raise UsageError(f"-O is {value!r}: give 0, 1, 2 or 3")
    command.both.append(f"-O{value}")


def _set_standard(command: Command, value: str) -> None:
    if re.fullmatch(r"(c|gnu)\+\+(98|03)", value):
        raise UsageError(f"-std is {value!r}: the headers need c++11 or newer")
    command.both.append(f"-std={value}")


def _set_registers(command: Command, value: str) -> None:
    try:
        command.registers = _number("-maxrregcount", value or "0")
    except UsageError:
        message = f"-maxrregcount is {value!r}: give the most registers of a thread, such as 64, or 0 for no limit"
        raise UsageError(message) from None


def _set_compiler(_: Command, value: str) -> None:
    if not os.path.isdir(value) and not _COMPILERS.fullmatch(os.path.basename(value)):
        raise UsageError(f"-ccbin is {value!r}: host code is compiled by clang; leave it out, or name g++ or clang++")


def _set_folder(command: Command, value: str) -> None:
    if not os.path.isdir(value):
        raise UsageError(f"-odir: there is no folder {value}")
    command.folder = value


def _set_machine(_: Command, value: str) -> None:
    if value != "64":
        raise UsageError(f"-m is {value!r}: programs are for 64-bit machines")


def _add_generated(command: Command, value: str) -> None:
    match = re.match(r"arch=(?:compute|sm)_(\d+)", value)
    if match is None:
        raise UsageError(f"-gencode is {value!r}: give arch=compute_NN,code=sm_NN")
    command.generated.append(int(match[1]))


def _add_offload(command: Command, value: str) -> None:
    for name in value.split(","):
        if name == "native":
            command.generated.append(_DEVICE)
        elif match := re.fullmatch(r"sm_(\d+)[af]?", name):
            command.generated.append(int(match[1]))
        else:
            raise UsageError(f"--cuda-gpu-arch is {value!r}: give sm_NN")


def _relocatable(command: Command, value: str) -> None:
    command.relocatable = value != "false"


def _compile_relocatable(command: Command, _: str) -> None:
    command.relocatable, command.stop = True, "-c"


def _add_errors(command: Command, value: str) -> None:
    """Add -Werror: with nvcc's kinds of warnings, with clang's, or without any."""
    kinds = value.split(",") if value else ["all-warnings"]
    command.both += [option for kind in kinds if (option := names.ERRORS.get(kind, f"-Werror={kind}"))]


_SETTERS = {
    "-o": lambda command, value: setattr(command, "output", value),
    "-v": lambda command, _: setattr(command, "verbose", True),
    "-V": lambda command, _: setattr(command, "version", True),
    "-h": lambda command, _: setattr(command, "help", True),
    "-x": lambda command, value: setattr(command, "language", names.LANGUAGES[value]),
    "-g": lambda command, _: command.host.append("-g"),
    "-pg": lambda command, _: _host_option(command, "-pg"),
    "-noeh": lambda command, _: command.host.append("-fno-exceptions"),
    "-std": _set_standard,
    "-dopt": lambda *_: None,
    "-default-stream": lambda command, value: command.both.append(
        f"-fgpu-default-stream={'legacy' if value == 'null' else value}"
    ),
    "-odir": _set_folder,
    "-arch": _set_arch,
    "-gencode": _add_generated,
    "--cuda-gpu-arch": _add_offload,
    "-maxrregcount": _set_registers,
    "-ccbin": _set_compiler,
    "-m": _set_machine,
    "-O": _set_level,
    "-rdc": _relocatable,
    "-fgpu-rdc": _relocatable,
    "-dc": _compile_relocatable,
    "-Werror": _add_errors,
}
