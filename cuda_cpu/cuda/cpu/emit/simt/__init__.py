# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Threads on SIMD: masks, control flow, regions between barriers, and copies of a function specialised for them."""
