# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The base class of the enumerations and its metaclass, under the names that other packages import."""

from cuda.bindings._enum import Enumeration as FastEnum

FastEnumMetaclass = type(FastEnum)

__all__ = ["FastEnum", "FastEnumMetaclass"]
