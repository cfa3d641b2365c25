# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Benchmarks against peers on the same work in the same run: `python -m benchmarks`."""
