# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Emitters of loads, stores, atomics, asynchronous copies, mbarriers and textures."""
