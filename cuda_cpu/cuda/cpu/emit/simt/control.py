# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Control flow under masks.

Each block has a *pending* mask: lanes that have reached it and wait. A block starts by taking all of its pending lanes;
at its end they are added to its successors, and the first block in order that has lanes runs next. The passes know
where lanes can wait at all, so most of the tests vanish, and a kernel with uniform branches only has plain jumps.

In a *general* graph (`Graph.general`) lanes may wait for each other: a shared dispatcher chooses the next block,
barriers of the thread block come last, and after an iteration of a spin loop the blocks behind it run first. Lanes wait
at a warp operation until the lanes of its mask have reached one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from cuda.cpu.emit.llvm.slot import Slot
from cuda.cpu.emit.llvm.values import Shape, Value, constant
from cuda.cpu.emit.simt.frame import Frame
from cuda.cpu.passes.find_pending import first_of, upto
from cuda.cpu.passes.find_regions import is_before_barriers
from cuda.cpu.passes.graph import BLOCK, RETURN, WARP, Block, End
from cuda.cpu.passes.split_blocks import COLLECTIVES

if TYPE_CHECKING:
    from cuda.cpu.emit.simt.block_fusion import BlockFusion
    from cuda.cpu.emit.simt.regions import Regions

MOST_TESTS = 8  # in a block itself, of the blocks that may be next
SPIN_COST = 256  # of the budget, for an iteration of a spin loop: its warp should let others run


