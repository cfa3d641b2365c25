# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Run the PTX kernels of the CPU device's tests on an NVIDIA GPU, to verify the results that the tests expect.

`support.warps` and `support.loaded` return these classes instead of their own with --driver=nvidia.
"""

from __future__ import annotations

import ctypes
import functools
import itertools
import pathlib
import re
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
from support.addresses import Address, Table, arrays_of

from cuda.bindings import driver
from cuda.core import Device
from cuda.cpu.compile import program as compile_program
from cuda.cpu.emit import emit_kernel
from cuda.cpu.ptx import program as ptx_program
from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.image.image import ptx_of

HEAD = ".version 9.0\n.target sm_90a\n.address_size 64\n"
# Messages of the driver's compiler for PTX for other GPUs or newer drivers.
ELSEWHERE = re.compile(
    r"(requires|not supported on) \.target|requires PTX ISA|cannot be compiled to|Unsupported \.(version|target)"
    r"|higher than default SM version|Unknown modifier|Not a name of any known instruction|does not apply to"
    r"|Operation \.add requires|requires modifier|Unresolved extern function '(__cudaCDP2|cudaCG)"  # of libcudadevrt
    r"|Unexpected instruction types specified for|' requires ABI"  # indirect calls of functions with several results
)
OTHER_GPU = (
    driver.CUresult.CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
    driver.CUresult.CUDA_ERROR_NO_BINARY_FOR_GPU,
)
ALIGNMENT = 256
NON_PORTABLE = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED


class Fault(Exception):
    """The kernel ended with an error, which made the context unusable."""


class NotHere(Exception):
    """The driver's compiler rejects the kernel for this GPU."""


def call(function: Callable, *arguments: object) -> object:
    status, *results = function(*arguments)
    if status != driver.CUresult.CUDA_SUCCESS:
        raise Fault(f"{function.__name__}: {status.name}")
    return results[0] if len(results) == 1 else results


def load(image: bytes) -> object:
    """Return a loaded module; skip the test if the code is for other GPUs."""
    log = np.zeros(4096, np.uint8)
    options = [driver.CUjit_option.CU_JIT_ERROR_LOG_BUFFER, driver.CUjit_option.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES]
    status, module = driver.cuModuleLoadDataEx(image + b"\0", 2, options, [log.ctypes.data, log.size])
    if status != driver.CUresult.CUDA_SUCCESS:
        said = log.tobytes().rstrip(b"\0").decode(errors="replace")
        if ELSEWHERE.search(said) or status in OTHER_GPU:
            pytest.skip(f"not for this GPU and driver: {said.splitlines()[0] if said else status.name}")
        raise NotHere(f"{status.name}: {said}")
    return module


class Kernel:
    """A kernel of a PTX text with the interface of `support.warps.Kernel`; our compiler's options are ignored."""

    def __init__(self, text: str, name: str = "k", **options: object):
        if ".version" not in text:
            text = HEAD + text
        self.name, self.text = name, text
        try:
            program = ptx_program.build([text]).laid_out(name)
        except PtxError as error:
            if "needs .target" in str(error):
                pytest.skip(f"not for this GPU: {error}")
            raise
        emit_kernel(program, name)  # raises the errors of our compiler here as well
        self.parameters = program.functions[name].parameters
        self._loaded: tuple[int, Module] | None = None

    def __getattr__(self, name: str) -> object:
        pytest.skip(f"looks at the {name} that our compiler gave the kernel")

    def __call__(
        self,
        *args: object,
        threads: int | tuple[int, ...] = 32,
        blocks: int | tuple[int, ...] = 1,
        shared: int = 0,
        services: dict[str, Callable] | None = None,
        stack_limit: int = 0,
        **options: object,
    ) -> None:
        """Launch and wait."""
        if services or stack_limit:
            pytest.skip("takes the place of services of the CPU device's runtime")
        context = current()
        if self._loaded is None or self._loaded[0] != context:
            self._loaded = context, Module(self.text.encode())
        launch(self._loaded[1].function(self.name), self.parameters, args, blocks, threads, shared)


class Module:
    """A loaded module, unloaded with this object."""

    def __init__(self, image: bytes):
        self._context = current()
        self.handle = load(image)

    def function(self, name: str) -> object:
        return call(driver.cuModuleGetFunction, self.handle, name.encode())

    def __del__(self) -> None:
        if getattr(self, "handle", None) is not None and self._context == resets:
            driver.cuModuleUnload(self.handle)


