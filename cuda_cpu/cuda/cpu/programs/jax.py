# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""JAX's CUDA build on the CPU device: XLA compiles to PTX, which our driver gets.

XLA opens libcuda, libcudart and the other libraries of NVIDIA at run time. What it needs here:

- JAX looks for a GPU's device file. It is told that there is one.
- XLA calls `ptxas`. It finds a script that returns the PTX, as if it were machine code.
- Where NVIDIA's packages are installed, JAX knows the folders of their libcudart and ptxas: ours come first.
- XLA compiles nothing without cuDNN. It finds a library that says cuDNN's version, and has no other function.
- Products of matrices are kernels of XLA's Triton, since there is no cuBLAS. Nothing is tuned by measuring.
- XLA's own kernels contain PTX for compute capability 12.0 only, so this is the device's.

Convolutions, Fourier transforms and the solvers of linear algebra need NVIDIA's libraries and fail.
"""

from __future__ import annotations

import atexit
import ctypes
import importlib.metadata
import importlib.util
import os
import pathlib
import shutil
import tempfile

from cuda.cpu.programs.machine_code import RUNTIME

VERSION = "0.10."  # whose flags these are: XLA ends the program at an unknown one
CUDNN = str(pathlib.Path(__file__).with_name("xla") / "libcudnn.so.9")
PLUGINS = ("jax_plugins.xla_cuda13", "jax_plugins.xla_cuda12")
VARIABLES = {
    "CUDA_CPU_CAPABILITY": "12.0",
    "JAX_SKIP_CUDA_CONSTRAINTS_CHECK": "1",  # it asks cuBLAS, cuFFT and others for their versions
    "XLA_PYTHON_CLIENT_PREALLOCATE": "false",
}
# What JAX sets TF_CPP_MIN_LOG_LEVEL to. XLA frees its streams and its memory after the driver has ended, and would
# print a line for each.
JAX_LOG_LEVEL = "1"
FLAGS = {
    "xla_gpu_enable_libnvptxcompiler": "false",
    "xla_gpu_enable_libnvjitlink": "false",
    "xla_gpu_autotune_level": "0",
    "xla_gpu_experimental_autotune_backends": "triton",
    "xla_gpu_cublas_fallback": "false",
}

# The file ends with a zero, as the driver expects of a text: XLA does not tell it how long the text is.
PTXAS = r"""#!/bin/sh
while [ $# -gt 0 ]; do
    case "$1" in
        --version) echo "Cuda compilation tools, release 13.0, V13.0.88"; exit 0 ;;
        -o) out=$2; shift ;;
        -*) ;;
        *) in=$1 ;;
    esac
    shift
done
{ cat "$in" && printf '\0'; } > "$out"
"""


def add_flags(folder: pathlib.Path) -> None:
    """Add our flags to XLA_FLAGS, where the program has set none of that name."""
    given = os.environ.get("XLA_FLAGS", "").split()
    names = {flag.removeprefix("--").partition("=")[0] for flag in given}
    flags = {"xla_gpu_cuda_data_dir": str(folder), **FLAGS}
    added = [f"--{name}={setting}" for name, setting in flags.items() if name not in names]
    os.environ["XLA_FLAGS"] = " ".join([*given, *added])


def has_plugin() -> bool:
    """Return whether JAX's CUDA build is installed and wanted."""
    wanted = os.environ.get("JAX_PLATFORMS", "").replace("gpu", "cuda")
    if wanted and "cuda" not in wanted.split(","):
        return False
    try:
        return any(importlib.util.find_spec(name) is not None for name in PLUGINS)
    except ModuleNotFoundError:
        return False


def open_libraries() -> None:
    """Open the libraries that JAX opens by name before it does: its own paths lead to NVIDIA's packages."""
    if has_plugin():
        for library in (RUNTIME, CUDNN):
            ctypes.CDLL(library, ctypes.RTLD_GLOBAL)


def install() -> None:
    """Prepare JAX's CUDA build, if it is installed, before it is loaded.

    Raises
    ------
    ImportError
        This version of JAX is not supported.
    """
    from jax._src import hardware_utils, lib

    if not has_plugin():
        return
    version = importlib.metadata.version("jax")
    if not version.startswith(VERSION):
        raise ImportError(f"the CUDA build of JAX {version} does not run on the CPU device; {VERSION}x does")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="cuda-cpu-xla-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    assembler = folder / "bin" / "ptxas"
    assembler.parent.mkdir()
    assembler.write_text(PTXAS)
    assembler.chmod(0o755)
    lib.cuda_path = str(folder)  # of NVIDIA's package with ptxas, where it is installed, which JAX prefers to the flag
    add_flags(folder)
    for name, setting in VARIABLES.items():
        os.environ.setdefault(name, setting)
    if os.environ.get("TF_CPP_MIN_LOG_LEVEL", JAX_LOG_LEVEL) == JAX_LOG_LEVEL:
        os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    hardware_utils.has_visible_nvidia_gpu = lambda: True
