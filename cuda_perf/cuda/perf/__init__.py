# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Find, explain and prevent performance regressions of kernels: define benchmarks, run and compare them.

The command is `python -m cuda.perf`. The guide "Catch a regression" has worked examples.
"""
