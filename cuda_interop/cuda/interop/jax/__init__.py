# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Functions of JAX from CUDA C++ source: `operator` makes one of a function that describes outputs and launches.

>>> import jax
>>> from cuda.interop.jax import empty_like, launch_kernel, operator
>>> source = '''
... template <class T> __global__ void twice(const T *x, T *y, int n)
... {
...     int i = blockIdx.x * blockDim.x + threadIdx.x;
...     if (i < n)
...         y[i] = 2 * x[i];
... }'''
>>> @operator(source, kernel="twice<{x}>")
... def twice(x: jax.Array) -> jax.Array:
...     y = empty_like(x)
...     launch_kernel((x.size + 255) // 256, 256, x, y, x.size)
...     return y
"""

try:
    import jax as _jax  # noqa: F401 - the framework, not this package
except ImportError as error:
    raise ImportError(
        "cuda.interop.jax needs JAX, which is not installed: pip install 'open-cuda-python[jax]'", name=error.name
    ) from error

from cuda.interop._errors import OperatorError
from cuda.interop._kernels import Kernels
from cuda.interop._record import launch_kernel
from cuda.interop.arrays._spec import Spec, empty, empty_like, zeros, zeros_like
from cuda.interop.jax._operator import Operator, operator

__all__ = [
    "Kernels",
    "Operator",
    "OperatorError",
    "Spec",
    "empty",
    "empty_like",
    "launch_kernel",
    "operator",
    "zeros",
    "zeros_like",
]
