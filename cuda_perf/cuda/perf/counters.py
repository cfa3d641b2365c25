# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Exact counters of the CPU device for one call of a benchmark, from `cuda.cpu.profile`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

from cuda.cpu.profile import LaunchProfile, Profile
from cuda.cpu.profile.data import Line, data_of, lines_of
from cuda.perf.model import Counters, LineCounts


def count(call: Callable[[], Any]) -> Counters:
    """Return the counts of the kernels that `call` launches and waits for."""
    with Profile() as profile:
        call()
    return counters_of(profile.launches)


def counters_of(launches: Iterable[LaunchProfile]) -> Counters:
    """Return the sums of the metrics that are counts, and the counts of each line of each kernel."""
    found = Counters()
    lines: dict[tuple[str, str, int], LineCounts] = {}
    for entry in data_of(launches)["launches"]:
        times = len(entry["numbers"])
        for name, value in entry["metrics"].items():
            if name.endswith(".sum") and value:
                found.metrics[name] = found.metrics.get(name, 0) + times * int(value)
        for line in lines_of(entry):
            key = entry["kernel"], _relative(line.file), line.number
            counts = lines.setdefault(key, LineCounts(*key, line.text, {})).counts
            for name, value in _of_line(line).items():
                if value:
                    counts[name] = counts.get(name, 0) + times * value
    found.lines = list(lines.values())
    return found


def _relative(path: str) -> str:
    """Return the path as seen from the current folder, or the name of a file outside, so that runs can be compared.

    Headers that NVRTC bundles are in the user's cache folder.
    """
    relative = os.path.relpath(path)
    return os.path.basename(path) if relative.startswith("..") else relative


def _of_line(line: Line) -> dict[str, int]:
    counts = {"instructions": line.warps, "divergent": line.divergent, "flops": line.flops}
    for (space, kind), accesses in line.accesses.items():
        counts[f"{space}_{kind}_requests"] = accesses.requests
        counts[f"{space}_{kind}_sectors"] = accesses.sectors
        counts[f"{space}_{kind}_bank_conflicts"] = accesses.conflicts
    return counts
