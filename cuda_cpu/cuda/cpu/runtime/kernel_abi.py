# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Constants of the ABI between machine code and the runtime, in addition to runtime/exec/kernel_abi.h."""

from enum import IntEnum

# Length of the runs of lanes with consecutive %tid.x for which a kernel is compiled: whole runs, for blocks with a
# width that is a multiple of the warp size; full runs, for other blocks with one row; half runs, at most, for all other
# blocks; padded runs, for those of which the runtime may pad the rows to half runs: at least 8 threads wide, and no
# multiple of half runs. Of the last two, blocks in which each row is one half run, or is when padded, have codes of
# their own: half rows (16 threads wide) and padded rows (8 to 15). Code for whole runs, half rows and padded rows is
# correct for such blocks only, any other code for all blocks. _runtime.lane_run returns which of them a block has.
WHOLE_RUN, FULL_RUN, HALF_RUN, HALF_ROW, PADDED_RUN, PADDED_ROW = 64, 32, 16, 15, 8, 7


class Path(IntEnum):
    """How the warps of a block are scheduled: enum cpu_path in runtime/exec/kernel_abi.h."""

    WARPS = 0  # by the runtime, one after the other
    FIBERS = 1  # by the runtime, on a fiber each, since they wait for each other
    BLOCKS = 2  # by the machine code, block by block
    PADDED = 3  # the same, and rows of threads may be padded to half runs
