# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Start a program on the CPU device: open the driver, NVML and the forwarders, then become the program.

run.py runs this file in the program's interpreter: start.py -m MODULE ARGUMENTS, or start.py - SCRIPT ARGUMENTS.
"""

import ctypes
import os
import runpy
import sys

FORWARD = os.path.dirname(os.path.realpath(__file__))
DRIVER = os.path.join(os.path.dirname(FORWARD), "entry", "libcuda.so.1")
NVML = os.path.join(os.path.dirname(FORWARD), "nvml", "libnvidia-ml.so.1")

# The forwarder, the variable that tells it the real library, and where wheels and toolkits have that.
FORWARDERS = (("libnvrtc.so.13", "CUDA_CPU_REAL_NVRTC"), ("libnvJitLink.so.13", "CUDA_CPU_REAL_NVJITLINK"))
FOLDERS = ("nvidia/cu13/lib",)


def real_library(name: str) -> "str | None":
    """Return the path of NVIDIA's library: in a wheel on sys.path, else of the toolkit that CUDA_HOME names."""
    places = [os.path.join(entry, folder) for entry in sys.path for folder in FOLDERS]
    places += [os.path.join(os.environ[v], "lib64") for v in ("CUDA_HOME", "CUDA_PATH") if os.environ.get(v)]
    return next((path for place in places if os.path.exists(path := os.path.join(place, name))), None)


def open_libraries() -> list:
    """Open the driver, NVML and the forwarders, which stay open; a library that is not installed needs no forwarder."""
    opened = [ctypes.CDLL(DRIVER, ctypes.RTLD_GLOBAL), ctypes.CDLL(NVML)]
    for name, variable in FORWARDERS:
        forwarder, real = os.path.join(FORWARD, name), real_library(name)
        if real is not None and os.path.exists(forwarder):
            os.environ[variable] = real
            opened.append(ctypes.CDLL(forwarder))
    return opened


def main(kind: str, name: str, arguments: list) -> None:
    if fallback := os.environ.pop("CUDA_CPU_FALLBACK", None):
        sys.path.append(fallback)
    sys.argv = [name, *arguments]
    sys.path[0] = os.getcwd() if kind == "-m" else os.path.dirname(os.path.abspath(name))
    open_libraries()
    if kind == "-m":
        runpy.run_module(name, run_name="__main__", alter_sys=True)
    else:
        runpy.run_path(name, run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
