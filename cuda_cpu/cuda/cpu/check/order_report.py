# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Messages and findings for races between operations of streams."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from cuda.cpu import abi
from cuda.cpu.check import build, recorder, stacks, state
from cuda.cpu.check.finding import Dim, Finding, Stack
from cuda.cpu.check.pageable import Pageable

HOST = 0  # number of the host among the queues
FREE, ALLOCATION = "free", "allocation"
WRITES = 2 | 4  # CPU_TOUCHED_WRITE, CPU_TOUCHED_STRONG

NODES = {
    abi.CU_GRAPH_NODE_TYPE_MEMCPY: "a memcpy node",
    abi.CU_GRAPH_NODE_TYPE_MEMSET: "a memset node",
    abi.CU_GRAPH_NODE_TYPE_BATCH_MEM_OP: "a batch memory operation node",
}


@dataclass(eq=False, slots=True)
class Call:
    """A call that has submitted an operation, and the operation's position in the order."""

    number: int
    queue: int
    time: int
    before: dict[int, int]
    unknown: bool
    name: str  # of the kernel, or of the function of the API
    is_kernel: bool
    stream: str
    effect: str  # FREE, ALLOCATION or ""
    stack: Any
    severity: str = "error"


class Access(NamedTuple):
    """What an operation has accessed, or a node of the graph that it launched."""

    raw: Any
    call: Call
    allocations: set[int]

    def identity(self) -> Any:
        """Return what is the same for all rounds of a loop."""
        return self.call.name, self.raw.node, self.call.stack


class Side(NamedTuple):
    """One of the two accesses of a race."""

    access: Access
    site: int
    block: Dim
    thread: Dim
    writes: bool
    code: Any
    node: Any

    def text(self) -> str:
        raw, call = self.access.raw, self.access.call
        if raw.kernel:
            what = f"kernel {raw.kernel!r}"
        else:
            what = NODES.get(self.node.kind, "a node") if self.node is not None else call.name
        where = f" of a graph launched in {call.stream}" if raw.node else f" in {call.stream}" if call.stream else ""
        if not raw.kernel:
            return what + where
        return f"{what}{where}, block {self.block}, thread {self.thread}, {self.instruction()}"

    def instruction(self) -> str:
        if self.code is None:
            return f"PTX line {self.site & 0xFFFFFFFF}"
        return str(self.code.describe_site(self.access.raw.kernel, self.site))

    def frames(self) -> Stack:
        return build.frames_of(self.access.raw.kernel, self.code, self.site) if self.access.raw.kernel else ()


def _dim(index: int, shape: Dim) -> Dim:
    return index % (shape[0] or 1), index // (shape[0] or 1) % (shape[1] or 1), index // ((shape[0] * shape[1]) or 1)


def report(found: Iterable[tuple[Access, Access, Any]], nodes: Any) -> None:
    """Record a finding for each race."""
    programs = None
    findings = []
    for first, second, (start, end, allocation, count, one, other) in found:
        if programs is None:
            programs = state.driver.programs() if state.driver is not None else {}
        sides = [
            Side(access, site, _dim(block, access.raw.grid_dim), _dim(thread, access.raw.block_dim),
                 bool(flags & WRITES), programs.get(access.raw.symbols), nodes.work_of(access.raw.node))
            for access, (site, block, thread, flags) in ((first, one), (second, other))
        ]  # fmt: skip
        findings.append(_finding(sides[0], sides[1], start, end - start, allocation, count, nodes))
    recorder.add(findings)


def _finding(
    first: Side, second: Side, address: int, size: int, allocation: int, count: int, nodes: Any
) -> tuple[Finding, int]:
    known, start, extent = state.driver.memory_at(address) if state.driver is not None else ("", 0, 0)
    known = ", pageable memory of the host" if isinstance(first.access.raw, Pageable) else known
    kind, text = _description(first, second, f"0x{address:x}{known}")
    calls = first.access.call, second.access.call
    main, other = (second, first) if second.access.raw.kernel or not first.access.raw.kernel else (first, second)
    raw = main.access.raw
    text = f"{text}; {_hint(first, second)}"
    number = recorder.number_of(raw.grid_id) if raw.kernel else 0
    instruction = main.instruction().partition("`")[2].rpartition("`")[0] if raw.kernel else ""
    launched = [nodes.stack_of(side.access.raw.node) or stacks.frames(side.access.call.stack) for side in (main, other)]
    return Finding(
        "racecheck", kind, "warning" if "warning" in (each.severity for each in calls) else "error",
        text, raw.kernel, number, main.block, main.thread, count, address, size, instruction,
        main.frames(), other.frames(), launched[0], stacks.allocations.find(allocation),
        other_launch_stack=launched[1], allocation_address=start, allocation_size=extent,
        stream=main.access.call.stream, other_stream=other.access.call.stream,
    ), raw.grid_id  # fmt: skip


def _description(first: Side, second: Side, memory: str) -> tuple[str, str]:
    """Return the kind of a race and what it is."""
    if second.access.call.effect == FREE:
        return "freed_in_use", f"{second.text()} frees {memory}: nothing orders it after {first.text()}, which uses it"
    if first.access.call.effect == FREE:
        return "freed_in_use", f"{second.text()} uses {memory}: nothing orders it before {first.text()}, which frees it"
    if first.access.call.effect == ALLOCATION:
        return "used_before_allocation", (
            f"{second.text()} uses {memory}: nothing orders it after {first.text()}, which allocates it"
        )
    verbs = ["write" if side.writes else "read" for side in (second, first)]
    kind = f"unordered_{verbs[0]}_after_{verbs[1]}"
    return kind, f"{second.text()}: {verbs[0]} after a {verbs[1]} of {memory}: nothing orders it after {first.text()}"


def _hint(first: Side, second: Side) -> str:
    one, other = first.access.call, second.access.call
    before, after = (call.stream.partition(" (")[0] for call in (one, other))
    if one is other:
        return "add an edge between the two nodes, or a path of edges"
    if one.queue == HOST:
        return f"wait for {after} before {one.name}"
    if other.queue == HOST:
        return f"wait for {before} before {other.name}"
    if first.access.call.effect == FREE:
        return f"record an event in {after} after it, and let {before} wait for the event before {one.name}"
    return f"record an event in {before} after {_short(first)}, and let {after} wait for the event"


def _short(side: Side) -> str:
    if side.access.raw.node:
        return "the graph"
    return f"kernel {side.access.raw.kernel!r}" if side.access.raw.kernel else side.access.call.name
