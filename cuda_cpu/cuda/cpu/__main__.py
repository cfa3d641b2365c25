# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Describe the CPU device; `run SCRIPT`: run a program on it; `check SCRIPT`: find errors of its kernels;
`profile SCRIPT`: count what its kernels do; `timeline SCRIPT`: record when they ran;
`debug SCRIPT`: run it in a debugger; `explain FILE`: follow a kernel to its machine code;
`cc FILE`: compile a CUDA C++ program with its host code."""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from typing import Any

import cuda.cpu
from cuda.cpu.check import session as check_session
from cuda.cpu.check.options import OptionError
from cuda.cpu.counters import host_spans, spans
from cuda.cpu.debug import session as debug_session
from cuda.cpu.profile import session, timeline
from cuda.cpu.programs import cc, gpu_timeline, pytorch, run
from cuda.cpu.ptx import targets
from cuda.cpu.report_files import folder_problem, outcome


def report() -> int:
    """Print what the device is."""
    from cuda.cpu.driver.base.error import CudaError
    from cuda.cpu.driver.device import device

    try:
        device.cuInit(0)
    except CudaError as error:
        print(error.args[1], file=sys.stderr)
        return 1
    print(f"cuda.cpu {cuda.cpu.__version__}: {cuda.cpu.library_path()}")
    print(
        f"{len(cuda.cpu.implemented())} functions of the driver API, CUDA {device.cuDriverGetVersion() // 1000}."
        f"{device.cuDriverGetVersion() % 1000 // 10}"
    )
    for each in device.all_devices():
        major, minor = each.capability
        print(f"device {each.ordinal}: {each.name}, {each.memory / 2**30:.1f} GiB, compute capability {major}.{minor}")
    return 0


def explain(file: str, kernel: str | None, parts: list[str], level: int) -> int:
    """Print how a kernel of a file becomes machine code."""
    from cuda.cpu.compile import explain
    from cuda.cpu.ptx.error import PtxError

    try:
        with open(file, "rb") as opened:
            data = opened.read()
        print(explain.explain(data, kernel, parts=tuple(parts) or explain.PARTS[:2], level=level), end="")
    except (OSError, PtxError, ImportError) as error:
        print(f"python -m cuda.cpu explain: {error}", file=sys.stderr)
        return 2
    return 0


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["cc"]:  # its options are nvcc's, with a single dash
        return cc.main(arguments[1:])
    parser = argparse.ArgumentParser(prog="python -m cuda.cpu", description=__doc__)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    runner = commands.add_parser(
        "run", help="run a program on the CPU device: of Python, whichever package opens libcuda, or compiled by nvcc"
    )
    runner.add_argument(
        "--check", metavar="CHECKS", help="memcheck, racecheck, synccheck, initcheck, leakcheck or all, with commas"
    )
    _add_program(runner)
    checker = commands.add_parser("check", help="run a program, and report errors of its kernels")
    check_session.add_arguments(checker)
    _add_program(checker)
    profiler = commands.add_parser("profile", help="run a program, and report exactly what its kernels did")
    session.add_arguments(profiler)
    _add_range(profiler)
    _add_program(profiler, nargs="?")
    tracer = commands.add_parser("timeline", help="run a program, and report when its kernels and copies ran")
    tracer.add_argument(
        "-o", "--output", action="append", default=[], metavar="FILE",
        help="write the timeline: as a page if the name ends in .html, else as a trace for Perfetto and Chrome",
    )  # fmt: skip
    _add_range(tracer)
    _add_program(tracer)
    debugger = commands.add_parser("debug", help="run a program in gdb or lldb, with breakpoints in its kernels")
    debug_session.add_arguments(debugger)
    _add_program(debugger, nargs="?")
    explainer = commands.add_parser("explain", help="print how a kernel becomes machine code, pass by pass")
    explainer.add_argument(
        "file", metavar="FILE", help="PTX, a cubin (made with -lineinfo) or fatbin that contains it, or Tile IR"
    )
    explainer.add_argument("--kernel", metavar="NAME", help="a part of its name will do; needed if there are several")
    explainer.add_argument(
        "--part", action="append", default=[], choices=["passes", "paths", "ir", "asm"],
        help="what each pass found out, how the kernel will run, its LLVM IR, its machine code; default: the first two",
    )  # fmt: skip
    explainer.add_argument("--level", type=int, choices=range(4), default=3, help="LLVM's level for asm; default 3")
    commands.add_parser("cc", help="compile a CUDA C++ program with its host code by clang; cc -h lists the options")
    given = parser.parse_args(arguments)
    if given.command == "explain":
        return explain(given.file, given.kernel, given.part, given.level)
    if given.command is None:
        return report()
    try:
        if given.command == "profile":
            return profile(given, profiler)
        if given.command == "check":
            return _check(given)
        if given.command == "debug":
            return debug_session.program(given, _chosen(given))
        return _timeline(given) if given.command == "timeline" else _run(given, checks=given.check)
    except (run.RunError, session.ProfileError, debug_session.DebugError, OptionError) as error:
        print(f"python -m cuda.cpu {given.command}: {error}", file=sys.stderr)
        return 2


def _add_range(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--profile-from-start", choices=["on", "off"], default="on",
        help="off: record only between calls of cuProfilerStart and cuProfilerStop; default on",
    )  # fmt: skip


def _recorded(given: argparse.Namespace) -> dict[str, str]:
    """Return the variables for the part of a program that is recorded.

    Raises
    ------
    ProfileError
        The program is to run on a GPU.
    """
    if os.environ.get("CUDA_PYTHON_DRIVER") == "nvidia":
        raise session.ProfileError(
            "records the CPU device only; unset CUDA_PYTHON_DRIVER, or use Nsight Compute on the GPU"
        )
    return {spans.FROM_START: str(int(given.profile_from_start == "on"))}


def _add_program(parser: argparse.ArgumentParser, nargs: str | None = None) -> None:
    """Add the arguments that name a program."""
    parser.add_argument(
        "--python", metavar="OTHER", help="the interpreter of another environment, of this Python version"
    )
    parser.add_argument(
        "--capability", metavar="X.Y", help="the device's compute capability, as in CUDA_CPU_CAPABILITY; cuTile: 8.9"
    )
    parser.add_argument(
        "--torch", action="store_true",
        help='let PyTorch\'s device "cuda" be the CPU device, for kernels of Triton on its tensors',
    )  # fmt: skip
    for option, meaning in (("-m", "the name of a module"), ("-c", "the program itself, as text")):
        parser.add_argument(option, dest="kind", action="store_const", const=option, help=f"SCRIPT is {meaning}")
    parser.add_argument(
        "script",
        metavar="SCRIPT",
        nargs=nargs,
        help="a file, or a folder with a __main__.py; -: standard input; or a program linked with libcudart.so.13",
    )
    rest = parser.add_argument("arguments", metavar="ARGUMENT", nargs=argparse.REMAINDER)
    rest.required = False  # argparse would name it, too, if SCRIPT is missing


def _chosen(given: argparse.Namespace) -> dict[str, str]:
    """Return the variables for the options that all commands with a program have."""
    if given.capability and not re.fullmatch(targets.CAPABILITY, given.capability):
        raise run.RunError(f"--capability is {given.capability!r}: give {targets.CAPABILITIES}")
    chosen = {"CUDA_CPU_CAPABILITY": given.capability, pytorch.VARIABLE: "1" if given.torch else ""}
    return {name: value for name, value in chosen.items() if value}


def _run(given: argparse.Namespace, variables: dict[str, str] | None = None, **options: Any) -> int:
    variables = (variables or {}) | _chosen(given)
    return run.program(given.python, given.script, given.arguments, kind=given.kind, variables=variables, **options)


def profile(given: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    """Run a program with profiled kernels, or print what needs no program."""
    text = session.without_program(given)
    if text is not None:
        print(text, end="")
        return 0
    if given.script is None:
        parser.error("the following arguments are required: SCRIPT")
    options = session.options_of(given)
    with tempfile.TemporaryDirectory(prefix="cuda-cpu-reports-") as folder:
        status = _run(given, variables=_recorded(given) | session.variables(options, folder))
        return outcome(folder, status)


def _check(given: argparse.Namespace) -> int:
    """Run a program with checked kernels, and report what was found in it and its child processes."""
    with tempfile.TemporaryDirectory(prefix="cuda-cpu-check-") as folder:
        status = _run(given, variables=check_session.variables(given, folder))
        return check_session.finish(given, folder, status)


def _timeline(given: argparse.Namespace) -> int:
    """Run a program, and report when its kernels and copies ran."""
    for path in given.output:
        if problem := folder_problem(path):
            raise session.ProfileError(f"--output: {problem}")
    if gpu_timeline.is_wanted():
        if given.profile_from_start == "off":
            raise session.ProfileError("--profile-from-start is for the CPU device; on a GPU everything is recorded")
        return gpu_timeline.program(given)
    with tempfile.TemporaryDirectory(prefix="cuda-cpu-reports-") as folder:
        variables = timeline.variables(given.output, folder) | {host_spans.NVTX: cuda.cpu.library_path()}
        return outcome(folder, _run(given, variables=_recorded(given) | variables))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
