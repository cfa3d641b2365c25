# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Run PTX kernels on hand-made warps, without the native runtime's grids.

The object is loaded as the driver does it. Services of the runtime are Python functions; those that a test does not
expect fail.
"""

from __future__ import annotations

import ctypes
import functools
import os
import threading
from collections.abc import Callable

import numpy as np

from cuda.cpu.compile import jit
from cuda.cpu.compile.program import code_of
from cuda.cpu.emit.simt.frame import FAULTS, SERVICES, WARP
from cuda.cpu.ptx import program as ptx_program
from cuda.cpu.ptx.error import PtxError
from cuda.cpu.runtime._runtime import Image
from cuda.cpu.runtime.kernel_abi import HALF_RUN, Path

LANES = 32
WARP_BYTES = 1024
HEAD = ".version 9.0\n.target sm_90\n.address_size 64\n"
TARGETS = ("sm_90", "sm_90a", "sm_100a", "sm_120a")  # each supports instructions that the others do not


class Fault(Exception):
    """The kernel ended with warp->runtime->fault."""


def _build(text: str) -> ptx_program.Program:
    """Build a PTX text; one without a header for the first target that supports its instructions."""
    if ".version" in text:
        return ptx_program.build([text])
    for target in TARGETS:
        try:
            return ptx_program.build([HEAD.replace("sm_90", target) + text])
        except PtxError as error:
            if f"this is for {target}" not in str(error) or target == TARGETS[-1]:
                raise
    raise AssertionError


class Kernel:
    """A compiled kernel of a PTX text."""

    def __init__(self, text: str, name: str = "k", **options: object):
        self.name = name
        self.program = _build(text).laid_out(name)
        data, self.path, self.local_bytes = jit.build_object(self.program, name, **options)
        self._image = Image(data)
        self.variables, self.addresses = _place_symbols(self.program)
        self.entry = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self._image.address(name))

    def __call__(
        self,
        *args: object,
        threads: int | tuple[int, ...] = LANES,
        blocks: int | tuple[int, ...] = 1,
        shared: int = 0,
        services: dict[str, Callable] | None = None,
        local: int = 4096,
        budget: int = 1 << 20,
        stack_limit: int = 0,
        sole: np.ndarray | None = None,
    ) -> None:
        """Run all warps, one after the other. Arrays are passed by address, NumPy scalars as they are.

        `sole` is a struct cpu_sole; `self.scattered` then tells whether operations did not use it.
        """
        block, grid, self.scattered = _three(threads), _three(blocks), False
        by_blocks = self.path in (Path.BLOCKS, Path.PADDED)
        together = int(np.prod(grid)) if by_blocks else 1
        pitch = _pitch(block) if self.path == Path.PADDED else block[0]
        lanes = pitch * block[1] * block[2]
        table = _Services(services or {}, budget)
        parameters = _parameters(self.program.functions[self.name], args)
        for index in range(0, int(np.prod(grid)), together):
            shared_memory = np.zeros(self.program.shared_static + shared + 64, np.uint8)
            count = -(-lanes // LANES)
            rows = -1
            warps, local_memories = np.zeros((count, WARP_BYTES), np.uint8), np.zeros((count, LANES * local), np.uint8)
            for warp_id, (warp, local_memory) in enumerate(zip(warps, local_memories, strict=True)):
                _put(warp, "runtime", table.address, np.uint64)
                _put(warp, "params", parameters.ctypes.data, np.uint64)
                _put(warp, "shared", shared_memory.ctypes.data, np.uint64)
                _put(warp, "cluster_shared", shared_memory.ctypes.data, np.uint64)
                _put(warp, "local", local_memory.ctypes.data, np.uint64)
                _put(warp, "symbols", self.addresses.ctypes.data, np.uint64)
                _put(warp, "local_stride", local, np.uint64)
                _put(warp, "shared_size", self.program.shared_static + shared, np.uint32)
                _put(warp, "shared_static", self.program.shared_static, np.uint32)
                _put(warp, "budget", budget, np.int32)
                _put(warp, "warp_id", warp_id, np.uint32)
                _put(warp, "stack_limit", stack_limit, np.uint64)
                _put(warp, "sole", 0 if sole is None else sole.ctypes.data, np.uint64)
                _put(warp, "grid_dim", grid, np.uint32)
                _put(warp, "block_idx", np.unravel_index(index, grid[::-1])[::-1], np.uint32)
                _put(warp, "block_dim", block, np.uint32)
                _put(warp, "cluster_dim", [1, 1, 1], np.uint32)
                _put(warp, "warp_count", count, np.uint32)
                _put(warp, "warp_bytes", WARP_BYTES, np.uint32)
                _put(warp, "blocks", together, np.uint32)
                _put(warp, "last_lanes", (1 << lanes - LANES * (count - 1)) - 1, np.uint32)
                rows &= _put_threads(warp, warp_id, block, pitch)
            for warp in warps:
                _put(warp, "rows", rows, np.uint32)
            for warp in warps[:1] if by_blocks else warps:
                table.warp = warp
                table.run(self.entry, warp.ctypes.data)
                self.scattered |= bool(warp[WARP["scattered"]])


if os.environ.get("CUDA_PYTHON_DRIVER") == "nvidia":
    from support.gpu_kernels import HEAD, Fault, Kernel


def compiled(text: str, name: str = "k", **options: object) -> Kernel:
    """Return a kernel, compiled once for each of the settings."""
    settings = sorted(item for item in os.environ.items() if item[0].startswith("CUDA_CPU_"))
    return _compiled(text, name, tuple(settings), **options)


@functools.cache
def _compiled(text: str, name: str, settings: tuple[tuple[str, str], ...], **options: object) -> Kernel:
    return Kernel(text, name, **options)


def _three(sizes: int | tuple[int, ...]) -> tuple[int, ...]:
    sizes = (sizes,) if isinstance(sizes, int) else sizes
    return sizes + (1,) * (3 - len(sizes))


def _pitch(block: tuple[int, ...]) -> int:
    """Return how many lanes the runtime gives a row, `pitch_of` in runtime/exec/grid.c."""
    padded = -(-block[0] // HALF_RUN) * HALF_RUN
    rows = block[1] * block[2]
    return padded if rows > 1 and 2 * block[0] >= padded and padded * rows <= 32 * LANES else block[0]


def _put_threads(warp: np.ndarray, warp_id: int, block: tuple[int, ...], pitch: int) -> int:
    """Write which thread each lane of a warp is; return `rows` of the warp."""
    lane = np.arange(warp_id * LANES, (warp_id + 1) * LANES)
    x, y, z = lane % pitch, lane // pitch % block[1], lane // (pitch * block[1])
    exists = (x < block[0]) & (z < block[2])
    _put(warp, "lanes", int(sum(1 << i for i in range(LANES) if exists[i])), np.uint32)
    _put(warp, "thread_idx", np.concatenate([x, y, z]), np.uint32)
    _put(warp, "row_pitch", pitch, np.uint32)
    return _rows(x, exists)


def _rows(x: np.ndarray, exists: np.ndarray) -> int:
    """Return bit b if %tid.x grows by one from lane to lane within each 2**b lanes."""
    follows = np.append(True, ~exists[1:] | (x[1:] == x[:-1] + 1))
    return sum(1 << b for b in range(6) if follows[np.arange(LANES) % (1 << b) != 0].all())


def _place_symbols(program: object) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Give each variable initialised memory, and each function a placeholder address."""
    stored = code_of(program).variables
    variables = {name: np.zeros(variable.size + 16, np.uint8) for name, variable in stored.items()}
    pointers = {name: data.ctypes.data for name, data in variables.items()}
    addresses = [pointers.setdefault(name, 0x7000 + 16 * index) for index, name in enumerate(program.symbols)]
    for name, variable in stored.items():
        data = variables[name]
        data[: len(variable.data)] = np.frombuffer(variable.data, np.uint8)
        for offset, width, symbol, addend, shift in variable.relocations:
            value = (pointers[symbol] + addend) >> (8 * shift)
            data[offset : offset + width] = np.frombuffer(value.to_bytes(8, "little")[:width], np.uint8)
    return variables, np.array(addresses or [0], np.uint64)


