# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The included benchmarks: `python -m cuda.perf run suite`.

Kernels that teams write themselves: plain CUDA C++ with accumulation in float32, over shapes of published models
(`kit.MODELS`). Each result is checked against NumPy. They are references to compare with, not the fastest kernels.
"""
