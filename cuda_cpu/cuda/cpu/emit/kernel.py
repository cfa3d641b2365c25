# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Translate a PTX kernel and the functions it calls to an LLVM module with an entry `void NAME(struct cpu_warp *)`."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

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
from cuda.cpu.emit.llvm.builder import DebugLocation, Module
from cuda.cpu.emit.llvm.registry import is_independent, is_pure, lanewise
from cuda.cpu.emit.simt.instrumentation import Instrumentation
from cuda.cpu.emit.simt.parameters import local_alignment, local_size
from cuda.cpu.passes import analyse, report
from cuda.cpu.passes.explain_graph import explain_graph, line_of
from cuda.cpu.passes.find_regions import find_regions
from cuda.cpu.passes.find_spins import polls
from cuda.cpu.passes.graph import BLOCK, Graph
from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.syntax import Call, Function, Instruction
from cuda.cpu.runtime.kernel_abi import FULL_RUN, Path

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


def emit_kernel(
    program: Program,
    name: str,
    *,
    width: int = 32,
    lane_run: int = FULL_RUN,
    native_gather: bool = False,
    near: int = 0,
    fibers: bool = False,
    locations: list[DebugLocation] | None = None,
    quick: bool = False,
    instrumentation: Instrumentation | None = None,
) -> KernelText:
    """Translate a kernel.

    Parameters
    ----------
    program : Program
        Linked PTX.
    name : str
        The kernel's name.
    width : int, optional
        Lanes of a SIMD group: a power of two up to 32. Kernels whose lanes communicate always have 32.
    lane_run : int, optional
        Consecutive lanes in the blocks that the code is optimised for: FULL_RUN or HALF_RUN. It is correct for all.
    native_gather : bool, optional
        Whether the CPU has masked gathers and scatters.
    near : int, optional
        Distance in bytes, within a page, of software prefetches; 0 if the hardware prefetches well.
    fibers : bool, optional
        Run every warp on a fiber of its own, even if one call could run all warps of a block.
    locations : list, optional
        Filled with the locations of the instructions; comments "; location N" in the text count from 1.
    quick : bool, optional
        Omit copies of blocks that only make the code faster.
    instrumentation : Instrumentation, optional
        Checks of memory accesses and barriers; warps then run on fibers.

    Raises
    ------
    PtxError
        Something in the kernel cannot be translated.
    """
    full_warps = functools.partial(
        emit_kernel, program, name, lane_run=lane_run, native_gather=native_gather, near=near, fibers=fibers,
        quick=quick, locations=locations, instrumentation=instrumentation,
    )  # fmt: skip
    program = program.laid_out(name)
    functions = [program.functions[each] for each in program.reachable(name)]
    module = _module(program, functions, width, lane_run, native_gather, near, quick, locations, instrumentation)
    fibers = fibers or module.checks != 0
    if width < 32 and not fibers and (len(functions) > 1 or not _has_independent_lanes(functions[0])):
        return full_warps()
    emitted = _emit_functions(program, module, functions, width, fibers)
    if emitted is None:
        return full_warps()
    graphs, why = emitted
    local = _local_bytes(program, name, {})
    notes = functools.partial(_notes, graphs, width, why)
    return KernelText(module.text() + METADATA, Path.FIBERS if why else Path.BLOCKS, local, notes)


def _module(
    program: Program,
    functions: list[Function],
    width: int,
    lane_run: int,
    native_gather: bool,
    near: int,
    quick: bool,
    locations: list[DebugLocation] | None,
    instrumentation: Instrumentation | None,
) -> Module:
    """Return an empty module with the settings of `emit_kernel`."""
    module = Module(width, native_gather)
    module.near = near
    module.locations = locations
    module.quick = quick
    module.instrumentation = instrumentation
    module.checks = instrumentation.checks if instrumentation else 0
    module.functions = [function.name for function in functions]
    module.lane_run = min(width, lane_run)
    module.has_clusters = any(map(_has_clusters, functions))
    module.leaves = _leaving(program, functions)
    return module


def _tracks_barriers(module: Module) -> bool:
    return module.instrumentation is not None and module.instrumentation.tracks_barriers


