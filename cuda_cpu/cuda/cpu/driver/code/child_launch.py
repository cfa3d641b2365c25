# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Kernels of a module that other kernels launch (dynamic parallelism)."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from cuda.cpu.compile.code import Kernel
from cuda.cpu.driver.code import function as functions
from cuda.cpu.runtime import _runtime
from cuda.cpu.runtime.kernel_abi import FULL_RUN, HALF_RUN

if TYPE_CHECKING:
    from cuda.cpu.driver.code.function import Function
    from cuda.cpu.driver.code.module import Module

# Field of cudaFuncAttributes -> CUfunction_attribute, both in the order of the header.
ATTRIBUTES = {
    "maxThreadsPerBlock": 0,
    "sharedSizeBytes": 1,
    "constSizeBytes": 2,
    "localSizeBytes": 3,
    "numRegs": 4,
    "ptxVersion": 5,
    "binaryVersion": 6,
    "cacheModeCA": 7,
    "maxDynamicSharedSizeBytes": 8,
    "preferredShmemCarveout": 9,
    "clusterDimMustBeSet": 10,
    "requiredClusterWidth": 11,
    "requiredClusterHeight": 12,
    "requiredClusterDepth": 13,
    "nonPortableClusterSizeAllowed": 14,
    "clusterSchedulingPolicyPreference": 15,
}


class ChildKernels:
    """The kernels of a module whose addresses its code takes, so that kernels can launch them."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.kernels: dict[str, _runtime.DeviceKernel] = {}
        self.lock = threading.Lock()
        if module.code.device_runtime:
            names = [name for name in module.code.symbols if name in module.code.kernels]
            self.kernels = {name: _device_kernel(module.code.kernels[name]) for name in names}
        self.ready = not self.kernels

    def compile(self) -> None:
        """Compile all of them: a running kernel cannot wait for Python."""
        if self.ready:
            return
        with self.lock:  # another thread's launch may need them at the same time
            if self.ready:
                return
            found = [self.module.function(name) for name in self.kernels]
            made = [
                (each, {run: each.compiled.get(run) or each.make(run) for run in (FULL_RUN, HALF_RUN)})
                for each in found
            ]
            for function, compiled in made:
                facts = func_attributes(function)
                kernel = self.kernels[function.kernel.name]
                kernel.fill(compiled[FULL_RUN], compiled[HALF_RUN], function.dynamic, facts)
            for function, compiled in made:  # last: a thread that finds one does not call this method
                function.compiled |= compiled
            self.ready = True

    def forget(self) -> None:
        """Compile them again before the next launch of a kernel that may launch them."""
        with self.lock:
            self.ready = not self.kernels

    def refresh(self, function: Function) -> None:
        """Report a changed attribute of a function to the native runtime."""
        kernel = self.kernels.get(function.kernel.name)
        if kernel is not None and self.ready:
            full_run, half_run = (function.compiled[run] for run in (FULL_RUN, HALF_RUN))
            kernel.fill(full_run, half_run, function.dynamic, func_attributes(function))


def _device_kernel(kernel: Kernel) -> _runtime.DeviceKernel:
    cluster = kernel.required_cluster or (functions.UNKNOWN if kernel.explicit_cluster else functions.ONE)
    return _runtime.DeviceKernel(kernel.max_threads, kernel.block, cluster, kernel.shared_bytes)


def func_attributes(function: Function) -> bytes:
    """Return a kernel's cudaFuncAttributes."""
    from cuda.cpu.runtime_abi import cudaFuncAttributes  # needed by few programs

    result = cudaFuncAttributes()
    for field, which in ATTRIBUTES.items():
        setattr(result, field, functions.attribute(function.module.code, function.kernel, function.settings, which))
    return bytes(result)
