# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Choose the driver before anything of ours is imported, keep the machine's own CUDA out of the way, share fixtures."""

from __future__ import annotations

import ctypes
import gc
import importlib.util
import os
import pathlib
import signal
import sys

import pytest
from hypothesis import settings

ROOT = pathlib.Path(__file__).parent.parent
OF_HEADERS = ["codegen", *(f"bindings/test_{name}.py" for name in ("echo", "next_api", "records", "structs"))]
# At the end, so that an installed cuda.bindings comes first; `codegen` is in no wheel.
sys.path += [str(path) for path in (ROOT / "cuda_bindings", ROOT, ROOT / "tests") if str(path) not in sys.path]
OF_KERNELS = ("test_tensor_map.py", "test_bulk_copies.py")  # of those in tests/cpu/driver
collect_ignore = [] if importlib.util.find_spec("clang") else OF_HEADERS


def pytest_addoption(parser):
    parser.addoption("--driver", choices=["cpu", "nvidia"], default="cpu", help="which driver the tests run on")
    parser.addoption("--record-instructions", metavar="FILE", help="write which PTX instructions the tests run")


def pytest_configure(config):
    config.addinivalue_line("markers", "cpu_only: tests the CPU device itself")
    config.addinivalue_line("markers", "gpu_only: needs an NVIDIA GPU")
    config.addinivalue_line("markers", "needs_nvrtc: compiles CUDA C++, by NVRTC or clang")
    config.addinivalue_line("markers", "of_nvrtc: tests NVRTC itself: its options, messages or code")
    config.addinivalue_line("markers", "needs_recent_nvrtc: compiles with what NVRTC has since CUDA 13.3")
    config.addinivalue_line("markers", "needs_nvjitlink: links device code")
    config.addinivalue_line("markers", "needs_cccl: includes headers of CCCL, which NVRTC carries")
    config.addinivalue_line("markers", "needs_nvvm: compiles NVVM IR")
    config.addinivalue_line("markers", "needs_nvfatbin: makes fat binaries")
    settings.register_profile("untimed", deadline=None)  # on a busy machine, anything may take long
    settings.register_profile("repeatable", deadline=None, derandomize=True)  # a run of CI tests the same each time
    settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "untimed"))
    signal.signal(signal.SIGINT, signal.default_int_handler)  # what a shell starts in the background ignores Ctrl-C
    os.environ["CUDA_PYTHON_DRIVER"] = config.getoption("--driver")
    if config.getoption("--driver") == "nvidia":
        ctypes.CDLL("libcuda.so.1")  # before the CPU device's library, which has the same name, is loaded by its path
    hide_toolkit()
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
    left_out = f"; left out without libclang: {', '.join(collect_ignore)}" if collect_ignore else ""
    return f"driver: {config.getoption('--driver')}{left_out}"


@pytest.fixture(scope="module", autouse=True)
def _exempt_from_garbage_collection():
    """Exempt what earlier modules and the collection of the tests left: a test's `gc.collect()` took over 0.6 s."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def _cache(tmp_path_factory):
    """Start every session with an empty code cache, so that what is tested is compiled by what is tested."""
    os.environ["CUDA_CPU_CACHE"] = str(tmp_path_factory.mktemp("cache"))


def pytest_collection_modifyitems(config, items):
    on_gpu = config.getoption("--driver") == "nvidia"
    # The driver's own tests count who uses a device, so they come before all others that do.
    items.sort(key=lambda item: ROOT / "tests/cpu/driver" not in item.path.parents)
    for item in items:
        if item.get_closest_marker("needs_recent_nvrtc") and (why := absence("nvrtc") or age_of_nvrtc()):
            item.add_marker(pytest.mark.skip(reason=why))
        if on_gpu and (item.get_closest_marker("cpu_only") or tests_the_cpu_device(item.path)):
            item.add_marker(pytest.mark.skip(reason="tests the CPU device; run with --driver=cpu"))
        if item.get_closest_marker("gpu_only") and not on_gpu:
            item.add_marker(pytest.mark.skip(reason="needs an NVIDIA GPU; run with --driver=nvidia"))
        if item.get_closest_marker("needs_cccl") and by_clang(item) and not cccl():
            item.add_marker(pytest.mark.skip(reason="CCCL is not installed: pip install --no-deps nvidia-cuda-cccl"))
        if item.get_closest_marker("of_nvrtc") and (absence("nvrtc") or by_clang(item)):
            item.add_marker(pytest.mark.skip(reason=f"tests NVRTC: {absence('nvrtc') or 'clang is chosen'}"))
        for library in ("nvrtc", "nvJitLink", "nvvm", "nvfatbin"):
            needed = item.get_closest_marker(f"needs_{library.lower()}") and not (library == "nvrtc" and by_clang(item))
            if needed and (why := absence(library)):
                item.add_marker(pytest.mark.skip(reason=why))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item, nextitem):
    """After a fault that no reset of the context heals, end the process: pytest-xdist starts another one.

    It ends with the test whose fault it was: pytest-xdist says that this test crashed, and runs the next one elsewhere.
    """
    done = yield
    if item.config.getoption("--driver") == "nvidia":
        from support import gpu_kernels

        if gpu_kernels.is_lost():
            if hasattr(item.config, "workerinput"):
                os._exit(1)
            if nextitem:
                pytest.exit("a test's fault ended this process's use of the GPU: install pytest-xdist and pass -n 1")
    return done


def by_clang(item):
    """Return whether clang compiles the CUDA C++ of a test: it is a parameter, or the choice for all tests."""
    from support.compilers import is_clang

    chosen = item.callspec.params.get("compiler") if hasattr(item, "callspec") else None
    return chosen == "clang" if chosen else is_clang()


def tests_the_cpu_device(path):
    """Tell whether a test is of `cuda.cpu` itself; those of kernels run on a GPU too, which proves what they expect."""
    below = path.relative_to(ROOT / "tests").parts
    return below[0] == "cpu" and below[1] not in ("emit", "programs") and path.name not in OF_KERNELS


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


def cccl():
    """Return the folder of CCCL's headers for clang, "" if they are not installed."""
    from cuda.core._program._clang import _cccl

    return _cccl.installed()


def age_of_nvrtc():
    """Return that NVRTC is too old for some tests, or an empty string."""
    from cuda.bindings import nvrtc

    _, *version = nvrtc.nvrtcVersion()
    return "" if version >= [13, 3] else f"NVRTC {'.'.join(map(str, version))} is installed, the test needs 13.3"


@pytest.fixture
def on_gpu(request):
    """Tell whether the test runs on NVIDIA's driver."""
    return request.config.getoption("--driver") == "nvidia"


@pytest.fixture
def since_13_1(on_gpu):
    """Skip the test on a driver of NVIDIA's that is older than what it calls."""
    from cuda.bindings import driver

    if on_gpu and driver.cuDriverGetVersion()[1] < 13010:
        pytest.skip("the driver is older than CUDA 13.1")


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
