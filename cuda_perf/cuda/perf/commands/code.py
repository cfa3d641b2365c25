# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""`code`: count what the CPU device's compiler makes of kernels, without running them."""

from __future__ import annotations

import argparse
import fnmatch
import io
import pathlib
import shlex
import tempfile
import time

from cuda.perf import code_counters, environment, files
from cuda.perf.errors import CommandError
from cuda.perf.model import Environment, Result, Run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", metavar="FILE", help="PTX, or CUDA C++ (.cu), which NVRTC compiles first")
    parser.add_argument("--kernel", action="append", default=[], metavar="PATTERN", help="only these; may be repeated")
    parser.add_argument("--machine", action="store_true", help="count machine instructions, too; they depend on the "
                        "processor")  # fmt: skip
    parser.add_argument("--arch", default="sm_90", help="for CUDA C++ (default %(default)s); its registers and spills "
                        "are counted, too")  # fmt: skip
    parser.add_argument("--ptxas", default="", metavar="OPTIONS", help="for CUDA C++, such as --ptxas=-O1")
    parser.add_argument("--json", required=True, metavar="OUT", help="result file to write")
    parser.add_argument("--reproducible", action="store_true", help="write neither time, commit nor machine: equal "
                        "counts make equal files, to be committed")  # fmt: skip
    parser.add_argument("--label", default="", help="written into the file")


def main(options: argparse.Namespace) -> int:
    run = Run(time.time(), options.label, environment.collect(), complete=True)
    with tempfile.TemporaryDirectory() as folder:
        for name in options.files:
            ptx, log = _compiled(pathlib.Path(name), options, pathlib.Path(folder))
            for kernel in code_counters.kernels(ptx.read_text()):
                if not options.kernel or any(fnmatch.fnmatchcase(kernel, each) for each in options.kernel):
                    counters = code_counters.count(ptx, kernel, machine=options.machine)
                    counters.metrics |= code_counters.of_ptxas(log, kernel)
                    run.results.append(Result(kernel, counters=counters))
    if not run.results:
        raise CommandError(f"no kernel of {', '.join(options.files)} matches {', '.join(options.kernel) or 'anything'}")
    if options.reproducible:
        run.started, run.environment = 0.0, Environment(compiler=run.environment.compiler)
    files.write(options.json, run)
    print(f"{len(run.results)} kernels counted, written to {options.json}")
    return 0


def _compiled(path: pathlib.Path, given: argparse.Namespace, folder: pathlib.Path) -> tuple[pathlib.Path, str]:
    """Return the path of a file's PTX, and what ptxas says of it; sources are compiled with line information."""
    try:
        text = path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{path} cannot be read: {error}") from None
    if path.suffix != ".cu":
        return path, ""
    from cuda.core import NVRTCError, Program, ProgramOptions

    options = ProgramOptions(name=str(path), arch=given.arch, lineinfo=True, include_path=[str(path.parent)],
                             ptxas_options=["-v", *shlex.split(given.ptxas)])  # fmt: skip
    program, log = Program(text, "c++", options), io.StringIO()
    try:
        compiled = program.compile("ptx").code
        program.compile("cubin", logs=log)
    except NVRTCError as error:
        raise CommandError(f"{path} does not compile: {error}") from None
    output = folder / f"{path.stem}.ptx"
    output.write_bytes(compiled if isinstance(compiled, bytes) else compiled.encode())
    return output, log.getvalue()
