# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A CUDA driver for the CPU: libcuda's C interface on the host, running PTX as machine code."""

from __future__ import annotations

import os.path

__all__ = ["__version__", "implemented", "last_error_message", "library_path"]

_DISTRIBUTIONS = ("open-cuda-python", "cuda-cpu")


def __getattr__(name: str) -> str:
    if name != "__version__":
        raise AttributeError(f"module 'cuda.cpu' has no attribute {name!r}")
    import importlib.metadata  # 20 ms, for callers that need it

    for distribution in _DISTRIBUTIONS:
        try:
            return importlib.metadata.version(distribution)
        except importlib.metadata.PackageNotFoundError:
            continue
    return "0+unknown"  # run from a source tree that is not installed


def library_path() -> str:
    """Return the path of the CPU device's `libcuda.so.1`."""
    return os.path.join(os.path.dirname(__file__), "entry", "libcuda.so.1")


def implemented() -> list[str]:
    """Return the names of the driver functions that the CPU device has; every other one answers NOT_SUPPORTED."""
    from cuda.cpu import driver

    return driver.implemented()


def last_error_message() -> str:
    """Return what the calling thread's last failed driver call had to say beyond its status, "" if nothing.

    It names the argument, the value and what would be right; for code that does not load, the PTX line.
    """
    from cuda.cpu.driver.base import error

    return error.last_error_message()
