# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Modules, libraries, kernels: loading, linking, attributes, occupancy and launches."""
