# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""LLVM IR as text: typed values, the builder, and the registry of emitters by opcode."""
