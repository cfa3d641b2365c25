# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The errors of absent libraries and functions, under the names that other packages catch."""

from cuda.bindings._loader import FunctionNotFound as FunctionNotFoundError
from cuda.bindings._loader import LibraryNotFound as NotSupportedError

__all__ = ["FunctionNotFoundError", "NotSupportedError"]
