# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Choose between addresses just before a load, rather than between the indices that these are computed of.

`x = i > 0 ? i - 1 : i` and a load from p + 4 * x become two addresses, p + 4 * (i - 1) and p + 4 * i, which are affine,
and `selp` in front of the load, wherever x was computed. So the load finds rows to load by masks (`ways`). `min` and
`max` choose, too. Instructions are only added, next to those whose results they compute for each choice.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass

from cuda.cpu.passes.find_affine import INTEGERS, combined, is_followed, stride_of, widens
from cuda.cpu.passes.graph import Graph, Step
from cuda.cpu.passes.vector_accesses import SIZES, SPACES, base_of, size_of
from cuda.cpu.ptx.instructions import Form
from cuda.cpu.ptx.syntax import Address, Function, Instruction, Operand, Register, Statement

MOST = 4  # addresses of a load: beyond that, gathers are as fast
NAMES = "%choice."  # prefix of new registers, which no register of PTX has
ORDERS = {"min": "le", "max": "ge"}  # when the first operand is chosen


@dataclass(frozen=True, slots=True)
class _Leaf:
    """What a register may be: an affine operand."""

    operand: Operand
    stride: int


@dataclass(frozen=True, slots=True)
class _Node:
    """Which of two it is: the first one where the predicate holds."""

    predicate: Register
    first: _Tree
    second: _Tree


_Tree = _Leaf | _Node


def sink_choices(
    graph: Graph, body: list[Statement], *, broadcasts: bool = True
) -> tuple[Function, list[Statement]] | None:
    """Return the function and its body with such loads, None if there are none.

    `broadcasts`: also loads for which an address that is the same for all lanes may be chosen.
    """
    return _Sinker(graph, broadcasts).sink(body) if graph.function.entry and not graph.general else None


def is_chosen(address: Register) -> bool:
    """Return whether an address is one of several that such a load chooses from."""
    return address.name.startswith(NAMES)


