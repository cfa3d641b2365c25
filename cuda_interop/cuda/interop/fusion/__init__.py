# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""CUDA C++ of fused kernels: a list of operations on rows -> one kernel; needs no framework.

A front-end (`cuda.interop.torch.backend`) describes a group of operations as a `Group`, and `generate` returns the
source of a kernel that loads the inputs, computes all operations in registers, and stores the outputs.
"""

from cuda.interop.fusion._generate import generate
from cuda.interop.fusion._group import Group, Input, Literal, Output, Scalar, Value
from cuda.interop.fusion._operations import ELEMENTWISE, REDUCTIONS

__all__ = ["ELEMENTWISE", "REDUCTIONS", "Group", "Input", "Literal", "Output", "Scalar", "Value", "generate"]
