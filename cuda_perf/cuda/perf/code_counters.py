# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Exact counts of the code that the CPU device's compiler makes of a kernel, without running it.

They tell changes of the code generator and of the compiler in front of it, as the profiler's counts tell changes of the
kernel. They are read from what `python -m cuda.cpu explain` prints.
"""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import NamedTuple

from cuda.perf.errors import CommandError
from cuda.perf.model import Counters, LineCounts

# Metric -> its number in the line of `explain` about the whole kernel.
SUMMARY = {
    "code__blocks": r"(\d+) blocks",
    "code__loops": r"(\d+) loops",
    "code__divergent_branches": r"(\d+) divergent branches",
    "code__accesses_uniform": r"(\d+) by one address",
    "code__accesses_row": r"(\d+) by rows",
    "code__accesses_lane_by_lane": r"(\d+) by lanes",
    "code__regions": r"(\d+) regions",
}
# Count of a line -> what `explain` says of an instruction.
BY_LINE = {
    "accesses_row": r"line (\d+): \S+ is a row of memory",
    "accesses_lane_by_lane": r"  lines? ([\d, and]+): .* go(?:es)? lane by lane(?! in SIMD groups)",
}
# Metric -> what ptxas -v says of a kernel.
PTXAS = {
    "ptxas__registers": r"Used (\d+) registers",
    "ptxas__stack_bytes": r"(\d+) bytes stack frame",
    "ptxas__spill_store_bytes": r"(\d+) bytes spill stores",
    "ptxas__spill_load_bytes": r"(\d+) bytes spill loads",
    "ptxas__shared_bytes": r"(\d+) bytes smem",
}
SECONDS = 300  # for a kernel


class Source(NamedTuple):
    file: str
    line: int
    text: str


def kernels(ptx: str) -> list[str]:
    """Return the names of a PTX text's kernels."""
    return re.findall(r"\.entry\s+([\w$]+)", ptx)


def count(path: pathlib.Path, kernel: str, *, machine: bool = False) -> Counters:
    """Return the counts of a kernel.

    Parameters
    ----------
    path : pathlib.Path
        A PTX file.
    kernel : str
        Its full name.
    machine : bool, optional
        Count instructions of LLVM IR and of machine code, too, which depend on the processor.

    Raises
    ------
    CommandError
        The kernel cannot be compiled.
    """
    printed = _explain(path, kernel, ("passes", "paths", *(("ir", "asm") if machine else ())))
    found = Counters()
    summary = next((line for line in printed.splitlines() if line.startswith(f"kernel {kernel}:")), "")
    for metric, pattern in SUMMARY.items():
        number = re.search(pattern, summary)
        found.metrics[metric] = int(number[1]) if number else 0
    if machine:
        found.metrics |= _machine(printed, kernel)
    sources = list(_sources(path))
    lines: dict[Source, LineCounts] = {}
    for name, pattern in BY_LINE.items():
        for listed in re.findall(f"^{pattern}", printed, re.MULTILINE):
            for at in re.findall(r"\d+", listed):
                source = sources[int(at) - 1]
                counts = lines.setdefault(source, LineCounts(kernel, *source, {})).counts
                counts[name] = counts.get(name, 0) + 1
    found.lines = [lines[source] for source in sorted(lines)]
    return found


def of_ptxas(log: str, kernel: str) -> dict[str, int]:
    """Return registers, spills and memory of a kernel on a GPU, from what `ptxas -v` prints; {} if it is not there."""
    part = log.partition(f"entry function '{kernel}'")[2].partition("Compiling entry function")[0]
    found = {metric: re.search(pattern, part) for metric, pattern in PTXAS.items()}
    return {metric: int(number[1]) for metric, number in found.items() if number}


def _explain(path: pathlib.Path, kernel: str, parts: tuple[str, ...]) -> str:
    options = [each for part in parts for each in ("--part", part)]
    command = [sys.executable, "-m", "cuda.cpu", "explain", str(path), "--kernel", kernel, *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, env=dict(os.environ))
    if done.returncode:
        raise CommandError(f"{path}: kernel {kernel}: {(done.stderr.strip() or done.stdout).splitlines()[-1]}")
    return done.stdout


def _machine(printed: str, kernel: str) -> dict[str, int]:
    ir, _, assembly = printed.partition("## LLVM IR\n")[2].partition("## machine code")
    body = re.search(rf'^define [^\n]*@"?{re.escape(kernel)}"?\(.*?^}}', ir, re.MULTILINE | re.DOTALL)
    instructions = re.findall(r"^\t[a-z].*", assembly, re.MULTILINE)
    return {
        "code__ir_instructions": len(re.findall(r"^  \S", body[0], re.MULTILINE)) if body else 0,
        "code__machine_instructions": len(instructions),
        "code__stack_accesses": sum("(%rsp" in each or "[sp" in each for each in instructions),
    }


def _sources(path: pathlib.Path) -> Iterator[Source]:
    """Yield the source line of each line of a PTX file; without line information, the PTX line itself."""
    text = path.read_text()
    files = {number: pathlib.Path(name) for number, name in re.findall(r'^\s*\.file\s+(\d+)\s+"([^"]+)"', text, re.M)}
    contents = {number: _lines(file, path) for number, file in files.items()}
    location: tuple[str, int] | None = None
    for at, line in enumerate(text.splitlines(), 1):
        found = re.match(r"\s*\.loc\s+(\d+)\s+(\d+)", line)
        if found and found[1] in files:
            location = found[1], int(found[2])
        if re.match(r"\s*\.(visible\s+)?(entry|func)\b", line):
            location = None
        if location is None:
            yield Source(path.name, at, " ".join(line.split()))
        else:
            number, row = location
            source = contents[number]
            shown = source[row - 1].strip() if row <= len(source) else " ".join(line.split())
            yield Source(files[number].name, row, shown)


def _lines(file: pathlib.Path, ptx: pathlib.Path) -> list[str]:
    """Return the lines of a source file, searched where the PTX says and beside the PTX."""
    found = next((each for each in (file, ptx.with_name(file.name)) if each.is_file()), None)
    return found.read_text(errors="replace").splitlines() if found else []
