# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Kernels that launch kernels.

What the native device runtime (runtime/device_runtime/device.h) must know of a context and code.
"""

from __future__ import annotations

import functools
import itertools
import threading
from typing import Any

from cuda.cpu.abi import CUDA_VERSION
from cuda.cpu.compile.code import NARROW, WIDE
from cuda.cpu.driver.base import once
from cuda.cpu.driver.code import function as functions
from cuda.cpu.driver.code import occupancy
from cuda.cpu.driver.device import device as devices
from cuda.cpu.driver.device import device_attribute
from cuda.cpu.runtime import _runtime

_tags = itertools.count(1 << 48)  # by which checks know the texts of statuses


@functools.cache
def statuses() -> list[tuple[int, str, str]]:
    """Return number, name and text of each cudaError_t."""
    from cuda.cpu.runtime_api import abi

    return [(value, name, text) for value, (name, text) in abi.STATUSES.items()]


def home_of(context: Any) -> _runtime.DeviceRuntime:
    """Return what kernels can ask of a context."""
    with once.lock:
        if context.home is None:
            of = context.device
            shared, _, threads, blocks = device_attribute.architecture(of.capability)
            context.home = _runtime.DeviceRuntime(
                of.ordinal, len(devices.all_devices()), CUDA_VERSION, of.attributes, context.limits,
                (shared << 10, threads, blocks, occupancy.reserved(of.capability)), statuses(),
            )  # fmt: skip
    return context.home


class Launchable:
    """The kernels of a module whose addresses its code takes, for others to launch."""

    def __init__(self, module: Any) -> None:
        self.module = module
        self.kernels: dict[str, _runtime.DeviceKernel] = {}
        self.lock = threading.Lock()
        if module.code.device_runtime:
            names = [name for name in module.code.symbols if name in module.code.kernels]
            self.kernels = {name: self._make(module.code.kernels[name]) for name in names}
        self.ready = not self.kernels

    def _make(self, kernel: Any) -> _runtime.DeviceKernel:
        cluster = kernel.required_cluster or (functions.UNKNOWN if kernel.explicit_cluster else functions.ONE)
        return _runtime.DeviceKernel(kernel.max_threads, kernel.required_block, cluster, kernel.shared_bytes)

    def compile(self) -> None:
        """Compile all of them: a kernel that runs cannot wait for Python."""
        if self.ready:
            return
        with self.lock:  # another thread's launch needs them, too
            if self.ready:
                return
            found = [self.module.function(name) for name in self.kernels]
            made = [(each, each.grid or each.make(WIDE), each.narrow or each.make(NARROW)) for each in found]
            for function, wide, narrow in made:
                self.kernels[function.kernel.name].fill(wide, narrow, function.dynamic, facts(function))
            for function, wide, narrow in made:  # last: whoever finds a grid does not come here
                function.grid, function.narrow = wide, narrow
            self.ready = True

    def refresh(self, function: Any) -> None:
        """Tell the native runtime that a function has another attribute."""
        kernel = self.kernels.get(function.kernel.name)
        if kernel is not None and self.ready:
            kernel.fill(function.grid, function.narrow, function.dynamic, facts(function))


def facts(function: Any) -> bytes:
    """Return a kernel's cudaFuncAttributes."""
    from cuda.cpu.runtime_api.abi import cudaFuncAttributes
    from cuda.cpu.runtime_api.kernel import ATTRIBUTES

    answer = cudaFuncAttributes()
    for field, which in ATTRIBUTES.items():
        setattr(answer, field, functions.attribute(function.module.code, function.kernel, function.settings, which))
    return bytes(answer)


def tell_checks(home: _runtime.DeviceRuntime) -> None:
    """Let checked kernels read the texts of statuses."""
    start, size = home.texts
    _runtime.table_add(start, size, next(_tags), False, "the texts of cudaError_t")
