# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Find the registers that hold one value for all lanes of a SIMD group.

Every register is assumed to be uniform until one of its writes proves otherwise: it computes from values that differ
between lanes, or happens while other lanes that still need the old value wait at another block. The second rule covers
divergent control flow: pending blocks depend on which branches are uniform, so both are computed together. If the rows
of a block are whole warps, lanes also agree on some results of operands that differ (`find_agreed`).
"""

from __future__ import annotations

from cuda.cpu.passes.find_agreed import Agreement
from cuda.cpu.passes.find_pending import find_pending
from cuda.cpu.passes.graph import Graph, Step
from cuda.cpu.passes.traits import is_agreement, is_lanewise
from cuda.cpu.ptx.special import RESERVED_OFFSETS

# Special registers with one value for all lanes of a warp. ISA manual, "Special Registers".
UNIFORM = {f"%{name}.{axis}" for name in ("ntid", "ctaid", "nctaid") for axis in "xyzw"}
UNIFORM |= {
    f"%{name}.{axis}" for name in ("cluster_ctaid", "cluster_nctaid", "clusterid", "nclusterid") for axis in "xyzw"
}
UNIFORM |= {"%warpid", "%nwarpid", "%smid", "%nsmid", "%gridid", "WARP_SZ", "%is_explicit_cluster"}
UNIFORM |= {"%cluster_ctarank", "%cluster_nctarank", "%envreg1", "%envreg2", "%envreg0"}
UNIFORM |= {"%total_smem_size", "%dynamic_smem_size", "%aggr_smem_size", "%reserved_smem_offset_cap"}
UNIFORM |= RESERVED_OFFSETS.keys()
OF_ROWS = {"%tid.y", "%tid.z"}  # the same for all lanes if rows are whole warps


def analyse_uniformity(graph: Graph) -> None:
    """Fill `vectors`, `agreed`, `pending` and `preserved`."""
    declared = graph.function.registers
    uniform = UNIFORM | OF_ROWS if graph.whole_rows else UNIFORM
    graph.vectors = {
        name
        for name in graph.register_bits
        if name.startswith("%") and name not in declared and name not in uniform and name != "%cc"
    }
    graph.agreed = set()
    find_pending(graph)
    agreement = Agreement(graph) if graph.whole_rows else None
    if agreement:
        agreement.update()
    readers: dict[str, list[Step]] = {}
    for block in graph.blocks:
        for step in block.steps:
            for name in dict.fromkeys(step.reads):
                readers.setdefault(name, []).append(step)
    suspects = [step for block in graph.blocks for step in block.steps]
    preserved: set[tuple[int, str]] = set()
    while True:
        before, preserved = preserved, _preserved(graph)
        changed = {name for _, name in preserved - before}
        if not suspects and not changed:
            return
        _demote(graph, agreement, readers, suspects, changed)
        suspects = []
        find_pending(graph)


def _preserved(graph: Graph) -> set[tuple[int, str]]:
    """Return the blocks' numbers with the registers that are written there while other lanes need the old values."""
    bits = graph.register_bits
    return {
        (block.number, name)
        for block, preserved in zip(graph.blocks, graph.preserved, strict=True)
        if preserved
        for step in block.steps
        for name in step.writes
        if preserved >> bits[name] & 1
    }


def _demote(
    graph: Graph, agreement: Agreement | None, readers: dict[str, list[Step]], suspects: list[Step], changed: set[str]
) -> None:
    """Add registers to `vectors`: the changed ones, those that the suspects give, and what depends on them."""
    while suspects or changed:
        for step in suspects:
            if not graph.vectors.issuperset(step.writes) and not _gives_uniform(graph, step):
                changed.update(step.writes)
        suspects = [step for name in changed - graph.vectors for step in readers.get(name, ())]
        graph.vectors |= changed
        if agreement:
            suspects += agreement.update(changed)
        changed = set()


def _gives_uniform(graph: Graph, step: Step) -> bool:
    if id(step) in graph.agreed:
        return True
    if step.form is not None and is_agreement(*step.operation(), graph.is_uniform):
        return True
    return is_lanewise(graph.function, step) and all(map(graph.is_uniform, step.reads))
