# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Constants of the ABI between machine code and the runtime, in addition to runtime/exec/kernel_abi.h."""

from enum import IntEnum

# Length of the runs of lanes with consecutive %tid.x for which a kernel is compiled: whole runs, for blocks with a
# width that is a multiple of the warp size; full runs, for other blocks with one row; half runs, at most, for all other
# blocks; quarter runs, for those 8 or 24 threads wide; padded runs, for those of which the runtime may pad the rows to
# half runs: more than 8 threads wide, and no multiple of half runs. Of the last three, blocks of which each row is one
# run have code of their own: half rows (16 threads wide), quarter rows (8), and padded rows (9 to 15). Code for whole
# runs and for rows is correct for such blocks only, any other code for all blocks. _runtime.lane_run returns which of
# them a block has.
WHOLE_RUN, FULL_RUN, HALF_RUN, HALF_ROW, PADDED_RUN, PADDED_ROW, QUARTER_RUN, QUARTER_ROW = 64, 32, 16, 15, 10, 9, 8, 7


class Path(IntEnum):
    """How the warps of a block are scheduled: enum cpu_path in runtime/exec/kernel_abi.h."""

    WARPS = 0  # by the runtime, one after the other
    FIBERS = 1  # by the runtime, on a fiber each, since they wait for each other
    BLOCKS = 2  # by the machine code, block by block
    PADDED = 3  # the same, and rows of threads may be padded to half runs
