# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A fused kernel as a module of PyTorch: allocates the outputs and launches, for any sizes of the inputs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

from cuda.interop._kernels import Kernels
from cuda.interop._record import Launch
from cuda.interop.fusion import Group, Input, generate
from cuda.interop.fusion._generate import MOST_COLUMNS, needs_axes
from cuda.interop.torch._run import run

Stride = int | None  # the axis whose stride is an argument of the kernel; None: 0

_ROWS_OF_A_BLOCK = 8
_THREADS = 256
_MOST_BLOCKS = 4096
_kernels: dict[str, Kernels] = {}  # by source: graphs that are equal share kernels


class FusedKernel(torch.nn.Module):
    """A kernel for a group of operations.

    Attributes
    ----------
    name : str
        The kernel's name.
    source : str
        Its CUDA C++, with the graph's operations as comments.
    """

    def __init__(
        self,
        group: Group,
        sizes: Sequence[Any],
        strides: Sequence[Sequence[Stride]],
        dtypes: Sequence[torch.dtype],
        per_row: Sequence[bool],
    ) -> None:
        super().__init__()
        self.name, self.source = generate(group)
        self._beyond: tuple[str, str] | None = None
        self._group, self._flat, self._axes = group, group.flat, needs_axes(group)
        self._sizes, self._strides = list(sizes), list(strides)
        self._outputs = list(zip(dtypes, per_row, strict=True))

    def forward(self, *arguments: Any) -> tuple[torch.Tensor, ...]:
        """Return the outputs for tensors and numbers."""
        sizes, device = self._domain(arguments)
        outputs = tuple(
            torch.empty([*sizes[:-1], 1] if per_row else sizes, dtype=dtype, device=device)
            for dtype, per_row in self._outputs
        )
        rows = math.prod(sizes[:-1])
        first = [rows * sizes[-1]] if self._flat else [rows, sizes[-1]]
        launch = self._launch(rows, sizes[-1], (*self._given(first, sizes, arguments), *outputs))
        self._run([launch], sizes[-1], [""], device)
        return outputs

    def _domain(self, arguments: Sequence[Any]) -> tuple[list[int], torch.device]:
        device = arguments[0].device if self._strides else torch.device("cpu")
        return [_size(each, arguments) for each in self._sizes], device

    def _given(self, first: list[int], sizes: Sequence[int], arguments: Sequence[Any]) -> list[Any]:
        """Return the kernel's arguments but for what it writes; `first` are sizes of the domain."""
        numbers: list[Any] = list(first[:2])
        if self._axes:
            numbers += sizes[:-1]
        numbers += first[2:]
        for tensor, axes, each in zip(arguments, self._strides, self._group.inputs, strict=False):
            if not _fits(tensor, each, self._flat):
                tensor = tensor.clone(memory_format=torch.contiguous_format)
            numbers.append(tensor)
            if axes:
                strides = tensor.stride()
                numbers += [0 if axis is None else strides[axis] for axis in axes]
        return [*numbers, *arguments[len(self._strides) :]]

    def _run(self, launches: Sequence[Launch], columns: int, suffixes: Sequence[str], device: torch.device) -> None:
        """Run the kernels whose names end like this."""
        name, source = self.name, self.source
        if columns > MOST_COLUMNS:
            name, source = self._wide()
        kernels = _kernels.get(source) or _kernels.setdefault(source, Kernels(source))
        for launch, suffix in zip(launches, suffixes, strict=True):
            run("fused operations", kernels, launch, name + suffix, device)

    def _wide(self) -> tuple[str, str]:
        """Return name and source of the kernel for more columns than an `int` counts."""
        if self._beyond is None:
            self._beyond = generate(self._group, "long long")
        return self._beyond

    def _launch(self, rows: int, columns: int, arguments: tuple[Any, ...]) -> Launch:
        if self._flat:
            return Launch(min(-(-rows * columns // _THREADS), _MOST_BLOCKS), _THREADS, arguments)
        return Launch(min(-(-rows // _ROWS_OF_A_BLOCK), _MOST_BLOCKS), (32, _ROWS_OF_A_BLOCK), arguments)


def _fits(tensor: torch.Tensor, each: Input, flat: bool) -> bool:
    """Return whether a tensor lies in memory as a kernel reads it.

    The results of PyTorch's operations may have other strides than its fake implementations give them.
    """
    if flat:
        return each.columns == "none" or tensor.is_contiguous()
    shape, strides = tensor.shape, tensor.stride()
    if each.columns == "unit" and strides[-1] != 1 and shape[-1] != 1:
        return False
    return each.rows != "stride" or all(
        strides[axis] == strides[axis + 1] * shape[axis + 1] for axis in range(len(shape) - 2)
    )


def _size(size: Any, arguments: Sequence[Any]) -> int:
    """Return a size of the domain, as `_lower` describes it."""
    if isinstance(size, int):
        return size
    index, axis = size
    return arguments[index] if axis is None else arguments[index].shape[axis]
