# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Report of the environment: driver, devices, libraries and their origin, environment variables, and problems."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import sys
from collections.abc import Callable
from typing import Any

_PACKAGES = (
    "open-cuda-python",
    "cuda-core",
    "cuda-bindings",
    "cuda-pathfinder",
    "numpy",
    "llvmlite",
    "nvidia-cuda-runtime",
    "nvidia-cuda-nvrtc",
    "nvidia-nvjitlink",
    "nvidia-nvvm",
    "nvidia-nvfatbin",
    "ziglang",
)
# Environment variables that this project reads, and those of CUDA that affect the report.
_VARIABLES = (
    "CUDA_CPU_CACHE",
    "CUDA_CPU_CAPABILITY",
    "CUDA_CPU_CHECK",
    "CUDA_CPU_DEBUG",
    "CUDA_CPU_DEVICES",
    "CUDA_CPU_DUMP",
    "CUDA_CPU_EXPLAIN",
    "CUDA_CPU_FALLBACK",
    "CUDA_CPU_LEVEL",
    "CUDA_CPU_LOG",
    "CUDA_CPU_MEMORY",
    "CUDA_CPU_MOST_INSTRUCTIONS",
    "CUDA_CPU_PATH",
    "CUDA_CPU_PROFILE",
    "CUDA_CPU_TILE",
    "CUDA_CPU_TIMELINE",
    "CUDA_CPU_WIDTH",
    "CUDA_CPU_WORKERS",
    "CUDA_HOME",
    "CUDA_PATH",
    "CUDA_PYTHON_CLANG",
    "CUDA_PYTHON_COMPILER",
    "CUDA_PYTHON_CUDA_PER_THREAD_DEFAULT_STREAM",
    "CUDA_PYTHON_DISABLE_MAJOR_VERSION_WARNING",
    "CUDA_PYTHON_DRIVER",
    "CUDA_PYTHON_PROGRESS",
    "CUDA_PYTHON_TIMELINE",
    "CUDA_VISIBLE_DEVICES",
    "LD_LIBRARY_PATH",
)
_OURS = ("CUDA_CPU_", "CUDA_PYTHON_")
# Set by `python -m cuda.cpu run` for itself.
_INTERNAL = (
    "CUDA_CPU_CHECK_OPTIONS",
    "CUDA_CPU_DEBUG_FOLDER",
    "CUDA_CPU_FROM_START",
    "CUDA_CPU_LIBPYTHON",
    "CUDA_CPU_PROFILE_OPTIONS",
    "CUDA_CPU_PROFILE_PROCESS",
    "CUDA_CPU_PYTHON",
    "CUDA_CPU_REAL_NVJITLINK",
    "CUDA_CPU_REAL_NVJITLINK_12",
    "CUDA_CPU_REAL_NVRTC",
    "CUDA_CPU_REAL_NVRTC_12",
    "CUDA_CPU_TORCH",
)


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _spell(version: int) -> str:
    return f"{version // 1000}.{version % 1000 // 10}"


def first_line(error: BaseException) -> str:
    """Return the first line of an error's message, or its type if it has none."""
    return str(error).splitlines()[0] if str(error) else type(error).__name__


