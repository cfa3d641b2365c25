# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Facts about the machine from /proc and /sys; None where a file is missing or not readable."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import NamedTuple

from cuda.cpu.driver.device import device
from cuda.cpu.signals import own

ROOT = ""  # the folder in front of /proc and /sys, which a test changes

_CPUFREQ = "/sys/devices/system/cpu/cpu0/cpufreq"
# Names of drivers in /sys/class/hwmon whose temperatures are the processor's.
_PROCESSOR_SENSORS = ("coretemp", "k10temp", "zenpower", "cpu_thermal", "cpu-thermal", "soc_thermal")
# Labels of temperatures of the whole package, in order of preference; other labels are of single cores.
_LABELS = ("package id", "tdie", "tctl", "")


def read(path: str) -> str:
    """Return what a file says, "" if it is not there."""
    return device.read(ROOT + path).strip()


def names(path: str) -> list[str]:
    """Return what is in a folder, nothing if it is not there."""
    try:
        return sorted(os.listdir(ROOT + path))
    except own(OSError):
        return []


def number(path: str) -> int | None:
    """Return the integer that a file says."""
    text = read(path)
    return int(text) if re.fullmatch(r"-?\d+", text) else None


def clock_mhz(which: str) -> int | None:
    """Return a frequency of cpufreq, such as "cpuinfo_min_freq", in MHz."""
    rate = number(f"{_CPUFREQ}/{which}")
    return None if rate is None else rate // 1000


def current_clock_mhz() -> int | None:
    """Return what the cores run at now, on average, in MHz."""
    rates = [float(rate) for rate in re.findall(r"(?m)^cpu MHz\s*:\s*([\d.]+)", read("/proc/cpuinfo"))]
    return round(sum(rates) / len(rates)) if rates else clock_mhz("scaling_cur_freq")


def may_boost() -> bool | None:
    """Return whether the cores may run faster than their nominal clock."""
    boost = number("/sys/devices/system/cpu/cpufreq/boost")
    if boost is not None:
        return bool(boost)
    no_turbo = number("/sys/devices/system/cpu/intel_pstate/no_turbo")
    return None if no_turbo is None else not no_turbo


def energy_mj() -> int | None:
    """Return what the processors have used since the counters began, in millijoules; only root may read it."""
    packages = [name for name in names("/sys/class/powercap") if re.fullmatch(r"intel-rapl:\d+", name)]
    used = [number(f"/sys/class/powercap/{name}/energy_uj") for name in packages]
    known = [each for each in used if each is not None]
    return sum(known) // 1000 if known and len(known) == len(used) else None


def parse_ranges(text: str) -> set[int]:
    """Return the numbers of a list such as "0-3,8"."""
    found: set[int] = set()
    for first, last in re.findall(r"(\d+)(?:-(\d+))?", text):
        found.update(range(int(first), int(last or first) + 1))
    return found


def memory_nodes() -> set[int] | None:
    """Return the NUMA nodes whose memory this process may use."""
    allowed = re.search(r"(?m)^Mems_allowed_list:\s*(\S+)", read("/proc/self/status"))
    online = read("/sys/devices/system/node/online")
    nodes = parse_ranges(allowed[1]) if allowed else set()
    if online:
        nodes = nodes & parse_ranges(online) or parse_ranges(online)
    return nodes or None


def online_cores() -> set[int] | None:
    """Return the numbers of the processors that are on."""
    return parse_ranges(read("/sys/devices/system/cpu/online")) or None


class Heat(NamedTuple):
    """A temperature of the processor in degrees Celsius, and where it slows down and shuts down."""

    now: int
    slowdown: int | None
    shutdown: int | None


def heat() -> Heat | None:
    """Return the highest temperature of the machine's processors."""
    return max(_hwmon(), default=None, key=_now) or max(_zones(), default=None, key=_now)


def _now(each: Heat) -> int:
    return each.now


def _degrees(path: str) -> int | None:
    value = number(path)
    return None if value is None else round(value / 1000)


def _hwmon() -> Iterator[Heat]:
    folder = "/sys/class/hwmon"
    for name in names(folder):
        if read(f"{folder}/{name}/name") not in _PROCESSOR_SENSORS:
            continue
        inputs = [file[: -len("_input")] for file in names(f"{folder}/{name}") if re.fullmatch(r"temp\d+_input", file)]
        for label in _LABELS:
            found = [each for each in inputs if read(f"{folder}/{name}/{each}_label").lower().startswith(label)]
            if found:
                path = f"{folder}/{name}/{found[0]}"
                now = _degrees(f"{path}_input")
                if now is not None:
                    yield Heat(now, _degrees(f"{path}_max"), _degrees(f"{path}_crit"))
                break


def _zones() -> Iterator[Heat]:
    folder = "/sys/class/thermal"
    for name in names(folder):
        kind = read(f"{folder}/{name}/type").lower()
        now = _degrees(f"{folder}/{name}/temp")
        if name.startswith("thermal_zone") and now is not None and ("cpu" in kind or kind == "x86_pkg_temp"):
            points = _trip_points(f"{folder}/{name}")
            yield Heat(now, points.get("hot", points.get("passive")), points.get("critical"))


def _trip_points(zone: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for name in names(zone):
        if re.fullmatch(r"trip_point_\d+_type", name):
            degrees = _degrees(f"{zone}/{name[: -len('type')]}temp")
            if degrees is not None and degrees > 0:
                found[read(f"{zone}/{name}")] = degrees
    return found
