# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Special registers: ISA manual, "Special Registers"."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from cuda.cpu.emit.llvm.values import Shape, Value, constant
from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.special import RESERVED, RESERVED_BYTES, RESERVED_OFFSETS

if TYPE_CHECKING:
    from cuda.cpu.emit.simt.frame import Frame

AXES = {"x": 0, "y": 4, "z": 8}


def _field(name: str, element: str = "i32", extra: int = 0) -> Callable:
    return lambda frame: frame.warp_field(name, element, extra)


def _thread_index(axis: str) -> Callable:
    return lambda frame: frame.lane_field("thread_idx", 32 * AXES[axis], Shape.VECTOR)


def _zero(frame: Frame) -> Value:
    return constant(0, "i32")


def _one(frame: Frame) -> Value:
    return constant(1, "i32")


def _lane_masks(bits: Callable[[int], int]) -> Callable:
    """Return a reader of a constant that depends on the lane."""

    def read_mask(frame: Frame) -> Value:
        elements = ", ".join(f"i32 {constant(bits(lane), 'i32').ref}" for lane in range(frame.width))
        return Value(f"<{elements}>", "i32", Shape.VECTOR, True)

    return read_mask


def _lane_number(frame: Frame) -> Value:
    numbers = frame.builder.lane_numbers()
    return numbers if frame.group.first_lane is None else frame.builder.binary("add", numbers, frame.group.first_lane)


def _warps(frame: Frame) -> Value:
    builder = frame.builder
    x, y, z = (frame.warp_field("block_dim", "i32", AXES[axis]) for axis in "xyz")
    threads = builder.binary("mul", builder.binary("mul", x, y), z)
    return builder.binary("lshr", builder.binary("add", threads, constant(31, "i32")), constant(5, "i32"))


def _cluster(operation: str, axis: str) -> Callable:
    """Return a reader of block index (or grid size) divided by the cluster's size, or the remainder."""
    source = "block_idx" if operation != "ceil" else "grid_dim"

    def read_cluster(frame: Frame) -> Value:
        count = frame.warp_field(source, "i32", AXES[axis])
        size = frame.warp_field("cluster_dim", "i32", AXES[axis])
        return frame.builder.binary("urem" if operation == "urem" else "udiv", count, size)

    return read_cluster


def _cluster_rank(frame: Frame) -> Value:
    builder, rank = frame.builder, constant(0, "i32")
    for axis in "zyx":
        size = frame.warp_field("cluster_dim", "i32", AXES[axis])
        index = builder.binary("urem", frame.warp_field("block_idx", "i32", AXES[axis]), size)
        rank = index if axis == "z" else builder.binary("add", builder.binary("mul", rank, size), index)
    return rank


def _cluster_size(frame: Frame) -> Value:
    x, y, z = (frame.warp_field("cluster_dim", "i32", AXES[axis]) for axis in "xyz")
    return frame.builder.binary("mul", frame.builder.binary("mul", x, y), z)


def _is_cluster(frame: Frame) -> Value:
    return frame.builder.compare("icmp ugt", _cluster_size(frame), constant(1, "i32"))


def _dynamic_size(frame: Frame) -> Value:
    return frame.builder.binary("sub", frame.warp_field("shared_size", "i32"), frame.warp_field("shared_static", "i32"))


def _reserved(offset: int) -> Callable:
    return lambda frame: constant(frame.facts.program.shared[RESERVED] + offset, "i32")


def _shared_size(kept: bool) -> Callable:
    """Return a reader of the size of the block's shared memory, with that which is reserved or without."""

    def read_size(frame: Frame) -> Value:
        difference = RESERVED_BYTES * (kept - (RESERVED in frame.facts.program.shared))
        return frame.builder.binary("add", frame.warp_field("shared_size", "i32"), constant(difference, "i32"))

    return read_size


def _time(service: str, element: str, shift: int = 0) -> Callable:
    def read_time(frame: Frame) -> Value:
        ticks = frame.query(service, "i64")
        if shift:
            ticks = frame.builder.binary("lshr", ticks, constant(shift, "i64"))
        return frame.builder.resize(ticks, element)

    return read_time


