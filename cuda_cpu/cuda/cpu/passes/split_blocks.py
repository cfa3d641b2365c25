# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Split a function's body into basic blocks."""

from __future__ import annotations

from cuda.cpu.passes.find_registers import carry_of, registers_of
from cuda.cpu.passes.graph import BLOCK, RETURN, WARP, Block, End, Graph, Step
from cuda.cpu.passes.split_guards import AROUND
from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.instructions import form_of
from cuda.cpu.ptx.rows import opcodes_with
from cuda.cpu.ptx.syntax import (
    BranchTargets,
    Call,
    CallTargets,
    Function,
    Instruction,
    Label,
    Operand,
    Prototype,
    Register,
    Statement,
    Symbol,
)

ENDS = {"bra", "brx", "ret", "exit"}
BARRIERS = {"bar", "barrier"}
COLLECTIVES = opcodes_with("collective")


def split_blocks(
    function: Function,
    body: list[Statement],
    leaves: frozenset[str],
    breaks: set[int],
    collectives: bool = False,
    synchronising: frozenset[str] = frozenset(),
    keeps_returns: bool = False,
) -> Graph:
    """Return the function's basic blocks in the order of the text.

    A barrier gets a block of its own. `breaks` are ids of instructions that begin one. The call of a function among
    `leaves` (those in which lanes may exit) ends its block. With `collectives` all operations of a warp are barriers
    of it. Calls of functions among `synchronising` (those with barriers of the thread block) get blocks of their own.
    With `keeps_returns` a branch to a return remains a branch.
    """
    tables = {item.name: item.labels for item in body if isinstance(item, BranchTargets)}
    groups, labels = _group(body, leaves, breaks, collectives, synchronising)
    blocks = []
    for number, group in enumerate(groups):
        last = group[-1] if group else None
        if isinstance(last, Instruction) and last.opcode in ENDS:
            end = _end(last, number, labels, tables, function)
            group = group[:-1]
        else:
            end = End("jump", (number + 1,))
        blocks.append(Block(number, [_step(item) for item in group], end))
        blocks[-1].barrier = _barrier(group[0], collectives) if len(group) == 1 else 0
        blocks[-1].leaves = bool(group) and _may_call(group[-1], leaves)
        blocks[-1].calls_barrier = bool(group) and _may_call(group[0], synchronising)
    blocks.append(Block(len(blocks), [], End("return")))  # an implicit return at the end of the text
    graph = Graph(function, blocks)
    if not keeps_returns:
        _shorten_returns(graph)
    return graph


def is_collective(block: Block) -> bool:
    """Return whether lanes of a warp exchange values in a block, or may do so in its calls."""
    return any(
        step.form is None or step.form.opcode in COLLECTIVES or "warp" in step.form.modifiers for step in block.steps
    )


def _barrier(statement: Statement, collectives: bool) -> int:
    """Return the kind of barrier that a statement is, 0 if it is none."""
    if not isinstance(statement, Instruction):
        return 0
    if collectives and statement.opcode in COLLECTIVES and "sync" in statement.modifiers:
        return WARP
    if statement.opcode not in BARRIERS:
        return 0
    if {"cluster", "arrive"} <= set(statement.modifiers):
        return 0  # does not wait
    return WARP if "warp" in statement.modifiers else BLOCK


def _group(
    body: list[Statement], leaves: frozenset[str], breaks: set[int], collectives: bool, synchronising: frozenset[str]
) -> tuple[list[list[Instruction | Call]], dict[str, int]]:
    groups: list[list[Instruction | Call]] = [[]]
    labels: dict[str, int] = {}
    closed = False  # the last group is complete
    for item in body:
        if isinstance(item, BranchTargets | CallTargets | Prototype):
            continue
        alone = bool(_barrier(item, collectives)) or _may_call(item, synchronising)
        if closed or ((isinstance(item, Label) or alone or id(item) in breaks) and groups[-1]):
            groups.append([])
            closed = False
        if isinstance(item, Label):
            labels[item.name] = len(groups) - 1
            continue
        groups[-1].append(item)
        closed = alone or (isinstance(item, Instruction) and item.opcode in ENDS) or _may_call(item, leaves)
    return groups, labels


def _may_call(item: Statement, functions: frozenset[str]) -> bool:
    if not isinstance(item, Call):
        return False
    return (isinstance(item.target, Register) and bool(functions)) or item.target.name in functions


def _end(last: Instruction, number: int, labels: dict[str, int], tables: dict, function: Function) -> End:
    following = number + 1
    if last.opcode in ("ret", "exit"):
        kind = "exit" if last.opcode == "exit" and not function.entry else "return"
        if last.guard is None:
            return End(kind, line=last.line)
        if kind == "exit":
            raise PtxError("guarded exit in a device function must have been split", last.line)
        return End("branch", (RETURN, following), last.guard, line=last.line)

    def label_in(operand: Operand) -> str:
        if not isinstance(operand, Symbol):
            raise PtxError(f"{last.opcode} to {operand!r}, which is no label", last.line)
        return operand.name

    def number_of(label: str) -> int:
        if label not in labels:
            raise PtxError(f"branch to {label!r}, which is no label of {function.name!r}", last.line)
        return labels[label]

    if last.opcode == "bra":
        label = label_in(last.operands[0])
        target = number_of(label)
        if last.guard is None:
            return End("jump", (target,), line=last.line)
        return End("branch", (target, following), last.guard, line=last.line, skips=label.startswith(AROUND))
    name = label_in(last.operands[1])
    table = tables.get(name)
    if table is None:
        raise PtxError(f"brx.idx through {name!r}, which is no .branchtargets", last.line)
    return End("switch", tuple(map(number_of, table)), index=last.operands[0], line=last.line)


def _step(item: Instruction | Call) -> Step:
    form = None if isinstance(item, Call) else form_of(item)
    writes, reads = registers_of(item, form)
    if form is not None:
        carry_writes, carry_reads = carry_of(form)
        writes, reads = writes + carry_writes, reads + carry_reads
    return Step(item, form, writes, reads)


def _shorten_returns(graph: Graph) -> None:
    """Replace branches to an empty block that returns by returns, so that no lane waits there."""
    blocks = graph.blocks

    def final(target: int) -> int:
        seen = set()
        while target != RETURN and not blocks[target].steps and target not in seen:
            seen.add(target)
            if blocks[target].end.kind == "return":
                return RETURN
            if blocks[target].end.kind != "jump":
                break
            target = blocks[target].end.targets[0]
        return target

    for block in blocks:
        end = block.end
        end.targets = tuple(map(final, end.targets))
        if end.kind == "jump" and end.targets == (RETURN,):
            block.end = End("return", line=end.line)
