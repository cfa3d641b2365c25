# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Code that is added to a kernel: see `instrument.py` of `cuda.cpu.check`, `cuda.cpu.counters` and `cuda.cpu.debug`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from cuda.cpu.emit.llvm.slot import Slot
    from cuda.cpu.emit.llvm.values import Shape, Value
    from cuda.cpu.emit.simt.frame import Frame
    from cuda.cpu.passes.graph import Block, End, Graph, Step


class Instrumentation:
    """Adds nothing by itself: one method for each point at which code may be added."""

    checks = 0  # enum cpu_check
    tracks_barriers = False  # lanes are counted at barriers
    keeps_returns = False  # lanes that branch to a return wait there for others, see split_blocks.py
    keeps_addresses = False  # accesses may be contiguous: no lane's address is replaced
    replaces_addresses = False  # a load may have another address than its operand, so that it is no part of others
    has_converged = False  # there may be copies of blocks for converged SIMD groups, too
    needs_fibers = True  # even for kernels whose warps do not wait for each other
    keeps_registers = False  # all registers are in memory, at any time and for all lanes: see `register_slot`

    def analysed(self, graph: Graph) -> None:
        """Take the results of the passes. Without `keeps_addresses`, accesses are not contiguous afterwards."""

    def entered(self, frame: Frame) -> None:
        """Emit what follows the prologue of a function."""

    def register_slot(self, frame: Frame, register: str, element: str, shape: Shape) -> Slot:
        """Return the memory of a register, of instrumentation that keeps them."""
        return frame.builder.slot(element, shape)

    def begin(self, frame: Frame, block: Block) -> None:
        """Emit what precedes a block's instructions."""

    def allocated(self, frame: Frame, size: Value) -> None:
        """Emit what follows an allocation of local memory, which ends at the warp's `local_top`."""

    def before(self, frame: Frame, step: Step) -> None:
        """Emit what precedes an instruction."""

    def surround(self, frame: Frame, step: Step, emit: Callable[[], None]) -> None:
        """Emit an instruction, by calling `emit`, with what precedes it."""
        self.before(frame, step)
        emit()

    def reading(self, frame: Frame, pointer: Value, size: int) -> Value:
        """Emit what precedes a read of shared memory by a descriptor; return the addresses to read from."""
        return pointer

    def copying(self, frame: Frame, what: int, operands: Value) -> None:
        """Emit what precedes a call of the runtime for a tensor copy, multicast or multimem, with its arguments."""

    def freeing(self, frame: Frame, pointers: Value) -> None:
        """Emit what precedes a call of the runtime for free(), with the memory that has its arguments."""

    def copied(self, frame: Frame, what: int, operands: Value) -> None:
        """Emit what follows a call of the runtime for a tensor copy, multicast or multimem, with its arguments."""

    def after(self, frame: Frame, step: Step) -> None:
        """Emit what follows an instruction."""

    def ending(self, frame: Frame, block: Block) -> None:
        """Emit what precedes the end of a block: a branch or return."""

    def branch(self, frame: Frame, end: End, lanes: dict[int, Value]) -> None:
        """Emit what follows a branch at which lanes may diverge; `lanes` are masks by target."""

    def joined(self, frame: Frame, block: Block, lanes: Value) -> None:
        """Emit what precedes a barrier for lanes that wait at another block's barrier, which is the same one."""

    def finish(self, frame: Frame) -> None:
        """Complete a function."""

    def report_missed(self, frame: Frame, pending: list[Slot]) -> Value | None:
        """Report lanes that wait at warp operations for lanes further on; return them, None: nothing was emitted."""
        return None

    def report_stranded(self, frame: Frame, pending: list[Slot]) -> None:
        """Report lanes that wait at warp operations for lanes that cannot come any more; `pending` is by block."""

    def report_bypassed(self, frame: Frame, block: Block, pending: list[Slot]) -> None:
        """Report lanes that have reached a block past a barrier at which others of their warp wait."""
