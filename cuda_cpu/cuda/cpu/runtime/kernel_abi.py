# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""What machine code and the runtime agree on, beside the structs of runtime/exec/kernel_abi.h."""

from enum import IntEnum

# Consecutive lanes of a warp that have consecutive x: all, where blocks are a multiple of a warp wide or have one row;
# half of them at most, where they are not.
FULL_RUN, HALF_RUN = 32, 16


class Path(IntEnum):
    """Who iterates over the warps of a block: enum cpu_path in runtime/exec/kernel_abi.h."""

    WARPS = 0  # the runtime, one after the other
    FIBERS = 1  # the runtime, with a fiber for each, as they wait for each other
    BLOCKS = 2  # the machine code itself