class Loaded:
    """Code with its variables, with the interface of `support.loaded.Loaded`."""

    def __init__(self, image: bytes, row: int = 0) -> None:
        self.code = compile_program.load(ptx_of(image), capability=90)
        self._module = Module(image)

    def _address(self, name: str) -> int:
        return int(call(driver.cuModuleGetGlobal, self._module.handle, name.encode())[0])

    def variable(self, name: str, dtype: object) -> np.ndarray:
        """Return a copy of a variable's content."""
        data = np.zeros(self.code.variables[name].size, np.uint8)
        call(driver.cuMemcpyDtoH, data.ctypes.data, self._address(name), data.nbytes)
        return data.view(dtype)

    def set_variable(self, name: str, value: np.ndarray) -> None:
        call(driver.cuMemcpyHtoD, self._address(name), value.ctypes.data, value.nbytes)

    def launch(self, name: str, grid: object, block: object, *args: object, **options: object) -> None:
        """Launch and wait. Arrays are passed by address, NumPy scalars and records as they are."""
        parameters = self.code.kernels[name].parameters
        launch(self._module.function(name), parameters, args, grid, block, **options)

    def run(self, name: str, grid: object, block: object, *args: object, **options: object) -> None:
        """Launch and wait. A fault raises an error: what tests that expect one end on a GPU is the process."""
        self.launch(name, grid, block, *args, **options)

    def __getattr__(self, name: str) -> object:
        pytest.skip(f"uses the {name} of the CPU device's launches")


class NvidiaDriver:
    """NVIDIA's driver with the calls of `cuda.cpu.driver`: integers and addresses, in the order of C."""

    def __getattr__(self, name: str) -> Callable:
        function = getattr(ctypes.CDLL("libcuda.so.1"), name)

        def checked(*arguments: int) -> None:
            if status := function(*map(ctypes.c_uint64, arguments)):
                raise Fault(f"{name}: {driver.CUresult(status).name}")

        return checked


class TensorMap(NamedTuple):
    """A tensor map of an array's copy on the GPU, which `encode(driver, address)` returns."""

    data: np.ndarray
    encode: Callable[[object, int], np.void]


def launch(
    function: object,
    parameters: list,
    args: tuple[object, ...],
    grid: object,
    block: object,
    shared: int = 0,
    cluster: tuple[int, int, int] = (1, 1, 1),
    cooperative: bool = False,
) -> None:
    """Launch and wait; arrays are copied to the GPU and back, at addresses with the same remainder modulo 256."""
    config = driver.CUlaunchConfig()
    config.gridDimX, config.gridDimY, config.gridDimZ = three(grid)
    config.blockDimX, config.blockDimY, config.blockDimZ = three(block)
    config.sharedMemBytes = shared
    attributes = []
    if cluster != (1, 1, 1):
        attributes.append(driver.CUlaunchAttribute())
        attributes[-1].id = driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
        size = attributes[-1].value.clusterDim
        size.x, size.y, size.z = cluster
    if cooperative:
        attributes.append(driver.CUlaunchAttribute())
        attributes[-1].id = driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_COOPERATIVE
        attributes[-1].value.cooperative = 1
    config.attrs, config.numAttrs = attributes, len(attributes)
    if np.prod(cluster) > 8:
        call(driver.cuFuncSetAttribute, function, NON_PORTABLE, 1)
    if shared > 48 << 10:
        most = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
        call(driver.cuFuncSetAttribute, function, most, shared)
    arrays = [arrays_of(arg.data if isinstance(arg, TensorMap) else arg) for arg in args]
    with Memory(list(itertools.chain(*arrays))) as memory:
        packed = pack(parameters, [memory.translated(arg) for arg in args])
        starts = np.cumsum([0, *(len(data) for data in packed)])[:-1]
        values = np.frombuffer(b"".join(packed) + bytes(8), np.uint8)
        addresses = (values.ctypes.data + starts).astype(np.uint64)
        try:
            call(driver.cuLaunchKernelEx, config, function, addresses.ctypes.data, 0)
            call(driver.cuCtxSynchronize)
        except Fault:
            reset()
            raise


