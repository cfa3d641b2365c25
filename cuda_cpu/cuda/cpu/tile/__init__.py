# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Tile IR: bytecode -> checked operations -> LLVM IR of loops over tiles. Entry points are in code.py."""
