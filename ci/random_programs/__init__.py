# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Random CUDA C++ programs, whose results by NVRTC and by clang are compared. See `__main__.py`."""
