# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Aliases for private modules of NVIDIA's cuda.bindings that other packages import."""
