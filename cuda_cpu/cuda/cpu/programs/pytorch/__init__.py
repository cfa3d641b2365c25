# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The adapter of `python -m cuda.cpu run --torch`: PyTorch's device "cuda" is the CPU device, its memory the host's.

PyTorch's CUDA builds contain NVIDIA's runtime library and its CPU builds no CUDA at all, so neither reaches our driver.
Kernels that others launch on its tensors do (Triton). The adapter gives them what they ask of PyTorch: tensors that say
they are on the device (tensors.py) and the functions of torch.cuda (device.py).
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Callable
from types import ModuleType

VARIABLE = "CUDA_CPU_TORCH"  # set by run --torch; programs/forward/start.py reads it


class _Loader(importlib.abc.Loader):
    """Loads a module by its own loader, and then calls a function."""

    def __init__(self, loader: importlib.abc.Loader, then: Callable[[], None]) -> None:
        self.loader, self.then = loader, then

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        return self.loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self.loader.exec_module(module)
        self.then()


class _Finder(importlib.abc.MetaPathFinder):
    """Finds a module, once."""

    def __init__(self, name: str, then: Callable[[], None]) -> None:
        self.name, self.then = name, then

    def find_spec(
        self, fullname: str, path: object = None, target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self.name:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, self.then)
        return spec


def _adapt_torch() -> None:
    from cuda.cpu.programs.pytorch import device, tensors

    device.install()
    tensors.install()


def _adapt_triton() -> None:
    from triton import knobs

    from cuda.cpu.programs.pytorch import driver

    knobs.runtime.launch_exit_hook.add(driver.finish_launch)


def install_on_import() -> None:
    """Install the adapter when the program imports PyTorch or Triton: child processes may import neither."""
    sys.meta_path[:0] = [_Finder("torch", _adapt_torch), _Finder("triton.knobs", _adapt_triton)]
