# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Order blocks so that every loop is contiguous and diverged lanes reconverge as early as possible.

The blocks are sorted topologically, with strongly connected components contiguous. The block of a component that is
entered first is its header; the component without the edges to the header is ordered in the same way. This is defined
for every graph, also for irreducible ones. An edge to an earlier (or the same) block is a back-edge.

A loop with several back-edges gets one latch, an empty last block that they go to instead (LLVM's loop-simplify): lanes
that finish an iteration early wait there for the others.
"""

from __future__ import annotations

from collections.abc import Iterator

from cuda.cpu.passes.graph import RETURN, Block, End, Graph
from cuda.cpu.ptx.error import PtxError

MOST_NESTED = 200  # loops, one in the other: the time grows with blocks times depth


def order_blocks(graph: Graph) -> None:
    """Renumber the blocks, drop unreachable ones, and find the loops."""
    order: list[int] = []
    loops: list[tuple[int, int]] = []
    successors = [_successors(block) for block in graph.blocks]
    _order(graph, successors, [0], set(range(len(graph.blocks))), order, loops, 0)
    numbers = {old: new for new, old in enumerate(order)}
    numbers[RETURN] = RETURN
    graph.blocks = [graph.blocks[old] for old in order]
    for block in graph.blocks:
        block.number = numbers[block.number]
        block.end.targets = tuple(numbers[target] for target in block.end.targets)
    graph.loops = loops


def _order(
    graph: Graph,
    successors: list[tuple[int, ...]],
    roots: list[int],
    inside: set[int],
    order: list[int],
    loops: list,
    depth: int,
) -> None:
    """Append the blocks to `order` and the loops, of which `depth` are around these blocks, to `loops`."""
    if depth > MOST_NESTED:
        lines = [graph.blocks[number].end.line for number in inside]
        raise PtxError(f"loops are nested more than {MOST_NESTED} deep", min(filter(None, lines), default=0))
    for component in _components(roots, inside, successors):
        header = component[0]
        start = len(order)
        order.append(header)
        if len(component) > 1:
            component += _join_ends(graph, successors, header, component)
            rest = set(component[1:])
            # Entered from the header first, then wherever the part can be entered from outside (irreducible loops).
            entries = [target for target in successors[header] if target in rest]
            _order(graph, successors, [*entries, *component[1:]], rest, order, loops, depth + 1)
        if len(component) > 1 or header in successors[header]:
            loops.append((start, len(order) - 1))


def _successors(block: Block) -> tuple[int, ...]:
    return tuple(target for target in block.end.targets if target != RETURN)


def _join_ends(graph: Graph, successors: list[tuple[int, ...]], header: int, component: list[int]) -> list[int]:
    """Give a loop a single latch; return its number in a list, empty if the loop has one already."""
    ends = [number for number in component if header in graph.blocks[number].end.targets]
    if len(ends) < 2:
        return []
    last = len(graph.blocks)
    for number in ends:
        end = graph.blocks[number].end
        end.targets = tuple(last if target == header else target for target in end.targets)
        successors[number] = _successors(graph.blocks[number])
    graph.blocks.append(Block(last, [], End("jump", (header,))))
    successors.append((header,))
    return [last]


def _components(roots: list[int], inside: set[int], successors: list) -> list[list[int]]:
    """Return the strongly connected components reachable from `roots`, in topological order.

    Uses Tarjan's algorithm, without recursion. The first member of a component is the one that was visited first.
    """
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    on_stack: set[int] = set()
    result: list[list[int]] = []
    work: list[tuple[int, Iterator[int]]]
    for root in roots:
        if root in index:
            continue
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        work = [(root, iter(successors[root]))]
        while work:
            node, edges = work[-1]
            for target in edges:
                if target not in inside:
                    continue
                if target not in index:
                    index[target] = low[target] = len(index)
                    stack.append(target)
                    on_stack.add(target)
                    work.append((target, iter(successors[target])))
                    break
                if target in on_stack:
                    low[node] = min(low[node], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    component = _pop_until(stack, node)
                    on_stack.difference_update(component)
                    result.append(component)
    result.reverse()
    return result


def _pop_until(stack: list[int], node: int) -> list[int]:
    """Pop a stack down to and including a node, and return the popped nodes; `index` would search the whole stack."""
    size = 1
    while stack[-size] != node:
        size += 1
    popped = stack[-size:]
    del stack[-size:]
    return popped
