# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Find the steps in which the lanes of a warp agree although their operands differ: threadIdx.x / 32, i < 1024.

This is for code that only runs blocks whose rows along x are whole warps: %ntid.x is a multiple of 32, and %tid.x of a
warp's lanes is such a multiple plus the lane's number. Registers are followed that have the value *multiple of 32 +
k + c * lane*, with one multiple for all lanes that run, a constant k, and a c of -1, 0 or 1. If k + c * lane stays
between 0 and 31, the upper bits are the same for all lanes, and so is what a comparison with a multiple of 32 decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product
from typing import NamedTuple

from cuda.cpu.passes.find_affine import INTEGERS
from cuda.cpu.passes.graph import Block, Graph, Step
from cuda.cpu.ptx.instructions import Form
from cuda.cpu.ptx.syntax import Immediate, Operand, Register

LANES = 32
BITS = 5  # of a lane's number
MOST_FORMS = 4
LARGEST = 1 << 15  # sums up to it do not wrap around in any type


class Known(NamedTuple):
    """What is known of a register's values."""

    forms: frozenset[tuple[int, int]] | None  # (c, k): one of them, for all lanes the same; None: anything
    same: bool  # one value for all lanes
    most: int | None = None  # the values lie between 0 and this


ANY, UNIFORM = Known(None, same=False), Known(None, same=True)
MULTIPLE, LAST = frozenset({(0, 0)}), frozenset({(0, LANES - 1)})
SPECIAL = {
    "%tid.x": Known(frozenset({(1, 0)}), same=False, most=1023),
    "%ntid.x": Known(MULTIPLE, same=True, most=1024),
}
# Comparisons that lanes agree on: with a multiple of 32, and with a multiple of 32 less one.
BELOW, UPTO = {"lt", "ge", "lo", "hs"}, {"le", "gt", "ls", "hi"}


