# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Report on the environment: `python -m cuda.core`."""

from __future__ import annotations

import functools
import importlib.metadata
import os
import platform
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

_PACKAGES = ("open-cuda-python", "numpy", "llvmlite", "cuda-pathfinder", "nvidia-cuda-nvrtc", "nvidia-nvjitlink")
_VARIABLES = (
    "CUDA_PYTHON_DRIVER",
    "CUDA_VISIBLE_DEVICES",
    "CUDA_HOME",
    "CUDA_PATH",
    "CUDA_CPU_DEVICES",
    "CUDA_CPU_MEMORY",
    "CUDA_CPU_WORKERS",
)


def _attempt(function: Callable[[], Any]) -> str:
    """Return what a function answers, or in one line why it does not."""
    try:
        return str(function())
    except Exception as error:
        return f"not available: {str(error).splitlines()[0] if str(error) else type(error).__name__}"


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def _driver() -> str:
    from cuda.bindings import _loader, driver

    status, version = driver.cuDriverGetVersion()
    kind = "the CPU device" if _loader.is_cpu() else "a GPU driver"
    shown = f"CUDA {version // 1000}.{version % 1000 // 10}" if status == 0 else str(status)
    return f"{_loader.driver_path()} ({kind}, {shown})"


def _nvrtc() -> str:
    from cuda.bindings import nvrtc

    _, major, minor = nvrtc.nvrtcVersion()
    _, archs = nvrtc.nvrtcGetSupportedArchs()
    return f"{major}.{minor}, for sm_{archs[0]} to sm_{archs[-1]}"


def _nvjitlink() -> str:
    from cuda.bindings import nvjitlink

    return ".".join(map(str, nvjitlink.version()))


def _device(device: Any) -> str:
    properties = device.properties
    return (
        f"{device.name}, compute capability {'.'.join(map(str, device.compute_capability))}, "
        f"{properties.multiprocessor_count} multiprocessors, uuid {device.uuid}"
    )


def report() -> Iterator[tuple[str, str]]:
    """Yield the lines of the report as name and value."""
    from cuda.core import __version__

    yield "cuda.core", __version__
    yield "python", f"{platform.python_version()} ({sys.executable})"
    yield "system", f"{platform.system()} {platform.release()}, {platform.machine()}"
    for package in _PACKAGES:
        yield package, _version(package)
    for name in _VARIABLES:
        if name in os.environ:
            yield name, os.environ[name]
    yield "driver", _attempt(_driver)
    yield "nvrtc", _attempt(_nvrtc)
    yield "nvjitlink", _attempt(_nvjitlink)
    try:
        from cuda.core import Device

        devices: Any = Device.get_all_devices()
    except Exception as error:
        yield "devices", f"not available: {str(error).splitlines()[0]}"
        return
    for device in devices:
        yield f"device {int(device)}", _attempt(functools.partial(_device, device))


def main() -> None:
    """Print the report."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # the driver's line says what the warning would
        for name, value in report():
            print(f"{name:18} {value}")


if __name__ == "__main__":
    main()
