# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The metrics of a launch: name, unit, definition, value.

Names are those of Nsight Compute where it counts the same. It counts instructions of SASS; the CPU device executes PTX,
so its instruction counts have names that begin with `ptx__`.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from typing import NamedTuple

from cuda.cpu.profile.results import InstructionCounts, LaunchResults

SECTOR = 32  # bytes
PRECISIONS = {
    "f16": "fp16", "f16x2": "fp16", "bf16": "bf16", "bf16x2": "bf16", "f32": "fp32", "f32x2": "fp32", "f64": "fp64",
}  # fmt: skip
OPERATIONS = {"add": 1, "sub": 1, "mul": 1, "fma": 2, "mad": 2}  # floating-point operations of an instruction
KINDS = {
    "integer": {"arithmetic", "video"}, "conversion": {"convert"}, "move": {"moves"}, "compare": {"compare"},
    "barrier": {"sync", "mbarrier"}, "warp": {"warp"}, "matrix": {"matrix", "warpgroup"},
    "matrix_load": {"fragments"}, "memory": {"memory", "atomics", "multimem"}, "async_copy": {"copies", "bulk"},
    "texture": {"texture"}, "cluster": {"cluster"}, "control": {"control"},
}  # fmt: skip
_KIND_OF = {family: kind for kind, families in KINDS.items() for family in families}
_SHAPE = re.compile(r"m(\d+)n(\d+)k(\d+)$")


class Metric(NamedTuple):
    name: str
    unit: str
    meaning: str
    value: Callable[[LaunchResults], int | float]


def kind_of(instruction: InstructionCounts) -> str:
    """Return the class of an instruction: fp32, integer, memory, control, ..."""
    if instruction.form is None:
        return "call" if instruction.opcode == "call" else "control"
    kind = _KIND_OF.get(instruction.form.row.family, "other")
    precision = next((PRECISIONS[each] for each in instruction.form.modifiers if each in PRECISIONS), None)
    return precision if kind == "integer" and precision else kind


def flops_of(instruction: InstructionCounts) -> tuple[str, int]:
    """Return the precision and the number of floating-point operations of all executions; ("", 0) for none.

    An addition, subtraction or multiplication is one operation, a multiplication with addition two; products of
    matrices count as "matrix".
    """
    form = instruction.form
    if form is None:
        return "", 0
    if kind_of(instruction) == "matrix":
        shape = next(filter(None, map(_SHAPE.match, form.modifiers)), None)
        if shape is None or (not any(each in form.modifiers for each in ("mma", "mma_async")) and form.opcode != "mma"):
            return "", 0
        m, n, k = map(int, shape.groups())
        each = 2 * m * n * k // (4 if form.opcode == "wgmma" else 1)  # a warpgroup has four warps
        return "matrix", instruction.warps * each
    count = OPERATIONS.get(form.opcode, 0)
    type_ = next((each for each in reversed(form.modifiers) if each in PRECISIONS), None)
    if not count or type_ is None:
        return "", 0
    return PRECISIONS[type_], instruction.active * count * (2 if type_.endswith("x2") else 1)


def flops(launch: LaunchResults, precision: str | None = None) -> int:
    """Return the floating-point operations of a launch, of one precision or of all."""
    found = map(flops_of, launch.instructions)
    return sum(count for of, count in found if of and precision in (None, of))


def _instructions(name: str, meaning: str, of: Callable[[InstructionCounts], int]) -> Metric:
    return Metric(name, "instructions", meaning, lambda launch: sum(map(of, launch.instructions)))


def _accesses(
    name: str, unit: str, meaning: str, field: str, spaces: tuple[str, ...], kinds: tuple[str, ...]
) -> Metric:
    def value(launch: LaunchResults) -> int:
        return sum(
            getattr(counts, field)
            for (space, kind), counts in launch.totals.items()
            if space in spaces and kind in kinds
        )

    return Metric(name, unit, meaning, value)


def _ratio(name: str, unit: str, meaning: str, above: str, below: str, scale: float = 1) -> Metric:
    def value(launch: LaunchResults) -> float:
        divisor = METRICS[below].value(launch)
        return scale * METRICS[above].value(launch) / divisor if divisor else 0.0

    return Metric(name, unit, meaning, value)


def _of_kind(kind: str) -> Callable[[InstructionCounts], int]:
    return lambda each: each.warps if kind_of(each) == kind else 0


def _flops_in(precision: str) -> Callable[[LaunchResults], int]:
    return lambda launch: flops(launch, precision)


def _memory_bytes(launch: LaunchResults) -> int:
    return SECTOR * sum(counts.sectors for (space, _), counts in launch.totals.items() if space in _MEMORY)


_ALL = ("ld", "st", "atom", "red")
_MEMORY = ("global", "local")
_KIND_TEXT = {
    "ld": "loads", "st": "stores", "atom": "atomic operations with a result", "red": "atomic operations without one",
}  # fmt: skip

