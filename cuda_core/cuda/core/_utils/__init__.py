# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Helpers: status checks, options, lazy imports, the driver's log; other packages import `cuda_utils`."""
