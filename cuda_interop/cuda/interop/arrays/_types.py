# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Names of NumPy's types of elements in CUDA C++, and the headers that they need."""

from __future__ import annotations

from typing import Any

import numpy as np

from cuda.interop._names import Spelling
from cuda.interop.arrays._spec import Spec

# NumPy's name of a type -> its name in CUDA C++. Those of ml_dtypes are recognised by their names.
CUDA_TYPES = {
    "float64": "double",
    "float32": "float",
    "float16": "__half",
    "bfloat16": "__nv_bfloat16",
    "float8_e4m3fn": "__nv_fp8_e4m3",
    "float8_e5m2": "__nv_fp8_e5m2",
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
_HEADERS = {
    "float16": "cuda_fp16.h",
    "bfloat16": "cuda_bf16.h",
    "float8_e4m3fn": "cuda_fp8.h",
    "float8_e5m2": "cuda_fp8.h",
    "complex64": "cuda/std/complex",
    "complex128": "cuda/std/complex",
}


def dtype_of(given: Any) -> np.dtype[Any]:
    """Return a type of elements for the option `dtypes`."""
    try:
        if given is None:  # which NumPy takes for float64
            raise TypeError
        return np.dtype(given)
    except (TypeError, ValueError):
        raise TypeError("must be a type of elements, such as numpy.float32") from None


def short_name(dtype: Any) -> str:
    """Return NumPy's name of a type: ``"float32"``."""
    return np.dtype(dtype).name


def cuda_name(dtype: Any) -> str:
    """Return the name of a type in CUDA C++: ``"float"``."""
    try:
        return CUDA_TYPES[short_name(dtype)]
    except KeyError:
        raise TypeError(f"{np.dtype(dtype)} has no equivalent in CUDA C++") from None


def header_of(dtype: Any) -> str | None:
    """Return the header that declares a type, None if it is built in."""
    return _HEADERS.get(short_name(dtype))


SPELLING = Spelling((Spec, np.ndarray), np.dtype, short_name, cuda_name)
