# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Operators of other frameworks from CUDA kernels; each module needs its framework.

They are `cuda.interop.numpy`, `cuda.interop.jax`, `cuda.interop.torch` and `cuda.interop.thunder`.
"""
