# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Record what else the machine does while samples are taken. psutil reads it; without psutil, all is unknown."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar

from cuda.perf.model import Noise

try:
    import psutil
except ImportError:
    psutil = None


T = TypeVar("T")


class Recorder:
    """Begins with its creation; `stop` returns the facts since then."""

    def __init__(self) -> None:
        self._before = self._read()

    def stop(self) -> Noise:
        if psutil is None:
            return Noise()
        before, after = self._before, self._read()
        passed = {name: after[name] - before[name] for name in after}
        seconds = max(passed["time"], 1e-3)
        frequency = psutil.cpu_freq()
        return Noise(
            load=psutil.getloadavg()[0],
            others=max(passed["busy"] - passed["own"], 0) / seconds,
            stolen=passed["stolen"] / seconds,
            frequency=frequency.current * 1e6 if frequency and frequency.current else None,
            temperature=_temperature(),
            waited=int(passed["waited"]),
        )

    @staticmethod
    def _read() -> dict[str, float]:
        if psutil is None:
            return {}
        times: Any = psutil.cpu_times()
        own = psutil.Process()
        return {
            "time": time.perf_counter(),
            "busy": times.user + times.nice + times.system,
            "stolen": getattr(times, "steal", 0.0),
            "own": sum(own.cpu_times()[:4]),
            "waited": own.num_ctx_switches().involuntary,
        }


# Those of NVML's reasons for a reduced clock that are limits of power and heat, rather than settings.
THROTTLING = {"sw_power_cap", "hw_slowdown", "sw_thermal_slowdown", "hw_thermal_slowdown", "hw_power_brake_slowdown",
              "reliability", "board_limit"}  # fmt: skip


def of_gpu(noise: Noise, device: Any) -> Noise:
    """Replace frequency, temperature and throttling by those of a GPU, a `cuda.core.system.Device`."""
    noise.frequency = _known(lambda: device.get_clock("sm").get_current_mhz() * 1e6)
    noise.temperature = _known(lambda: float(device.temperature.get_sensor()))
    reasons = _known(lambda: device.current_clock_event_reasons)
    noise.throttled = None if reasons is None else any(each.value in THROTTLING for each in reasons)
    return noise


def _known(read: Callable[[], T]) -> T | None:
    """Return what is read; None where the GPU does not support it."""
    from cuda.core.system import exceptions

    try:
        return read()
    except exceptions.NvmlError:
        return None


def _temperature() -> float | None:
    """Return the highest temperature of the processor's sensors."""
    read: Any = getattr(psutil, "sensors_temperatures", dict)()
    return max(
        (each.current for name in ("coretemp", "k10temp", "zenpower") for each in read.get(name, ())), default=None
    )
