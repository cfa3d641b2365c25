# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from types import SimpleNamespace

import pytest

from cuda.core.system import exceptions
from cuda.core.system.typing import ClocksEventReasons
from cuda.perf import environment, noise
from cuda.perf.model import Environment, Noise


def gpu(reasons, temperature=lambda: 61):
    """Return what NVML says of a GPU."""
    clock = SimpleNamespace(get_current_mhz=lambda: 1410, get_max_mhz=lambda: 1980)
    return SimpleNamespace(
        get_clock=lambda name: clock,
        temperature=SimpleNamespace(get_sensor=temperature),
        current_clock_event_reasons=reasons,
    )


@pytest.mark.parametrize(
    ("reasons", "throttled"),
    [([], False), ([ClocksEventReasons.GPU_IDLE], False), ([ClocksEventReasons.SW_POWER_CAP], True)],
)
def test_facts_of_a_gpu_replace_those_of_the_processor(reasons, throttled):
    found = noise.of_gpu(Noise(load=1.0, frequency=3e9), gpu(reasons))
    assert found == Noise(load=1.0, frequency=1.41e9, temperature=61.0, throttled=throttled)


def test_what_a_gpu_does_not_support_is_unknown():
    def unsupported():
        raise exceptions.NotSupportedError(3)

    assert noise.of_gpu(Noise(), gpu([], unsupported)).temperature is None


def test_the_highest_clocks_are_part_of_the_environment():
    found = Environment()
    environment.add_gpu_clocks(found, gpu([]))
    assert found.clocks == {"sm, highest": 1.98e9, "memory, highest": 1.98e9}


def test_the_load_by_other_processes_is_recorded():
    pytest.importorskip("psutil", reason="without psutil, all facts are unknown")
    recorder = noise.Recorder()
    sum(range(200_000))
    found = recorder.stop()
    assert found.load >= 0
    assert found.others >= 0
    assert found.waited >= 0


def test_without_psutil_all_is_unknown(monkeypatch):
    monkeypatch.setattr(noise, "psutil", None)
    assert noise.Recorder().stop() == Noise()
