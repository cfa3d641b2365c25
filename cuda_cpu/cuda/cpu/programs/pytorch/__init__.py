# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The adapter of `python -m cuda.cpu run --torch`: PyTorch's device "cuda" is the CPU device, its memory the host's.

PyTorch's CUDA builds contain NVIDIA's runtime library and its CPU builds no CUDA at all, so neither reaches our driver.
Kernels that others launch on its tensors do (Triton, cuTile). The adapter gives them what they ask of PyTorch: tensors
that say they are on the device (tensors.py, dlpack.py), sums as precise as the device's (precision.py), and the
functions of torch.cuda (device.py, graphs.py).
"""

from __future__ import annotations

VARIABLE = "CUDA_CPU_TORCH"  # set by run --torch; programs/forward/start.py reads it


def install() -> None:
    """Install the adapter in PyTorch."""
    from cuda.cpu.programs.pytorch import device, dlpack, graphs, tensors

    device.install()
    dlpack.install()
    graphs.install()
    tensors.install()
