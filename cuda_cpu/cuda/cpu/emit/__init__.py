# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Translate PTX to LLVM IR: a kernel and what it calls become one module with one function `void NAME(struct
cpu_warp *)`.

A warp runs as one packet of lanes. Each family of instructions has a file; its functions register themselves
by opcode.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cuda.cpu.emit import (  # noqa: F401  (they register emitters)
    arithmetic,
    atomics,
    compare,
    convert,
    copies,
    fragments,
    logic,
    math,
    matrix,
    mbarrier,
    memory,
    multiword,
    sync,
    video,
    warp,
    warpgroup,
)
from cuda.cpu.emit.builder import Module
from cuda.cpu.emit.calls import local_size
from cuda.cpu.emit.function import emit_function
from cuda.cpu.emit.registry import is_pure, lanewise
from cuda.cpu.passes import analyse
from cuda.cpu.passes.explain_graph import explain_graph
from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.syntax import Function, Instruction

if TYPE_CHECKING:
    from cuda.cpu.ptx.program import Program

BARRIERS = {"bar", "barrier"}
# How much likelier a branch is that is marked as likely; the empty node marks loads that never change.
METADATA = """
!0 = !{!"branch_weights", i32 2000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 2000}
!2 = !{}
attributes #0 = { nounwind "no-trapping-math"="true" }
attributes #1 = { noinline nounwind }
attributes #2 = { noinline nounwind strictfp }
attributes #3 = { strictfp }
"""


@dataclass(frozen=True, slots=True)
class KernelText:
    """LLVM IR of a kernel, and what the runtime must know of it."""

    text: str
    needs_fibers: bool
    local_bytes: int
    notes: tuple[str, ...]  # how it will run, for people


def emit_kernel(program: Program, name: str, *, width: int = 32, native_gather: bool = False) -> KernelText:
    """Translate a kernel.

    Parameters
    ----------
    program : Program
        Linked PTX.
    name : str
        The kernel's name.
    width : int, optional
        Lanes of a packet.
    native_gather : bool, optional
        Whether the CPU has masked gathers and scatters.

    Raises
    ------
    PtxError
        Something in the kernel cannot be translated.
    """
    program = program.placed(name)
    functions = [program.functions[each] for each in program.reachable(name)]
    module = Module(width, native_gather)
    module.has_barriers = any(map(_has_barrier, functions))
    module.has_clusters = any(map(_has_clusters, functions))
    module.leaves = _leaving(program, functions)
    waits = False
    notes: list[str] = []
    for function in functions:
        try:
            graph = analyse(function, is_pure, lanewise(function), module.leaves)
            emit_function(module, program, graph)
        except PtxError as error:
            unit = program.unit_of[function.name]
            raise error.located(unit.name, unit.text) from None
        waits |= bool(graph.spins)
        notes += explain_graph(graph)
    local = _local_bytes(program, name, {})
    needs_fibers = module.has_barriers or waits
    why = "it has barriers" if module.has_barriers else "it may wait for other threads" if waits else ""
    notes[0] += f"; {width} lanes a packet; " + (f"on fibers: {why}" if why else "straight on the workers")
    return KernelText(module.text() + METADATA, needs_fibers, local, tuple(notes))


def _has_barrier(function: Function) -> bool:
    return any(isinstance(item, Instruction) and item.opcode in BARRIERS for item in function.body)


def _has_clusters(function: Function) -> bool:
    instructions = [item for item in function.body if isinstance(item, Instruction)]
    return any(item.opcode == "mapa" or "shared::cluster" in item.modifiers for item in instructions)


def _leaving(program: Program, functions: list[Function]) -> frozenset[str]:
    """Return the names of device functions in which lanes may exit the kernel, themselves or in what they call."""

    def exits(function: Function) -> bool:
        return any(isinstance(item, Instruction) and item.opcode == "exit" for item in function.body)

    direct = {function.name for function in functions if not function.entry and exits(function)}
    return frozenset(
        function.name
        for function in functions
        if not function.entry and not direct.isdisjoint(program.reachable(function.name))
    )


def _local_bytes(program: Program, name: str, known: dict[str, int]) -> int:
    """Return the local memory of the deepest chain of calls; a function that calls itself counts once."""
    if name not in known:
        known[name] = 0
        below = [_local_bytes(program, callee, known) for callee in program.callees(name)]
        known[name] = local_size(program.functions[name]) + max(below, default=0)
    return known[name]
