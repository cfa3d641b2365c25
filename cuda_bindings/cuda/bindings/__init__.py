# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Python bindings of CUDA's C APIs, one Python function for each C function."""

__version__ = "13.5.0"

from cuda.bindings import _conflicts as _conflicts  # warns if NVIDIA's packages are installed in the same folder
