# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Find the registers that are recomputed after each barrier, rather than spilled for each SIMD group.

These are the results of a few simple steps from parameters, constants, and the indices of thread and block, which are
known after every barrier. LLVM hoists values that are the same for all SIMD groups, and folds constant vectors: in
one-dimensional blocks, %tid.x & 31 is the lane's number.
"""

from __future__ import annotations

from cuda.cpu.passes.analyse_uniformity import UNIFORM
from cuda.cpu.passes.find_affine import SIMPLE, STRIDES
from cuda.cpu.passes.graph import Graph, Step
from cuda.cpu.ptx.syntax import Function, Register, Symbol

FIXED = UNIFORM | STRIDES.keys()  # special registers for indices of threads and sizes of the launch
MOST = 8  # steps for each SIMD group: a spill costs a store and a load
MOST_VECTORS = 3  # of these steps, those that need several vector instructions for a SIMD group
MOST_UNIFORM = 24  # steps in all, most of which are done once
COMPARISONS = {"setp"} | SIMPLE


def find_recomputed(graph: Graph) -> tuple[dict[str, list[Step]], dict[str, list[Step]]]:
    """Return, by register, the steps that compute it, in order.

    Also return, for induction variables, the steps that compute the initial value. The differences between segments are
    the same in all iterations: every other write adds a uniform value.
    """
    writers: dict[str, list[Step]] = {}
    found: dict[str, list[Step]] = {}
    for block in graph.blocks:
        for step in block.steps:
            for name in step.writes:
                writers.setdefault(name, []).append(step)
    for steps in writers.values():
        for name in steps[0].writes if len(steps) == 1 and _is_simple(graph.function, steps[0]) else ():
            needed = _steps_of(graph, steps[0], found)
            if needed:
                found[name] = needed
    apart = {}
    for name in graph.strides:
        first = [step for step in writers[name] if not _adds(graph, step, name)]
        if len(first) == 1 < len(writers[name]) and _is_simple(graph.function, first[0]):
            apart[name] = _steps_of(graph, first[0], found)
    return found, {name: steps for name, steps in apart.items() if steps}


def _adds(graph: Graph, step: Step, name: str) -> bool:
    """Return whether a step adds a uniform value to a register, or subtracts it."""
    others = [source for source in step.reads if source != name]
    counted = step.form is not None and step.form.opcode in ("add", "sub") and step.reads.count(name) == 1
    return counted and step.instruction.operands[1] == Register(name) and all(map(graph.is_uniform, others))


def _is_simple(function: Function, step: Step) -> bool:
    if step.form is None or step.instruction.guard is not None or len(step.writes) != 1:
        return False
    if step.form.opcode == "ld":
        # Parameters of a kernel only: .param variables of calls hold the arguments and results of the last SIMD group.
        base, own = step.instruction.address(1).base, {parameter.name for parameter in function.parameters}
        of_parameters = (step.form.space or "").startswith("param")
        return function.entry and of_parameters and isinstance(base, Symbol) and base.name in own
    return step.form.opcode in COMPARISONS and "cc" not in step.form.modifiers


def _steps_of(graph: Graph, step: Step, found: dict[str, list[Step]]) -> list[Step]:
    """Return the steps that compute a step's result; none if there are too many or one cannot be recomputed."""
    needed: dict[int, Step] = {}
    for name in step.reads:
        if name not in FIXED:
            if name not in found:
                return []
            needed |= {id(each): each for each in found[name]}
    needed[id(step)] = step
    varying = [each.writes[0] for each in needed.values() if not graph.is_uniform(each.writes[0])]
    vectors = sum(not graph.has_base(name) for name in varying)
    cheap = len(varying) <= MOST and vectors <= MOST_VECTORS and len(needed) <= MOST_UNIFORM
    return list(needed.values()) if cheap else []
