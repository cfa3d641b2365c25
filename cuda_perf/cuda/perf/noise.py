# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Record what else the machine does while samples are taken. psutil reads it; without psutil, all is unknown."""

from __future__ import annotations

import time
from typing import Any

from cuda.perf.model import Noise

try:
    import psutil
except ImportError:
    psutil = None


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


def _temperature() -> float | None:
    """Return the highest temperature of the processor's sensors."""
    read: Any = getattr(psutil, "sensors_temperatures", dict)()
    return max(
        (each.current for name in ("coretemp", "k10temp", "zenpower") for each in read.get(name, ())), default=None
    )
