# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Describe the machine, the device and the software of a run."""

from __future__ import annotations

import importlib.metadata
import os
import pathlib
import platform
import subprocess
from typing import Any

from cuda.perf.model import Environment

PACKAGES = (
    "open-cuda-python",
    "numpy",
    "llvmlite",
    "scipy",
    "pyperf",
    "nvidia-cuda-nvrtc",
    "nvidia-nvjitlink",
    "torch",
)
# Variables that change what is measured.
SETTINGS = ("CUDA_PYTHON_DRIVER", "CUDA_CPU_LEVEL", "CUDA_CPU_PATH", "CUDA_CPU_WIDTH", "CUDA_CPU_WORKERS",
            "CUDA_CPU_CHECK", "CUDA_LAUNCH_BLOCKING", "OMP_NUM_THREADS")  # fmt: skip


def collect(folder: str | os.PathLike[str] = ".") -> Environment:
    """Return the environment of this process; `folder` is one of the checkout with the benchmarks."""
    found = Environment(
        host=platform.node(),
        processor=_processor(),
        cores=len(os.sched_getaffinity(0)),
        system=platform.platform(),
        python=platform.python_version(),
        packages=_packages(),
        settings={name: os.environ[name] for name in SETTINGS if name in os.environ},
    )
    found.commit, found.modified = _commit(folder)
    _add_device(found)
    _add_clocks(found)
    return found


def _processor() -> str:
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def _packages() -> dict[str, str]:
    found = {}
    for name in PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            pass
    return found


def _commit(folder: str | os.PathLike[str]) -> tuple[str, bool]:
    def git(*arguments: str) -> str:
        done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True)
        return done.stdout.strip() if done.returncode == 0 else ""

    try:
        commit = git("rev-parse", "HEAD")
        return commit, bool(commit and git("status", "--porcelain", "--untracked-files=no"))
    except FileNotFoundError:  # no git
        return "", False


def _add_device(found: Environment) -> None:
    from cuda.bindings import _loader, nvrtc
    from cuda.core import Device, system

    device = Device()
    found.device, found.compute_capability = device.name, ".".join(map(str, device.compute_capability))
    found.device_kind = "cpu" if _loader.is_cpu() else "gpu"
    found.driver = ".".join(map(str, system.get_user_mode_driver_version()))
    status, *version = nvrtc.nvrtcVersion()
    if found.device_kind == "gpu":
        add_gpu_clocks(found, device.to_system_device())
    found.compiler = "NVRTC " + ".".join(map(str, version)) if not int(status) else ""


def _add_clocks(found: Environment) -> None:
    try:
        import psutil
    except ImportError:
        return
    frequency: Any = psutil.cpu_freq()
    if frequency and frequency.max:
        found.clocks["processor, highest"] = frequency.max * 1e6


def add_gpu_clocks(found: Environment, device: Any) -> None:
    """Add the highest clocks of a GPU, a `cuda.core.system.Device`."""
    for name in ("sm", "memory"):
        found.clocks[f"{name}, highest"] = device.get_clock(name).get_max_mhz() * 1e6
