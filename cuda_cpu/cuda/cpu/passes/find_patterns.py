# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Find the registers whose lanes differ by numbers known at compile time that are not proportional to the lane.

For example threadIdx.x + threadIdx.x / 4, or threadIdx.x ^ 8: of such addresses, shuffles pick each lane's element from
vectors of memory. This is for code that only runs blocks whose rows along x are whole warps, so that %tid.x of the
first lane is a multiple of 32. The base of such a register is the first lane's value. It is computed beside the
register, like those of affine ones (`find_affine`).

Of each base the low bits are followed as far as they are known. If they and what is added to them in any lane stay
below 2**bits, no carry reaches the bits above, so bitwise operations change the two parts independently.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import NamedTuple

from cuda.cpu.passes.find_affine import INTEGERS, STRIDES, is_followed
from cuda.cpu.passes.graph import Graph, Pattern, Step
from cuda.cpu.passes.vector_accesses import base_of_pattern, is_by_vectors
from cuda.cpu.ptx.instructions import Form
from cuda.cpu.ptx.syntax import Immediate, Operand, Register, Symbol

LANES = 32
WIDEST = 64  # bits
BITWISE: dict[str, Callable[[int, int], int]] = {"and": operator.and_, "or": operator.or_, "xor": operator.xor}
MIXING = BITWISE.keys() | {"shr", "not", "bfe"}  # what makes other patterns of affine registers

NOTHING: Pattern = (0,) * LANES


class Known(NamedTuple):
    """What is known of a register: the lanes' distances from the first lane, None if unknown; and that one's value.

    The value is `low` modulo 2**bits.
    """

    pattern: Pattern | None
    bits: int = 0
    low: int = 0

    @property
    def lows(self) -> Pattern | None:
        """The low bits of all lanes, None if they are not known."""
        if self.pattern == NOTHING:
            return (self.low,) * LANES
        if self.pattern is None:
            return None
        found = tuple(self.low + each for each in self.pattern)
        return found if min(found) >= 0 and max(found) < 1 << self.bits else None


UNKNOWN, UNIFORM = Known(None), Known(NOTHING)
WHOLE_WARPS = 5  # bits of multiples of 32
SPECIAL = {
    "%tid.x": Known(tuple(range(LANES)), WHOLE_WARPS),
    "%laneid": Known(tuple(range(LANES)), WIDEST),
    "%ntid.x": Known(NOTHING, WHOLE_WARPS),
}


def find_patterns(graph: Graph) -> None:
    """Fill `patterns`, for registers that addresses of vectors of memory depend on."""
    graph.patterns = {}
    steps = [step for block in graph.blocks for step in block.steps]
    accesses = [step for step in steps if _may_have_pattern(graph, step)]
    if not (graph.whole_rows and accesses and any(_mixes(graph, step) for step in steps)):
        return
    graph.patterns = {
        name: each.pattern
        for name, each in known_of(graph).items()
        if each.pattern is not None and _is_other(graph, name)
    }
    needed = _needed(graph, steps, accesses)
    graph.patterns = {name: pattern for name, pattern in graph.patterns.items() if name in needed}


def _is_other(graph: Graph, name: str) -> bool:
    """Return whether a register is neither uniform nor affine."""
    return not graph.is_uniform(name) and name not in graph.strides


def _may_have_pattern(graph: Graph, step: Step) -> bool:
    base = base_of_pattern(step.instruction, step.form)
    return base is not None and _is_other(graph, base.name)


def _mixes(graph: Graph, step: Step) -> bool:
    """Return whether a step may make another pattern of an affine register."""
    if step.form is None or step.form.opcode not in MIXING or len(step.writes) != 1:
        return False
    return _is_other(graph, step.writes[0]) and any(name in graph.strides or name in STRIDES for name in step.reads)


def _needed(graph: Graph, steps: list[Step], accesses: list[Step]) -> set[str]:
    """Return the registers of addresses with patterns, and those that these are computed from."""
    writers: dict[str, list[Step]] = {}
    for step in steps:
        for name in step.writes:
            writers.setdefault(name, []).append(step)
    work = [
        base.name
        for step in accesses
        if is_by_vectors(graph, step) and (base := base_of_pattern(step.instruction, step.form)) is not None
    ]
    found: set[str] = set()
    while work:
        name = work.pop()
        if name in graph.patterns and name not in found:
            found.add(name)
            work += [source for step in writers.get(name, ()) for source in step.reads]
    return found


# --- what is known of registers ---------------------------------------------------------------------------


