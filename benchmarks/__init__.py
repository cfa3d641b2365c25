# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Measurements, as ratios against peers on the same work in one run: `python -m benchmarks`."""
