# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Read results of other tools: the JSON files of nvbench and pyperf. All become runs of `cuda.perf.model`."""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Iterator
from typing import Any

from cuda.perf import files
from cuda.perf.model import Environment, Result, Run, Samples, Status

# nvbench's tags of the GPU time, the best first: README and issue 342 of NVIDIA/nvbench name them. The samples
# themselves are in files of a format that is not documented (issue 122).
NVBENCH_TIMES = ("nv/cold/time/gpu/median", "nv/cold/time/gpu/mean", "nv/batch/time/gpu/mean", "nv/cold/time/cpu/mean")


def read(path: str | os.PathLike[str]) -> Run:
    """Read a result file of `cuda.perf`, nvbench or pyperf.

    Raises
    ------
    OSError
        The file cannot be read.
    files.FileError
        It is damaged or none of these.
    """
    try:
        data = json.loads(pathlib.Path(path).read_bytes())
    except (ValueError, UnicodeDecodeError):
        return files.read(path)  # JSON lines, or an error that names the line
    if not isinstance(data, dict) or "benchmarks" not in data:
        return files.read(path)
    reader = pyperf if "version" in data and "meta" not in data else nvbench
    try:
        run = reader(path, data)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        problem = f"has no {error}" if isinstance(error, KeyError) else f"is damaged: {error}"
        raise files.FileError(f"{path}, read as JSON of {reader.__name__}, {problem}") from None
    if not run.results:
        raise files.FileError(f"{path} is JSON of {reader.__name__} without a benchmark")
    return run


def nvbench(path: str | os.PathLike[str], data: dict[str, Any]) -> Run:
    """Convert what `--json` of nvbench writes; the time is the file's, since nvbench records none."""
    devices = {each["id"]: each for each in data.get("devices") or []}
    used = devices.get(data["benchmarks"][0]["states"][0].get("device")) if data["benchmarks"] else None
    environment = Environment(device_kind="gpu")
    if used:
        environment.device = str(used["name"])
        environment.compute_capability = str(used.get("sm_version", ""))
    results = [result for benchmark in data["benchmarks"] for result in _nvbench_results(benchmark)]
    return Run(os.stat(path).st_mtime, "nvbench", environment, results, complete=True)


def _nvbench_results(benchmark: dict[str, Any]) -> Iterator[Result]:
    for state in benchmark["states"]:
        axes = {str(each["name"]): _axis(each["value"]) for each in state.get("axis_values") or []}
        if state.get("is_skipped"):
            yield Result(benchmark["name"], axes, Status.SKIPPED, str(state.get("skip_reason", "")))
            continue
        summaries = {each["tag"]: each for each in state["summaries"] or []}
        tag = next((tag for tag in NVBENCH_TIMES if tag in summaries), None)
        if tag is None:
            yield Result(benchmark["name"], axes, Status.NO_SAMPLES, f"none of {', '.join(NVBENCH_TIMES)}")
            continue
        seconds = float(next(each["value"] for each in summaries[tag]["data"] if each["name"] == "value"))
        if not seconds > 0:
            raise ValueError(f"{tag} of {benchmark['name']} is {seconds}")
        yield Result(benchmark["name"], axes, samples=[Samples(0, 0, 0, 1, [seconds], "events")])


def _axis(value: Any) -> int | float | str:
    text = str(value)
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def pyperf(path: str | os.PathLike[str], data: dict[str, Any]) -> Run:
    """Convert a pyperf file, by the format that pyperf's documentation describes ("pyperf JSON")."""
    common = data.get("metadata") or {}
    if common.get("unit", "second") != "second":
        raise ValueError(f"its unit is {common['unit']}, not seconds")
    environment = Environment(
        host=str(common.get("hostname", "")),
        processor=str(common.get("cpu_model_name", "")),
        cores=int(common.get("cpu_count", 0)),
        system=str(common.get("platform", "")),
        python=str(common.get("python_version", "")),
        commit=str(common.get("commit_id", "")),
    )
    results = []
    for benchmark in data["benchmarks"]:
        name = str((benchmark.get("metadata") or common)["name"])
        measured = [each["values"] for each in benchmark["runs"] if each.get("values")]
        blocks = [Samples(at, at, 0, 1, [float(value) for value in each]) for at, each in enumerate(measured)]
        status = Status.OK if blocks else Status.NO_SAMPLES
        results.append(Result(name, status=status, samples=blocks))
    return Run(os.stat(path).st_mtime, "pyperf", environment, results, complete=True)