_LAUNCH = [
    Metric("launch__grid_size", "blocks", "Blocks of the grid.", lambda launch: launch.blocks),
    Metric("launch__block_size", "threads", "Threads of a block.", lambda launch: launch.threads // launch.blocks),
    Metric("launch__thread_count", "threads", "Threads of the grid.", lambda launch: launch.threads),
    Metric("launch__shared_mem_per_block", "bytes", "Static and dynamic shared memory of a block.",
           lambda launch: launch.shared_bytes),
    Metric("smsp__warps_launched.sum", "warps", "Warps of the grid.", lambda launch: launch.warps),
]  # fmt: skip

_EXECUTION = [
    _instructions("ptx__inst_executed.sum", "Instructions executed by warps, whatever their guards.",
                  lambda each: each.warps),
    _instructions("ptx__thread_inst_executed.sum", "Instructions executed by threads, whatever their guards.",
                  lambda each: each.threads),
    _instructions("ptx__thread_inst_executed_pred_on.sum", "Instructions executed by threads whose guard holds.",
                  lambda each: each.active),
    _ratio("ptx__thread_inst_executed_per_inst_executed.ratio", "threads",
           "Average number of active threads per instruction of a warp; 32 without divergence.",
           "ptx__thread_inst_executed.sum", "ptx__inst_executed.sum"),
    _instructions("ptx__inst_executed_op_branch.sum", "Branches executed by warps.",
                  lambda each: each.warps if each.branches else 0),
    _instructions("ptx__branch_divergent.sum", "Branches after which the threads of a warp take different paths.",
                  lambda each: each.divergent),
    _ratio("ptx__branch_divergent.pct", "%", "Share of the branches that diverge.",
           "ptx__branch_divergent.sum", "ptx__inst_executed_op_branch.sum", 100),
    _instructions("ptx__inst_executed_op_barrier.sum", "Barriers of the block or cluster executed by warps.",
                  lambda each: each.warps if each.opcode in ("bar", "barrier") else 0),
    *(
        _instructions(f"ptx__inst_executed_class_{kind}.sum", f"Instructions of class {kind} executed by warps.",
                      _of_kind(kind))
        for kind in ("fp16", "bf16", "fp32", "fp64", *KINDS, "call", "other")
    ),
    *(
        Metric(f"ptx__flops_{precision}.sum", "operations",
               f"Floating-point operations in {precision}: 1 for add, sub and mul, 2 for fma and mad.",
               _flops_in(precision))
        for precision in ("fp16", "bf16", "fp32", "fp64")
    ),
    Metric("ptx__flops_matrix.sum", "operations", "Floating-point operations of mma, wmma.mma and wgmma: 2 m n k.",
           _flops_in("matrix")),
    Metric("ptx__flops.sum", "operations", "Floating-point operations of all precisions.", flops),
]  # fmt: skip


def _global(kind: str) -> list[Metric]:
    text, base = _KIND_TEXT[kind], f"pipe_lsu_mem_global_op_{kind}"
    return [
        _accesses(f"l1tex__t_requests_{base}.sum", "requests", f"Requests of global {text}: executions by a warp.",
                  "requests", ("global",), (kind,)),
        _accesses(f"l1tex__t_sectors_{base}.sum", "sectors",
                  f"Sectors of global {text}: different aligned ranges of 32 bytes, per request.",
                  "sectors", ("global",), (kind,)),
        _ratio(f"l1tex__average_t_sectors_per_request_{base}.ratio", "sectors/request",
               f"Sectors per request of global {text}; 4 for 32 consecutive words of 4 bytes.",
               f"l1tex__t_sectors_{base}.sum", f"l1tex__t_requests_{base}.sum"),
        _accesses(f"ptx__bytes_requested_mem_global_op_{kind}.sum", "bytes",
                  f"Bytes that threads access by global {text}.", "bytes", ("global",), (kind,)),
    ]  # fmt: skip


def _local(kind: str) -> list[Metric]:
    text, base = _KIND_TEXT[kind], f"pipe_lsu_mem_local_op_{kind}"
    return [
        _accesses(f"l1tex__t_requests_{base}.sum", "requests", f"Requests of local {text}.", "requests",
                  ("local",), (kind,)),
        _accesses(f"l1tex__t_sectors_{base}.sum", "sectors",
                  f"Sectors of local {text}; the words of the threads of a warp are interleaved.", "sectors",
                  ("local",), (kind,)),
    ]  # fmt: skip


def _shared(kind: str) -> list[Metric]:
    text, kinds = _KIND_TEXT.get(kind, "accesses"), (kind,) if kind else _ALL
    base = f"mem_shared_op_{kind}" if kind else "mem_shared"
    # GPUs count shared reductions as atomics, and other requests among the wavefronts of all shared accesses.
    wavefronts = "l1tex__data_pipe_lsu_wavefronts" if kind not in ("", "red") else "ptx__wavefronts"
    conflicts = "l1tex__data_bank_conflicts_pipe_lsu" if kind != "red" else "ptx__bank_conflicts"
    return [
        _accesses(f"ptx__requests_{base}.sum", "requests", f"Requests of shared {text}.", "requests",
                  ("shared",), kinds),
        _accesses(f"{wavefronts}_{base}.sum", "wavefronts",
                  f"Passes over the 32 banks for shared {text}.", "wavefronts", ("shared",), kinds),
        _accesses(f"{conflicts}_{base}.sum", "conflicts",
                  f"Passes for shared {text} more than without bank conflicts.", "conflicts", ("shared",), kinds),
    ]  # fmt: skip


def _tma(kind: str) -> list[Metric]:
    text = {"ld": "loads", "st": "stores", "red": "reductions"}[kind]
    found = []
    for space, unit, field, meaning in (
        ("global", "requests", "requests", "one for each thread that executes one"),
        ("global", "sectors", "sectors", "of each contiguous range, or row of a box inside the tensor"),
        ("global", "bytes", "bytes", "inside the tensor"),
        ("shared", "bytes", "bytes", "the whole box, in each block of a multicast"),
        ("shared", "wavefronts", "wavefronts", "128 bytes each"),
    ):
        if (space, kind) != ("shared", "red"):
            found.append(_accesses(
                f"ptx__{unit}_tma_mem_{space}_op_{kind}.sum", unit,
                f"{unit.capitalize()} of bulk and tensor copies, {text} of {space} memory: {meaning}.",
                field, (space,), (f"tma_{kind}",),
            ))  # fmt: skip
    return found


def _multimem(kind: str) -> list[Metric]:
    text = {"ld": "loads (multimem.ld_reduce)", "st": "stores", "red": "reductions"}[kind]
    return [
        _accesses(f"ptx__{unit}_multimem_op_{kind}.sum", unit, f"{unit.capitalize()} of multicast {text}.", unit,
                  ("global",), (f"multimem_{kind}",))
        for unit in ("requests", "sectors", "bytes")
    ]  # fmt: skip


def _texture(space: str, kind: str) -> list[Metric]:
    name = f"{space}_op_{kind}" if space == "surface" else space
    text = f"{space} {_KIND_TEXT[kind]}".replace("atomic operations without one", "reductions")
    return [
        _accesses(f"ptx__requests_mem_{name}.sum", "requests", f"Requests of {text}.", "requests", (space,), (kind,)),
        _accesses(f"ptx__bytes_requested_mem_{name}.sum", "bytes",
                  f"Bytes that threads get or write by {text}, without those read for filtering.", "bytes", (space,),
                  (kind,)),
    ]  # fmt: skip


_TOTALS = [
    _accesses("ptx__bytes_requested_mem_shared_op_wgmma.sum", "bytes",
              "Bytes of the operands of wgmma in shared memory; B once for each warpgroup.", "bytes", ("shared",),
              ("wgmma",)),
    _accesses("ptx__atomic_collisions.sum", "threads",
              "Threads of atomic operations whose address another thread of the request has.",
              "collisions", ("global", "shared"), ("atom", "red")),
    _accesses("ptx__constant_requests.sum", "requests", "Requests of constant memory, without parameters.",
              "requests", ("const",), ("ld",)),
    Metric("ptx__memory_bytes.sum", "bytes", "Bytes of all sectors of global and local memory.", _memory_bytes),
    _ratio("ptx__arithmetic_intensity.ratio", "operations/byte",
           "Floating-point operations per byte of the sectors of global and local memory, without any cache.",
           "ptx__flops.sum", "ptx__memory_bytes.sum"),
]  # fmt: skip

_GROUPS = (
    _LAUNCH, _EXECUTION, *map(_global, _ALL), *map(_local, ("ld", "st")), *map(_shared, (*_ALL, "")),
    *map(_tma, ("ld", "st", "red")), *map(_multimem, ("ld", "st", "red")), _texture("texture", "ld"),
    *(_texture("surface", kind) for kind in ("ld", "st", "red")), _TOTALS,
)  # fmt: skip
METRICS = {metric.name: metric for group in _GROUPS for metric in group}


def find(name: str) -> Metric:
    """Return a metric.

    Raises
    ------
    KeyError
        There is no such metric; the message names similar ones.
    """
    if name not in METRICS:
        close = difflib.get_close_matches(name, METRICS, n=3, cutoff=0.5)
        advice = f"; similar ones are {', '.join(close)}" if close else ""
        raise KeyError(f"there is no metric {name!r}{advice}; `python -m cuda.cpu profile --list` prints all")
    return METRICS[name]
