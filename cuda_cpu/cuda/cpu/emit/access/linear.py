# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""How far registers are from each other: from a SIMD group's segment to the next, from a round of a loop to the next.

Sums, shifts and products by what is the same everywhere pass such distances on, so a loop has one index to advance and
one address to compute for all segments of a SIMD group: the distances do not change, and LLVM computes them before it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from cuda.cpu.emit.llvm.values import Value, constant, width_of
from cuda.cpu.passes.find_affine import INTEGERS, stride_of, widens
from cuda.cpu.passes.graph import Graph, Step
from cuda.cpu.ptx.syntax import Immediate, Operand, Register, Symbol

if TYPE_CHECKING:
    from cuda.cpu.emit.simt.frame import Frame

NOTHING = constant(0, "i64")
LONGEST = 16  # steps in which a register comes back to itself
MOST = 32  # registers between an address and what a loop adds to


def follow(frame: Frame, step: Step, of: Callable[[Operand], Value | None], *, exact: bool) -> Value | None:
    """Return how far results of a step are from each other, None if that depends on more than its operands' distances.

    Parameters
    ----------
    of : callable
        Gives the distance of an operand, None if it is not known.
    exact : bool
        Also where an operand with stride 0, which is not looked at for that, wraps around before it is made wider.
    """
    if not _is_plain(step):
        return None
    instruction, form = step.operation()
    operands, opcode = instruction.operands[1:], instruction.opcode
    distances = [of(operand) for operand in operands]
    found = [distance for distance in distances if distance is not None]
    if len(found) < len(distances):
        return None
    element = frame.element_of(step.writes[0])
    if exact and widens(form):
        sources = zip(operands[:2], found[:2], strict=True) if len(found) > 1 else zip(operands, found, strict=True)
        if any(not is_nothing(far) and stride_of(frame.graph, operand) == 0 for operand, far in sources):
            return None
    if opcode in ("mov", "cvta", "cvt"):
        return _resize(frame, found[0], element)
    if opcode in ("add", "sub"):
        return _sum(frame, opcode, found[0], found[1], element)
    if opcode == "shl" and isinstance(operands[1], Immediate) and 0 <= operands[1].value < width_of(element):
        return _scaled(frame, "shl", found[0], constant(operands[1].value, element), element)
    if opcode in ("mul", "mad") and getattr(form, "mode", None) in ("lo", "wide"):
        product = _product(frame, step, found, element)
        if product is not None and opcode == "mad":
            return _sum(frame, "add", product, found[2], element)
        return product
    return None


def is_nothing(value: Value) -> bool:
    return value.literal and value.ref == "0"


def _is_plain(step: Step) -> bool:
    instruction, form = step.operation()
    types = {each for each in form.modifiers if each[-1].isdigit() and each[0] in "bsuf"}
    odd = any(flag in form.modifiers for flag in ("sat", "cc", "local"))
    return instruction.guard is None and len(step.writes) == 1 and types <= INTEGERS and not odd


def _resize(frame: Frame, value: Value, element: str) -> Value:
    return NOTHING if is_nothing(value) else frame.builder.resize(value, element, signed=True)


def _sum(frame: Frame, opcode: str, a: Value, b: Value, element: str) -> Value:
    if is_nothing(b):
        return _resize(frame, a, element)
    if is_nothing(a) and opcode == "add":
        return _resize(frame, b, element)
    builder = frame.builder
    return builder.binary(opcode, builder.resize(a, element, signed=True), builder.resize(b, element, signed=True))


def _scaled(frame: Frame, opcode: str, value: Value, factor: Value, element: str) -> Value:
    return NOTHING if is_nothing(value) else frame.builder.binary(opcode, _resize(frame, value, element), factor)


def _product(frame: Frame, step: Step, found: list[Value], element: str) -> Value | None:
    instruction, form = step.operation()
    operands, type_ = instruction.operands[1:3], form.type
    for distance, other, factor in ((found[0], found[1], operands[1]), (found[1], found[0], operands[0])):
        same = isinstance(factor, Immediate) or (isinstance(factor, Register) and frame.graph.is_uniform(factor.name))
        if is_nothing(other) and same:
            if is_nothing(distance):
                return NOTHING
            number = frame.builder.resize(frame.read(factor, type_), element, signed=type_.startswith("s"))
            return _scaled(frame, "mul", distance, number, element)
    return None


# --- from round to round --------------------------------------------------------------------------------


def advance(frame: Frame, number: int, operand: Operand | None) -> Value | None:
    """Return what an operand grows by with each round of the innermost loop round a block, if that is known."""
    loop = _loop_of(frame.graph, number)
    return None if loop is None else _advance(frame, loop, operand, {})


def _loop_of(graph: Graph, number: int) -> dict[str, list[Step]] | None:
    """Return what is written in the loop, and where."""
    around = [loop for loop in graph.loops if loop[0] <= number <= loop[1]]
    if not around:
        return None
    first, last = min(around, key=lambda loop: loop[1] - loop[0])
    found: dict[str, list[Step]] = {}
    for block in graph.blocks[first : last + 1]:
        for step in block.steps:
            for name in step.writes:
                found.setdefault(name, []).append(step)
    return found


def _advance(
    frame: Frame, loop: dict[str, list[Step]], operand: Operand | None, known: dict[str, Value | None]
) -> Value | None:
    if isinstance(operand, Immediate | Symbol):
        return NOTHING
    if not isinstance(operand, Register):
        return None
    name = operand.name
    if name not in known:
        if len(known) == MOST:
            return None
        known[name] = None  # for those that depend on themselves
        known[name] = _advance_of(frame, loop, name, known)
    return known[name]


def _advance_of(frame: Frame, loop: dict[str, list[Step]], name: str, known: dict[str, Value | None]) -> Value | None:
    steps = loop.get(name, [])
    if len(steps) != 1:
        return None if steps else NOTHING
    added = _added(frame, loop, name)
    if added is None:
        return follow(frame, steps[0], lambda each: _advance(frame, loop, each, known), exact=False)
    element, total = frame.element_of(name), NOTHING
    for opcode, each in added:
        total = _sum(frame, opcode, total, frame.builder.resize(frame.read(each, "b64"), element), element)
    return total


def _added(frame: Frame, loop: dict[str, list[Step]], name: str) -> list[tuple[str, Operand]] | None:
    """Return what a register's own value gets added on its way round the loop; None if it does not come back."""
    found: list[tuple[str, Operand]] = []
    at = name
    for _ in range(LONGEST):
        steps = loop.get(at, [])
        if len(steps) != 1 or steps[0].form is None or not _is_plain(steps[0]):
            return None
        opcode, operands = steps[0].instruction.opcode, steps[0].instruction.operands[1:]
        if opcode in ("add", "sub") and isinstance(operands[0], Register) and _is_fixed(frame, loop, operands[1]):
            found.append((opcode, operands[1]))
        elif opcode == "add" and isinstance(operands[1], Register) and _is_fixed(frame, loop, operands[0]):
            found.append((opcode, operands[0]))
            operands = operands[1:]
        elif opcode != "mov":
            return None
        source = operands[0]
        if not isinstance(source, Register):
            return None
        at = source.name
        if at == name:
            return found
    return None


def _is_fixed(frame: Frame, loop: dict[str, list[Step]], operand: Operand) -> bool:
    if isinstance(operand, Immediate):
        return True
    return isinstance(operand, Register) and operand.name not in loop and frame.graph.is_uniform(operand.name)
