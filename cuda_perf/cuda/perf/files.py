# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Result files: JSON lines, so that a run can append to them and an interrupted one loses nothing.

The first line is the run ({"record": "run"}). A line {"record": "result"} has a result without samples; a later one
for the same point replaces its fields. A line {"record": "samples"} adds a block of samples. The last line is
{"record": "end"}; without it, the run was interrupted.
"""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any, TextIO

from cuda.perf import schema
from cuda.perf.model import VERSION, Environment, Result, Run, Samples, Value, key_of


class FileError(ValueError):
    """A file that is no result file; the message names the file, the line and the field."""


@dataclass
class _Header:
    version: int
    started: float
    label: str = ""
    environment: Environment = field(default_factory=Environment)


@dataclass
class _Block:
    benchmark: str
    samples: Samples
    axes: dict[str, Value] = field(default_factory=dict)


def _line(record: str, data: dict[str, Any]) -> str:
    return json.dumps({"record": record, **data}, allow_nan=False, separators=(",", ":")) + "\n"


class Writer:
    """Append to a result file; every record is on disk before the next begins."""

    def __init__(self, path: str | os.PathLike[str], run: Run | None = None) -> None:
        """Create the file for `run`; continue an existing one if it is None."""
        self._file: TextIO = open(path, "w" if run else "a", encoding="utf-8")  # noqa: SIM115 - closed by __exit__
        if run:
            self._write("run", {name: value for name, value in asdict(run).items() if name in _HEADER})

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()

    def result(self, result: Result) -> None:
        """Write a result without its samples."""
        self._write("result", {name: value for name, value in asdict(result).items() if name != "samples"})

    def samples(self, result: Result, samples: Samples) -> None:
        """Write a block of samples of a result."""
        self._write("samples", {"benchmark": result.benchmark, "axes": result.axes, "samples": asdict(samples)})

    def end(self) -> None:
        """Mark the run as complete."""
        self._write("end", {})

    def _write(self, record: str, data: dict[str, Any]) -> None:
        self._file.write(_line(record, data))
        self._file.flush()


_HEADER = ("version", "started", "label", "environment")


def write(path: str | os.PathLike[str], run: Run) -> None:
    """Write a whole run."""
    with Writer(path, run) as writer:
        for result in run.results:
            writer.result(result)
            for samples in result.samples:
                writer.samples(result, samples)
        if run.complete:
            writer.end()


def read(path: str | os.PathLike[str]) -> Run:
    """Read a result file. A last line that was cut off by a crash is ignored; the run is then not complete.

    Raises
    ------
    OSError
        The file cannot be read.
    FileError
        It is damaged, no result file, or of another version of the schema.
    """
    run: Run | None = None
    results: dict[str, Result] = {}
    for number, record, data in _records(path):
        try:
            if run is None:
                run = _first(record, data)
            elif record == "result":
                result = schema.build(Result, data)
                before = results.get(result.key)
                result.samples = before.samples if before else []
                results[result.key] = result
            elif record == "samples":
                block = schema.build(_Block, data)
                key = key_of(block.benchmark, block.axes)
                results.setdefault(key, Result(block.benchmark, block.axes)).samples.append(_checked(block.samples))
            elif record == "end":
                run.complete = True
            else:
                raise schema.SchemaError(f"record is {record!r}; known are run, result, samples, end")
        except schema.SchemaError as error:
            raise FileError(f"{path}, line {number}: {error}") from None
    if run is None:
        raise FileError(f"{path} is empty")
    run.results = list(results.values())
    return run


def _first(record: Any, data: dict[str, Any]) -> Run:
    if record != "run":
        raise schema.SchemaError(f"record is {record!r}; a result file begins with a run")
    if data.get("version") != VERSION:
        raise schema.SchemaError(f"version is {data.get('version')!r}; this program reads version {VERSION}")
    return Run(**vars(schema.build(_Header, data)))


def _checked(samples: Samples) -> Samples:
    wrong = next((number for number, value in enumerate(samples.seconds) if value <= 0), None)
    if wrong is not None:
        raise schema.SchemaError(f"samples.seconds[{wrong}] is {samples.seconds[wrong]}, not a positive time")
    return samples


def _records(path: str | os.PathLike[str]) -> Iterator[tuple[int, Any, dict[str, Any]]]:
    try:
        lines = pathlib.Path(path).read_text(encoding="utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise FileError(f"{path} is no text file: {error}") from None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            data = json.loads(line)
        except ValueError as error:
            if number == len(lines) and number > 1:  # no newline at its end: the run was interrupted while writing it
                return
            raise FileError(f"{path}, line {number} is no JSON: {error}") from None
        if not isinstance(data, dict):
            raise FileError(f"{path}, line {number} is no JSON object")
        yield number, data.pop("record", None), data


def repair(path: str | os.PathLike[str]) -> None:
    """Remove a last line that was cut off, so that records can be appended."""
    with open(path, "rb+") as file:
        content = file.read()
        file.truncate(content.rfind(b"\n") + 1)
