# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Kernels in a context (CUfunction): lazy compilation, launch limits and attributes."""

from __future__ import annotations

import ctypes
from typing import Any

from cuda.cpu.abi import (
    CU_FUNC_ATTRIBUTE_BINARY_VERSION,
    CU_FUNC_ATTRIBUTE_CACHE_MODE_CA,
    CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE,
    CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET,
    CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES,
    CU_FUNC_ATTRIBUTE_DEVICE_NODE_UPDATE_SUPPORTED,
    CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,
    CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
    CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
    CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED,
    CU_FUNC_ATTRIBUTE_NUM_REGS,
    CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
    CU_FUNC_ATTRIBUTE_PTX_VERSION,
    CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH,
    CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT,
    CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH,
    CU_FUNC_ATTRIBUTE_SHARED_MEMORY_MODE,
    CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
    CUDA_ERROR_INVALID_PTX,
    CUDA_ERROR_INVALID_VALUE,
    CUDA_ERROR_NOT_PERMITTED,
)
from cuda.cpu.compile.code import Code, Kernel, MachineCode
from cuda.cpu.counters import state as profile
from cuda.cpu.driver.base import address
from cuda.cpu.driver.base.error import CudaError, answer, invalid
from cuda.cpu.driver.base.handle import Table
from cuda.cpu.driver.code import image as images
from cuda.cpu.driver.device import device as devices
from cuda.cpu.driver.device import device_attribute, device_runtime
from cuda.cpu.runtime import _runtime
from cuda.cpu.runtime.kernel_abi import WHOLE_RUN

functions = Table("function")

ONE = (1, 1, 1)  # the cluster of a launch without clusters
UNKNOWN = (0, 0, 0)  # that of a kernel for which each launch has to give one
SHARED = device_attribute.FIXED["MAX_SHARED_MEMORY_PER_BLOCK"]
REGISTERS = device_attribute.FIXED["MAX_REGISTERS_PER_BLOCK"]
REQUIRED_CLUSTER = (
    CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH,
    CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT,
    CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH,
)

# What may be set, and from which value to which; the greatest amount of dynamic shared memory depends on the kernel.
SETTABLE = {
    CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: (0, 0),
    CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: (-1, 100),
    CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED: (0, 1),
    CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE: (0, 2),
    **dict.fromkeys(REQUIRED_CLUSTER, (0, 16)),
}


class Function:
    """A kernel in a module. `dynamic` is the most dynamic shared memory, in bytes, that a launch may request."""

    def __init__(self, module: Any, kernel: Kernel) -> None:
        self.module = module
        self.context = module.context
        self.kernel = kernel
        self.buffer = ctypes.c_char * max(kernel.parameter_bytes, 1)
        self.compiled: dict[int, Any] = {}  # by the length of the blocks' runs of lanes, see kernel_abi.lane_run
        # The same with brief code, and the most threads of launches that run it: see compile/brief.py.
        self.brief: dict[int, tuple[Any, int]] = {}
        self.name = ctypes.create_string_buffer(kernel.name.encode())
        self.settings: dict[int, int] = {}
        self.dynamic = max(SHARED - kernel.shared_bytes, 0)
        self.cluster = kernel.required_cluster or (UNKNOWN if kernel.explicit_cluster else ONE)
        self.handle = functions.add(self)

    def load(self, lane_run: int = WHOLE_RUN, threads: int | None = None) -> Any:
        """Compile the kernel for blocks with such runs of lanes, if it is not yet.

        `threads`: of a launch, which may run brief code.
        """
        self.module.child_kernels.compile()
        found = self.compiled.get(lane_run)
        if found is None and threads is not None:
            found = self._load_brief(lane_run, threads)
        return found or self.compiled.setdefault(lane_run, self.make(lane_run))

    def _load_brief(self, lane_run: int, threads: int) -> Any:
        """Return the kernel for a launch; None if its brief code is for fewer threads."""
        if lane_run not in self.brief:
            machine = self._machine_code(lane_run, threads)
            compiled = self._native(machine)
            if not machine.most_threads:
                return self.compiled.setdefault(lane_run, compiled)
            self.brief.setdefault(lane_run, (compiled, machine.most_threads))
        compiled, most = self.brief[lane_run]
        return compiled if threads <= most else None

    def make(self, lane_run: int) -> Any:
        """Compile the kernel for such runs of lanes and return it in the form that the runtime launches."""
        return self._native(self._machine_code(lane_run))

    def _machine_code(self, lane_run: int, threads: int | None = None) -> MachineCode:
        code, name = self.module.code, self.kernel.name
        with images.ptx_errors(CUDA_ERROR_INVALID_PTX):
            if profile.applies_to(name):
                return code.compile_profiled(name, lane_run)
            return code.compile(name, lane_run, threads)

    def _native(self, machine: MachineCode) -> Any:
        kernel = self.kernel
        state = device_runtime.state_of(self.context) if self.module.code.device_runtime else None
        if machine.checks:
            address.watch()
            if state is not None:
                device_runtime.allow_texts(state)
        layout = tuple((parameter.offset, parameter.size) for parameter in kernel.parameters)
        compiled = _runtime.CompiledKernel(
            machine.address,
            kernel.name,
            ctypes.addressof(self.module.symbols),
            kernel.shared_bytes,
            machine.local_bytes,
            kernel.parameter_bytes,
            machine.path,
            (machine, self.module.symbols),
            layout,
            machine.frames,
            machine.checks,
            state,
            kernel.alignment,
            machine.counters,
            machine.token,
        )
        if machine.translate:
            from cuda.cpu.compile import tier_up

            tier_up.watch(compiled, machine, kernel.name)
        return compiled

    def unload(self) -> None:
        """Compile the kernel again at the next launch: with counters, or without."""
        self.compiled, self.brief = {}, {}
        self.module.child_kernels.forget()

    def set_attribute(self, which: int, value: int) -> None:
        check_settable(self.kernel, self.context.device, which, value)
        _runtime.invalidate_fast_path()
        self.settings[which] = value
        if which == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
            self.dynamic = value
        elif which in REQUIRED_CLUSTER:
            x, y, z = (self.settings.get(axis, 0) or 1 for axis in REQUIRED_CLUSTER)
            self.cluster = (x, y, z)
        self.module.child_kernels.refresh(self)


