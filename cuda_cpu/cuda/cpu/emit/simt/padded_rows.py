# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Blocks with rows of 12, 24 or 33 threads: the runtime may pad each row to a multiple of a half run of lanes.

Then the lanes of a half run are consecutive threads of one row, the addresses of its accesses are contiguous, and those
of the rows of a matrix are uniform. Lanes behind a row do not exist; SIMD groups with them run with masks. This changes
which threads share a SIMD group, so that it is for kernels that cannot tell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cuda.cpu.emit.llvm.values import Value
from cuda.cpu.passes.vector_accesses import contiguous_stride
from cuda.cpu.ptx.syntax import Function, Instruction
from cuda.cpu.runtime.kernel_abi import PADDED_ROW, PADDED_RUN

if TYPE_CHECKING:
    from cuda.cpu.emit.llvm.module import Settings
    from cuda.cpu.emit.simt.frame import Frame
    from cuda.cpu.passes.graph import Graph

WARP_REGISTERS = {"%laneid", "%warpid", "%nwarpid"}
STEPS_PER_ACCESS = 10  # a kernel that computes more for each contiguous access gains less than the added lanes cost


def is_worth_it(settings: Settings, function: Function, graph: Graph) -> bool:
    """Return whether a kernel with regions and independent lanes gains from rows that are padded."""
    if settings.lane_run not in (PADDED_RUN, PADDED_ROW) or not settings.vector_bytes or _reads_warps(function):
        return False
    steps = [step for block in graph.blocks for step in block.steps]
    accesses = sum(contiguous_stride(graph, step.instruction, step.form) is not None for step in steps)
    return 0 < len(steps) <= STEPS_PER_ACCESS * accesses


def _reads_warps(function: Function) -> bool:
    """Return whether threads can tell their numbers in a warp, or of their warp."""
    items = [item for item in function.body or () if isinstance(item, Instruction)]
    return any(getattr(operand, "name", "") in WARP_REGISTERS for item in items for operand in item.operands)


def is_padded(frame: Frame) -> Value:
    """Return whether rows of the blocks of this call are padded, an i1 operand."""
    return frame.entry.compare("icmp ne", frame.warp_field("row_pitch", "i32"), frame.warp_field("block_dim", "i32"))
