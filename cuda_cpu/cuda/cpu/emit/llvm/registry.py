# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Registry of emitters by opcode, filled by the modules of `emit.instructions` when they are imported."""

from __future__ import annotations

from collections.abc import Callable

from cuda.cpu.passes.graph import Step
from cuda.cpu.ptx.rows import opcodes_with
from cuda.cpu.ptx.syntax import Function, Symbol

EMITTERS: dict[str, Callable] = {}
PURE = opcodes_with("pure")


def emits(*opcodes: str) -> Callable[[Callable], Callable]:
    """Register a function `emitter(frame, instruction, form)` for opcodes."""

    def register(emitter: Callable) -> Callable:
        for opcode in opcodes:
            if opcode in EMITTERS:
                raise ValueError(f"two emitters for {opcode}")
            EMITTERS[opcode] = emitter
        return emitter

    return register


# Opcodes without exchange between lanes: a kernel with SIMD groups smaller than a warp has no others.
PER_LANE = PURE | opcodes_with("per_lane")


def is_independent(opcode: str) -> bool:
    """Return whether lanes execute an opcode independently of each other."""
    return opcode in PER_LANE


def is_pure(opcode: str) -> bool:
    return opcode in PURE


def lanewise(function: Function) -> Callable[[Step], bool]:
    """Return a predicate: whether a step of the function gives equal results to lanes with equal inputs."""
    parameters = {parameter.name for parameter in function.parameters} if function.entry else set()

    def is_lanewise(step: Step) -> bool:
        form = step.form
        if form is None:
            return False
        if form.opcode in ("ld", "ldu"):
            space = form.space or ""
            if space.startswith(
                "param"
            ):  # a kernel's own parameters are the same for all lanes, results of calls are not
                base = step.instruction.operands[1].base
                return base.name in parameters if isinstance(base, Symbol) else function.entry
            return space != "local"
        if form.opcode in (
            "cvta",
            "isspacep",
        ):  # each lane has its own local memory, and a global address is not local
            return form.space.partition("::")[0] not in ("local", "global" if form.opcode == "isspacep" else "")
        return form.opcode in PURE

    return is_lanewise