class Agreement:
    """Keeps the set of steps in which lanes agree, as registers are found to differ between lanes.

    The best is assumed of registers until a write proves otherwise, so that only what depends on a change is examined
    again: the time grows with the number of steps.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._writers: dict[str, list[tuple[Block, Step]]] = {}
        candidates = []
        for block in graph.blocks:
            for step in block.steps:
                for name in step.writes:
                    self._writers.setdefault(name, []).append((block, step))
                if step.form is not None and step.form.opcode in ("shr", "and", "setp") and _is_integer(step.form):
                    candidates.append(step)
        origins = self._leading_from_threads()
        self._candidates: dict[str, list[Step]] = {}  # by the registers that they read
        for step in candidates:
            if not origins.isdisjoint(step.reads):
                for name in dict.fromkeys(step.reads):
                    self._candidates.setdefault(name, []).append(step)
        self._users = self._users_of_needed()
        self._known: dict[str, Known] = {}

    def _leading_from_threads(self) -> set[str]:
        """Return the registers that are computed from %tid.x by the opcodes that are followed."""
        users: dict[str, set[str]] = {}
        for name, writers in self._writers.items():
            for _, step in writers:
                if step.form is not None and step.form.opcode in RULES:
                    for source in step.reads:
                        users.setdefault(source, set()).add(name)
        found, work = {"%tid.x"}, ["%tid.x"]
        while work:
            more = users.get(work.pop(), set()) - found
            found |= more
            work += more
        return found

    def _users_of_needed(self) -> dict[str, set[str]]:
        """Return the registers that candidates depend on, each with those of them that are computed from it."""
        users: dict[str, set[str]] = {}
        work = list(self._candidates)
        while work:
            name = work.pop()
            if name not in users and name in self._graph.function.registers:
                users[name] = set()
                work += [source for _, step in self._writers.get(name, ()) for source in step.reads]
        for name in users:
            for _, step in self._writers.get(name, ()):
                for source in step.reads:
                    if source in users:
                        users[source].add(name)
        return users

    def update(self, names: Iterable[str] | None = None) -> list[Step]:
        """Follow changes of registers' uniformity or of where they are preserved; return the steps that it affects.

        Without `names`, all registers are examined.
        """
        changed = set(self._users if names is None else names)
        work = [name for name in changed if name in self._users]
        while work:
            name = work.pop()
            found = self._by_writes(name)
            if found is not None and self._known.get(name) != found:
                self._known[name] = found
                changed.add(name)
                work += self._users[name]
        affected = list({id(step): step for name in changed for step in self._candidates.get(name, ())}.values())
        for step in affected:
            if self._agree(step):
                self._graph.agreed.add(id(step))
            else:
                self._graph.agreed.discard(id(step))
        return affected

    # --- what is known of registers -------------------------------------------------------------------------

    def _by_writes(self, name: str) -> Known | None:
        """Return what all writes of a register have in common, None if nothing is known of any yet."""
        found = [self._by_step(block, step, name) for block, step in self._writers.get(name, ())]
        known = [each for each in found if each is not None]
        if not known:
            return None
        result = known[0]
        for each in known[1:]:
            result = Known(_union(result.forms, each.forms), same=True, most=_equal(result.most, each.most))
        return result._replace(same=self._graph.is_uniform(name))

    def _by_step(self, block: Block, step: Step, name: str) -> Known | None:
        """Return what is known of a step's result, None if nothing is known of an operand yet."""
        form, graph = step.form, self._graph
        preserved = graph.preserved[block.number] >> graph.register_bits[name] & 1
        if form is None or form.opcode not in RULES or preserved or step.instruction.guard is not None:
            return ANY
        if len(step.writes) != 1 or not _is_integer(form):
            return ANY
        operands = [self._of(operand) for operand in step.instruction.operands[1:]]
        known = [each for each in operands if each is not None]
        return RULES[form.opcode](*known) if len(known) == len(operands) else None

    def _of(self, operand: Operand) -> Known | None:
        if isinstance(operand, Immediate):
            value = operand.value
            return Known(frozenset({(0, value % LANES)}), same=True, most=value if 0 <= value < LARGEST else None)
        if not isinstance(operand, Register):
            return ANY
        if operand.name in self._graph.function.registers:
            return self._known.get(operand.name)
        return SPECIAL.get(operand.name, UNIFORM if self._graph.is_uniform(operand.name) else ANY)

    # --- steps ----------------------------------------------------------------------------------------------

    def _agree(self, step: Step) -> bool:
        """Return whether lanes agree in a step, of whose operands one differs between them."""
        assert step.form is not None
        operands = step.instruction.operands
        # Registers that differ between lanes may still be assumed to be uniform.
        varying = [name for name in dict.fromkeys(step.reads) if self._may_differ(name)]
        if len(varying) != 1 or operands[1] == operands[2]:
            return False
        first = operands[1] == Register(varying[0])
        if not first and operands[2] != Register(varying[0]):  # a predicate, for example
            return False
        mine, other = (self._of(operand) for operand in (operands[1:3] if first else operands[2:0:-1]))
        if mine is None or other is None or not _is_grouped(mine.forms):
            return False
        if step.form.opcode == "setp":
            below, upto = (BELOW, UPTO) if first else (UPTO, BELOW)
            return step.form.cmp in (below if other.forms == MULTIPLE else upto if other.forms == LAST else ())
        if not isinstance(operands[2], Immediate):
            return False
        number = operands[2].value
        return number >= BITS if step.form.opcode == "shr" else number % LANES == 0

    def _may_differ(self, name: str) -> bool:
        known = self._of(Register(name))
        forms = known.forms if known is not None and known.forms is not None else ()
        return not self._graph.is_uniform(name) or any(c for c, _ in forms)


def _is_integer(form: Form) -> bool:
    types = {each for each in form.modifiers if each[-1].isdigit() and each[0] in "bsuf"}
    odd = any(flag in form.modifiers for flag in ("sat", "cc", "hi", "pred"))
    return types <= INTEGERS and not odd


def _is_grouped(forms: frozenset[tuple[int, int]] | None) -> bool:
    """Return whether the upper bits of all lanes are the same."""
    return forms is not None and all(0 <= k + c * (LANES - 1) < LANES for c, k in forms)