class Flow:
    """Emit the ends of a function's blocks."""

    def __init__(self, frame: Frame):
        self.frame = frame
        self.graph = frame.graph
        self.builder = frame.builder
        self.mask_type = frame.builder.mask_type
        self.block = self.graph.blocks[0]  # the one that is being emitted
        self.pending = [self.builder.slot(self.mask_type) for _ in self.graph.blocks]
        # Lanes at operations of the warp that may go on, in a general graph.
        self.released = self._slot_if_general(self.mask_type)
        # Whether the dispatcher has looked at all blocks since the last one ran.
        self.from_start = self._slot_if_general("i1")
        self._chains: dict[tuple[int, str, str, bool], str] = {}  # tests that several blocks share, see _shared_chain
        self.region = 0  # number of the region that is being emitted
        self.has_converged = False  # there is a copy of each block for converged SIMD groups
        self.tile_exits: set[int] | None = (
            None  # blocks at which SIMD groups leave the loop for uniform tiles that is being emitted
        )
        self.fusion: BlockFusion | None = None  # the fused copy that is being emitted
        self.regions: Regions | None = None  # of a kernel that has any
        self.budget: Slot | None = None  # what is left of it; None: the warp's field

    def _slot_if_general(self, element: str) -> Slot:
        """Return a slot that only the code of a general graph uses."""
        return self.builder.slot(element) if self.graph.general else Slot(self.builder, "", element)

    # --- start and end of blocks ------------------------------------------------------------------

    def label_of(self, number: int) -> str:
        if self.tile_exits is not None:
            self.tile_exits.add(number)
            return f"leave{self.region}.{number}"
        if self.fusion:
            return self.fusion.alone
        return f"b{self.region}.{number}"

    def converged_label(self, number: int) -> str:
        if self.fusion:
            return self.fusion.label_of(number)
        return f"{'w' if self.tile_exits is None else 'e'}{self.region}.{number}"

    @property
    def done(self) -> str:
        """Return the label for a SIMD group of which no lane is left."""
        if self.fusion:
            return self.fusion.alone
        return f"{'done' if self.tile_exits is None else 'tile_done'}{self.region}"

    @property
    def arrived(self) -> str:
        """Return the label for a SIMD group that has reached a barrier."""
        if self.fusion:
            return self.fusion.arrived
        return f"{'next' if self.tile_exits is None else 'tile_next'}{self.region}"

    def clear(self) -> None:
        """Let no lane wait anywhere."""
        for slot in self.pending:
            slot.store(0)
        if self.graph.general:
            self.released.store(0)

    def start(self, lanes: Value, first: int = 0) -> None:
        """Let lanes begin at a block."""
        self.pending[first].store(lanes)
        self.builder.jump(self.label_of(first))

    def begin(self, block: Block) -> None:
        """Take the block's pending lanes."""
        self.block = block
        self.builder.label(self.label_of(block.number))
        slot = self.pending[block.number]
        mask = slot.load()
        slot.store(0)
        self.frame.begin_block(block.number, mask)
        if self.graph.general and (instrumentation := self.frame.module.settings.instrumentation) is not None:
            instrumentation.report_bypassed(self.frame, block, self.pending)
        if self.graph.general and block.barrier == WARP:
            self._synchronise(block)

    def end(self, block: Block) -> None:
        """Pass the block's lanes on to its successors and go to the next block."""
        end, frame = block.end, self.frame
        frame.at_line(end.line)
        if end.kind in ("return", "exit"):
            self.leave(frame.mask, exits=end.kind == "exit")
            self._next(block, self.graph.pending[block.number], sure=False)
        elif end.kind == "jump":
            self.go(block, {end.targets[0]: frame.mask})
        elif self.graph.is_divergent(end):
            self.go(block, self.diverge(end))
        elif end.kind == "branch":
            self._choose(block, end)
        else:
            self._switch(block, end)

    def leave(self, lanes: Value, *, exits: bool) -> None:
        """Let lanes return, or exit the kernel from within a device function."""
        frame = self.frame
        if self.fusion:
            return  # it will return in its own thread block
        if exits:
            dead = frame.dead.load()
            dead = self.builder.binary("or", dead, lanes)
            frame.dead.store(dead)
        if (exits or self.graph.function.entry) and frame.module.has_barriers:
            frame.service("exit_lanes", lanes)

    # --- branches ---------------------------------------------------------------------------------

    def _choose(self, block: Block, end: End) -> None:
        """Emit a uniform branch."""
        condition = self.frame.guard_value(end.guard)
        if end.targets[0] == end.targets[1]:
            self.go(block, {end.targets[0]: self.frame.mask})
            return
        arms = [self.builder.new_label("arm"), self.builder.new_label("arm")]
        self.builder.branch(condition, *arms)
        for arm, target in zip(arms, end.targets, strict=True):
            self.builder.label(arm)
            self.go(block, {target: self.frame.mask})

    def _switch(self, block: Block, end: End) -> None:
        """Emit a uniform branch through a table."""
        if len(set(end.targets)) == 1:  # the index may then differ between lanes
            self.go(block, {end.targets[0]: self.frame.mask})
            return
        self.switch(block, end, lambda target: self.go(block, {target: self.frame.mask}))

    def switch(self, block: Block, end: End, go: Callable[[int], None]) -> None:
        """Branch to one of the targets by a uniform index, and emit `go` for each."""
        index = self.frame.read(end.index, "u32")
        arms = {target: self.builder.new_label("arm") for target in end.targets}
        # An index outside of the table is undefined in PTX; it takes the last target here.
        cases = [(position, arms[target]) for position, target in enumerate(end.targets)]
        self.builder.switch(index, cases, arms[end.targets[-1]])
        for target, arm in arms.items():
            self.builder.label(arm)
            go(target)

    def diverge(self, end: End) -> dict[int, Value]:
        """Return the lanes that go to each target of a divergent branch."""
        builder, mask = self.builder, self.frame.mask
        lanes: dict[int, Value] = {}
        if end.kind == "branch":
            taken = builder.lane_bits(self.frame.guard_value(end.guard))
            lanes[end.targets[0]] = builder.binary("and", taken, mask)
            rest = builder.binary("xor", taken, -1)
            lanes[end.targets[1]] = builder.binary("and", rest, mask)
        else:
            index, rest = self.frame.read(end.index, "u32"), mask
            for position, target in enumerate(end.targets[:-1]):
                equal = builder.lane_bits(builder.compare("icmp eq", index, constant(position, "i32")))
                here = builder.binary("and", equal, mask)
                rest = builder.binary("xor", rest, here)
                self._merge(lanes, target, here)
            self._merge(lanes, end.targets[-1], rest)
        if instrumentation := self.frame.module.settings.instrumentation:
            instrumentation.branch(self.frame, end, lanes)
        return lanes

    def _merge(self, lanes: dict[int, Value], target: int, more: Value) -> None:
        known = lanes.get(target)
        lanes[target] = more if known is None else self.builder.binary("or", known, more)

    # --- successors ------------------------------------------------------------------------------

    def go(self, block: Block, lanes: dict[int, Value]) -> None:
        """Add lanes to successors and go to the next block."""
        builder = self.builder
        before = self.graph.pending[block.number]
        waiting = before
        for target, mask in lanes.items():
            if target == RETURN:
                self._return_some(mask, sure=len(lanes) == 1)
                continue
            slot = self.pending[target]
            if before >> target & 1:
                old = slot.load()
                mask = builder.binary("or", old, mask)
            slot.store(mask)
            waiting |= 1 << target
        targets = [target for target in lanes if target != RETURN]
        sure = RETURN not in lanes and not block.leaves
        if self.graph.general:
            self._dispatch(block, targets)
        else:
            self._next(block, upto(waiting, max(targets)) if sure else waiting, sure=sure)

    def _return_some(self, mask: Value, *, sure: bool) -> None:
        """Let the lanes of `mask`, which may be empty, return."""
        if sure or not (self.graph.function.entry and self.frame.module.has_barriers):
            self.leave(mask, exits=False)
            return
        some, after = self.builder.new_label("leave"), self.builder.new_label("left")
        self.builder.branch(self.builder.is_zero(mask), after, some)
        self.builder.label(some)
        self.leave(mask, exits=False)
        self.builder.jump(after)
        self.builder.label(after)

    def _next(self, block: Block, candidates: int, *, sure: bool) -> None:
        """Jump to the first of the candidates that has lanes; `sure`: one of them has."""
        if self.graph.general:
            self.builder.jump(f"dispatch{self.region}")
            return
        self._chain(candidates, block.number, self.done, sure=sure)

    def _chain(self, blocks: int, current: int, otherwise: str, *, sure: bool = False) -> None:
        """Jump to the first of some blocks that has lanes. Back edges (to `current` or before) poll.

        Behind the first few, the tests are shared with other blocks whose candidates end alike: where hundreds of
        blocks may wait, there would otherwise be as many tests behind each.
        """
        builder, tests = self.builder, 0
        polls: list[tuple[str, int]] = []

        def label_of(number: int) -> str:
            if number > current:
                return self.label_of(number)
            polls.append((builder.new_label("back"), number))
            return polls[-1][0]

        while blocks:
            number = first_of(blocks)
            if tests >= MOST_TESTS and number > current:
                self._shared_chain(blocks, otherwise, sure)
                break
            blocks ^= 1 << number
            if sure and not blocks:
                builder.jump(label_of(number))
                break
            self._test(number, label_of(number))
            tests += 1
        else:
            builder.jump(otherwise)
        for label, number in polls:
            builder.label(label)
            self.poll(self.cost_of(number))
            builder.jump(self.label_of(number))

    def _shared_chain(self, blocks: int, otherwise: str, sure: bool) -> None:
        """Do the same for blocks behind the current one, with tests that other blocks have emitted where possible."""
        while blocks:
            number = first_of(blocks)
            rest = blocks ^ 1 << number
            target = self.label_of(number)
            if sure and not rest:
                self.builder.jump(target)
                return
            key = (blocks, target, otherwise, sure)
            known = self._chains.get(key)
            if known is not None:
                self.builder.jump(known)
                return
            label = self._chains[key] = self.builder.new_label("chain")
            self.builder.jump(label)
            self.builder.label(label)
            self._test(number, target)
            blocks = rest
        self.builder.jump(otherwise)

    def _test(self, number: int, target: str) -> None:
        """Jump to `target` if there are lanes at a block."""
        builder = self.builder
        lanes = self.pending[number].load()
        following = builder.new_label("try")
        builder.branch(builder.is_zero(lanes), following, target)
        builder.label(following)

    def ends_iteration(self, first: int, last: int) -> bool:
        """Return whether the edge from a block to an earlier one ends an iteration of a loop without barriers.

        Where SIMD groups go from barrier to barrier, the loop over them polls.
        """
        return first <= last and (not self.graph.regions or is_before_barriers(self.graph, first, last))

    def cost_of(self, number: int) -> int:
        """Return the budget that another iteration of the loop with this header costs."""
        return SPIN_COST if number in self.graph.spins else 1

    def poll(self, cost: Value | int) -> None:
        """Spend some of the budget; call the runtime when it is used up."""
        builder = self.builder
        budget = self.budget or self.frame.warp_slot("budget", "i32")
        left = budget.load()
        left = builder.binary("sub", left, cost)
        budget.store(left)
        over = builder.compare("icmp sle", left, 0)
        call, after = builder.new_label("poll"), builder.new_label("polled")
        builder.branch(over, call, after, likely=False)
        builder.label(call)
        self.frame.service("poll")
        if self.budget:
            budget.store(self.frame.warp_slot("budget", "i32").load())
        builder.jump(after)
        builder.label(after)

    # --- general graphs ---------------------------------------------------------------------------

    def _dispatch(self, block: Block, targets: list[int]) -> None:
        """Continue in the dispatcher; at the end of an iteration of a spin loop, with the blocks behind the loop."""
        back = [target for target in targets if target <= block.number]
        if not back:
            self.builder.jump(f"dispatch{self.region}")
            return
        waits = not self.graph.spins.isdisjoint(back)
        self.poll(SPIN_COST if waits else 1)
        behind = sum(1 << b.number for b in self.graph.blocks[block.number + 1 :] if not b.waits) if waits else 0
        self.from_start.store(0)
        self._chain(behind, -1, f"dispatch{self.region}")

    def dispatcher(self) -> None:
        """Emit the dispatcher of a general graph: the first block with lanes, barriers of the thread block last."""
        if not self.graph.general:
            return
        builder, blocks = self.builder, self.graph.blocks
        builder.label(f"dispatch{self.region}")
        self.from_start.store(1)
        self._try([block for block in blocks if not block.waits])
        # Lanes before the warp operation at which the dispatcher was entered may still run.
        last = builder.new_label("last")
        builder.branch(self.from_start.load(), last, f"dispatch{self.region}")
        builder.label(last)
        self._release_missed()
        self._try([block for block in blocks if block.waits])
        # No lane can reach the lanes that still wait: undefined behaviour in PTX, but the kernel must end.
        stuck, force = self._lanes_at(lambda block: block.barrier == WARP), builder.new_label("force")
        builder.branch(builder.is_zero(stuck), self.done, force)
        builder.label(force)
        if (instrumentation := self.frame.module.settings.instrumentation) is not None:
            instrumentation.report_stranded(self.frame, self.pending)
        self.released.store(-1)
        builder.jump(f"dispatch{self.region}")

    def _release_missed(self) -> None:
        """Let checks report lanes at warp operations that others have passed; these lanes then go on."""
        instrumentation = self.frame.module.settings.instrumentation
        lanes = instrumentation.report_missed(self.frame, self.pending) if instrumentation is not None else None
        if lanes is None:
            return
        builder = self.builder
        none, some = builder.new_label("missed_none"), builder.new_label("missed")
        builder.branch(builder.is_zero(lanes), none, some)
        builder.label(some)
        self.released.store(builder.binary("or", self.released.load(), lanes))
        builder.jump(f"dispatch{self.region}")
        builder.label(none)

    def _try(self, blocks: list[Block]) -> None:
        """Run the first of some blocks that has lanes, if these need not wait there."""
        for block in blocks:
            following = self._after(block.number) if block.barrier == WARP else self.builder.new_label("try")
            lanes = self.pending[block.number].load()
            self.builder.branch(self.builder.is_zero(lanes), following, self.label_of(block.number))
            self.builder.label(following)

    def _after(self, number: int) -> str:
        """Return the label at which the dispatcher goes on if the lanes at a warp operation have to wait."""
        return f"after{self.region}.{number}"

    def _lanes_at(self, belongs: Callable[[Block], bool]) -> Value:
        """Return the lanes that wait at some of the blocks."""
        builder, found = self.builder, self.builder.mask(0)
        for block, slot in zip(self.graph.blocks, self.pending, strict=True):
            if belongs(block):
                here = slot.load()
                found = builder.binary("or", found, here)
        return found

    def _synchronise(self, block: Block) -> None:
        """Let the lanes of the block wait until none of the lanes in their mask is on its way; see 9.7.14.2 of the
        manual.

        Then all lanes of the mask may go on, wherever they are: lanes may reach bar.warp.sync at different
        instructions.
        """
        builder, frame = self.builder, self.frame
        named = self._named(block)
        # A lane at an operation with a result has reached no other one.
        same_kind = [other for other in self.graph.blocks if _is_warp_barrier(block) and _is_warp_barrier(other)]
        elsewhere = self._lanes_at(lambda other: other is not block and other not in same_kind)
        waiting = self._lanes_at(lambda other: other is not block and other in same_kind)
        missing = builder.binary("and", named, elsewhere)
        released = self.released.load()
        held = builder.binary("xor", released, -1)
        held = builder.binary("and", held, frame.mask)
        all_here, free = builder.is_zero(missing), builder.is_zero(held)
        go, wait = builder.new_label("go"), builder.new_label("wait")
        builder.branch(builder.binary("or", all_here, free), go, wait)
        builder.label(wait)
        self.pending[block.number].store(frame.mask)
        builder.jump(self._after(block.number))
        builder.label(go)
        arrived = builder.binary("and", named, waiting)
        arrived = builder.select(all_here, arrived, 0)
        left = builder.binary("xor", frame.mask, -1)
        left = builder.binary("and", released, left)
        self.released.store(builder.binary("or", left, arrived))

    def _named(self, block: Block) -> Value:
        """Return the mask of a warp operation, the union over the lanes that run it."""
        builder, frame = self.builder, self.frame
        members = frame.read(block.steps[0].instruction.operands[-1], "b32")
        if members.shape is Shape.UNIFORM:
            return builder.resize(members, self.mask_type)
        every = builder.broadcast(constant(0, "i32"))
        chosen = builder.select(frame.lanes(), members, every)
        name = f"llvm.vector.reduce.or.v{frame.width}i32"
        frame.module.declare(name, "i32", [f"<{frame.width} x i32>"])
        found = builder.call(name, "i32", builder.typed(chosen))
        return builder.resize(Value(found, "i32", Shape.UNIFORM), self.mask_type)

    def joined_lanes(self) -> Value:
        """Return the lanes at all blocks with the same barrier, and let them go on behind it.

        Lanes of one warp may reach a barrier at different instructions; the warp waits for it once.
        """
        mask, block = self.frame.mask, self.block
        if not self.graph.general:
            return mask
        for other in self.graph.blocks:
            if other is block or other.barrier != BLOCK or not _same_barrier(other, block):
                continue
            here = self.pending[other.number].load()
            self.pending[other.number].store(0)
            if instrumentation := self.frame.module.settings.instrumentation:
                instrumentation.joined(self.frame, other, here)
            mask = self.builder.binary("or", mask, here)
            target = other.end.targets[0] if other.end.targets else RETURN
            if target == RETURN:
                self._return_some(here, sure=False)
                continue
            old = self.pending[target].load()
            both = self.builder.binary("or", old, here)
            self.pending[target].store(both)
        return mask


def _is_warp_barrier(block: Block) -> bool:
    """Return whether a block is a bar.warp.sync, at which lanes of several instructions synchronise."""
    return block.barrier == WARP and block.steps[0].instruction.opcode not in COLLECTIVES


def _same_barrier(a: Block, b: Block) -> bool:
    """Return whether two barrier blocks certainly name the same barrier, and wait for it without a result."""
    first, second = a.steps[0].instruction, b.steps[0].instruction
    same = (first.opcode, first.modifiers, first.operands) == (second.opcode, second.modifiers, second.operands)
    return same and not {"sync", "wait"}.isdisjoint(first.modifiers) and not a.steps[0].reads
