# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Operators and universal functions of NumPy from CUDA C++, on arrays in memory of the host.

`operator` makes a function of NumPy arrays from kernels, `ufunc` an element-wise function from an expression.

>>> import numpy as np
>>> from cuda.interop.numpy import ufunc
>>> @ufunc("x > 0 ? x : slope * x", ["ff->f", "dd->d"])
... def leaky(x, slope):
...     '''Leaky rectifier.'''
>>> leaky(np.array([-2.0, 3.0]), 0.5)
array([-1.,  3.])
"""

from cuda.interop._errors import OperatorError
from cuda.interop._kernels import Kernels
from cuda.interop._record import launch_kernel
from cuda.interop.arrays._spec import Spec, empty, empty_like, zeros, zeros_like
from cuda.interop.numpy._operator import Operator, operator
from cuda.interop.numpy._ufunc import Ufunc, ufunc

__all__ = [
    "Kernels",
    "Operator",
    "OperatorError",
    "Spec",
    "Ufunc",
    "empty",
    "empty_like",
    "launch_kernel",
    "operator",
    "ufunc",
    "zeros",
    "zeros_like",
]