READERS: dict[str, Callable] = {
    "%laneid": _lane_number,
    "%lanemask_eq": _lane_masks(lambda lane: 1 << lane),
    "%lanemask_lt": _lane_masks(lambda lane: (1 << lane) - 1),
    "%lanemask_le": _lane_masks(lambda lane: (2 << lane) - 1),
    "%lanemask_gt": _lane_masks(lambda lane: ~((2 << lane) - 1)),
    "%lanemask_ge": _lane_masks(lambda lane: ~((1 << lane) - 1)),
    "%warpid": _field("warp_id"),
    "%nwarpid": _warps,
    "%smid": _field("worker"),
    "%gridid": _field("grid_id", "i64"),
    "%current_graph_exec": _field("graph_exec", "i64"),
    "%envreg1": _field("grid_workspace", "i32", 4),
    "%envreg2": _field("grid_workspace", "i32"),
    "%total_smem_size": _shared_size(kept=False),
    "%dynamic_smem_size": _dynamic_size,
    "%aggr_smem_size": _shared_size(kept=True),
    "%reserved_smem_offset_cap": lambda frame: constant(RESERVED_BYTES, "i32"),
    "%clock": _time("clock", "i32"),
    "%clock_hi": _time("clock", "i32", 32),
    "%clock64": _time("clock", "i64"),
    "%globaltimer": _time("globaltimer", "i64"),
    "%globaltimer_lo": _time("globaltimer", "i32"),
    "%globaltimer_hi": _time("globaltimer", "i32", 32),
    "%cluster_ctarank": _cluster_rank,
    "%cluster_nctarank": _cluster_size,
    "%is_explicit_cluster": _is_cluster,
    "WARP_SZ": lambda frame: constant(32, "i32"),
}
for _axis in AXES:
    READERS[f"%tid.{_axis}"] = _thread_index(_axis)
    READERS[f"%ntid.{_axis}"] = _field("block_dim", "i32", AXES[_axis])
    READERS[f"%ctaid.{_axis}"] = _field("block_idx", "i32", AXES[_axis])
    READERS[f"%nctaid.{_axis}"] = _field("grid_dim", "i32", AXES[_axis])
    READERS[f"%cluster_nctaid.{_axis}"] = _field("cluster_dim", "i32", AXES[_axis])
    READERS[f"%cluster_ctaid.{_axis}"] = _cluster("urem", _axis)
    READERS[f"%clusterid.{_axis}"] = _cluster("udiv", _axis)
    READERS[f"%nclusterid.{_axis}"] = _cluster("ceil", _axis)
READERS |= {name: _reserved(offset) for name, offset in RESERVED_OFFSETS.items()}
# Counters of performance are not there, and other environment registers are for the driver: both are zero.
READERS |= {f"%envreg{number}": _zero for number in range(32) if f"%envreg{number}" not in READERS}
READERS |= {f"%pm{number}": _zero for number in range(8)}
READERS |= {f"%pm{number}_64": lambda frame: constant(0, "i64") for number in range(8)}
# The maximum number of workers: CPU_MAX_WORKERS in runtime/exec/worker.h.
READERS["%nsmid"] = lambda frame: constant(1024, "i32")
READERS |= {f"%{name}.w": _zero for name in ("clusterid", "cluster_ctaid", "nclusterid")}
READERS["%cluster_nctaid.w"] = _one
READERS |= {"%tid.w": _zero, "%ctaid.w": _zero, "%ntid.w": _one, "%nctaid.w": _one}

# Read anew each time; everything else is the same throughout a kernel.
CHANGING = {name for name in READERS if name.startswith(("%clock", "%globaltimer"))}


def read(frame: Frame, name: str) -> Value:
    """Return the value of a special register.

    Raises
    ------
    PtxError
        There is no such register on the CPU device.
    """
    reader = READERS.get(name)
    if reader is None:
        raise PtxError(f"special register {name} is not supported by the CPU device", frame.line)
    return reader(frame)
