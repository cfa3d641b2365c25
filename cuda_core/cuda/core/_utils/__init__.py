# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Helpers of all parts: status checks, options, lazy imports, the driver's log; `cuda_utils` is for other packages."""
