# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Find the loads and stores whose lanes' elements are in vectors of memory, by the addresses' strides and patterns."""

from __future__ import annotations

from cuda.cpu.passes.find_affine import quotient_of, stride_of, widened
from cuda.cpu.passes.graph import Graph, Pattern, Step
from cuda.cpu.ptx.instructions import Form
from cuda.cpu.ptx.syntax import Call, Immediate, Instruction, Register

ORDERS = {"volatile", "relaxed", "acquire", "release", "mmio"}
SPACES = {None, "global", "const", "shared", "shared::cta"}
SIZES = (4, 8)  # bytes of elements that the CPU permutes as fast as it loads them
MOST_VECTORS = 8  # of memory that hold the elements of all lanes: beyond that, gathers are faster
VECTOR = 64  # bytes
FARTHEST = 4096  # bytes between elements: the smallest page


def contiguous_stride(graph: Graph, instruction: Instruction | Call, form: Form | None) -> int | None:
    """Return the stride of a load's or store's addresses if it is 0 or the size of an access, else None."""
    found = base_of(instruction, form)
    if found is None or form is None or form.space == "local":
        return None
    stride = stride_of(graph, found)
    return stride if stride in (0, size_of(form)) and not graph.is_uniform(found.name) else None


def base_of(instruction: Instruction | Call, form: Form | None) -> Register | None:
    """Return the register of the address of a load or store without an order among threads, else None."""
    if form is None or form.opcode not in ("ld", "st") or not form.type or not ORDERS.isdisjoint(form.modifiers):
        return None
    base = instruction.address(1 if form.opcode == "ld" else 0).base
    return base if isinstance(base, Register) else None


def size_of(form: Form) -> int:
    """Return the bytes of an element."""
    return int(form.type[1:]) // 8


WORD = 4  # bytes
FARTHEST_LANE = 1 << 16  # bytes from lane to lane: 32-bit addresses do not wrap around between lanes that run
MOST_INTERLEAVED = {1: 11, 2: 11, 4: 11, 8: 8}  # elements, by their bytes: beyond that, gathers are as fast


def interleaved_stride(graph: Graph, instruction: Instruction | Call, form: Form | None) -> int | None:
    """Return the stride of a load's or store's addresses if it is 2 to 11 elements, or -1 to -11, else None."""
    found = base_of(instruction, form)
    if found is None or form is None or form.space not in SPACES:
        return None
    stride, size = graph.strides.get(found.name, 0), size_of(form)
    if stride % size or stride in (0, size) or abs(stride) > MOST_INTERLEAVED.get(size, 0) * size:
        return None
    return stride


def offsets_of(graph: Graph, instruction: Instruction | Call, form: Form | None) -> Pattern | None:
    """Return the distances in elements of the lanes' elements from the lowest one, if vectors can access them."""
    base = base_of_pattern(instruction, form)
    pattern = graph.patterns.get(base.name) if base is not None else None
    if pattern is None or form is None or any(far % size_of(form) for far in pattern):
        return None
    lowest, size = min(pattern), size_of(form)
    offsets = tuple((far - lowest) // size for far in pattern)
    vectors = {offset // (VECTOR // size) for offset in offsets}
    return offsets if (max(offsets) + 1) * size <= FARTHEST and len(vectors) <= MOST_VECTORS else None


def base_of_pattern(instruction: Instruction | Call, form: Form | None) -> Register | None:
    """Return the register of an address that may have a pattern, of one element for each lane, else None."""
    base = base_of(instruction, form)
    if base is None or form is None or form.space not in SPACES or size_of(form) not in SIZES:
        return None
    element = instruction.operands[1 if form.opcode == "st" else 0]
    return base if isinstance(element, Register | Immediate) else None


def is_by_vectors(graph: Graph, step: Step) -> bool:
    """Return whether consecutive lanes, some of which may not run, access memory by vectors."""
    instruction, form = step.instruction, step.form
    base = base_of(instruction, form)
    if base is None or form is None or base.name in graph.converged_only:
        return False
    return (
        contiguous_stride(graph, instruction, form) is not None
        or (form.opcode == "ld" and interleaved_stride(graph, instruction, form) is not None)
        or offsets_of(graph, instruction, form) is not None
        or _is_strided(graph, base, form)
    )


def _is_strided(graph: Graph, base: Register, form: Form) -> bool:
    """Return whether lanes access words at a distance from each other that is known."""
    far = abs(graph.strides.get(base.name, 0))
    if not graph.strided or form.space not in SPACES or size_of(form) != WORD:
        return False
    return 0 < far <= FARTHEST_LANE or is_spread(graph.patterns.get(base.name, ()))


def is_spread(pattern: Pattern) -> bool:
    """Return whether lanes at known distances each access words of their own."""
    return len(pattern) > 1 and max(pattern) - min(pattern) <= FARTHEST_LANE and len(set(pattern)) == len(pattern)


def find_breaks(graph: Graph) -> set[int]:
    """Return the instructions (by id) that must begin a block: accesses by vectors after a value is widened.

    A block is emitted twice, for accesses by vectors and for others. At its start, the code checks which copy to run
    and, for full SIMD groups, whether widening wraps around.
    """
    breaks = set()
    for block in graph.blocks:
        unchecked = False
        written: set[str] = set()
        for step in block.steps:
            sources = {source.name for source, _ in widened(graph, step)}
            if quotient_of(graph, step):
                sources.update(step.reads)
            if not sources.isdisjoint(written):
                breaks.add(id(step.instruction))
                written.clear()
            written.update(step.writes)
            if unchecked and is_by_vectors(graph, step):
                breaks.add(id(step.instruction))
                unchecked = False
            unchecked = unchecked or bool(widened(graph, step))
    return breaks
