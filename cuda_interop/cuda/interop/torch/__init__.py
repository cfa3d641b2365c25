# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""PyTorch operators from CUDA C++ source: `operator` makes one of a function that describes outputs and launches.

>>> from torch import Tensor, empty_like
>>> from cuda.interop.torch import launch_kernel, operator
>>> source = '''
... template <class T> __global__ void twice(const T *x, T *y, int n)
... {
...     int i = blockIdx.x * blockDim.x + threadIdx.x;
...     if (i < n)
...         y[i] = 2 * x[i];
... }'''
>>> @operator("mylib::twice", source, kernel="twice<{x}>")
... def twice(x: Tensor) -> Tensor:
...     y = empty_like(x)
...     launch_kernel((x.numel() + 255) // 256, 256, x, y, x.numel())
...     return y
"""

try:
    import torch as _torch  # noqa: F401 - the framework, not this package
except ImportError as error:
    raise ImportError(
        "cuda.interop.torch needs PyTorch, which is not installed: pip install 'open-cuda-python[torch]'",
        name=error.name,
    ) from error

from cuda.interop._errors import OperatorError
from cuda.interop._kernels import Kernels
from cuda.interop._record import Launch, launch_kernel
from cuda.interop.torch._backend import FusedGraph, backend
from cuda.interop.torch._dlpack import from_dlpack
from cuda.interop.torch._operator import Operator, operator

__all__ = [
    "FusedGraph",
    "Kernels",
    "Launch",
    "Operator",
    "OperatorError",
    "backend",
    "from_dlpack",
    "launch_kernel",
    "operator",
]
