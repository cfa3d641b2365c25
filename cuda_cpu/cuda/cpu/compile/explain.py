# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Show the stages from PTX to machine code of a kernel: `python -m cuda.cpu explain FILE`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator

from cuda.cpu import passes
from cuda.cpu.compile import jit, tile_assembler, tile_program
from cuda.cpu.passes.find_pending import members
from cuda.cpu.passes.graph import BLOCK, RETURN, Block, Graph
from cuda.cpu.passes.sink_choices import is_chosen
from cuda.cpu.passes.vector_accesses import base_of, contiguous_stride
from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.image import tile_ir
from cuda.cpu.ptx.image.image import ptx_of
from cuda.cpu.ptx.program import Program, build
from cuda.cpu.ptx.syntax import (
    Address,
    Call,
    Immediate,
    Instruction,
    Negated,
    Operand,
    Pair,
    Register,
    Selected,
    Symbol,
    Vector,
)

PARTS = ("passes", "paths", "ir", "asm")


def explain(data: bytes, name: str | None = None, *, parts: tuple[str, ...] = PARTS[:2], level: int = 3) -> str:
    """Return the stages of a kernel's compilation as text.

    Parameters
    ----------
    data : bytes
        PTX, a cubin or fatbin that contains it, or Tile IR.
    name : str, optional
        The kernel, or a part of its name that no other kernel has; needed if there are several.
    parts : tuple of str
        What to show: "passes" (the result of each), "paths" (how the kernel will run, and why not faster), "ir" (the
        LLVM IR), "asm" (the machine code).
    level : int
        LLVM's optimisation level for "asm".

    Raises
    ------
    PtxError
        The PTX is wrong, or there is no such kernel.
    """
    found = stages(data, name, parts=parts, level=level)
    return "\n".join(line for title, content in found.items() for line in (f"## {title}", *content, ""))


def stages(
    data: bytes, name: str | None = None, *, parts: tuple[str, ...] = PARTS[:2], level: int = 3
) -> dict[str, list[str]]:
    """Return the lines of `explain` by title; the parameters are those of `explain`.

    Tile IR that our own compiler supports has no passes of PTX: its operations are shown instead.
    """
    if data.startswith(tile_ir.MAGIC):
        own = tile_program.stages(data, name, parts, level)
        if own is not None:
            return own
        data = tile_assembler.assemble(data, max(tile_assembler.ARCHITECTURES))
    program = build(ptx_of(data))
    name = _kernel_of(program, name)
    seen = _Seen()
    with passes.watched(seen):
        kernel = jit.kernel_text(program.laid_out(name), name)
    found = dict(seen.stages) if "passes" in parts else {}
    if "paths" in parts:
        found[f"{name}: how it will run"] = list(kernel.notes)
    if "ir" in parts:
        found["LLVM IR"] = kernel.text.rstrip().splitlines()
    if "asm" in parts:
        found[f"machine code at level {level}"] = jit.disassemble(kernel.text, level).rstrip().splitlines()
    return found


def _kernel_of(program: Program, name: str | None) -> str:
    kernels = [each for each, function in program.functions.items() if function.entry]
    if name is None and len(kernels) == 1:
        return kernels[0]
    matching = [each for each in kernels if name and (each == name or name in each)]
    if name in matching:
        return name
    if len(matching) == 1:
        return matching[0]
    problem = f"no kernel {name!r}" if not matching else f"{len(matching)} kernels with {name!r} in their names"
    raise PtxError(f"{problem if name else 'name one kernel'}; there are: {', '.join(kernels) or 'none'}")


class _Seen:
    """Collects the results of each pass; if a pass runs several times, those of the last run."""

    def __init__(self) -> None:
        self.stages: dict[str, list[str]] = {}

    def __call__(self, function: Callable, graph: Graph) -> None:
        name = function.__name__
        description = (inspect.getdoc(inspect.getmodule(function)) or "").split("\n\n")[0].replace("\n", " ")
        title = f"{graph.function.name}: {name}: {description}"
        self.stages.pop(title, None)
        self.stages[title] = list(DESCRIPTIONS[name](graph))


# --- results of each pass --------------------------------------------------------------------------------


def _blocks(graph: Graph) -> Iterator[str]:
    for block in graph.blocks:
        kind = " (a barrier)" if block.barrier == BLOCK else " (a barrier of the warp)" if block.barrier else ""
        yield f"block {block.number}{kind}:"
        for step in block.steps:
            yield f"    {step.instruction.line:>5}  {text_of(step.instruction)}"
        yield f"           {_end(block)}"


def _end(block: Block) -> str:
    end = block.end
    targets = ["return" if target == RETURN else f"block {target}" for target in end.targets]
    if end.kind == "branch" and end.condition:
        negated = "not " if end.condition.negated else ""
        return f"if {negated}{end.condition.register}: {targets[0]}, else {targets[1]}"
    if end.kind == "switch":
        return f"by {text(end.index)}: {', '.join(targets)}"
    return f"goto {targets[0]}" if targets else end.kind


