# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Arrays of cuda.core as tensors: also those in pinned and managed memory, which PyTorch's from_dlpack refuses."""

from __future__ import annotations

from typing import Any

import torch

_HOST_TOO = (3, 13)  # DLPack's device types of pinned and managed memory


def from_dlpack(array: Any) -> torch.Tensor:
    """Return a tensor in the memory of an array, without a copy.

    Pinned and managed memory becomes a tensor of the CPU: wait for the kernels that write to it before you read it. A
    `Buffer` has elements of int8: use `Tensor.view` for another type.

    Parameters
    ----------
    array : object
        A `Buffer`, `StridedMemoryView` or any array with ``__dlpack__``.

    Returns
    -------
    torch.Tensor
        A tensor that keeps the memory alive.

    Raises
    ------
    TypeError
        If the array has no ``__dlpack__``.
    BufferError
        If PyTorch has no equivalent of its type of elements.
    """
    if not hasattr(array, "__dlpack_device__"):
        raise TypeError(f"array must have __dlpack__, as Buffers and arrays have, not {type(array).__name__}")
    if array.__dlpack_device__()[0] in _HOST_TOO:
        return torch.from_dlpack(array.__dlpack__(max_version=(1, 0), dl_device=(1, 0)))
    return torch.from_dlpack(array)
