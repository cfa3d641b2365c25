# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Which loads and stores of a thread may be reordered: weak ones that have no byte in common.

PTX orders nothing else between threads that do not synchronise. But programs from before Volta expect that a warp runs
in lockstep, so that a lane loads what another one has stored by an earlier instruction without a barrier. So accesses
from one base register are only reordered if the lanes' addresses are too far apart for that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cuda.cpu.emit.access.addresses import space_of
from cuda.cpu.ptx.instructions import Form
from cuda.cpu.ptx.syntax import Instruction, elements_of

if TYPE_CHECKING:
    from cuda.cpu.emit.simt.frame import Frame

APART = {"global", "const", "shared", "local", "param"}  # state spaces without common addresses
Span = tuple[int, int]  # offsets of the first byte and of the one behind the last


def is_weak_load(form: Form) -> bool:
    return form.opcode in ("ld", "ldu") and getattr(form, "sem", None) in (None, "weak")


def is_weak_store(form: Form) -> bool:
    weak = form.opcode == "st" and getattr(form, "sem", None) in (None, "weak")
    return weak and not form.bulk and not form.mbarrier_complete_tx_bytes


def are_apart(a: Form, b: Form) -> bool:
    """Return whether two accesses are certainly to different state spaces."""
    spaces = {space_of(a), space_of(b)}
    return len(spaces) == 2 and spaces <= APART


def span_of(instruction: Instruction, form: Form) -> Span:
    """Return the offsets of a load's or a store's bytes from its base."""
    address, value = (1, 0) if form.opcode != "st" else (0, 1)
    first = instruction.address(address).offset
    return first, first + int(form.type[1:]) // 8 * len(elements_of(instruction.operands[value]))


def overlap(a: Span, b: Span) -> bool:
    return a[0] < b[1] and b[0] < a[1]


def may_pass(frame: Frame, base: str, span: Span, others: list[Span]) -> bool:
    """Return whether an access may be reordered with others from the same base register."""
    if not others:
        return True
    ends = [end for each in (span, *others) for end in each]
    lanes_apart = max(ends) - min(ends) <= abs(frame.stride_of(base) or 0)
    return lanes_apart and not any(overlap(span, each) for each in others)