def _analysed(
    program: Program, module: Module, functions: list[Function], at: Callable[[Function], Function]
) -> list[Graph]:
    """Return the graphs of all functions, with the results of the passes."""
    polling, synchronising = _callers_of(program, functions, polls), _callers_of(program, functions, _has_barriers)
    graphs = [
        analyse(at(each), is_pure, lanewise(each), module.leaves, polling, synchronising, _tracks_barriers(module))
        for each in functions
    ]
    if module.checks:
        for graph in graphs:  # each lane's address is checked by itself
            graph.strides, graph.shifted = {}, set()
    return graphs


def _why_all_fibers(module: Module, graphs: list[Graph], fibers: bool) -> str:
    """Return the reason why each warp needs a fiber of its own, "" if there is none."""
    if module.checks:
        return "CUDA_CPU_CHECK asks for them"
    if fibers:
        return "CUDA_CPU_PATH asks for them"
    if module.has_clusters:
        return "its blocks may reach into each other's shared memory"
    return _why_fibers(graphs)


def _emit_functions(
    program: Program, module: Module, functions: list[Function], width: int, fibers: bool
) -> tuple[list[Graph], str] | None:
    """Emit all functions; return their graphs and the reason for fibers, None if these need a width of 32."""
    with _located(program, functions) as at:
        graphs = _analysed(program, module, functions, at)
        why = _why_all_fibers(module, graphs, fibers)
        if why and width < 32:
            return None
        module.has_barriers = bool(why) and any(block.barrier for graph in graphs for block in graph.blocks)
        module.has_barriers |= _tracks_barriers(module)
        if why:
            graphs[0].regions = []
        for graph in graphs:
            at(graph.function)
            emit_function(module, program, graph)
    return graphs, why


def _notes(graphs: list[Graph], width: int, why: str) -> tuple[str, ...]:
    notes = [note for graph in graphs for note in explain_graph(graph)]
    how = f"on fibers: {why}" if why else f"{len(graphs[0].regions)} regions, each for all warps of a block in turn"
    notes[0] += f"; SIMD groups of {width} lanes; {how}"
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
    why = find_regions(graphs[0], lanewise(graphs[0].function))
    report(find_regions, graphs[0])
    return why


def _has_independent_lanes(function: Function) -> bool:
    """Return whether lanes exchange nothing with others of their warp, except at barriers of the block."""
    for item in function.body:
        if isinstance(item, Call):
            return False
        if isinstance(item, Instruction):
            barrier = item.opcode in ("bar", "barrier") and "warp" not in item.modifiers
            masks = any(getattr(operand, "name", "").startswith("%lanemask") for operand in item.operands)
            if masks or not (barrier or is_independent(item.opcode)):
                return False
    return True


def _has_clusters(function: Function) -> bool:
    instructions = [item for item in function.body if isinstance(item, Instruction)]
    return any(item.opcode == "mapa" or "shared::cluster" in item.modifiers for item in instructions)


def _has_barriers(function: Function) -> bool:
    """Return whether threads wait at barriers of the block or cluster."""
    instructions = [item for item in function.body if isinstance(item, Instruction)]
    return any(
        item.opcode in ("bar", "barrier") and {"warp", "arrive"}.isdisjoint(item.modifiers) for item in instructions
    )


def _leaving(program: Program, functions: list[Function]) -> frozenset[str]:
    """Return the names of device functions in which lanes may exit the kernel, directly or in their callees."""

    def exits(function: Function) -> bool:
        return any(isinstance(item, Instruction) and item.opcode == "exit" for item in function.body)

    return _callers_of(program, functions, exits)


def _callers_of(program: Program, functions: list[Function], does: Callable[[Function], bool]) -> frozenset[str]:
    """Return the names of device functions that satisfy `does`, directly or through their callees."""
    direct = {function.name for function in functions if not function.entry and does(function)}
    return frozenset(
        function.name
        for function in functions
        if not function.entry and not direct.isdisjoint(program.reachable(function.name))
    )


def _local_bytes(program: Program, name: str, known: dict[str, int]) -> int:
    """Return the local memory of the deepest call chain; a recursive function counts once."""
    if name not in known:
        known[name] = 0
        below = [_local_bytes(program, callee, known) for callee in program.callees(name)]
        padding = local_alignment(program.functions[name]) - 16  # upper bound; a kernel has none, it starts at 0
        known[name] = local_size(program.functions[name]) + max(below, default=0)
        known[name] += 0 if program.functions[name].entry else padding
    return known[name]
