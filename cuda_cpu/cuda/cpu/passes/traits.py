# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Sets of opcodes by their traits, steps that give lanes with equal inputs equal results, and those that poll."""

from __future__ import annotations

from collections.abc import Callable

from cuda.cpu.passes.graph import Step
from cuda.cpu.ptx.instructions import Form
from cuda.cpu.ptx.rows import opcodes_with
from cuda.cpu.ptx.syntax import Function, Immediate, Instruction, Operand, Register, Symbol

PURE = opcodes_with("pure")
# Opcodes without exchange between lanes: a kernel with SIMD groups smaller than a warp has no others.
PER_LANE = PURE | opcodes_with("per_lane")

WAITS = opcodes_with("waits")
LAST_LANE = 31
SEMANTICS = {"volatile", "relaxed", "acquire", "mmio"}


def is_agreement(instruction: Instruction, form: Form, is_uniform: Callable[[str], bool]) -> bool:
    """Return whether an operation of the warp gives all lanes that execute it together the same result.

    Guards have become branches.
    """
    if form.opcode == "activemask":
        return True
    if form.opcode in ("vote", "redux"):  # of the lanes of one member mask
        chosen: tuple[Operand, ...] = instruction.operands[2:3]
    elif form.opcode == "shfl" and form.mode == "idx" and instruction.operands[3] == Immediate(LAST_LANE):
        chosen = instruction.operands[2:3]  # of one lane, in no segment
    else:
        return False
    return all(isinstance(each, Immediate) or (isinstance(each, Register) and is_uniform(each.name)) for each in chosen)


def is_polling(instruction: Instruction) -> bool:
    """Return whether an instruction reads what other threads may change at the same time."""
    opcode, modifiers = instruction.opcode, instruction.modifiers
    return opcode in WAITS or (opcode == "ld" and not SEMANTICS.isdisjoint(modifiers))


def is_lanewise(function: Function, step: Step) -> bool:
    """Return whether a step of a function gives equal results to lanes with equal inputs."""
    form = step.form
    if form is None:
        return False
    if form.opcode in ("ld", "ldu"):
        space = form.space or ""
        if not space.startswith("param"):
            return space != "local"
        # A kernel's own parameters are the same for all lanes, results of calls are not.
        base = step.instruction.address(1).base
        if not isinstance(base, Symbol):
            return function.entry
        return function.entry and any(parameter.name == base.name for parameter in function.parameters)
    if form.opcode == "mbarrier":  # lanes that test a phase at the same time see the same
        return form.modifiers[0] in ("test_wait", "try_wait")
    if form.opcode in ("cvta", "isspacep"):  # each lane has its own local memory, and a global address is not local
        return form.space.partition("::")[0] not in ("local", "global" if form.opcode == "isspacep" else "")
    return form.opcode in PURE
