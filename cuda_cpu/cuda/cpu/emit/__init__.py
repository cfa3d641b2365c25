# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""PTX to LLVM IR. Layers, from the lowest: llvm, access, simt, instructions, then function.py and kernel.py."""

from cuda.cpu.emit.kernel import KernelText, emit_kernel
from cuda.cpu.emit.llvm.module import Settings

__all__ = ["KernelText", "Settings", "emit_kernel"]
