# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Find the registers that are affine in SIMD groups that are converged, although lanes may wait for their old values.

For example the index of `for (i = lane; i < n; i += 32)`: lanes may leave the loop after different numbers of
iterations, but all leave it together if n is a multiple of 32. The code for converged SIMD groups has only the bases of
such registers; other code has only the vectors. It goes on in the former where the vectors are found to be affine.

So are `i / n` and `i % n` of an index that grows from lane to lane, if no row of n elements ends within the SIMD group:
the quotient is the same for all lanes then, which the code for converged SIMD groups checks.
"""

from __future__ import annotations

from cuda.cpu.passes.find_affine import strides_of
from cuda.cpu.passes.graph import Graph, Step
from cuda.cpu.passes.vector_accesses import base_of, contiguous_stride, interleaved_stride

MOST = 8  # registers that live at once: these are compared where SIMD groups may be converged again


def find_converged_only(graph: Graph) -> None:
    """Add such registers to `strides` that addresses of vectors of memory depend on; they are `converged_only`, too."""
    always = graph.strides
    if graph.general or not graph.function.entry:
        return
    for quotients in (True, False):
        every = strides_of(graph, converged_only=True, quotients=quotients)
        graph.strides = every
        needed = _needed(graph, every.keys() - always.keys())
        bits = sum(1 << graph.register_bits[name] for name in needed)
        few = max((live & bits).bit_count() for live in graph.live_in) <= MOST
        graph.converged_only = needed if few else set()
        if few:
            break
    graph.strides = {name: stride for name, stride in every.items() if name in always or name in graph.converged_only}


def _needed(graph: Graph, more: set[str]) -> set[str]:
    """Return those of the registers that accesses to vectors of memory need."""
    writers: dict[str, list[Step]] = {}
    work: list[str] = []
    for block in graph.blocks:
        for step in block.steps:
            for name in step.writes:
                writers.setdefault(name, []).append(step)
            instruction, form = step.instruction, step.form
            if contiguous_stride(graph, instruction, form) or interleaved_stride(graph, instruction, form):
                base = base_of(instruction, form)
                work += [base.name] if base is not None else []
    found: set[str] = set()
    while work:
        name = work.pop()
        if name in more and name not in found:
            found.add(name)
            work += [source for step in writers[name] for source in step.reads]
    return found
