# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The launches that the function of an operator asks for: recorded while it runs, or carried out."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from cuda.core import LaunchConfig
from cuda.interop._names import Spelling, kernel_name

_running = threading.local()


class Launch(NamedTuple):
    """A launch that a function has asked for by `launch_kernel`."""

    grid: Any
    block: Any
    arguments: tuple[Any, ...]
    kernel: str | None = None
    shared_bytes: int = 0
    cluster: Any = None

    @property
    def is_empty(self) -> bool:
        """Return whether the grid has no blocks, which `cuda.core.launch` would refuse."""
        return 0 in (self.grid if isinstance(self.grid, tuple) else (self.grid,))

    def config(self) -> LaunchConfig:
        """Return grid, block, cluster and shared memory for `cuda.core.launch`."""
        return LaunchConfig(grid=self.grid, block=self.block, cluster=self.cluster, shmem_size=self.shared_bytes)

    def kernel_name(self, operator: str, default: str | None, arguments: Mapping[str, Any], spelling: Spelling) -> str:
        """Return the name of the kernel for an operator's arguments; `default` is for launches that name none."""
        template = self.kernel or default
        if template is None:
            raise ValueError(f"{operator}: launch_kernel needs the kernel's name, kernel=..., here or of operator")
        return kernel_name(operator, template, arguments, spelling)


def launch_kernel(
    grid: Any, block: Any, *arguments: Any, kernel: str | None = None, shared_bytes: int = 0, cluster: Any = None
) -> None:
    """Launch a kernel of the operator whose function is running.

    Parameters
    ----------
    grid, block : int or tuple of int
        The number of blocks, and of threads in a block. A grid without blocks is not launched.
    *arguments : object
        An argument for each parameter: tensors, lists of tensors (for an array of pointers), numbers, None for null.
    kernel : str, optional
        The kernel's name in C++, by default that of the operator. In braces stand names of the operator's arguments:
        ``"scale<{x}>"`` is ``"scale<float>"``, ``"scale_{x}"`` is ``"scale_float32"``.
    shared_bytes : int
        The size of dynamic shared memory.
    cluster : int or tuple of int, optional
        The number of blocks in a cluster.

    Raises
    ------
    RuntimeError
        If no function of an operator is running.
    """
    take = getattr(_running, "take", None)
    if take is None:
        raise RuntimeError("launch_kernel is for the functions of operators: decorate one by @operator(...)")
    take(Launch(grid, block, arguments, kernel, shared_bytes, cluster))


def record(function: Any, arguments: Any) -> tuple[Any, list[Launch]]:
    """Return what a function returns, and the launches that it asks for."""
    launches: list[Launch] = []
    return call(function, arguments, launches.append), launches


def call(function: Any, arguments: Any, take: Callable[[Launch], Any]) -> Any:
    """Return what a function returns; `take` gets each launch when the function asks for it."""
    before = getattr(_running, "take", None)
    _running.take = take
    try:
        return function(*arguments)
    finally:
        _running.take = before