def _order(graph: Graph) -> Iterator[str]:
    yield from _blocks(graph)
    for first, last in graph.loops:
        yield f"loop: blocks {first} to {last}"


def _live(graph: Graph) -> Iterator[str]:
    for block in graph.blocks:
        yield f"into block {block.number}: {_names(graph, graph.live_in[block.number]) or 'nothing'}"


def _spins(graph: Graph) -> Iterator[str]:
    for header in sorted(graph.spins):
        yield f"the loop at block {header} may wait for other threads"
    if not graph.spins:
        yield "no loop waits for other threads"


def _uniform(graph: Graph) -> Iterator[str]:
    vectors = [name for name in graph.register_bits if not graph.is_uniform(name)]
    uniform = [name for name in graph.register_bits if graph.is_uniform(name)]
    yield f"one value for all lanes: {' '.join(uniform) or 'none'}"
    yield f"a value for each lane: {' '.join(vectors) or 'none'}"
    for block in graph.blocks:
        waiting = members(graph.pending[block.number])
        if graph.is_divergent(block.end):
            yield f"lanes may part at the end of block {block.number}"
        if waiting:
            yield f"while block {block.number} runs, lanes may wait at {_numbers(waiting)}"
    if graph.general:
        yield f"blocks run in any order: {graph.reason}"


def _affine(graph: Graph) -> Iterator[str]:
    for register, stride in graph.strides.items():
        yield f"{register} = base + {stride} * lane"
    for block in graph.blocks:
        for step in block.steps:
            form = step.form
            if form is None or form.opcode not in ("ld", "st") or (form.space or "").startswith("param"):
                continue
            if contiguous_stride(graph, step.instruction, form) is not None:
                yield f"line {step.instruction.line}: {form} is a row of memory: one vector"


def _choices(graph: Graph) -> Iterator[str]:
    for block in graph.blocks:
        for step in block.steps:
            base = base_of(step.instruction, step.form)
            if base is not None and is_chosen(base):
                yield f"line {step.instruction.line}: {step.form}: each lane chooses one of several rows or addresses"


def _converged_only(graph: Graph) -> Iterator[str]:
    if graph.converged_only:
        names = " ".join(sorted(graph.converged_only))
        yield f"base + stride * lane in converged SIMD groups alone: {names}"


def _patterns(graph: Graph) -> Iterator[str]:
    for register, pattern in graph.patterns.items():
        yield f"{register} = base + {', '.join(map(str, pattern))}"


def _regions(graph: Graph) -> Iterator[str]:
    for region in getattr(graph, "regions", ()):
        where = "the start" if region.after is None else f"the barrier in block {region.after}"
        yield f"region {region.number}: from {where}, {_numbers(region.blocks)}"


DESCRIPTIONS: dict[str, Callable[[Graph], Iterator[str]]] = {
    "split_blocks": _blocks,
    "order_blocks": _order,
    "find_liveness": _live,
    "find_spins": _spins,
    "analyse_uniformity": _uniform,
    "find_affine": _affine,
    "sink_choices": _choices,
    "find_converged_only": _converged_only,
    "find_patterns": _patterns,
    "find_regions": _regions,
}


def _names(graph: Graph, registers: int) -> str:
    return " ".join(name for name, bit in graph.register_bits.items() if registers >> bit & 1)


def _numbers(blocks: Iterable[int]) -> str:
    return "blocks " + ", ".join(map(str, blocks))


# --- PTX as text --------------------------------------------------------------------------------------------


def text_of(statement: Instruction | Call) -> str:
    """Return an instruction as PTX writes it."""
    guard = f"@{'!' * statement.guard.negated}{statement.guard.register} " if statement.guard else ""
    if isinstance(statement, Call):
        results = f"({', '.join(map(text, statement.results))}), " if statement.results else ""
        arguments = ", ".join(map(text, statement.arguments))
        return f"{guard}call {results}{text(statement.target)}, ({arguments})"
    head = ".".join((statement.opcode, *statement.modifiers))
    return f"{guard}{head} {', '.join(map(text, statement.operands))}".rstrip()


def text(operand: Operand | None) -> str:
    """Return an operand as PTX writes it."""
    match operand:
        case None:
            return "_"
        case Register(name):
            return name
        case Immediate(value, kind):
            return {"f32": f"0f{value:08X}", "f64": f"0d{value:016X}"}.get(kind, str(value))
        case Symbol(name, offset):
            return name + (f"+{offset}" if offset else "")
        case Address(base, offset, coordinates):
            inside = text(base) + (f"+{offset}" if offset else "") if base is not None else str(offset)
            return f"[{inside}{', {' + ', '.join(map(text, coordinates)) + '}' if coordinates else ''}]"
        case Vector(elements):
            return "{" + ", ".join(map(text, elements)) + "}"
        case Pair(first, second):
            return f"{text(first)}|{text(second)}"
        case Negated(inner):
            return f"!{text(inner)}"
        case Selected(register, part, negated):
            return f"{'-' * negated}{register.name}{'.' * bool(part)}{part}"
    return "_"
