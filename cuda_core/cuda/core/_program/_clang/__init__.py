# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Compilation of CUDA C++ by clang, with device headers of our own: without NVIDIA's packages."""
