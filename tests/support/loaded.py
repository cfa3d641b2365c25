# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Load and launch device code without the driver: the PTX front end, the emitter and the native runtime alone."""

from __future__ import annotations

import contextlib
import ctypes
import os
from collections.abc import Iterable, Iterator

import numpy as np

from cuda.cpu.check import report
from cuda.cpu.compile.program import load
from cuda.cpu.ptx.image.image import ptx_of
from cuda.cpu.runtime import _runtime as runtime
from cuda.cpu.runtime.kernel_abi import FULL_RUN, WHOLE_RUN

if os.environ.get("CUDA_PYTHON_DRIVER") == "nvidia":
    from support import gpu_kernels

WAIT = 120.0  # seconds; only a hang takes as long


def run_of(block: tuple[int, int, int], row: int) -> int:
    """Return the run, or instead of WHOLE_RUN the one that launches of such blocks have code for."""
    return runtime.lane_run(block) if row == WHOLE_RUN else row


class Loaded:
    """Loaded code with memory for its variables.

    Parameters
    ----------
    image : bytes
        PTX, cubin or fatbin.
    row : int, optional
        The run of consecutive lanes to compile for: FULL_RUN, HALF_RUN, or WHOLE_RUN for what launches choose.
    threads : int, optional
        Number of threads of the launches, for which the code may be brief.
    """

    def __init__(self, image: bytes, row: int = FULL_RUN, threads: int | None = None) -> None:
        self._row = row
        self._threads = threads
        self.code = load(ptx_of(image), capability=90)
        variables = self.code.variables.items()
        self._memory = {name: np.zeros(max(v.size, 1) + max(v.align, 64), np.uint8) for name, v in variables}
        for name, variable in self.code.variables.items():
            data = bytearray(variable.data)
            for offset, width, symbol, addend, shift in variable.relocations:
                value = (self.address_of(symbol) + addend) >> shift
                data[offset : offset + width] = (value & ((1 << 8 * width) - 1)).to_bytes(width, "little")
            ctypes.memmove(self.address_of(name), bytes(data), len(data))
        addresses = [self.address_of(name) for name in self.code.symbols]
        self._symbols = (ctypes.c_uint64 * max(len(addresses), 1))(*addresses)
        self._queue = runtime.Queue()
        self._grids: dict[tuple[str, int], runtime.CompiledKernel] = {}
        self.found: list[str] = []  # findings of CUDA_CPU_CHECK in the last launch
        self.others: list[np.ndarray] = []  # that kernels reach through pointers in memory

    def address_of(self, name: str) -> int:
        memory = self._memory.get(name)
        if memory is None:
            return self.code.function_address(name)
        align = max(self.code.variables[name].align, 64)
        return -(-memory.ctypes.data // align) * align

    def variable(self, name: str, dtype: object) -> np.ndarray:
        """Return a copy of a variable's content."""
        size = self.code.variables[name].size
        return np.frombuffer(ctypes.string_at(self.address_of(name), size), dtype)

    def set_variable(self, name: str, value: np.ndarray) -> None:
        assert value.nbytes <= self.code.variables[name].size
        ctypes.memmove(self.address_of(name), value.ctypes.data, value.nbytes)

    def grid(self, name: str, block: tuple[int, int, int] = (1, 1, 1)) -> runtime.CompiledKernel:
        """Return the runtime's kernel for such blocks, compiled if it is not yet."""
        row = run_of(block, self._row)
        if (name, row) not in self._grids:
            kernel, machine = self.code.kernels[name], self.code.compile(name, row, self._threads)
            self._grids[name, row] = runtime.CompiledKernel(
                machine.address,
                name,
                ctypes.addressof(self._symbols),
                kernel.shared_bytes,
                machine.local_bytes,
                kernel.parameter_bytes,
                machine.path,
                machine,
                frames=machine.frames,
                checks=machine.checks,
                alignment=kernel.alignment,
            )
        return self._grids[name, row]

    def launch(self, name: str, grid: object, block: object, *args: object, **options: object) -> None:
        """Launch and wait. Arrays are passed by address, NumPy scalars and records as they are."""
        fault = self.run(name, grid, block, *args, **options)
        assert fault is None, f"{fault.kind} {fault.message} at PTX line {fault.line}\n" + "\n".join(self.found)

    @contextlib.contextmanager
    def _known(self, args: Iterable[object]) -> Iterator[None]:
        """Register arrays and variables as accessible for checked kernels."""
        owners = {}
        for array in (*args, *self._memory.values()):
            while isinstance(array, np.ndarray):
                array, owner = array.base, array
                owners[id(owner)] = owner if array is None or not isinstance(array, np.ndarray) else None
        tags = []
        for owner in filter(lambda each: each is not None and each.nbytes, owners.values()):
            tags.append(1 << 40 | id(owner))
            runtime.table_add(owner.ctypes.data, owner.nbytes, tags[-1], False, "NumPy")
        yield
        for tag in tags:
            runtime.table_remove(tag)

    def run(self, name: str, grid: object, block: object, *args: object, **options: object) -> object:
        """Launch, wait and return the fault or None."""
        with self._known((*args, *self.others)):
            queue = self.start(name, grid, block, *args, **options)
            assert queue.wait(WAIT)
        self.found = [report.describe(each, name, self.code.describe_site) for each in runtime.take_findings(1)]
        return queue.take_fault()

    def start(
        self,
        name: str,
        grid: object,
        block: object,
        *args: object,
        shared: int = 0,
        cluster: tuple[int, int, int] = (1, 1, 1),
        cooperative: bool = False,
    ) -> runtime.Queue:
        """Launch, and return the queue."""
        kernel = self.code.kernels[name]
        buffer = np.zeros(kernel.parameter_bytes + 16, np.uint8)
        for parameter, argument in zip(kernel.parameters, args, strict=True):
            value = np.uint64(argument.ctypes.data) if isinstance(argument, np.ndarray) and argument.ndim else argument
            data = np.asarray(value).tobytes()
            assert len(data) == parameter.size, f"argument of {parameter.size} bytes expected, not {value!r}"
            buffer[parameter.offset : parameter.offset + parameter.size] = np.frombuffer(data, np.uint8)
        sizes = [(size, 1, 1) if isinstance(size, int) else size for size in (grid, block)]
        compiled = self.grid(name, sizes[1])
        self._queue.launch(compiled, *sizes, cluster, shared, buffer.ctypes.data, cooperative, 1)
        return self._queue


if os.environ.get("CUDA_PYTHON_DRIVER") == "nvidia":
    Loaded = gpu_kernels.Loaded  # the same programs, on the GPU