class _Sinker:
    """Finds what registers may be, from their definitions up, and adds instructions for what loads need."""

    def __init__(self, graph: Graph, broadcasts: bool) -> None:
        self._graph, self._broadcasts = graph, broadcasts
        self._types = dict(graph.function.registers)
        self._writers: dict[str, list[Step]] = {}
        self._block_of: dict[int, int] = {}
        for block in graph.blocks:
            for step in block.steps:
                self._block_of[id(step)] = block.number
                for name in step.writes:
                    self._writers.setdefault(name, []).append(step)
        self._trees: dict[str, _Tree | None] = {}
        self._behind: dict[int, list[Instruction]] = {}  # new instructions, by the one (by id) that they follow
        self._made: dict[str, tuple[int, Instruction]] = {}  # by the new register: the same, before they are needed

    def sink(self, body: list[Statement]) -> tuple[Function, list[Statement]] | None:
        instead: dict[int, list[Instruction]] = {}
        for block in self._graph.blocks:
            for step in block.steps:
                tree = self._tree_of_load(step, block.number)
                if tree is not None:
                    instead[id(step.instruction)] = self._sunk(step, tree)
        if not instead:
            return None
        function = dataclasses.replace(self._graph.function, registers=self._types)
        return function, list(self._renewed(body, instead))

    def _renewed(self, body: list[Statement], instead: dict[int, list[Instruction]]) -> Iterator[Statement]:
        for item in body:
            yield from instead.get(id(item), [item])
            yield from self._behind.get(id(item), ())

    # --- loads --------------------------------------------------------------------------------------------

    def _tree_of_load(self, step: Step, number: int) -> _Tree | None:
        """Return the addresses of a load that each lane chooses from, None if they do not suit."""
        instruction, form = step.instruction, step.form
        base = base_of(instruction, form)
        if base is None or form is None or form.opcode != "ld" or form.space not in SPACES:
            return None
        if size_of(form) not in SIZES or not isinstance(instruction.operands[0], Register):
            return None
        tree, strides = self._tree_of(base), {size_of(form), 0 if self._broadcasts else size_of(form)}
        if not isinstance(tree, _Node) or any(leaf.stride not in strides for leaf in _leaves(tree)):
            return None
        nested = isinstance(tree.first, _Node) or isinstance(tree.second, _Node)
        if nested and number == self._block_of[id(self._writers[base.name][0])]:
            return None  # whether all lanes choose alike is known in the block, see emit/access/clamped.py
        return tree

    def _sunk(self, step: Step, tree: _Tree) -> list[Instruction]:
        """Return the instructions instead of a load, and add those that compute the addresses."""
        instruction, found = step.operation()[0], []

        def chosen(tree: _Tree, type_: str) -> Operand:
            if isinstance(tree, _Leaf):
                self._need(tree.operand)
                return tree.operand
            operands = chosen(tree.first, type_), chosen(tree.second, type_)
            self._need(tree.predicate)
            target = self._new(type_)
            given = (target, *operands, tree.predicate)
            found.append(dataclasses.replace(instruction, opcode="selp", modifiers=(type_,), operands=given))
            return target

        address = instruction.address(1)
        assert isinstance(address.base, Register)
        base = chosen(tree, self._types[address.base.name])
        assert isinstance(base, Register)
        operands = instruction.operands[0], Address(base, address.offset)
        return [*found, dataclasses.replace(instruction, operands=operands)]

    def _need(self, operand: Operand) -> None:
        """Add the instructions that compute a new register."""
        made = self._made.pop(operand.name, None) if isinstance(operand, Register) else None
        if made is not None:
            for source in made[1].operands[1:]:
                self._need(source)
            self._behind.setdefault(made[0], []).append(made[1])

    # --- what registers may be ------------------------------------------------------------------------------

    def _tree_of(self, operand: Operand) -> _Tree | None:
        stride = stride_of(self._graph, operand)
        if stride is not None:
            return _Leaf(operand, stride)
        if not isinstance(operand, Register):
            return None
        name = operand.name
        if name not in self._trees:
            self._trees[name] = None  # for those that depend on themselves
            steps = self._writers.get(name, [])
            alone = len(steps) == 1 and steps[0].form is not None and len(steps[0].writes) == 1
            tree = self._tree_of_step(steps[0]) if alone else None
            self._trees[name] = tree if tree is not None and len(list(_leaves(tree))) <= MOST else None
        return self._trees[name]

    def _tree_of_step(self, step: Step) -> _Tree | None:
        instruction, form = step.operation()
        if instruction.guard is not None or not {form.type, self._types.get(step.writes[0])} <= INTEGERS:
            return None
        if form.opcode == "selp" or (form.opcode in ORDERS and is_followed(instruction, form)):
            return self._choice(step, instruction, form)
        return self._computed(step, instruction, form) if is_followed(instruction, form) else None

    def _choice(self, step: Step, instruction: Instruction, form: Form) -> _Tree | None:
        trees = [self._tree_of(operand) for operand in instruction.operands[1:3]]
        if trees[0] is None or trees[1] is None or (form.opcode in ORDERS and form.type.startswith("b")):
            return None
        type_ = self._types[step.writes[0]]
        ways = [
            _Leaf(self._make(step, "mov", type_, (tree.operand,)), tree.stride) if isinstance(tree, _Leaf) else tree
            for tree in trees
            if tree is not None
        ]
        if form.opcode == "selp":
            predicate = self._make(step, "mov", "pred", instruction.operands[3:])
        else:
            operands = instruction.operands[1:3]
            predicate = self._make(step, "setp", "pred", operands, (ORDERS[form.opcode], form.type))
        return _Node(predicate, *ways)

    def _computed(self, step: Step, instruction: Instruction, form: Form) -> _Tree | None:
        """Return what an instruction gives for each of what one operand may be."""
        operands = instruction.operands[1:]
        trees = [self._tree_of(operand) for operand in operands]
        varying = [(number, tree) for number, tree in enumerate(trees) if isinstance(tree, _Node)]
        if len(varying) != 1 or None in trees:
            return None
        ((number, whole),) = varying

        def mapped(tree: _Tree) -> _Tree | None:
            if isinstance(tree, _Node):
                first, second = mapped(tree.first), mapped(tree.second)
                return None if first is None or second is None else _Node(tree.predicate, first, second)
            given = (*operands[:number], tree.operand, *operands[number + 1 :])
            strides = [each.stride if isinstance(each, _Leaf) else tree.stride for each in trees]
            stride = combined(form, strides, given)
            if stride is None or (tree.stride and widens(form) and form.type.startswith("u")):
                return None  # of i > 0 ? i - 1 : i, the first one may wrap around where no lane chooses it
            type_ = self._types[step.writes[0]]
            return _Leaf(self._make(step, form.opcode, type_, given, instruction.modifiers), stride)

        return mapped(whole)

    # --- new instructions -----------------------------------------------------------------------------------

    def _new(self, type_: str) -> Register:
        name = f"{NAMES}{len(self._types)}"
        self._types[name] = type_
        return Register(name)

    def _make(
        self, step: Step, opcode: str, type_: str, operands: tuple[Operand, ...], modifiers: tuple[str, ...] = ()
    ) -> Register:
        """Return the new register of an instruction behind a step."""
        target, like = self._new(type_), step.operation()[0]
        made = dataclasses.replace(like, opcode=opcode, modifiers=modifiers or (type_,), operands=(target, *operands))
        self._made[target.name] = id(like), made
        return target


def _leaves(tree: _Tree) -> Iterator[_Leaf]:
    if isinstance(tree, _Leaf):
        yield tree
    else:
        yield from _leaves(tree.first)
        yield from _leaves(tree.second)
