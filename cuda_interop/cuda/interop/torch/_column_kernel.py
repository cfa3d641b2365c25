# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A fused kernel that reduces rows, as a module of PyTorch: results for each column, by two launches."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

from cuda.interop._record import Launch
from cuda.interop.fusion import Group
from cuda.interop.torch._fused_kernel import FusedKernel, Stride

_THREADS = 128  # columns of a block
_ROWS_OF_A_CHUNK = 32  # at least
_MOST_CHUNKS = 64


class ColumnKernel(FusedKernel):
    """The kernels of a group that reduces its rows.

    The number of chunks, and so the order of additions, depends on nothing but the sizes.
    """

    def __init__(
        self,
        group: Group,
        sizes: Sequence[Any],
        strides: Sequence[Sequence[Stride]],
        dtypes: Sequence[torch.dtype],
        axes: Sequence[int],
    ) -> None:
        """`axes` are the numbers of axes of size 1 before the columns of each output."""
        super().__init__(group, sizes, strides, dtypes, [False] * len(dtypes))
        self._leading = list(axes)

    def forward(self, *arguments: Any) -> tuple[torch.Tensor, ...]:
        """Return the outputs for tensors and numbers."""
        sizes, device = self._domain(arguments)
        rows, columns = math.prod(sizes[:-1]), sizes[-1]
        chunk = max(_ROWS_OF_A_CHUNK, -(-rows // _MOST_CHUNKS))
        chunks, blocks = max(1, -(-rows // chunk)), -(-columns // _THREADS)
        outputs, parts = [], []
        for (dtype, _), leading in zip(self._outputs, self._leading, strict=True):
            outputs.append(torch.empty([1] * leading + [columns], dtype=dtype, device=device))
            wide = torch.promote_types(dtype, torch.float32)
            parts.append(torch.empty([chunks, columns], dtype=wide, device=device))
        launches = [
            Launch((blocks, chunks), _THREADS, (*self._given([rows, columns, chunk], sizes, arguments), *parts)),
            Launch(blocks, _THREADS, (columns, chunks, *parts, *outputs)),
        ]
        self._run(launches, columns, ["", "_combined"], device)
        return tuple(outputs)
