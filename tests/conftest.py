# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Choose the driver before anything of ours is imported, keep the machine's own CUDA out of the way, share fixtures."""

from __future__ import annotations

import os
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).parent.parent


def pytest_addoption(parser):
    parser.addoption("--driver", choices=["cpu", "nvidia"], default="cpu", help="which driver the tests run on")
    parser.addoption("--record-instructions", metavar="FILE", help="write which PTX instructions the tests run")


def pytest_configure(config):
    config.addinivalue_line("markers", "cpu_only: tests the CPU device itself")
    config.addinivalue_line("markers", "gpu_only: needs an NVIDIA GPU")
    config.addinivalue_line("markers", "needs_nvrtc: compiles CUDA C++")
    config.addinivalue_line("markers", "needs_nvjitlink: links device code")
    config.addinivalue_line("markers", "needs_nvvm: compiles NVVM IR")
    config.addinivalue_line("markers", "needs_nvfatbin: makes fat binaries")
    os.environ["CUDA_PYTHON_DRIVER"] = config.getoption("--driver")
    hide_toolkit()
    # At the end, so that an installed cuda.bindings comes first; `codegen` is in no wheel.
    for path in (ROOT / "cuda_bindings", ROOT, ROOT / "tests"):
        if str(path) not in sys.path:
            sys.path.append(str(path))
    if config.getoption("--record-instructions"):
        from support.instruction_record import Recorder

        config.pluginmanager.register(Recorder(config.getoption("--record-instructions")))


def hide_toolkit():
    """Make a CUDA toolkit that lies on the machine invisible: only installed packages count."""
    for name in ("CUDA_HOME", "CUDA_PATH"):
        os.environ.pop(name, None)
    folders = os.environ.get("PATH", "").split(os.pathsep)
    os.environ["PATH"] = os.pathsep.join(folder for folder in folders if not os.path.exists(f"{folder}/nvcc"))


def pytest_report_header(config):
    return f"driver: {config.getoption('--driver')}"


@pytest.fixture(scope="session", autouse=True)
def _cache(tmp_path_factory):
    """Start every session with an empty code cache, so that what is tested is compiled by what is tested."""
    os.environ["CUDA_CPU_CACHE"] = str(tmp_path_factory.mktemp("cache"))


def pytest_collection_modifyitems(config, items):
    on_gpu = config.getoption("--driver") == "nvidia"
    # The driver's own tests count who uses a device, so they come before all others that do.
    items.sort(key=lambda item: ROOT / "tests/cpu/driver" not in item.path.parents)
    for item in items:
        if item.get_closest_marker("cpu_only") and on_gpu:
            item.add_marker(pytest.mark.skip(reason="tests the CPU device; run with --driver=cpu"))
        if item.get_closest_marker("gpu_only") and not on_gpu:
            item.add_marker(pytest.mark.skip(reason="needs an NVIDIA GPU; run with --driver=nvidia"))
        for library in ("nvrtc", "nvJitLink", "nvvm", "nvfatbin"):
            if item.get_closest_marker(f"needs_{library.lower()}") and (why := absence(library)):
                item.add_marker(pytest.mark.skip(reason=why))


def absence(library, found={}):  # noqa: B006 - the shared default is the cache
    """Return why NVIDIA's library cannot be loaded, or an empty string."""
    if library not in found:
        from cuda import pathfinder

        try:
            pathfinder.load_nvidia_dynamic_lib(library)
            found[library] = ""
        except pathfinder.DynamicLibNotFoundError:
            found[library] = f"lib{library} is not installed: pip install 'open-cuda-python[cu13]'"
    return found[library]


@pytest.fixture
def device():
    """Return device 0, made current."""
    from cuda.core import Device

    device = Device(0)
    device.set_current()
    return device


@pytest.fixture
def stream(device):
    """Return a new stream of device 0, closed after the test."""
    stream = device.create_stream()
    yield stream
    stream.close()
