# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Open the driver, NVML and the forwarders at the start of a Python process, which is then the program's own.

run.py puts this file before everything on PYTHONPATH as `sitecustomize`, which each interpreter imports before it turns
to its program: that of the program, and those that the program starts (multiprocessing, subprocess). The sitecustomize
that the environment has by itself runs as ever. When the process exits, the driver ends behind all handlers of others.
"""

import atexit
import ctypes
import importlib.machinery
import importlib.util
import os
import sys

TYPE_CHECKING = False  # without the import of typing in each process
if TYPE_CHECKING:
    from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))
FORWARD = os.path.dirname(os.path.realpath(__file__))
PACKAGE = os.path.dirname(os.path.dirname(FORWARD))
DRIVER = os.path.join(PACKAGE, "entry", "libcuda.so.1")
NVML = os.path.join(PACKAGE, "nvml", "libnvidia-ml.so.1")

# The forwarder, the variable that tells it the real library, and where wheels and toolkits have that.
FORWARDERS = (
    ("libnvrtc.so.13", "CUDA_CPU_REAL_NVRTC"),
    ("libnvJitLink.so.13", "CUDA_CPU_REAL_NVJITLINK"),
    ("libnvrtc.so.12", "CUDA_CPU_REAL_NVRTC_12"),
    ("libnvJitLink.so.12", "CUDA_CPU_REAL_NVJITLINK_12"),
)
# Variables that ask for a report at the end of the program, and the one with the number of its first process.
REPORTS = ("CUDA_CPU_PROFILE", "CUDA_CPU_TIMELINE", "CUDA_CPU_CHECK_OPTIONS")
FIRST = "CUDA_CPU_PROFILE_PROCESS"
FOLDERS = ("nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib", "nvidia/nvjitlink/lib")


# Modules of other packages, and the function of an adapter that is called when the program has imported one.
ADAPTERS = {
    "warp._src.context": ("cuda.cpu.programs.warp", "install"),
    "jaxlib": ("cuda.cpu.programs.jax", "open_libraries"),
    "jax._src.hardware_utils": ("cuda.cpu.programs.jax", "install"),
}
WITH_TORCH = {
    "torch": ("cuda.cpu.programs.pytorch", "install"),
    "triton.knobs": ("cuda.cpu.programs.pytorch.driver", "add_to_triton"),
    "cuda.tile._cext": ("cuda.cpu.programs.pytorch.driver", "add_to_cutile"),
    **ADAPTERS,
}


class AdapterLoader:
    """Loads a module by its own loader, and then calls the function of its adapter."""

    def __init__(self, loader: "Any", adapter: "tuple[str, str]") -> None:
        self.loader, self.adapter = loader, adapter

    def __getattr__(self, name: str) -> "Any":
        return getattr(self.loader, name)

    def exec_module(self, module: "Any") -> None:
        self.loader.exec_module(module)
        name, function = self.adapter
        getattr(importlib.import_module(name), function)()


class AdapterFinder:
    """Finds modules that have adapters, by the other finders, each once."""

    def __init__(self, adapters: "dict[str, tuple[str, str]]") -> None:
        self.adapters = dict(adapters)

    def find_spec(self, name: str, path: "Any" = None, target: "Any" = None) -> "Any":
        adapter = self.adapters.pop(name, None)
        if adapter is None:
            return None
        spec: Any = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            spec.loader = AdapterLoader(spec.loader, adapter)
        return spec


def real_library(name: str) -> "str | None":
    """Return the path of NVIDIA's library: in a wheel on sys.path, else of the toolkit that CUDA_HOME names."""
    folders = [os.path.join(entry, folder) for entry in sys.path if os.path.isabs(entry) for folder in FOLDERS]
    folders += [os.path.join(os.environ[v], "lib64") for v in ("CUDA_HOME", "CUDA_PATH") if os.environ.get(v)]
    return next((path for folder in folders if os.path.exists(path := os.path.join(folder, name))), None)


def is_for_this_python() -> bool:
    """Return whether our compiled modules are for this interpreter: a program may start others."""
    module = os.path.join(PACKAGE, "runtime", "_runtime")
    return any(os.path.exists(module + suffix) for suffix in importlib.machinery.EXTENSION_SUFFIXES)


def open_libraries() -> list:
    """Open the driver, NVML and the forwarders, which stay open; a library that is not installed needs no forwarder."""
    opened = [ctypes.CDLL(DRIVER, ctypes.RTLD_GLOBAL), ctypes.CDLL(NVML)]
    for name, variable in FORWARDERS:
        forwarder, real = os.path.join(FORWARD, name), real_library(name)
        if real is not None and os.path.exists(forwarder):
            os.environ[variable] = real
            opened.append(ctypes.CDLL(forwarder))
    return opened


def forward_assembler() -> None:
    """Keep cuTile, if it is installed, from assembling what our compiler for Tile IR supports."""
    if any(os.path.isdir(os.path.join(entry, "cuda", "tile")) for entry in sys.path if os.path.isabs(entry)):
        from cuda.cpu.programs import tileiras

        tileiras.install()


exit_handlers: list = []  # cuda.cpu.at_exit.register


def end() -> None:
    while exit_handlers:
        exit_handlers.pop()()


def run_the_other() -> None:
    """Run the sitecustomize that this one stands before, if there is one."""
    others = [entry for entry in sys.path if os.path.abspath(entry) != HERE]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", others)
    if spec is not None and spec.loader is not None:
        sys.modules["sitecustomize"] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)


def note_first_process() -> None:
    """Record which process is the program's first: the reports of others have their number in their names."""
    if any(os.environ.get(name) for name in REPORTS):
        os.environ.setdefault(FIRST, str(os.getpid()))


if __name__ == "sitecustomize":
    note_first_process()
    if is_for_this_python():
        sys.modules["cuda_cpu_start"] = sys.modules[__name__]
        atexit.register(end)
        open_libraries()
        if fallback := os.environ.get("CUDA_CPU_FALLBACK"):
            sys.path.append(fallback)
        sys.meta_path.insert(0, AdapterFinder(WITH_TORCH if os.environ.get("CUDA_CPU_TORCH") else ADAPTERS))
        forward_assembler()
    run_the_other()