class _Services:
    """A struct cpu_runtime of Python functions. Their exceptions are raised after the kernel has returned."""

    def __init__(self, functions: dict[str, Callable], budget: int):
        self.error: Exception | None = None
        self.warp: np.ndarray | None = None
        functions = {"poll": self._poll, "fault": self._fault, "exit_lanes": lambda warp, lanes: None} | functions
        self.over = threading.Event()
        self._budget = budget
        self._keep = []
        table = np.zeros(32, np.uint64)
        for name, offset in SERVICES.items():
            table[offset // 8] = self._wrap(name, functions.get(name))
        self._table = table
        self.address = table.ctypes.data

    def _wrap(self, name: str, function: Callable | None) -> int:
        result, arguments = SIGNATURES[name]

        def call(*args: int) -> int:
            try:
                if function is None:
                    raise AssertionError(f"unexpected call of {name}{args[1:]}")
                return function(*args) or 0
            except Exception as error:
                self.error = self.error or error
                return 0

        callback = ctypes.CFUNCTYPE(result, ctypes.c_void_p, *arguments)(call)
        self._keep.append(callback)
        return ctypes.cast(callback, ctypes.c_void_p).value

    def run(self, entry: Callable, warp: int) -> None:
        """Run a warp on a thread of its own, which sleeps forever after a fault, because `fault` never returns."""
        self.over.clear()

        def work() -> None:
            entry(warp)
            self.over.set()

        threading.Thread(target=work, daemon=True).start()
        self.over.wait()
        if self.error is not None:
            raise self.error

    def _poll(self, warp: int) -> None:
        _put(self.warp, "budget", self._budget, np.int32)

    def _fault(self, warp: int, kind: int, line: int, address: int) -> None:
        name = next((name for name, number in FAULTS.items() if number == kind), str(kind))
        self.error = self.error or Fault(name, line, address)
        self.over.set()
        threading.Event().wait()


U32, U64, P = ctypes.c_uint32, ctypes.c_uint64, ctypes.c_void_p
SIGNATURES = {
    "barrier_sync": (None, (U32, U32, U32)),
    "barrier_arrive": (None, (U32, U32, U32)),
    "barrier_reduce": (U32, (U32, U32, U32, U32, U32)),
    "poll": (None, ()),
    "fault": (None, (U32, U32, U64)),
    "vprintf": (None, (U32, P, P, P)),
    "malloc": (None, (U32, P, P)),
    "free": (None, (U32, P)),
    "assert_fail": (None, (U32, P, P, P, P)),
    "nanosleep": (None, (U32,)),
    "clock": (U64, ()),
    "globaltimer": (U64, ()),
    "exit_lanes": (None, (U32,)),
    "cluster_arrive": (None, (U32,)),
    "cluster_wait": (None, (U32,)),
    "graph_set_conditional": (None, (U32, P, P)),
    "graph_launch": (None, (U32, P, P, P)),
    "graph_update": (None, (U32, U32, P)),
    "texture": (None, (U32, U32, U32, P, P, P)),
    "bulk": (None, (U32, U32, U32, P)),
    "check_access": (None, (U32, U64, U32, U32, P, P)),
    "check_warp": (None, (U32, U64, U32, P)),
    "check_order": (None, (U32, U32, U32)),
    "check_barrier": (None, (U32, U64, U32, U32, U32)),
    "device_call": (None, (U32, U32, P)),
    "profile_access": (None, (U32, U32, U32, U32, P, P)),
    "profile_bulk": (None, (U32, U32, U32, P)),
    "check_written": (None, (P, U32)),
    "check_bulk": (None, (U32, U64, U32, P)),
    "check_rows": (U32, (U32, U64, U32, U64, U64)),
}


def _put(warp: np.ndarray, field: str, value: object, type_: type) -> None:
    data = np.atleast_1d(np.asarray(value, np.int64 if type_ is np.int32 else np.uint64)).astype(type_)
    warp[WARP[field] : WARP[field] + data.nbytes] = data.view(np.uint8)


def _parameters(function: object, args: tuple[object, ...]) -> np.ndarray:
    buffer, end = bytearray(), 0
    assert len(args) == len(function.parameters), "wrong number of kernel arguments"
    for parameter, arg in zip(function.parameters, args, strict=True):
        end = -(-end // parameter.align) * parameter.align
        data = (
            np.uint64(arg.ctypes.data).tobytes()
            if isinstance(arg, np.ndarray) and arg.ndim
            else np.asarray(arg).tobytes()
        )
        assert len(data) == parameter.size, f"{parameter.name}: {len(data)} bytes for {parameter.size}"
        buffer.extend(bytes(end - len(buffer)) + data)
        end += parameter.size
    return np.frombuffer(bytes(buffer) + bytes(8), np.uint8).copy()
