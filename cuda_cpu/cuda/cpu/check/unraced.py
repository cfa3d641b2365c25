# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Find out what of a kernel cannot race, so that racecheck needs no vector clocks for it.

- Reads of shared memory in regions that do not write it: barriers of the whole block order them with all writes.
- Atomic operations on shared memory in regions that access it by nothing else, if the kernel has no fences.
- Reads of allocations that the kernel does not write. The runtime finds these by the parameters that the addresses of
  all stores are computed from.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator

from cuda.cpu.emit.access.addresses import space_of
from cuda.cpu.emit.llvm.values import ELEMENTS, integer_of, width_of
from cuda.cpu.emit.simt.function_facts import FunctionFacts
from cuda.cpu.passes.find_regions import find_regions
from cuda.cpu.passes.graph import BLOCK, Graph, Step
from cuda.cpu.ptx.syntax import Address, Call, Immediate, Operand, Pair, Register, Symbol, Vector

UNKNOWN, SHARED = "unknown", "shared"  # where an address may come from, beside the offsets of parameters
Origins = frozenset[int | str]
NOWHERE: Origins = frozenset()
MOST_SHIFTED = 16  # a shift by more bits may put a pointer together from halves

WRITERS = {"st", "atom", "red"}
OTHER_WRITERS = {"call", "cp", "mapa", "multimem", "stmatrix", "sust", "tensormap", "wgmma", "wmma"}
HARMLESS = {"membar", "fence", "prefetch", "prefetchu", "bar", "barrier"}

FACTS: weakref.WeakKeyDictionary[FunctionFacts, Unraced] = weakref.WeakKeyDictionary()


def unraced(facts: FunctionFacts) -> Unraced:
    """Return what cannot race in a function."""
    if (found := FACTS.get(facts)) is None:
        found = FACTS[facts] = Unraced(facts)
    return found