def _attempt(function: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return the facts that a function returns, or {"error": ...} if it raises."""
    try:
        return function()
    except Exception as error:
        return {"error": first_line(error)}


def _driver() -> dict[str, Any]:
    from cuda.bindings import _loader, driver

    path = _loader.driver_path()
    status, version = driver.cuDriverGetVersion()
    return {
        "path": path,
        "kind": "the CPU device" if _loader.is_cpu() else "a GPU driver",
        "version": _spell(version) if status == 0 else None,
    }


def _nvrtc() -> dict[str, Any]:
    from cuda.bindings import _loader, nvrtc

    _, major, minor = nvrtc.nvrtcVersion()
    _, archs = nvrtc.nvrtcGetSupportedArchs()
    path = _loader.library_path("nvrtc")
    return {"version": f"{major}.{minor}", "path": path, "architectures": [f"sm_{arch}" for arch in archs]}


def _nvjitlink() -> dict[str, Any]:
    from cuda.bindings import _loader, nvjitlink

    return {"version": ".".join(map(str, nvjitlink.version())), "path": _loader.library_path("nvjitlink")}


def _nvvm() -> dict[str, Any]:
    from cuda.bindings import _loader, nvvm

    path = _loader.library_path("nvvm")
    return {"version": ".".join(map(str, nvvm.version())), "path": path}


def _nvfatbin() -> dict[str, Any]:
    from cuda.bindings import _loader, nvfatbin

    path = _loader.library_path("nvfatbin")
    return {"version": ".".join(map(str, nvfatbin.version())), "path": path}


def _clang() -> dict[str, Any]:
    from cuda.core._program._clang import _find

    command, text = _find.find()
    return {"version": text.splitlines()[0], "path": command[0]}


def _nvml() -> dict[str, Any]:
    from cuda.bindings import _loader
    from cuda.core import system

    path = _loader.library_path("nvml")
    return {"version": ".".join(map(str, system.get_nvml_version())), "path": path}


def _headers() -> dict[str, Any]:
    from cuda import pathfinder

    found = pathfinder.locate_nvidia_header_directory("cudart")
    if found is None:
        return {"error": "not found"}
    return {"path": found.abs_path, "from": found.found_via}


_LIBRARIES: dict[str, Callable[[], dict[str, Any]]] = {
    "nvrtc": _nvrtc,
    "nvjitlink": _nvjitlink,
    "nvvm": _nvvm,
    "nvfatbin": _nvfatbin,
    "clang": _clang,
    "nvml": _nvml,
    "headers": _headers,
}


def _device(device: Any) -> dict[str, Any]:
    properties = device.properties
    return {
        "ordinal": int(device),
        "name": device.name,
        "compute_capability": ".".join(map(str, device.compute_capability)),
        "multiprocessors": properties.multiprocessor_count,
        "uuid": device.uuid,
        "pci_bus_id": device.pci_bus_id,
    }


def _devices() -> dict[str, Any]:
    from cuda.core import Device

    return {"found": [_device(device) for device in Device.get_all_devices()]}


def environment() -> dict[str, Any]:
    """Return the whole report, as values that JSON can represent."""
    from cuda.core import __version__

    facts: dict[str, Any] = {
        "cuda.core": __version__,
        "python": {
            "version": platform.python_version(),
            "executable": sys.executable,
            "free_threaded": not getattr(sys, "_is_gil_enabled", lambda: True)(),
        },
        "system": {"name": platform.system(), "release": platform.release(), "machine": platform.machine()},
        "packages": {package: _version(package) for package in _PACKAGES},
        "variables": {name: os.environ[name] for name in sorted(os.environ) if _concerns_us(name)},
        "driver": _attempt(_driver),
        "libraries": {name: _attempt(function) for name, function in _LIBRARIES.items()},
    }
    devices = _attempt(_devices)
    facts["devices"] = devices.get("found", [])
    facts["problems"] = _problems(facts, devices.get("error"))
    return facts


def _concerns_us(name: str) -> bool:
    return name in _VARIABLES or name.startswith(_OURS)


def _problems(facts: dict[str, Any], no_devices: str | None) -> list[str]:
    """Return the problems found, each with advice."""
    from cuda.bindings import _conflicts

    problems = []
    driver, libraries, variables = facts["driver"], facts["libraries"], facts["variables"]
    if "error" in driver:
        problems.append(f"There is no driver: {driver['error']}")
    elif no_devices or not facts["devices"]:
        problems.append(f"There is no device: {no_devices or 'look at CUDA_VISIBLE_DEVICES'}")
    if driver.get("kind") == "the CPU device" and facts["packages"]["llvmlite"] is None:
        problems.append("The CPU device has no compiler: pip install 'open-cuda-python[cpu]'")
    # clang compiles without NVRTC, and the driver assembles and links without nvJitLink
    without = "error" in libraries["nvrtc"] and "error" not in libraries["clang"]
    for name in () if without else ("nvrtc", "nvjitlink"):
        if "error" in libraries[name]:
            problems.append(f"{name} cannot be used: {libraries[name]['error']}")
    if driver.get("kind") == "a GPU driver" and driver.get("version") and "version" in libraries["nvrtc"]:
        compiler = libraries["nvrtc"]["version"]
        if _numbers(compiler) > _numbers(driver["version"]):
            problems.append(
                f"NVRTC {compiler} is newer than the driver, which knows CUDA {driver['version']}: its PTX does not "
                "load; compile to cubins, update the driver, or install an older NVRTC"
            )
    for name in variables:
        if name.startswith(_OURS) and name not in _VARIABLES and name not in _INTERNAL:
            problems.append(f"{name} is set, but there is no such switch")
    for name in ("CUDA_HOME", "CUDA_PATH"):
        if name in variables and not os.path.isdir(variables[name]):
            problems.append(f"{name} is {variables[name]!r}, and there is no such folder")
    folder = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(_conflicts.__file__))))
    if found := _conflicts.foreign(folder):
        problems.append(
            f"{' and '.join(found)} of NVIDIA are installed too, and overwrite files of ours: uninstall them"
        )
    return problems


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
