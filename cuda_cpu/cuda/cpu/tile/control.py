# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Control flow: for, loop, if and what ends their blocks (Tile IR specification 13.4, section 9.4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cuda.cpu.tile.elements import register_type
from cuda.cpu.tile.error import UnsupportedTileError
from cuda.cpu.tile.llvm import V
from cuda.cpu.tile.lowering import Lowering, element_of, reads, shape_of
from cuda.cpu.tile.nodes import Buffer, Scalar
from cuda.cpu.tile.syntax import Block, Operation, Value
from cuda.cpu.tile.types import Tile, Token

Emit = Callable[[Lowering, Block], None]


class Carried:
    """Values that control flow passes on: a variable for a single element, a buffer for others."""

    def __init__(self, low: Lowering, values: Sequence[Value], operation: Operation) -> None:
        self.low, self.values = low, list(values)
        self.targets: list[V | Buffer | None] = []
        for value in self.values:
            if isinstance(value.type, Token):
                self.targets.append(None)
            elif not isinstance(value.type, Tile):
                raise UnsupportedTileError(
                    f"passing on {value.type} is not supported", operation.offset, operation.name
                )
            elif shape_of(value):
                self.targets.append(low.buffer(element_of(value), shape_of(value)))
            else:
                self.targets.append(low.b.slot(register_type(element_of(value))))

    def define(self, values: Sequence[Value]) -> None:
        """Set what values became: what was passed on."""
        for value, target in zip(values, self.targets, strict=True):
            if isinstance(target, Buffer):
                self.low.keep(value, target)
            elif target is not None:
                element = element_of(value)
                self.low.values[value] = Scalar(self.low.b.get(target, register_type(element)), element)
            else:
                self.low.values[value] = None

    def take(self, sources: Sequence[Value]) -> None:
        """Pass values on. All are read before the first buffer that others read is written."""
        low = self.low
        nodes = [None if target is None else low.node(source)
                 for source, target in zip(sources, self.targets, strict=True)]  # fmt: skip
        late: list[tuple[Buffer, Buffer]] = []
        scalars: list[tuple[V, V]] = []
        for number, (node, target) in enumerate(zip(nodes, self.targets, strict=True)):
            if node is None or target is None or node is target:
                continue
            if isinstance(target, Buffer):
                others = [each for i, each in enumerate(nodes) if i != number and each is not None]
                read = any(_same(buffer, target) for other in others for buffer, _ in reads(other))
                moved = any(_same(buffer, target) and elsewhere for buffer, elsewhere in reads(node))
                if read or moved:
                    copy = low.buffer(node.element, node.shape)
                    late.append((low.materialise(node, into=copy), target))
                elif not (isinstance(node, Buffer) and _same(node, target)):
                    low.materialise(node, into=target)
            else:
                scalars.append((target, low.scalar(sources[number])))
        for source, target in late:
            low.materialise(source, into=target)
        for slot, value in scalars:
            low.b.put(slot, value)


def _same(a: Buffer, b: Buffer) -> bool:
    return a.pointer == b.pointer


def poll(low: Lowering) -> None:
    """Let the runtime interrupt the loop now and then (the budget in struct cpu_warp)."""
    from cuda.cpu.runtime.abi import SERVICES, WARP

    b = low.b
    warp = V("ptr", "%warp")
    budget = b.at(warp, WARP["budget"])
    left = b.binary("sub", b.load("i32", budget, 4), V("i32", "1"))
    b.store(left, budget, 4)
    with b.when(b.compare("icmp slt", left, V("i32", "0"))):
        service = b.load("ptr", b.at(b.load("ptr", b.at(warp, WARP["runtime"]), 8), SERVICES["poll"]), 8)
        b.do(f"call void {service.text}({warp})")


def for_(low: Lowering, operation: Operation, emit: Emit) -> None:
    b = low.b
    low.flush()
    lower, upper, step = (low.scalar(operation.operands[each]) for each in ("lower", "upper", "step"))
    body = operation.regions[0]
    carried = Carried(low, body.arguments[1:], operation)
    carried.take(operation.operands["initial"])
    counter = b.slot(lower.type)
    b.put(counter, lower)
    head, inside, latch, after = (b.name(each) for each in ("for", "body", "latch", "after"))
    b.jump(head)
    b.label(head)
    now = b.get(counter, lower.type)
    predicate = "icmp ult" if operation.attributes["unsigned"] else "icmp slt"
    b.branch(b.compare(predicate, now, upper), inside, after)
    b.label(inside)
    low.values[body.arguments[0]] = Scalar(now, element_of(body.arguments[0]))

    def go_on(end: Operation) -> None:
        carried.take(end.operands["operands"])
        b.jump(latch)

    _region(low, body, carried, {"continue": go_on}, emit)
    b.label(latch)
    poll(low)
    following = b.binary("add", b.get(counter, lower.type), step)
    b.put(counter, following)
    # A sum that wraps around is beyond the end, too.
    wrapped = b.compare("icmp ult" if operation.attributes["unsigned"] else "icmp slt", following, now)
    b.branch(wrapped, after, head)
    b.label(after)
    carried.define(operation.results)


def _region(
    low: Lowering, body: Block, carried: Carried | None, targets: dict[str, Callable[[Operation], None]], emit: Emit
) -> None:
    """Emit a block, whose buffers are free behind it."""
    used = low.used
    if carried is not None:
        carried.define(body.arguments[len(body.arguments) - len(carried.values) :])
    low.targets.append((low.targets[-1] if low.targets else {}) | targets)
    emit(low, body)
    low.targets.pop()
    low.used = used
    low.pending.clear()


def loop(low: Lowering, operation: Operation, emit: Emit) -> None:
    b = low.b
    low.flush()
    body = operation.regions[0]
    carried = Carried(low, body.arguments, operation)
    results = Carried(low, operation.results, operation)
    carried.take(operation.operands["initial"])
    head, after = b.name("loop"), b.name("after")
    b.jump(head)
    b.label(head)

    def go_on(end: Operation) -> None:
        carried.take(end.operands["operands"])
        poll(low)
        b.jump(head)

    def leave(end: Operation) -> None:
        results.take(end.operands["operands"])
        b.jump(after)

    _region(low, body, carried, {"continue": go_on, "break": leave}, emit)
    b.label(after)
    results.define(operation.results)


def if_(low: Lowering, operation: Operation, emit: Emit) -> None:
    b = low.b
    low.flush()
    condition = low.scalar(operation.operands["condition"])
    results = Carried(low, operation.results, operation)
    names = [b.name("then"), b.name("else")][: len(operation.regions)]
    after = b.name("after")
    b.branch(condition, names[0], names[1] if len(names) > 1 else after)

    def leave(end: Operation) -> None:
        results.take(end.operands["operands"])
        b.jump(after)

    for name, region in zip(names, operation.regions, strict=True):
        b.label(name)
        _region(low, region, None, {"yield": leave}, emit)
    b.label(after)
    results.define(operation.results)


def end(low: Lowering, operation: Operation) -> None:
    """Emit continue, break, yield or return."""
    target = low.targets[-1].get(operation.name) if low.targets else None
    if target is not None:
        target(operation)
    else:
        low.b.do("ret void")
