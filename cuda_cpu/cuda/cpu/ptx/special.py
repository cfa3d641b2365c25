# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Special registers, PTX ISA manual, chapter 10: the names that need no declaration."""

from __future__ import annotations

_SCALARS = """
laneid warpid nwarpid smid nsmid gridid is_explicit_cluster cluster_ctarank cluster_nctarank
lanemask_eq lanemask_le lanemask_lt lanemask_ge lanemask_gt
clock clock_hi clock64 globaltimer globaltimer_lo globaltimer_hi
reserved_smem_offset_begin reserved_smem_offset_end reserved_smem_offset_cap reserved_smem_offset_0
reserved_smem_offset_1 total_smem_size aggr_smem_size dynamic_smem_size current_graph_exec
"""
_VECTORS = "tid ntid ctaid nctaid clusterid nclusterid cluster_ctaid cluster_nctaid"

SPECIAL = frozenset(
    [f"%{name}" for name in _SCALARS.split()]
    + [f"%{name}.{axis}" for name in _VECTORS.split() for axis in "xyzw"]
    + [f"%{name}" for name in _VECTORS.split()]
    + [f"%envreg{index}" for index in range(32)]
    + [f"%pm{index}{suffix}" for index in range(8) for suffix in ("", "_64")]
)