def known_of(graph: Graph) -> dict[str, Known]:
    """Return what is known of the registers that steps write."""
    return _Finder(graph).known


class _Finder:
    """Assumes the best of registers until a write proves otherwise."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self.known: dict[str, Known] = {}
        while self._follow():
            pass

    def _follow(self) -> bool:
        """Follow all steps once; return whether anything has changed."""
        graph, changed = self._graph, False
        for block in graph.blocks:
            preserved = graph.preserved[block.number]
            for step in block.steps:
                for name in step.writes:
                    before = self.known.get(name)
                    if before == UNKNOWN:
                        continue
                    mixed = len(step.writes) > 1 or preserved >> graph.register_bits[name] & 1
                    found = self._fixed(name, UNKNOWN if mixed else self._result(step))
                    if found is not None:
                        self.known[name] = found if before is None else _common(before, found)
                    changed |= self.known.get(name) != before
        return changed

    def _fixed(self, name: str, found: Known | None) -> Known | None:
        """Return the same with the pattern that other passes have found."""
        graph = self._graph
        if found is None:
            return None
        if graph.is_uniform(name):
            return found._replace(pattern=NOTHING)
        if name in graph.strides:
            return found._replace(pattern=_linear(graph.strides[name]))
        return found if found.pattern is not None else UNKNOWN

    def _result(self, step: Step) -> Known | None:
        """Return what is known of a step's result, None if nothing is known of an operand yet."""
        form = step.form
        if form is None or form.opcode not in RULES or form.type not in INTEGERS:
            return UNKNOWN
        if not is_followed(step.instruction, form):
            return UNKNOWN
        operands = step.instruction.operands[1:]
        found = [self._of(operand) for operand in operands]
        known = [each for each in found if each is not None]
        if len(known) < len(found):
            return None
        result = RULES[form.opcode](form, known, operands)
        width = _width_of(form)
        bits = min(result.bits, width)
        return Known(result.pattern, bits, result.low & ((1 << bits) - 1))

    def _of(self, operand: Operand) -> Known | None:
        if isinstance(operand, Immediate):
            return Known(NOTHING, WIDEST, operand.value & ((1 << WIDEST) - 1))
        if not isinstance(operand, Register):
            return UNIFORM if isinstance(operand, Symbol) else UNKNOWN
        name = operand.name
        if name in self._graph.function.registers:
            return self.known.get(name)
        return SPECIAL.get(name, UNIFORM if self._graph.is_uniform(name) else UNKNOWN)


def _linear(stride: int) -> Pattern:
    return tuple(stride * lane for lane in range(LANES))


def _common(a: Known, b: Known) -> Known:
    """Return what is known of a register that has either value."""
    if a.pattern != b.pattern:
        return UNKNOWN
    bits = min(a.bits, b.bits)
    differ = (a.low ^ b.low) & ((1 << bits) - 1)
    if differ:
        bits = (differ & -differ).bit_length() - 1
    return Known(a.pattern, bits, a.low & ((1 << bits) - 1))


def _width_of(form: Form) -> int:
    """Return the bits of a result."""
    if form.opcode == "cvt":
        return int(form.dtype[1:])
    width = int(form.type[1:])
    return 2 * width if getattr(form, "mode", None) == "wide" else width


# --- rules ------------------------------------------------------------------------------------------------


def _same(form: Form, found: list[Known], operands: Sequence[Operand]) -> Known:
    return found[0]


def _moved(form: Form, found: list[Known], operands: Sequence[Operand]) -> Known:
    """Return what is known of an address in another space, which begins anywhere."""
    return Known(found[0].pattern)


def _zipped(a: Known, b: Known, operation: Callable[[int, int], int]) -> Pattern | None:
    if a.pattern is None or b.pattern is None:
        return None
    return tuple(map(operation, a.pattern, b.pattern))


def _add(form: Form, found: list[Known], operands: Sequence[Operand]) -> Known:
    a, b = found
    return Known(_zipped(a, b, operator.add), min(a.bits, b.bits), a.low + b.low)


def _subtract(form: Form, found: list[Known], operands: Sequence[Operand]) -> Known:
    a, b = found
    return Known(_zipped(a, b, operator.sub), min(a.bits, b.bits), a.low - b.low)


def _zeros(known: Known) -> int:
    """Return how many low bits are known to be 0."""
    return min(known.bits, (known.low & -known.low).bit_length() - 1) if known.low else known.bits


