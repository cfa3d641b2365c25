# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""NVIDIA's samples of CUDA C++ (NVIDIA/cuda-samples), compiled by `python -m cuda.cpu cc` and run.

Every program that a CMakeLists.txt of the checkout builds is a sample. What that file says of libraries decides whether
it is tried: the runtime API, the driver API and OpenMP are there, others are named as needed. The checkout's
test_args.json has the arguments with which NVIDIA's own runner starts them; a sample passes if its status is 0 and it
does not print that it failed. Status 2 means that it waives itself.
"""

from __future__ import annotations

import json
import os
import pathlib
import re
import shutil
import tempfile
from typing import Any, NamedTuple

from ci.public_programs.processes import output

NAME, COMMIT = "samples", "c94ff366"
NEWEST = 90  # architecture of the CPU device
TEGRA = {72, 87, 110}
# Packages and libraries that CMake looks for, and that are there.
THERE = {"CUDAToolkit", "CUDA", "OpenMP", "cuda_driver", "cudart", "cudart_static", "cudadevrt"}

EXECUTABLE = re.compile(r"add_executable\(\s*(\w+)([^)]*)\)")
ONLY_ON_WINDOWS = re.compile(r"if\s*\(WIN32\)(?:(?!endif|else).)*add_executable", re.DOTALL)
NEEDED = re.compile(r"find_package\((\w+)|\bCUDA::(\w+)|\$\{(\w+)_LIB\}")
SET = re.compile(r"set\((\w+)\s+\"?(?:\$\{CMAKE_CURRENT_(?:BINARY|SOURCE)_DIR\}/)?([^\"\n)]+)\"?\)")
KERNELS = re.compile(r"-o \$\{(\w+)\} (-fatbin|-ptx) \$\{(\w+)\}")
INCLUDED = re.compile(r"target_include_directories\(\s*\w+\s+\w+\s([^)]*)\)")
FAILED = re.compile(r"\bFAIL(?:ED|URE)?\b|[Tt]est failed")


class Sample(NamedTuple):
    """A program of the checkout, and how it is compiled and started."""

    path: str  # of its folder, below Samples
    name: str
    sources: tuple[str, ...]
    options: tuple[str, ...]
    kernels: tuple[tuple[str, str, str], ...]  # files of device code: output, option, source
    needs: tuple[str, ...]
    runs: tuple[tuple[str, ...], ...]
    devices: int


def found(checkout: pathlib.Path) -> list[Sample]:
    """Return all samples of a checkout."""
    tests = checkout / "test_args.json"
    known = json.loads(tests.read_text()) if tests.exists() else {}
    made = []
    for path in sorted((checkout / "Samples").rglob("CMakeLists.txt")):
        text = re.sub(r"#[^\n]*", "", path.read_text())
        folder = path.parent.relative_to(checkout / "Samples").as_posix()
        for match in EXECUTABLE.finditer(text):
            made.append(_sample(folder, match[1], match[2].split(), text, known.get(match[1], {})))
    if not made:
        raise SystemExit(f"--checkout {checkout}: there are no CMakeLists.txt with programs below Samples")
    return made


def _sample(folder: str, name: str, words: list[str], text: str, known: dict[str, Any]) -> Sample:
    values = dict(SET.findall(text))
    architectures = set(map(int, values.get("CMAKE_CUDA_ARCHITECTURES", "75").split()))
    needs = {package or library or other for package, library, other in NEEDED.findall(text)} - THERE
    if ONLY_ON_WINDOWS.search(text):
        needs.add("Windows")
    if architectures <= TEGRA:
        needs.add("Tegra")
    words_of = " ".join(INCLUDED.findall(text)).replace("${CMAKE_CURRENT_SOURCE_DIR}/", "").split()
    folders = dict.fromkeys(word for word in words_of if "$" not in word)
    options = [f"-arch=sm_{max((each for each in architectures if each <= NEWEST), default=NEWEST)}", "-I."]
    options += [f"-I{each}" for each in folders]
    options += ["-rdc=true"] if "CUDA_SEPARABLE_COMPILATION ON" in text else []
    options += ["-Xcompiler", "-fopenmp"] if "OpenMP" in text else []
    runs = [tuple(run.get("args", ())) for run in known.get("runs", [known])]
    return Sample(
        folder,
        name,
        tuple(word for word in words if re.search(r"\.(cu|cpp|cc|c)$", word)),
        tuple(options),
        tuple((values[made], option, values[source]) for made, option, source in KERNELS.findall(text)),
        tuple(sorted(needs)),
        tuple(runs),
        known.get("min_gpus", 1),
    )


def outcome(sample: Sample, python: str, checkout: pathlib.Path, limit: float) -> str:
    """Compile a sample and run it, in a copy of its folder."""
    if sample.needs:
        return f"needs {', '.join(sample.needs)}"
    with tempfile.TemporaryDirectory(prefix="samples-") as work:
        folder = pathlib.Path(work, "Samples", sample.path)
        shutil.copytree(checkout / "Samples" / sample.path, folder)
        if (folder / "data").is_dir():  # CMake copies what programs read beside them
            shutil.copytree(folder / "data", folder, dirs_exist_ok=True)
        pathlib.Path(work, "Common").symlink_to((checkout / "Common").resolve())
        compiler = [python, "-m", "cuda.cpu", "cc", f"-I{work}/Common", "-w"]
        return _compiled(sample, compiler, folder, limit) or _run(sample, folder, limit)


def _compiled(sample: Sample, compiler: list[str], folder: pathlib.Path, limit: float) -> str:
    """Compile a sample; return "", or why that failed."""
    common = [*compiler, *sample.options]
    calls = [[*common, option, source, "-o", made] for made, option, source in sample.kernels]
    for call in [*calls, [*common, *sample.sources, "-o", sample.name]]:
        _, errors, status = output(call, folder, dict(os.environ), limit)
        if status is None:
            return f"not compiled after {limit:g} s"
        if status:
            lines = errors.strip().splitlines() or [f"status {status}"]
            reason = re.search(r"(?:error:|undefined).*", "\n".join(lines))
            return f"failed: does not compile: {reason[0] if reason else lines[-1]}"
    return ""


def _run(sample: Sample, folder: pathlib.Path, limit: float) -> str:
    variables = os.environ | {"CUDA_CPU_DEVICES": str(sample.devices)}
    for arguments in sample.runs:
        text, errors, status = output([f"./{sample.name}", *arguments], folder, variables, limit)
        if status is None:
            return f"not finished after {limit:g} s"
        lines = (text.strip() + "\n" + errors.strip()).strip().splitlines() or [""]
        if status == 2:
            return f"waives itself: {lines[-1]}"
        wrong = next(filter(FAILED.search, lines), "")
        if status or wrong:
            return f"failed: status {status}: {(wrong or lines[-1]).strip()}"
    return "passes" if len(sample.runs) == 1 else f"passes {len(sample.runs)} runs"
