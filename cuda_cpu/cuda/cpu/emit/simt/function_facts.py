# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Facts of a function that do not change while it is emitted, each computed on first use."""

from __future__ import annotations

from collections import Counter
from functools import cached_property, reduce
from operator import or_
from typing import TYPE_CHECKING

from cuda.cpu.emit.simt.parameters import local_layout, offsets_of
from cuda.cpu.passes.find_liveness import as_set
from cuda.cpu.passes.find_near import find_near
from cuda.cpu.passes.find_pending import find_reach, members
from cuda.cpu.passes.find_recomputed import find_recomputed
from cuda.cpu.passes.graph import Graph, Step

if TYPE_CHECKING:
    from cuda.cpu.ptx.program import Program


class FunctionFacts:
    """A function, the program around it, and what follows from its graph.

    Parameters
    ----------
    program : Program
    graph : Graph
        With the results of the passes.
    quick : bool
        Omit what only makes the code faster.
    """

    def __init__(self, program: Program, graph: Graph, *, quick: bool):
        self.program = program
        self.graph = graph
        self.function = graph.function
        self._quick = quick
        self.body = graph.function.body or []
        self.local_offsets, self.local_bytes = local_layout(graph.function)
        self.parameter_offsets = offsets_of(self.function.parameters)[0] if self.function.entry else {}

    def crosses(self, register: str) -> bool:
        """Return whether a register lives from one block to another."""
        return register in self._crossing

    def is_read(self, register: str) -> bool:
        """Return whether any instruction or branch of the function reads a register."""
        return register in self._read

    def names_of(self, registers: int) -> list[str]:
        """Return the names of a set of registers."""
        return [self._names[bit] for bit in members(registers)]

    @cached_property
    def _names(self) -> list[str]:
        return list(self.graph.register_bits)  # find_liveness.py numbers the registers in the order of the dict

    @cached_property
    def affine(self) -> int:
        """The registers with a base."""
        graph = self.graph
        return as_set({graph.register_bits[name] for name in graph.strides.keys() | graph.patterns.keys()})

    @cached_property
    def differing_by_rows(self) -> set[str]:
        """Registers that may differ from row to row of a block's threads: those that depend on more than %tid.x.

        The same threads of several rows are in a SIMD group. Loop indices that lanes leave apart may differ, too.
        """
        found, before = {"%tid.y", "%tid.z", "%laneid"} | self.graph.converged_only, -1
        while len(found) > before:
            before = len(found)
            for block in self.graph.blocks:
                for step in block.steps:
                    if not found.isdisjoint(step.reads):
                        found.update(step.writes)
        return found

    @cached_property
    def _crossing(self) -> set[str]:
        return set(self.names_of(reduce(or_, self.graph.live_in, 0)))

    @cached_property
    def _read(self) -> set[str]:
        found = {name for block in self.graph.blocks for step in block.steps for name in step.reads}
        return found.union(*(block.end.reads for block in self.graph.blocks))

    @cached_property
    def reach(self) -> list[int]:
        """The blocks that each block can lead to."""
        return find_reach(self.graph)

    @cached_property
    def ways(self) -> Counter[int]:
        """The number of predecessors of each block; the function's beginning is one."""
        found = Counter(target for block in self.graph.blocks for target in set(block.end.targets))
        found[0] += 1
        return found

    @cached_property
    def near(self) -> set[str]:
        """Registers whose lanes are probably near each other, see find_near.py."""
        return find_near(self.graph)

    @cached_property
    def recomputed(self) -> tuple[dict[str, list[Step]], dict[str, list[Step]]]:
        """Registers that a few instructions recompute anywhere, see find_recomputed.py."""
        return ({}, {}) if self._quick else find_recomputed(self.graph)
