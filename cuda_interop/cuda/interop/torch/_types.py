# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Names of PyTorch's types of elements: in CUDA C++, and as PyTorch spells them."""

from __future__ import annotations

import torch

from cuda.interop._names import Spelling

# Type of elements -> its name in CUDA C++. Half and bfloat16 need cuda_fp16.h and cuda_bf16.h, the narrow ones
# cuda_fp8.h and cuda_fp4.h, complex numbers cuda/std/complex: the source includes what it uses.
_CUDA = {
    "float64": "double",
    "float32": "float",
    "float16": "__half",
    "bfloat16": "__nv_bfloat16",
    "float8_e4m3fn": "__nv_fp8_e4m3",
    "float8_e5m2": "__nv_fp8_e5m2",
    "float8_e8m0fnu": "__nv_fp8_e8m0",
    "float4_e2m1fn_x2": "__nv_fp4x2_e2m1",
    "complex64": "cuda::std::complex<float>",
    "complex128": "cuda::std::complex<double>",
    "int64": "long long",
    "int32": "int",
    "int16": "short",
    "int8": "signed char",
    "uint64": "unsigned long long",
    "uint32": "unsigned",
    "uint16": "unsigned short",
    "uint8": "unsigned char",
    "bool": "bool",
}
CUDA_TYPES = {getattr(torch, name): text for name, text in _CUDA.items() if hasattr(torch, name)}


def short_name(dtype: torch.dtype) -> str:
    """Return PyTorch's name of a type: ``"float32"``."""
    return str(dtype).removeprefix("torch.")


def cuda_name(dtype: torch.dtype) -> str:
    """Return the name of a type in CUDA C++: ``"float"``."""
    try:
        return CUDA_TYPES[dtype]
    except KeyError:
        raise TypeError(f"{dtype} has no equivalent in CUDA C++") from None


SPELLING = Spelling(torch.Tensor, torch.dtype, short_name, cuda_name)
