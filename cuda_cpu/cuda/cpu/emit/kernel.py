# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Translate a PTX kernel and the functions it calls to an LLVM module with an entry `void NAME(struct cpu_warp *)`."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from cuda.cpu.emit.access import ways
from cuda.cpu.emit.function import emit_function
from cuda.cpu.emit.instructions import (  # noqa: F401  (they register emitters)
    arithmetic,
    cluster,
    compare,
    convert,
    logic,
    math,
    multiword,
    sync,
    video,
    warp,
)
from cuda.cpu.emit.instructions.matrix import fragments, mma, wgmma  # noqa: F401
from cuda.cpu.emit.instructions.memory import (  # noqa: F401
    async_copies,
    atomics,
    bulk,
    load_store,
    mbarrier,
    multimem,
    texture,
)
from cuda.cpu.emit.llvm.module import Module, Settings
from cuda.cpu.emit.simt import padded_rows
from cuda.cpu.emit.simt.parameters import local_alignment, local_size
from cuda.cpu.passes import analyse, report
from cuda.cpu.passes.explain_graph import explain_graph, line_of
from cuda.cpu.passes.find_regions import find_regions
from cuda.cpu.passes.find_spins import polls
from cuda.cpu.passes.graph import BLOCK, Graph
from cuda.cpu.passes.traits import PER_LANE
from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.syntax import Call, Function, Instruction
from cuda.cpu.runtime.kernel_abi import FULL_RUN, WHOLE_RUN, Path

if TYPE_CHECKING:
    from cuda.cpu.ptx.program import Program

# Branch weights; the empty node of !invariant.load; TBAA tags, by which loads of the program's memory do not alias
# stores to struct cpu_warp (frame.py, regions.py).
METADATA = """
!0 = !{!"branch_weights", i32 2000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 2000}
!2 = !{}
!3 = !{!"CUDA on the CPU device"}
!4 = !{!"memory of the program", !3}
!5 = !{!"struct cpu_warp", !3}
!6 = !{!4, !4, i64 0}
!7 = !{!5, !5, i64 0}
attributes #0 = { nounwind "no-trapping-math"="true" }
attributes #1 = { noinline nounwind }
attributes #2 = { noinline nounwind strictfp }
attributes #3 = { strictfp }
attributes #4 = { nounwind willreturn memory(none) }
"""

DEFAULT = Settings()


@dataclass(frozen=True, slots=True)
class KernelText:
    """LLVM IR of a kernel, and the properties of it that the runtime needs."""

    text: str
    path: Path
    local_bytes: int
    explain: Callable[[], tuple[str, ...]]

    @property
    def notes(self) -> tuple[str, ...]:
        """Description for users of how the kernel will run, computed when it is asked for."""
        return self.explain()


def emit_kernel(program: Program, name: str, settings: Settings = DEFAULT) -> KernelText:
    """Translate a kernel of a linked program.

    Raises
    ------
    PtxError
        Something in the kernel cannot be translated.
    """
    full_warps = functools.partial(emit_kernel, program, name, replace(settings, width=32))
    program = program.laid_out(name)
    functions = [program.functions[each] for each in program.reachable(name)]
    fibers = settings.fibers or settings.instrumentation is not None
    if settings.width < 32 and not fibers and (len(functions) > 1 or not _has_independent_lanes(functions[0])):
        return full_warps()
    emitted = _emit_functions(program, functions, settings)
    if emitted is None:
        return full_warps()
    module, graphs, why = emitted
    local = local_bytes(program, name)
    notes = functools.partial(_notes, graphs, settings, why)
    return KernelText(module.text() + METADATA, _path(module, graphs, why), local, notes)


def _path(module: Module, graphs: list[Graph], why: str) -> Path:
    if not why:
        return Path.PADDED if module.pads_rows else Path.BLOCKS
    instrumentation = module.settings.instrumentation
    if instrumentation is None or instrumentation.needs_fibers or module.settings.fibers or module.has_clusters:
        return Path.FIBERS
    waits = any(graph.spins or any(block.barrier == BLOCK for block in graph.blocks) for graph in graphs)
    return Path.FIBERS if waits else Path.WARPS


def _analysed(
    program: Program,
    functions: list[Function],
    settings: Settings,
    leaves: frozenset[str],
    at: Callable[[Function], Function],
) -> list[Graph]:
    """Return the graphs of all functions, with the results of the passes."""
    polling, synchronising = _callers_of(program, functions, polls), _callers_of(program, functions, _has_barriers)
    keeps_registers = settings.instrumentation is not None and settings.instrumentation.keeps_registers
    uninstrumented = settings.instrumentation is None
    hot = uninstrumented and not (settings.quick or settings.brief)
    graphs = [
        analyse(
            at(each),
            leaves,
            polling,
            synchronising,
            strict=settings.tracks_barriers,
            keeps_returns=settings.keeps_returns,
            keeps_registers=keeps_registers,
            whole_rows=settings.lane_run == WHOLE_RUN and uninstrumented,
            converged_only=hot,
            choices=settings.vector_bytes >= ways.NARROWEST and uninstrumented,
            broadcasts=settings.native_gather,
            strided=hot and settings.native_gather and not settings.width % 16,
            narrow=uninstrumented,
            patterns=settings.native_gather and settings.width == FULL_RUN and not settings.quick,
        )
        for each in functions
    ]
    if settings.instrumentation is not None:
        for graph in graphs:
            settings.instrumentation.analysed(graph)
            if not settings.instrumentation.keeps_addresses:
                _forget_addresses(graph)
    return graphs


def _forget_addresses(graph: Graph) -> None:
    """Take no address for an affine one."""
    graph.strides, graph.patterns, graph.shifted, graph.converged_only = {}, {}, set(), set()


