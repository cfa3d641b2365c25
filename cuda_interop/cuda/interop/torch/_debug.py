# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A call with memcheck: each tensor is copied to an allocation of its size, and outputs must be written completely."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from cuda.core import Buffer, Device, Kernel, LaunchConfig, launch
from cuda.interop._errors import OperatorError
from cuda.interop._record import Launch
from cuda.interop.torch._run import stream_of

_PATTERNS = (0x5A, 0xA5)  # memory that nothing wrote has the first in one run, and the second in another


class _Fill(TorchDispatchMode):
    """Fill tensors that are created without values with a byte."""

    def __init__(self, byte: int) -> None:
        super().__init__()
        self.byte = byte

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        if func.overloadpacket.__name__.startswith(("empty", "new_empty")):
            result.untyped_storage().fill_(self.byte)
        return result


class _Copies:
    """Copies of tensors in allocations of their sizes, between which memcheck distinguishes."""

    def __init__(self, tensors: Sequence[torch.Tensor], device: Device, stream: Any) -> None:
        self.stream, self.device = stream, device
        self.tables: list[Buffer] = []
        self.ranges: list[tuple[int, int, Buffer]] = []
        for begin, end in _merged([_extent(each) for each in tensors if each.numel()]):
            self.ranges.append((begin, end, device.allocate(end - begin, stream=stream)))

    def move(self, to_device: bool) -> None:
        """Copy all tensors to their allocations, or back."""
        for begin, end, buffer in self.ranges:
            host = memoryview((ctypes.c_char * (end - begin)).from_address(begin)).cast("B")
            if to_device:
                buffer.copy_from(host, stream=self.stream)
            else:
                buffer.copy_to(host, stream=self.stream)
        self.stream.sync()

    def address(self, tensor: torch.Tensor) -> int | None:
        """Return where a tensor's copy begins."""
        address = tensor.data_ptr()
        for begin, end, buffer in self.ranges:
            if begin <= address < end:
                return int(buffer.handle) + address - begin
        return None

    def argument(self, value: Any) -> Any:
        """Return a kernel argument: the address of a copy, an array of addresses for a list, or the value itself."""
        if isinstance(value, torch.Tensor):
            return self.address(value)
        if not isinstance(value, (list, tuple)):
            return value
        addresses = torch.tensor([self.address(each) or 0 for each in value], dtype=torch.int64)
        self.tables.append(self.device.allocate(max(1, 8 * len(value)), stream=self.stream))
        if value:
            self.tables[-1].copy_from(memoryview(addresses.numpy()).cast("B"), stream=self.stream)
            self.stream.sync()
        return self.tables[-1]

    def close(self) -> None:
        for buffer in (*self.tables, *(each for _, _, each in self.ranges)):
            buffer.close(self.stream)
        self.stream.sync()


def _extent(tensor: torch.Tensor) -> tuple[int, int]:
    reach = sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride(), strict=True))
    return tensor.data_ptr(), tensor.data_ptr() + (reach + 1) * tensor.element_size()


def _merged(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return ranges of addresses, those that overlap as one."""
    found: list[tuple[int, int]] = []
    for begin, end in sorted(set(ranges)):
        if found and begin < found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((begin, end))
    return found


def check(
    name: str,
    plan: Callable[[], tuple[Any, list[Launch], list[str]]],
    kernel: Callable[[str], Kernel],
    changed: Sequence[torch.Tensor],
) -> Any:
    """Run the launches of `plan` twice with memcheck, and return the outputs; raise for what is found.

    Parameters
    ----------
    name : str
        The operator.
    plan : callable
        It returns outputs, launches and the names of their kernels.
    kernel : callable
        It returns a kernel by name.
    changed : sequence of Tensor
        Arguments that kernels write to: they have the values of one run in the end.
    """
    before = [each.clone() for each in changed]
    results = []
    for byte in _PATTERNS:
        for each, values in zip(changed, before, strict=True):
            each.copy_(values)
        with _Fill(byte):
            outputs, launches, names = plan()
        _run(name, outputs, launches, [kernel(each) for each in names])
        results.append(outputs)
    first, second = ([each] if isinstance(each, torch.Tensor) else list(each or ()) for each in results)
    for index, (one, other) in enumerate(zip(first, second, strict=True)):
        _check_written(name, "its output" if len(first) == 1 else f"output {index}", one, other)
    return results[-1]


def _run(name: str, outputs: Any, launches: Sequence[Launch], kernels: Sequence[Kernel]) -> None:
    from cuda.cpu.check import Check

    stream = stream_of(torch.device("cpu"))
    given = [value for each in launches for value in each.arguments]
    tensors = [each for value in given for each in (value if isinstance(value, (list, tuple)) else [value])]
    copies = _Copies([each for each in tensors if isinstance(each, torch.Tensor)], Device(0), stream)
    try:
        copies.move(to_device=True)
        with Check("memcheck") as checked:
            for each, kernel in zip(launches, kernels, strict=True):
                if 0 in (each.grid if isinstance(each.grid, tuple) else (each.grid,)):
                    continue
                config = LaunchConfig(
                    grid=each.grid, block=each.block, cluster=each.cluster, shmem_size=each.shared_bytes
                )
                values = [copies.argument(value) for value in each.arguments]
                launch(stream, config, kernel, *values)
            stream.sync()
        copies.move(to_device=False)
    finally:
        copies.close()
    if checked.findings:
        raise OperatorError(f"{name}: {checked.findings[0].message}")


def _check_written(name: str, label: str, one: torch.Tensor, other: torch.Tensor) -> None:
    """Raise if elements of an output have the pattern of their run in both runs."""
    if not one.numel():
        return
    untouched = torch.ones(one.shape, dtype=torch.bool)
    for tensor, byte in zip((one, other), _PATTERNS, strict=True):
        octets = tensor.contiguous().reshape(-1).view(torch.uint8).reshape(*one.shape, -1)
        untouched &= (octets == byte).all(-1)
    if count := int(untouched.sum()):
        first = untouched.nonzero()[0].tolist()
        raise OperatorError(
            f"{name}: no kernel writes {count} of the {one.numel()} elements of {label}; the first is {first}"
        )
