# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Find the registers that hold one value for all lanes of a SIMD group.

Every register is assumed to be uniform until one of its writes proves otherwise: it computes from values that differ
between lanes, or happens while other lanes that still need the old value wait at another block. The second rule covers
divergent control flow: pending blocks depend on which branches are uniform, so both are computed together.
"""

from __future__ import annotations

from cuda.cpu.passes.find_pending import find_pending
from cuda.cpu.passes.graph import Graph, Step
from cuda.cpu.passes.traits import is_lanewise
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


def analyse_uniformity(graph: Graph) -> None:
    """Fill `uniform`, `pending` and `preserved`."""
    bits = graph.register_bits
    declared = graph.function.registers
    graph.uniform = 0
    for name, bit in bits.items():
        if not name.startswith("%") or name in declared or name in UNIFORM or name == "%cc":
            graph.uniform |= 1 << bit
    while True:
        find_pending(graph)
        before = graph.uniform
        while _demote(graph):
            pass
        if graph.uniform == before:
            return


def _demote(graph: Graph) -> bool:
    """Drop the registers that a step proves divergent; return whether there were any."""
    before = graph.uniform
    bits = graph.register_bits
    for block in graph.blocks:
        preserved = graph.preserved[block.number]
        for step in block.steps:
            written = 0
            for name in step.writes:
                written |= 1 << bits[name]
            if written & graph.uniform and not _gives_uniform(graph, step):
                graph.uniform &= ~written
            graph.uniform &= ~(written & preserved)
    return graph.uniform != before


def _gives_uniform(graph: Graph, step: Step) -> bool:
    return is_lanewise(graph.function, step) and all(map(graph.is_uniform, step.reads))