class Unraced:
    """`parameters`: offsets of those that the addresses of all writes to global memory are computed from, or None."""

    def __init__(self, facts: FunctionFacts):
        self._facts = facts
        self._of: dict[str, Origins] = {}
        self._quiet: set[int] | None = None  # not known yet
        self._is_followed = False
        self.parameters: tuple[int, ...] | None = None
        if facts.function.entry and not any(isinstance(step.instruction, Call) for step in _steps(facts.graph)):
            self._follow_addresses()
            self._is_followed = True
            self.parameters = self._find_parameters()

    def is_ordered(self, step: Step) -> bool:
        """Return whether nothing between two barriers of the block can race with a step's access to shared memory."""
        if self._quiet is None:
            self._quiet = self._find_quiet() if self._is_followed else set()
        return id(step) in self._quiet

    def pointers_of(self, address: Address) -> tuple[int, ...]:
        """Return the offsets of the parameters that an address is computed from; (): it may be from elsewhere, too."""
        found = self._origins(address) if self._is_followed else NOWHERE
        known = [each for each in found if isinstance(each, int)]
        return tuple(sorted(known)) if len(known) == len(found) else ()

    # --- origins of addresses -----------------------------------------------------------------------------

    def _follow_addresses(self) -> None:
        steps = [step for step in _steps(self._facts.graph) if step.writes]
        changed = True
        while changed:
            changed = False
            for step in steps:
                for name in step.writes:
                    before = self._of.get(name, NOWHERE)
                    after = before if self._is_predicate(name) else before | self._result(step, name)
                    changed |= after != before
                    self._of[name] = after

    def _is_predicate(self, name: str) -> bool:
        return self._facts.function.registers.get(name) == "pred"

    def _is_wide(self, name: str) -> bool:
        return self._facts.function.registers.get(name, "")[1:] == "64"

    def _result(self, step: Step, name: str) -> Origins:
        """Return the origins of a register that a step writes."""
        instruction, form = step.operation()
        if form.opcode == "ld" and space_of(form) == "param":
            return self._parameter(step, name)
        unknown = frozenset((UNKNOWN,)) if self._is_wide(name) else NOWHERE
        if form.opcode in ("ld", "ldu", "atom"):
            return unknown
        if any(isinstance(each, Vector | Pair) for each in instruction.operands) or form.opcode in ("bfi", "mapa"):
            return unknown
        if form.opcode == "shl" and unknown and not _is_short(instruction.operands[-1]):
            return unknown
        found = [self._of.get(each, NOWHERE) for each in step.reads]
        return NOWHERE.union(*found, *map(self._symbol, instruction.operands))

    def _parameter(self, step: Step, name: str) -> Origins:
        if not self._is_wide(name):
            return NOWHERE
        instruction, form = step.operation()
        address = instruction.address(1)
        start = self._facts.parameter_offsets.get(address.base.name) if isinstance(address.base, Symbol) else None
        if start is None:
            return frozenset((UNKNOWN,))
        size = width_of(integer_of(ELEMENTS[form.type])) // 8
        elements = instruction.elements(0)
        return frozenset(
            start + address.offset + size * i
            for i, each in enumerate(elements) if isinstance(each, Register) and each.name == name
        )  # fmt: skip

    def _symbol(self, operand: Operand | None) -> Origins:
        base = operand.base if isinstance(operand, Address) else operand
        if not isinstance(base, Symbol):
            return NOWHERE
        facts = self._facts
        variable = facts.function.variables.get(base.name) or facts.program.variables.get(base.name)
        return frozenset((SHARED if variable and variable.space in ("shared", "local") else UNKNOWN,))

    def _origins(self, address: Address) -> Origins:
        if isinstance(address.base, Register):
            return self._of.get(address.base.name, NOWHERE) or frozenset((UNKNOWN,))
        return self._symbol(address) or frozenset((UNKNOWN,))

    # --- writes ---------------------------------------------------------------------------------------------

    def _find_parameters(self) -> tuple[int, ...] | None:
        found: set[int | str] = set()
        for step in _steps(self._facts.graph):
            _, form = step.operation()
            if form.opcode in OTHER_WRITERS and not _is_small_copy(step) and not _reads_matrix(step):
                return None
            if form.opcode not in WRITERS or space_of(form) in ("shared", "local", "param"):
                continue
            if not _is_plain(step) or UNKNOWN in (origins := self._origins(_target(step))):
                return None
            found |= origins
        return tuple(sorted(each for each in found if isinstance(each, int)))

    def _find_quiet(self) -> set[int]:
        graph = self._facts.graph
        if any(
            step.operation()[1].opcode in ("cp", "mapa", "getctarank") or not _is_plain(step) for step in _steps(graph)
        ):
            return set()
        why, regions, graph.regions = find_regions(graph), graph.regions, []
        if why:
            return set()
        atomics = {number for region in regions if all(map(self._is_atomic_or_elsewhere, _within(graph, region.blocks)))
                   for number in region.blocks}  # fmt: skip
        atomics = set() if any(step.instruction.opcode in ("membar", "fence") for step in _steps(graph)) else atomics
        written = {number for region in regions if any(map(self._writes_shared, _within(graph, region.blocks)))
                   for number in region.blocks}  # fmt: skip
        return {
            id(step)
            for block in graph.blocks if block.number not in written or block.number in atomics
            for step in block.steps if step.operation()[1].opcode in ("ld", "atom", "red")
            and space_of(step.operation()[1]) == "shared"
        }  # fmt: skip

    def _is_atomic_or_elsewhere(self, step: Step) -> bool:
        """Return whether a step accesses shared memory only by an atomic operation that synchronises nothing."""
        _, form = step.operation()
        if form.opcode in ("ld", "ldu"):
            space = space_of(form)
            elsewhere = all(isinstance(each, int) for each in self._origins(step.instruction.address(1)))
            return space != "shared" and (space != "generic" or elsewhere)
        if form.opcode not in ("atom", "red"):
            return form.opcode not in ("ldmatrix", "wmma") and not self._writes_shared(step)
        return {"release", "acquire", "acq_rel", "sc"}.isdisjoint(step.instruction.modifiers)

    def _writes_shared(self, step: Step) -> bool:
        _, form = step.operation()
        if form.opcode not in WRITERS:
            return form.opcode in OTHER_WRITERS or form.opcode == "mbarrier"
        space = space_of(form)
        if space == "generic":
            return not all(isinstance(each, int) for each in self._origins(_target(step)))
        return space not in ("global", "local", "param")


def _steps(graph: Graph) -> Iterator[Step]:
    return (step for block in graph.blocks for step in block.steps)


def _within(graph: Graph, numbers: tuple[int, ...]) -> Iterator[Step]:
    """Return the steps of a region's blocks."""
    return (step for number in numbers if graph.blocks[number].barrier != BLOCK for step in graph.blocks[number].steps)


def _target(step: Step) -> Address:
    instruction, form = step.operation()
    return instruction.address(1 if form.opcode == "atom" else 0)


def _is_short(operand: Operand | None) -> bool:
    return isinstance(operand, Immediate) and operand.value <= MOST_SHIFTED


def _is_plain(step: Step) -> bool:
    """Return whether a step is neither asynchronous nor a bulk operation, nor one on another block's memory."""
    return {"async", "bulk"}.isdisjoint(step.instruction.modifiers) and not any(
        each.startswith(("shared::cluster", "cluster", "mbarrier")) for each in step.instruction.modifiers
    )


def _is_small_copy(step: Step) -> bool:
    """Return whether a step is a cp.async to shared memory, or waits for one."""
    instruction = step.instruction
    return instruction.opcode == "cp" and {"bulk", "tensor", "reduce"}.isdisjoint(instruction.modifiers)


def _reads_matrix(step: Step) -> bool:
    opcode, modifiers = step.instruction.opcode, step.instruction.modifiers
    return (opcode == "wmma" and modifiers[0] != "store") or opcode in ("wgmma", "stmatrix")
