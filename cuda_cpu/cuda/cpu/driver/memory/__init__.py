# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Allocation, pools, virtual memory, copies, fills, and memory shared between processes."""
