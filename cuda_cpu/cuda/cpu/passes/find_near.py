# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Find the registers whose lanes are probably near each other, though they are not affine: i / 8, x & 15.

Loads from such addresses are worth a look whether they lie in one vector register, see emit/access/window.py.
"""

from __future__ import annotations

from cuda.cpu.passes.find_affine import STRIDES
from cuda.cpu.passes.graph import Graph, Step
from cuda.cpu.ptx.syntax import Immediate, Register

LEAST = 64  # what masks of such numbers are below: bytes of a vector register
BITS = 4  # of a number of a word in it
SUMS = {"mov", "cvt", "cvta", "add", "sub", "shl", "mul", "mad"}


def find_near(graph: Graph) -> set[str]:
    """Return such registers, of those that one step writes."""
    writers: dict[str, list[Step]] = {}
    for block in graph.blocks:
        for step in block.steps:
            for name in step.writes:
                writers.setdefault(name, []).append(step)
    alone = [steps[0] for steps in writers.values() if len(steps) == 1]
    near: set[str] = set()
    growing = {name for name, stride in (graph.strides | STRIDES).items() if stride}
    before = -1
    while len(near) + len(growing) > before:
        before = len(near) + len(growing)
        for step in alone:
            if _is_small(step) or _is_shifted(step, near | growing):
                near.add(step.writes[0])
            elif step.form is not None and step.form.opcode in SUMS:
                varying = {name for name in step.reads if not graph.is_uniform(name)}
                if varying and varying <= near:
                    near.add(step.writes[0])
                elif varying and varying <= near | growing:
                    growing.add(step.writes[0])
    return near


def _is_small(step: Step) -> bool:
    """Return whether a step gives a few bits of a number."""
    form, operands = step.form, step.instruction.operands
    if form is None or form.opcode not in ("and", "bfe"):
        return False
    count, most = operands[-1], LEAST if form.opcode == "and" else BITS + 1
    return isinstance(count, Immediate) and 0 <= count.value < most


def _is_shifted(step: Step, registers: set[str]) -> bool:
    """Return whether a step shifts one of the registers right, by a constant."""
    form, operands = step.form, step.instruction.operands
    if form is None or form.opcode != "shr":
        return False
    return isinstance(operands[1], Register) and operands[1].name in registers and isinstance(operands[2], Immediate)
