# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Tensors of the device by DLPack: they say that they are on CUDA device 0, as cuTile and others require.

The structures are those of dlpack.h (version 1): DLManagedTensor begins with its DLTensor, DLManagedTensorVersioned has
it behind version, context, deleter and flags; a DLTensor's device, type and number, follows its pointer.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import torch

from cuda.cpu.programs.pytorch import driver, tensors

CUDA = 2  # kDLCUDA
DEVICE_OFFSETS = {b"dltensor": 8, b"dltensor_versioned": 40}

_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype, _pointer_of.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
_name_of = ctypes.pythonapi.PyCapsule_GetName
_name_of.restype, _name_of.argtypes = ctypes.c_char_p, (ctypes.py_object,)


def _set_device(capsule: Any) -> None:
    """Write device 0 of CUDA into the structure of a capsule."""
    name = _name_of(capsule)
    start = _pointer_of(capsule, name) + DEVICE_OFFSETS[name]
    (ctypes.c_int32 * 2).from_address(start)[:] = [CUDA, 0]


def _with_device(export: Callable[..., Any]) -> Callable[..., Any]:
    def exported(tensor: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(tensor, tensors.DeviceTensor):
            return export(tensor, *args, **kwargs)
        capsule = export(tensor, *args, **(kwargs | {"dl_device": None} if "dl_device" in kwargs else kwargs))
        driver.register(tensor.untyped_storage())
        _set_device(capsule)
        return capsule

    return exported


def install() -> None:
    """Replace PyTorch's two functions that export tensors."""
    for name in ("_to_dlpack", "_to_dlpack_versioned"):
        setattr(torch._C, name, _with_device(getattr(torch._C, name)))
    torch.utils.dlpack.to_dlpack = torch._C._to_dlpack
