# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The code that checks of memory accesses and barriers add to a kernel: implemented by `cuda.cpu.check.instrument`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from cuda.cpu.emit.simt.frame import Frame
    from cuda.cpu.passes.graph import Block, Step


class Instrumentation(Protocol):
    checks: int  # enum cpu_check
    tracks_barriers: bool  # lanes are counted at barriers

    def before(self, frame: Frame, step: Step) -> None:
        """Emit the checks of an instruction's accesses."""

    def report_stranded(self, frame: Frame, pending: list[str]) -> None:
        """Report lanes that wait at warp operations for lanes that cannot come any more; `pending` is by block."""

    def report_bypassed(self, frame: Frame, block: Block, pending: list[str]) -> None:
        """Report lanes that have reached a block past a barrier at which others of their warp wait."""
