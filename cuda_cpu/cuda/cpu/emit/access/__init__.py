# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Patterns of addresses and memory accesses: affine, indexed, adjacent, gather and scatter."""