def most_dynamic(kernel: Kernel, of: devices.Device) -> int:
    _, per_block, *_ = device_attribute.architecture(of.capability)
    return max((per_block << 10) - kernel.shared_bytes, 0)


def check_settable(kernel: Kernel, of: devices.Device, which: int, value: int) -> None:
    if which not in SETTABLE:
        raise invalid(f"attribute {which} of a kernel cannot be set")
    least, most = SETTABLE[which]
    if which == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        most = most_dynamic(kernel, of)
    if not least <= value <= most:
        raise invalid(f"attribute {which} of kernel {kernel.name!r} is to be {value}, must be {least} to {most}")
    if which in REQUIRED_CLUSTER and kernel.required_cluster:
        raise CudaError(CUDA_ERROR_NOT_PERMITTED, f"kernel {kernel.name!r} was compiled with a cluster size")


def attribute(code: Code, kernel: Kernel, settings: dict[int, int], which: int) -> int:
    """Return a CUfunction_attribute of a kernel."""
    if which in settings:
        return settings[which]
    if which == CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        assert code.local_bytes is not None
        with images.ptx_errors(CUDA_ERROR_INVALID_PTX):
            return code.local_bytes(kernel.name)
    cluster = kernel.required_cluster or (0, 0, 0)
    answers = {
        CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: kernel.max_threads,
        CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: kernel.shared_bytes,
        CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: sum(v.size for v in code.variables.values() if v.space == "const"),
        # PTX has virtual registers without end; a number that allows the largest block is what a compiler would reach.
        CU_FUNC_ATTRIBUTE_NUM_REGS: min(kernel.registers, 255, REGISTERS // kernel.max_threads),
        CU_FUNC_ATTRIBUTE_PTX_VERSION: kernel.ptx_version,
        CU_FUNC_ATTRIBUTE_BINARY_VERSION: kernel.binary_version,
        CU_FUNC_ATTRIBUTE_CACHE_MODE_CA: 0,
        CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: max(SHARED - kernel.shared_bytes, 0),
        CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: -1,
        CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET: int(kernel.required_cluster is not None or kernel.explicit_cluster),
        **dict(zip(REQUIRED_CLUSTER, cluster, strict=True)),
        CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED: 0,
        CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE: 0,
        CU_FUNC_ATTRIBUTE_DEVICE_NODE_UPDATE_SUPPORTED: 1,
        CU_FUNC_ATTRIBUTE_SHARED_MEMORY_MODE: 0,
    }
    if which not in answers:
        raise invalid(f"{which} is no CUfunction_attribute that the CPU device supports")
    return answers[which]


def parameter(kernel: Kernel, index: int) -> tuple[int, int]:
    """Return offset and size of a parameter."""
    if index >= len(kernel.parameters):  # programs count the parameters so
        message = f"kernel {kernel.name!r} has {len(kernel.parameters)} parameters, none with index {index}"
        raise answer(CUDA_ERROR_INVALID_VALUE, message) if index == len(kernel.parameters) else invalid(message)
    found = kernel.parameters[index]
    return found.offset, found.size
