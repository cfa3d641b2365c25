# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A call with memcheck: each tensor is copied to an allocation of its size, and outputs must be written completely."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from cuda.core import Buffer, Device, Kernel, launch
from cuda.interop._errors import OperatorError
from cuda.interop._record import Launch
from cuda.interop._signature import Parameter
from cuda.interop.torch._run import check_argument, stream_of

if TYPE_CHECKING:
    from cuda.cpu.check import Finding

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

    def labels(self, finding: Finding, arguments: Sequence[tuple[str, torch.Tensor]]) -> str:
        """Return which arguments are in the allocation that a finding of memcheck names, "" if it names none."""
        for begin, end, buffer in self.ranges:
            if finding.allocation_address == int(buffer.handle):
                found = [label for label, tensor in arguments if begin <= tensor.data_ptr() < end]
                return f"; that allocation has {' and '.join(found)}"
        return ""

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
    name: str, run: Callable[[Callable[[Launch, Kernel], None]], Any], given: Sequence[tuple[Parameter, torch.Tensor]]
) -> Any:
    """Run an operator's function twice, its launches with memcheck, and return the outputs; raise for what is found.

    Parameters
    ----------
    name : str
        The operator.
    run : callable
        It runs the function, gives each launch with its kernel to its argument, and returns the outputs.
    given : sequence of (Parameter, Tensor)
        The tensors among the arguments. Those that kernels may change have the values of one run in the end.
    """
    before = [each.clone() for _, each in given]
    results = []
    for byte in _PATTERNS:
        for (_, each), values in zip(given, before, strict=True):
            each.copy_(values)
        with _Fill(byte):
            results.append(run(lambda launch, kernel: _run(name, launch, kernel, given)))
    for (parameter, each), values in zip(given, before, strict=True):
        if not parameter.mutated and not _same_bytes(each, values):
            each.copy_(values)
            raise OperatorError(f"{name}: a kernel changes {parameter.name}, which mutates=... does not name")
    first, second = ([each] if isinstance(each, torch.Tensor) else list(each or ()) for each in results)
    for index, (one, other) in enumerate(zip(first, second, strict=True)):
        _check_written(name, "its output" if len(first) == 1 else f"output {index}", one, other)
    return results[-1]


def _run(name: str, each: Launch, kernel: Kernel, given: Sequence[tuple[Parameter, torch.Tensor]]) -> None:
    """Carry out a launch with memcheck, on copies of its tensors."""
    from cuda.cpu.check import Check

    if each.is_empty:
        return
    device = torch.device("cpu")
    stream = stream_of(device)
    for value in each.arguments:
        for one in value if isinstance(value, (list, tuple)) else [value] if isinstance(value, torch.Tensor) else []:
            check_argument(one, device)
    tensors = list(_labelled(each.arguments, given))
    copies = _Copies([one for _, one in tensors], Device(0), stream)
    try:
        copies.move(to_device=True)
        with Check("memcheck") as checked:
            launch(stream, each.config(), kernel, *[copies.argument(value) for value in each.arguments])
            stream.sync()
        copies.move(to_device=False)
        if checked.findings:
            first = checked.findings[0]
            raise OperatorError(f"{name}: {first.message}{copies.labels(first, tensors)}")
    finally:
        copies.close()


def _labelled(
    arguments: Sequence[Any], given: Sequence[tuple[Parameter, torch.Tensor]]
) -> Iterator[tuple[str, torch.Tensor]]:
    """Yield what to call each tensor among the arguments of a kernel, and the tensor."""
    for number, value in enumerate(arguments, 1):
        listed = isinstance(value, (list, tuple))
        for position, tensor in enumerate(value if listed else [value]):
            if not isinstance(tensor, torch.Tensor):
                continue
            of_operator = [parameter.name for parameter, one in given if one.data_ptr() == tensor.data_ptr()]
            which = f"item {position} of argument {number}" if listed else f"argument {number}"
            what = f"{str(tensor.dtype).removeprefix('torch.')}, shape {list(tensor.shape)}"
            yield f"{which} of the kernel ({', '.join([*of_operator[:1], what])})", tensor


def _octets(tensor: torch.Tensor) -> torch.Tensor:
    """Return the bytes of a tensor's elements, along a further axis."""
    return tensor.contiguous().reshape(-1).view(torch.uint8).reshape(*tensor.shape, -1)


def _same_bytes(one: torch.Tensor, other: torch.Tensor) -> bool:
    return not one.numel() or torch.equal(_octets(one), _octets(other))


def _check_written(name: str, label: str, one: torch.Tensor, other: torch.Tensor) -> None:
    """Raise if elements of an output have the pattern of their run in both runs."""
    if not one.numel():
        return
    untouched = torch.ones(one.shape, dtype=torch.bool)
    for tensor, byte in zip((one, other), _PATTERNS, strict=True):
        untouched &= (_octets(tensor) == byte).all(-1)
    if count := int(untouched.sum()):
        first = untouched.nonzero()[0].tolist()
        raise OperatorError(
            f"{name}: no kernel writes {count} of the {one.numel()} elements of {label}; the first is {first}"
        )