def _why_all_fibers(settings: Settings, graphs: list[Graph], *, clusters: bool) -> str:
    """Return the reason why each warp needs a fiber of its own, "" if there is none."""
    if settings.instrumentation is not None:
        return "checks, profiles and debuggers need them"
    if settings.fibers:
        return "CUDA_CPU_PATH asks for them"
    if clusters:
        return "its blocks may reach into each other's shared memory"
    return _why_fibers(graphs)


def _emit_functions(
    program: Program, functions: list[Function], settings: Settings
) -> tuple[Module, list[Graph], str] | None:
    """Emit all functions; return the module, their graphs and the reason for fibers.

    None if the kernel needs fibers, and so a width of 32.
    """
    leaves, clusters = _leaving(program, functions), any(map(_has_clusters, functions))
    with _located(program, functions) as at:
        graphs = _analysed(program, functions, settings, leaves, at)
        why = _why_all_fibers(settings, graphs, clusters=clusters)
        if why and settings.width < 32:
            return None
        barriers = bool(why) and any(block.barrier for graph in graphs for block in graph.blocks)
        if why:
            graphs[0].regions = []
        module = Module(
            settings,
            tuple(function.name for function in functions),
            leaves,
            has_barriers=barriers or settings.tracks_barriers,
            has_clusters=clusters,
            pads_rows=not why and _pads_rows(settings, functions, graphs),
        )
        for graph in graphs:
            if settings.brief:  # not earlier: whether rows are padded depends on the addresses, and is as in other code
                _forget_addresses(graph)
            at(graph.function)
            emit_function(module, program, graph)
    return module, graphs, why


def _pads_rows(settings: Settings, functions: list[Function], graphs: list[Graph]) -> bool:
    alone = len(functions) == 1 and _has_independent_lanes(functions[0])
    return alone and padded_rows.is_worth_it(settings, functions[0], graphs[0])


def _notes(graphs: list[Graph], settings: Settings, why: str) -> tuple[str, ...]:
    notes = [note for graph in graphs for note in explain_graph(graph, shuffles=bool(settings.vector_bytes))]
    how = f"on fibers: {why}" if why else f"{len(graphs[0].regions)} regions, each for all warps of a block in turn"
    notes[0] += f"; SIMD groups of {settings.width} lanes; {how}"
    return tuple(notes)


@contextlib.contextmanager
def _located(program: Program, functions: list[Function]) -> Iterator[Callable[[Function], Function]]:
    """Add the location to errors: in the function passed last to the callable that this yields."""
    current = functions[0]

    def at(function: Function) -> Function:
        nonlocal current
        current = function
        return function

    try:
        yield at
    except PtxError as error:
        unit = program.unit_of[current.name]
        raise error.located(unit.name, unit.text) from None


def _why_fibers(graphs: list[Graph]) -> str:
    """Return why the warps of a block need fibers; if they do not, find the kernel's regions and return ""."""
    for graph in graphs:
        if graph.spins:
            line = line_of(graph.blocks[min(graph.spins)])
            return f"the loop at line {line} of {graph.function.name} may wait for other threads"
    for graph in graphs[1:]:
        for block in graph.blocks:
            if block.barrier == BLOCK:
                return f"there is a barrier in the function {graph.function.name}, at line {line_of(block)}"
    why = find_regions(graphs[0])
    report(find_regions, graphs[0])
    return why


def _has_independent_lanes(function: Function) -> bool:
    """Return whether lanes exchange nothing with others of their warp, except at barriers of the block."""
    for item in function.body or ():
        if isinstance(item, Call):
            return False
        if isinstance(item, Instruction):
            barrier = item.opcode in ("bar", "barrier") and "warp" not in item.modifiers
            masks = any(getattr(operand, "name", "").startswith("%lanemask") for operand in item.operands)
            if masks or not (barrier or item.opcode in PER_LANE):
                return False
    return True


def _has_clusters(function: Function) -> bool:
    instructions = [item for item in function.body or () if isinstance(item, Instruction)]
    return any(item.opcode == "mapa" or "shared::cluster" in item.modifiers for item in instructions)


def _has_barriers(function: Function) -> bool:
    """Return whether threads wait at barriers of the block or cluster."""
    instructions = [item for item in function.body or () if isinstance(item, Instruction)]
    return any(
        item.opcode in ("bar", "barrier") and {"warp", "arrive"}.isdisjoint(item.modifiers) for item in instructions
    )


def _leaving(program: Program, functions: list[Function]) -> frozenset[str]:
    """Return the names of device functions in which lanes may exit the kernel, directly or in their callees."""

    def exits(function: Function) -> bool:
        return any(isinstance(item, Instruction) and item.opcode == "exit" for item in function.body or ())

    return _callers_of(program, functions, exits)


def _callers_of(program: Program, functions: list[Function], does: Callable[[Function], bool]) -> frozenset[str]:
    """Return the names of device functions that satisfy `does`, directly or through their callees."""
    direct = {function.name for function in functions if not function.entry and does(function)}
    return frozenset(
        function.name
        for function in functions
        if not function.entry and not direct.isdisjoint(program.reachable(function.name))
    )


def local_bytes(program: Program, name: str, known: dict[str, int] | None = None) -> int:
    """Return the local memory of the deepest call chain of a laid out program; a recursive function counts once."""
    known = {} if known is None else known
    if name not in known:
        known[name] = 0
        below = [local_bytes(program, callee, known) for callee in program.callees(name)]
        padding = local_alignment(program.functions[name]) - 16  # upper bound; a kernel has none, it starts at 0
        known[name] = local_size(program.functions[name]) + max(below, default=0)
        known[name] += 0 if program.functions[name].entry else padding
    return known[name]