def _multiply(form: Form, found: list[Known], operands: Sequence[Operand]) -> Known:
    a, b = found[:2]
    bits = min(a.bits + _zeros(b), b.bits + _zeros(a))
    for known, factor in ((a, operands[1]), (b, operands[0])):
        if isinstance(factor, Immediate) and known.pattern is not None:
            number = _signed(factor.value, form)
            return Known(tuple(number * each for each in known.pattern), bits, a.low * b.low)
    return Known(NOTHING if a.pattern == b.pattern == NOTHING else None, bits, a.low * b.low)


def _signed(value: int, form: Form) -> int:
    """Return an immediate factor as a number of the type that the product has in each lane."""
    width, type_ = int(form.type[1:]), form.type if getattr(form, "mode", None) == "wide" else "s"
    value &= (1 << width) - 1
    return value - (1 << width) if type_[0] == "s" and value >> (width - 1) else value


def _multiply_add(form: Form, found: list[Known], operands: Sequence[Operand]) -> Known:
    return _add(form, [_multiply(form, found, operands), found[2]], operands)


def _shift_left(form: Form, found: list[Known], operands: Sequence[Operand]) -> Known:
    value, distance = found[0], operands[1]
    if not isinstance(distance, Immediate) or not 0 <= distance.value < _width_of(form):
        return Known(NOTHING if found[0].pattern == found[1].pattern == NOTHING else None)
    pattern = None if value.pattern is None else tuple(each << distance.value for each in value.pattern)
    return Known(pattern, value.bits + distance.value, value.low << distance.value)


def _shift_right(form: Form, found: list[Known], operands: Sequence[Operand]) -> Known:
    value, distance, lows = found[0], operands[1], found[0].lows
    if not isinstance(distance, Immediate) or not 0 <= distance.value < _width_of(form):
        return Known(NOTHING if found[0].pattern == found[1].pattern == NOTHING else None)
    if lows is None or value.bits < distance.value:
        return Known(NOTHING if value.pattern == NOTHING else None)
    return _of_lows([low >> distance.value for low in lows], value.bits - distance.value)


def _of_lows(lows: list[int], bits: int) -> Known:
    """Return a value by the low bits of all lanes; those above are the same for all."""
    return Known(tuple(low - lows[0] for low in lows), bits, lows[0])


def _bitwise(form: Form, found: list[Known], operands: Sequence[Operand]) -> Known:
    a, b = found
    bits, operation = min(a.bits, b.bits), BITWISE[form.opcode]
    lows = [_lows_below(each, bits) for each in found]
    if lows[0] is None or lows[1] is None:
        return UNKNOWN
    return _of_lows(list(map(operation, lows[0], lows[1])), bits)


def _lows_below(known: Known, bits: int) -> Pattern | None:
    """Return the low bits of all lanes, of so many, None if more differ between lanes."""
    if known.pattern == NOTHING:
        return (known.low & ((1 << bits) - 1),) * LANES
    lows = known.lows
    return lows if lows is not None and max(lows) >> bits == 0 else None


def _negate(form: Form, found: list[Known], operands: Sequence[Operand]) -> Known:
    return _subtract(form, [Known(NOTHING, WIDEST), found[0]], operands)


def _invert(form: Form, found: list[Known], operands: Sequence[Operand]) -> Known:
    every = Known(NOTHING, WIDEST, (1 << WIDEST) - 1)
    return _subtract(form, [every, found[0]], operands)


def _extract(form: Form, found: list[Known], operands: Sequence[Operand]) -> Known:
    """Return what is known of `bfe`, of constant bits of an unsigned number."""
    position, count = operands[1:]
    if form.type[0] != "u" or not (isinstance(position, Immediate) and isinstance(count, Immediate)):
        return Known(NOTHING if all(each.pattern == NOTHING for each in found) else None)
    lows, first = found[0].lows, position.value & 255
    mask = (1 << min(count.value & 255, WIDEST)) - 1
    if lows is None or found[0].bits < first:
        return Known(NOTHING if found[0].pattern == NOTHING else None)
    return _of_lows([low >> first & mask for low in lows], found[0].bits - first)


Rule = Callable[[Form, list[Known], Sequence[Operand]], Known]
RULES: dict[str, Rule] = {
    "mov": _same, "cvt": _same, "cvta": _moved, "add": _add, "sub": _subtract, "mul": _multiply, "mad": _multiply_add,
    "shl": _shift_left, "shr": _shift_right, "and": _bitwise, "or": _bitwise, "xor": _bitwise, "not": _invert,
    "neg": _negate, "bfe": _extract,
}  # fmt: skip