def _union(
    first: frozenset[tuple[int, int]] | None, second: frozenset[tuple[int, int]] | None
) -> frozenset[tuple[int, int]] | None:
    together = first | second if first is not None and second is not None else None
    return together if together is not None and len(together) <= MOST_FORMS else None


def _equal(first: int | None, second: int | None) -> int | None:
    return first if first == second else None


# --- rules ----------------------------------------------------------------------------------------------------


def _copy(value: Known) -> Known:
    return value


def _invert(value: Known) -> Known:
    """Return what is known of -1 - value."""
    return _subtract(Known(LAST, same=True), value)


def _add(first: Known, second: Known) -> Known:
    most = first.most + second.most if first.most is not None and second.most is not None else LARGEST
    return _linear(first, second, 1)._replace(most=most if most < LARGEST else None)


def _subtract(first: Known, second: Known) -> Known:
    return _linear(first, second, -1)


def _linear(first: Known, second: Known, sign: int) -> Known:
    same, found = first.same and second.same, set()
    if first.forms is None or second.forms is None:
        return Known(None, same)
    for (c, k), (d, j) in product(first.forms, second.forms):
        if abs(c + sign * d) > 1:
            return Known(None, same)
        found.add((c + sign * d, (k + sign * j) % LANES))
    return Known(frozenset(found) if len(found) <= MOST_FORMS else None, same)


def _multiply(first: Known, second: Known) -> Known:
    same = first.same and second.same
    return Known(MULTIPLE if same and MULTIPLE in (first.forms, second.forms) else None, same)


def _multiply_add(first: Known, second: Known, third: Known) -> Known:
    return _add(_multiply(first, second), third)


def _shift_left(value: Known, distance: Known) -> Known:
    same = value.same and distance.same
    scaled = value.forms == MULTIPLE or (_is_constant(distance) and (distance.most or 0) >= BITS)
    return Known(MULTIPLE if same and scaled else None, same)


def _is_constant(value: Known) -> bool:
    """Return whether `most` is the value: of a number below 32, its only form says so."""
    return value.most is not None and value.forms == frozenset({(0, value.most)})


def _shift_right(value: Known, distance: Known) -> Known:
    same = value.same and distance.same
    if value.most is not None and _is_constant(distance) and value.most >> (distance.most or 0) == 0:
        return Known(MULTIPLE, same, most=0)
    return Known(None, same)


def _and(first: Known, second: Known) -> Known:
    same = first.same and second.same
    if same and MULTIPLE in (first.forms, second.forms):
        return Known(MULTIPLE, same)
    for value, mask in ((first, second), (second, first)):
        if mask.forms == LAST and mask.same and _is_grouped(value.forms):
            return Known(value.forms, same)
    return Known(None, same)


def _or(first: Known, second: Known) -> Known:
    """Return what is known of `or` and `xor`."""
    same = first.same and second.same
    for value, other in ((first, second), (second, first)):
        if other.forms == MULTIPLE and other.same and _is_grouped(value.forms):
            return Known(value.forms, same)
    return Known(None, same)


def _either(first: Known, second: Known) -> Known:
    """Return what is known of the greater or the lesser of two numbers.

    Where their multiples differ, all lanes take the same operand. Where these are equal, they do so if none of the
    operands is less in one lane and greater in another.
    """
    same, forms = first.same and second.same, _union(first.forms, second.forms)
    if forms is None or not _is_grouped(forms) or first.forms is None or second.forms is None:
        return Known(None, same)
    for (c, k), (d, j) in product(first.forms, second.forms):
        apart = [(k + c * lane) - (j + d * lane) for lane in (0, LANES - 1)]
        if min(apart) < 0 < max(apart):
            return Known(None, same)
    return Known(forms, same)


RULES: dict[str, Callable[..., Known]] = {
    "mov": _copy, "cvt": _copy, "not": _invert, "add": _add, "sub": _subtract, "mul": _multiply, "mad": _multiply_add,
    "shl": _shift_left, "shr": _shift_right, "and": _and, "or": _or, "xor": _or, "min": _either, "max": _either,
}  # fmt: skip