class Memory:
    """Copies of arrays on the GPU, one copy for overlapping arrays, copied back at the end."""

    def __init__(self, arrays: list[np.ndarray]):
        self.ranges: list[list[int]] = []
        for start, end in sorted((array.ctypes.data, array.ctypes.data + array.nbytes) for array in arrays):
            if self.ranges and start < self.ranges[-1][1]:
                self.ranges[-1][1] = max(end, self.ranges[-1][1])
            else:
                self.ranges.append([start, end])
        self.addresses: list[int] = []
        self.allocations: list[object] = []
        self.tables: list[object] = []

    def __enter__(self) -> Memory:
        current()
        for start, end in self.ranges:
            allocation = call(driver.cuMemAlloc, end - start + ALIGNMENT)
            self.allocations.append(allocation)
            self.addresses.append(int(allocation) + start % ALIGNMENT)
            if end > start:
                call(driver.cuMemcpyHtoD, self.addresses[-1], start, end - start)
        return self

    def translated(self, arg: object) -> object:
        """Return the GPU address of an array, or a scalar, translated if its value points into an array, or a map."""
        if isinstance(arg, TensorMap):
            return arg.encode(NvidiaDriver(), int(self.translated(arg.data)))
        if isinstance(arg, Table):
            return self._table(arg)
        if isinstance(arg, Address):
            return np.uint64((int(self.translated(arg.array)) + arg.offset) % (1 << 64))
        is_array = isinstance(arg, np.ndarray) and arg.ndim
        address = arg.ctypes.data if is_array else arg
        if isinstance(address, (int, np.uint64)):
            for (start, end), base in zip(self.ranges, self.addresses, strict=True):
                if start <= address < end or (is_array and address == start):
                    return np.uint64(int(address) - start + base)
            if is_mapped(int(address)):
                pytest.skip("the kernel gets an address of host memory that is in none of its arrays")
        return arg

    def _table(self, table: Table) -> np.uint64:
        """Return the address of a table of the arrays' addresses on the GPU."""
        addresses = np.array([self.translated(array) for array in table.arrays], np.uint64)
        self.tables.append(call(driver.cuMemAlloc, max(addresses.nbytes, 8)))
        call(driver.cuMemcpyHtoD, self.tables[-1], addresses.ctypes.data, addresses.nbytes)
        return np.uint64(int(self.tables[-1]))

    def __exit__(self, kind: type | None, *rest: object) -> None:
        if kind is not None and issubclass(kind, Fault):
            return  # freed with the context
        for (start, end), base, allocation in zip(self.ranges, self.addresses, self.allocations, strict=True):
            if end > start and kind is None:
                call(driver.cuMemcpyDtoH, start, base, end - start)
            call(driver.cuMemFree, allocation)
        for table in self.tables:
            call(driver.cuMemFree, table)


def is_mapped(address: int) -> bool:
    """Return whether there is host memory at an address."""
    lines = pathlib.Path("/proc/self/maps").read_text().splitlines()
    return any(
        int(start, 16) <= address < int(end, 16) for start, end in (line.split()[0].split("-") for line in lines)
    )


def pack(parameters: list, args: list[object]) -> list[bytes]:
    assert len(args) == len(parameters), "wrong number of kernel arguments"
    packed = [np.asarray(arg).tobytes() for arg in args]
    for parameter, data in zip(parameters, packed, strict=True):
        assert len(data) == parameter.size, f"{parameter.name}: {len(data)} bytes for {parameter.size}"
    return packed


def three(sizes: int | tuple[int, ...]) -> tuple[int, ...]:
    sizes = (sizes,) if isinstance(sizes, int) else sizes
    return sizes + (1,) * (3 - len(sizes))


@functools.cache
def started() -> None:
    Device(0).set_current()


resets = 0
lost = False


def current() -> int:
    """Make the primary context current; return its number, which counts the resets."""
    started()
    return resets


def reset() -> None:
    """Discard the context that an error made unusable, where that helps: after most faults only a new process does."""
    global resets, lost
    resets += 1
    driver.cuDevicePrimaryCtxReset(0)
    status, context = driver.cuDevicePrimaryCtxRetain(0)
    lost = status != driver.CUresult.CUDA_SUCCESS
    if not lost:
        call(driver.cuCtxSetCurrent, context)


def is_lost() -> bool:
    """Return whether a fault has ended this process's use of the GPU."""
    if lost:
        return True
    nvidia = ctypes.CDLL("libcuda.so.1")
    flags, active, context = ctypes.c_uint(), ctypes.c_int(), ctypes.c_void_p()
    if nvidia.cuDevicePrimaryCtxGetState(0, ctypes.byref(flags), ctypes.byref(active)) or not active.value:
        return False
    if nvidia.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0):
        return True
    nvidia.cuDevicePrimaryCtxRelease_v2(0)
    return False
