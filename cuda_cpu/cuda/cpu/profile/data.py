# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Profiles as plain data, the content of their JSON files, from which all reports are made.

The guide docs/guides/profiling.md describes the keys. Launches that are alike in everything are one entry.
"""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Iterable
from typing import Any

from cuda.cpu.profile.launch import LaunchProfile
from cuda.cpu.profile.metrics import METRICS, flops_of, kind_of
from cuda.cpu.profile.occupancy import DEFAULT
from cuda.cpu.profile.results import AccessCounts, InstructionCounts
from cuda.cpu.report_files import is_first, process_name
from cuda.cpu.signals import own

VERSION = 1

Entry = dict[str, Any]  # of "launches"


def data_of(launches: Iterable[LaunchProfile], architecture: str = DEFAULT) -> dict[str, Any]:
    """Return launches as data for JSON; the occupancy is that on an architecture."""
    entries: dict[str, Entry] = {}
    keys: dict[tuple[Any, ...], str] = {}
    for launch in launches:
        if launch.identity not in keys:
            entry = _entry(launch, architecture)
            keys[launch.identity] = json.dumps(entry)
            entries.setdefault(keys[launch.identity], {"numbers": [], **entry})
        entries[keys[launch.identity]]["numbers"].append(launch.number)
    process = {"number": os.getpid(), "name": process_name(), "first": is_first()}
    return {"version": VERSION, "unit": "PTX instructions", "process": process, "launches": list(entries.values())}


def process_of(data: dict[str, Any]) -> str:
    """Return which process a profile is of, "" if it is the one that the program began with."""
    process = data.get("process", {"first": True})
    return "" if process["first"] else f"process {process['number']}: {process['name']}"


def _entry(launch: LaunchProfile, architecture: str) -> Entry:
    return {
        "kernel": launch.kernel,
        "grid": list(launch.grid),
        "block": list(launch.block),
        "cluster": list(launch.cluster),
        "shared_bytes": launch.shared_bytes,
        "fault": launch.fault,
        "occupancy": {"architecture": architecture, **launch.occupancy(architecture)._asdict()},
        "metrics": {name: metric.value(launch) for name, metric in METRICS.items()},
        "instructions": [_instruction(each) for each in launch.instructions],
    }


def _instruction(each: InstructionCounts) -> dict[str, Any]:
    precision, flops = flops_of(each)
    return {
        "function": each.function, "line": each.line, "text": each.text, "class": kind_of(each),
        "source": {**each.source._asdict(), "text": each.source_text} if each.source else None,
        "warps": each.warps, "threads": each.threads, "active": each.active,
        "branch": each.branches, "divergent": each.divergent,
        "flops": {precision: flops} if flops else {},
        "accesses": [
            {"space": space, "kind": kind, "stride": counts.stride, **dataclasses.asdict(counts)}
            for (space, kind), counts in each.accesses.items()
        ],
    }  # fmt: skip


def read(path: str) -> dict[str, Any]:
    """Read a profile that was written as JSON.

    Raises
    ------
    OSError
        The file cannot be read.
    ValueError
        It is no profile, or of another version of the schema.
    """
    with open(path, encoding="utf-8") as file:
        try:
            data = json.load(file)
        except ValueError as error:
            raise ValueError(f"{path} is no profile: {error}") from None
    version = data.get("version") if isinstance(data, dict) else None
    if version != VERSION or not isinstance(data.get("launches"), list):
        raise ValueError(f"{path} is no profile of version {VERSION}")
    return data


@dataclasses.dataclass
class Line:
    """The counts of a line of the source, or of the PTX where the source is unknown, in one launch."""

    file: str
    number: int
    text: str
    warps: int = 0
    threads: int = 0
    active: int = 0
    branches: int = 0
    divergent: int = 0
    flops: int = 0
    accesses: dict[tuple[str, str], AccessCounts] = dataclasses.field(default_factory=dict)
    strides: set[int] = dataclasses.field(default_factory=set)  # in bytes, of requests with more sectors than needed
    ptx: list[dict[str, Any]] = dataclasses.field(default_factory=list)

    @property
    def key(self) -> tuple[str, int]:
        return self.file, self.number

    @property
    def name(self) -> str:
        return f"{self.file.rpartition('/')[2]}:{self.number}"

    @property
    def sectors_per_request(self) -> float:
        """Of global memory; 0 without requests."""
        counts = [each for (space, _), each in self.accesses.items() if space == "global"]
        requests = sum(each.requests for each in counts)
        return round(sum(each.sectors for each in counts) / requests, 1) if requests else 0

    def name_in(self, entry: Entry) -> str:
        """Return the name in a report of a launch, which needs no name of its kernel."""
        return f"PTX:{self.number}" if self.file == f"PTX of {entry['kernel']}" else self.name


def lines_of(entry: Entry) -> list[Line]:
    """Return the lines of a launch in order."""
    found: dict[tuple[str, int], Line] = {}
    for each in entry["instructions"]:
        source = {"text": "", **(each["source"] or _in_ptx(each))}
        key = source["file"], source["line"]
        line = found.get(key)
        if line is None:
            line = found[key] = Line(source["file"], source["line"], source["text"])
        line.ptx.append(each)
        for name in ("warps", "threads", "active", "divergent"):
            setattr(line, name, getattr(line, name) + each[name])
        line.branches += each["warps"] if each["branch"] else 0
        line.flops += sum(each["flops"].values())
        for access in each["accesses"]:
            counts = AccessCounts(
                **{name: value for name, value in access.items() if name not in ("space", "kind", "stride")}
            )
            line.accesses.setdefault((access["space"], access["kind"]), AccessCounts()).add(counts)
            if access["stride"] and (counts.excess or counts.conflicts):
                line.strides.add(access["stride"])
    _read_sources(found.values())
    return sorted(found.values(), key=lambda line: (line.file, line.number))


def _in_ptx(each: dict[str, Any]) -> dict[str, Any]:
    return {"file": f"PTX of {each['function']}", "line": each["line"], "text": each["text"]}


def _read_sources(lines: Iterable[Line]) -> None:
    """Fill in the text of lines whose file can be read."""
    files: dict[str, list[str]] = {}
    for line in lines:
        if line.text:
            continue
        if line.file not in files:
            try:
                with open(line.file, encoding="utf-8", errors="replace") as file:
                    files[line.file] = file.read().splitlines()
            except own(OSError, ValueError):
                files[line.file] = []
        text = files[line.file]
        if 0 < line.number <= len(text):
            line.text = " ".join(text[line.number - 1].split())
