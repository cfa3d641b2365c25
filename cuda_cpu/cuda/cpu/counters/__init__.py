# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Kernels with counters, for `cuda.cpu.profile`: what is counted, the code that counts, completed launches."""
