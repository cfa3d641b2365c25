# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Special registers (predeclared names) and their types: PTX ISA manual, chapter 10."""

from __future__ import annotations

_SCALARS = """
laneid warpid nwarpid smid nsmid gridid is_explicit_cluster cluster_ctarank cluster_nctarank
lanemask_eq lanemask_le lanemask_lt lanemask_ge lanemask_gt
clock clock_hi clock64 globaltimer globaltimer_lo globaltimer_hi
total_smem_size aggr_smem_size dynamic_smem_size current_graph_exec
"""
_VECTORS = "tid ntid ctaid nctaid clusterid nclusterid cluster_ctaid cluster_nctaid"

# Shared memory reserved for system software; cooperative groups use it for barriers of tiles of several warps. Kernels
# that read one of these registers have it after their static shared memory.
RESERVED, RESERVED_BYTES = "%reserved_smem", 1024
RESERVED_OFFSETS = {
    f"%reserved_smem_offset_{name}": offset
    for name, offset in (("begin", 0), ("0", 0), ("1", RESERVED_BYTES // 2), ("end", RESERVED_BYTES))
}

SPECIAL = frozenset(
    [f"%{name}" for name in _SCALARS.split()]
    + [*RESERVED_OFFSETS, "%reserved_smem_offset_cap"]
    + [f"%{name}.{axis}" for name in _VECTORS.split() for axis in "xyzw"]
    + [f"%{name}" for name in _VECTORS.split()]
    + [f"%envreg{index}" for index in range(32)]
    + [f"%pm{index}{suffix}" for index in range(8) for suffix in ("", "_64")]
)

_WIDE = frozenset({"%clock64", "%globaltimer", "%gridid", "%current_graph_exec"} | {f"%pm{i}_64" for i in range(8)})

# Also readable with 16 bits, their width in PTX 1; %gridid has had each width.
_NARROW = frozenset(f"%{name}.{axis}" for name in ("tid", "ntid", "ctaid", "nctaid") for axis in "xyzw")


def type_of_special(name: str) -> str:
    """Return the type of a special register."""
    return "u64" if name in _WIDE else "pred" if name == "%is_explicit_cluster" else "u32"


def types_of_special(name: str) -> str:
    """Return all types by which moves may read a special register, the widest first."""
    return type_of_special(name) + (" u32 u16" if name == "%gridid" else " u16" if name in _NARROW else "")
