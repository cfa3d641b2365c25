# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The copy of a function for converged SIMD groups: all lanes run, are consecutive, and branch alike.

It has no masks, and affine registers are their bases alone. Where lanes diverge, or a value that is widened wraps
around, the SIMD group continues in the general copy; it may come back where the lanes have reconverged (`reentries`).
The predicate of a branch is often known for all lanes from the first and the last one of each segment
(`track_predicate`): then nothing is computed lane by lane.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence

from cuda.cpu.emit.access import affine
from cuda.cpu.emit.access.linear import is_nothing
from cuda.cpu.emit.llvm.values import ELEMENTS, Value, constant, integer_predicate, width_of
from cuda.cpu.emit.simt import predication
from cuda.cpu.emit.simt.control import Flow
from cuda.cpu.emit.simt.frame import Frame
from cuda.cpu.emit.simt.frame_state import Copy, Known
from cuda.cpu.passes.find_affine import INTEGERS, stride_of, widened
from cuda.cpu.passes.graph import BLOCK, RETURN, Block, End, Step
from cuda.cpu.ptx.instructions import Form
from cuda.cpu.ptx.syntax import Negated, Operand, Pair, Register

COMPARISONS = {"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"}


def begin(frame: Frame, flow: Flow, block: Block, *, continues: bool) -> None:
    """Begin the block's copy for converged SIMD groups; `continues`: that of the block before leads to it alone."""
    frame.builder.label(flow.converged_label(block.number))
    flow.block = block
    if continues:
        frame.continue_block(block.number)
    else:
        frame.begin_block(block.number, frame.builder.mask(-1), alone=True)
    _check_widening(frame, flow, block)


def copy_of(frame: Frame, *, in_loop: bool) -> Copy:
    """Return the copy of a block for converged SIMD groups."""
    return Copy(consecutive=bool(frame.consecutive_slot), full=True, converged=True, in_loop=in_loop)


def enter_if(frame: Frame, flow: Flow, mask: Value, number: int) -> None:
    """Continue in the copy of a block for converged SIMD groups if this one is converged."""
    builder = frame.builder
    every = builder.compare("icmp eq", mask, -1)
    if frame.consecutive_slot:
        every = builder.binary("and", every, frame.is_consecutive())
    other = builder.new_label("general")
    unsure = frame.graph.converged_only
    bases = [name for name in live_affine(frame, frame.graph.live_in[number]) if name in unsure] if unsure else []
    if unsure:
        look = builder.new_label("look")
        builder.branch(every, look, other)
        builder.label(look)
        with frame.restoring_registers():
            found = _find_bases(frame, bases)
            every = builder.every([found, *affine.same_quotients(frame, frame.graph.blocks[number])])
    builder.branch(every, flow.converged_label(number), other)
    builder.label(other)


def _find_bases(frame: Frame, names: list[str]) -> Value:
    """Set the bases of registers by the vectors; return whether these are affine."""
    builder, count, found = frame.builder, affine.lanes_of_segment(frame), constant(1, "i1")
    for name in names:
        vector = frame.get(name)
        first, *others = (builder.extract(vector, str(segment * count)) for segment in affine.segments(frame))
        affine.base_slot(frame, name, 0).store(first)
        for segment, other in enumerate(others, 1):
            affine.base_slot(frame, name, segment).store(builder.binary("sub", other, first))
        same = builder.lane_bits(builder.compare("icmp eq", vector, affine.vector_of(frame, name)))
        found = builder.binary("and", found, builder.compare("icmp eq", same, -1))
    return found


def _check_widening(frame: Frame, flow: Flow, block: Block, elsewhere: dict[int, Value] | None = None) -> None:
    """Continue in the general copy if a value that the block widens wraps around within the SIMD group.

    `elsewhere` has the lanes that wait for those of the block, by the numbers of their blocks.
    """
    fits = [
        affine.fits_group(frame, source, stride, step.operation()[1].type)
        for step in block.steps
        for source, stride in widened(frame.graph, step)
    ]
    same = affine.same_quotients(frame, block)
    if not fits and not same:
        return
    builder = frame.builder
    stay, wraps = builder.new_label("stay"), builder.new_label("wraps")
    builder.branch(builder.every([*fits, *same]), stay, wraps, likely=True)
    builder.label(wraps)
    live, lanes = 0, {**(elsewhere or {}), block.number: frame.mask}
    for number, mask in lanes.items():
        live |= frame.graph.live_in[number]
        flow.pending[number].store(mask)
    store_vectors(frame, live)
    frame.set_consecutive(builder.every(fits))
    builder.jump(flow.label_of(block.number))
    builder.label(stay)


def store_vectors(frame: Frame, live: int) -> None:
    """Store the vectors of affine registers, which the general copy works with."""
    with frame.restoring_registers():
        for name in live_affine(frame, live):
            frame.slot(name).store(affine.vector_of(frame, name))


# --- ends of blocks -----------------------------------------------------------------------------------


def end(frame: Frame, flow: Flow, block: Block, emit_step: Callable[[Frame, Step], None]) -> None:
    """Go where all lanes go; where they diverge, both ways if these are short, or else to the general copy."""
    builder, at_end = frame.builder, block.end
    frame.at_line(at_end.line)
    if at_end.kind in ("return", "exit"):
        flow.leave(flow.builder.mask(-1), exits=at_end.kind == "exit")
        builder.jump(flow.done)
    elif at_end.kind == "jump" or len(set(at_end.targets)) == 1:
        _go(flow, block, at_end.targets[0])
    elif frame.graph.is_divergent(at_end):
        _diverge(frame, flow, block, at_end, emit_step)
    elif at_end.kind == "branch":
        arms = [builder.new_label("arm"), builder.new_label("arm")]
        builder.branch(frame.guard_value(at_end.guard), *arms)
        for arm, target in zip(arms, at_end.targets, strict=True):
            builder.label(arm)
            _go(flow, block, target)
    else:
        flow.switch(block, at_end, lambda target: _go(flow, block, target))


def _go(flow: Flow, block: Block, target: int) -> None:
    if target == RETURN:
        flow.leave(flow.builder.mask(-1), exits=False)
        flow.builder.jump(flow.done)
        return
    if flow.regions and target <= block.number and target in flow.regions.interleaving:
        flow.regions.interleaving.end_iteration(block, target)
        return
    if flow.ends_iteration(target, block.number):
        flow.poll(flow.cost_of(target))
    flow.builder.jump(flow.converged_label(target))


def _diverge(frame: Frame, flow: Flow, block: Block, at_end: End, emit_step: Callable[[Frame, Step], None]) -> None:
    builder = frame.builder
    if at_end.kind == "branch":
        register = at_end.guard.register
        known = _known(frame, register) or _known_anew(frame, register, emit_step)
        every, none = known or _count(frame, register)
        if at_end.guard.negated:
            every, none = none, every
        for condition, target in ((every, at_end.targets[0]), (none, at_end.targets[1])):
            arm, other = builder.new_label("arm"), builder.new_label("part")
            builder.branch(condition, arm, other)
            builder.label(arm)
            _go(flow, block, target)
            builder.label(other)
    arms = predication.arms_of(frame, block)
    if arms and not (flow.fusion and flow.fusion.excludes(arms)):

        def check(block: Block, elsewhere: dict[int, Value]) -> None:
            _check_widening(frame, flow, block, elsewhere)

        predication.emit_arms(frame, flow, at_end, arms, emit_step, check)
        return
    live = 0
    for target in at_end.targets:
        live |= frame.graph.live_in[target] if target != RETURN else 0
    store_vectors(frame, live)
    flow.go(block, flow.diverge(at_end))


def _count(frame: Frame, register: str) -> Known:
    """Return whether all lanes' predicates hold, and whether none does."""
    builder = frame.builder
    bits = builder.lane_bits(frame.get(register))
    return builder.compare("icmp eq", bits, -1), builder.is_zero(bits)


# --- predicates that are known for all lanes -------------------------------------------------------------------------

TRACKED = {"setp", "and", "or", "not", "mov"}


def track_predicate(frame: Frame, step: Step) -> None:
    """Find out whether a predicate that the step writes holds for all lanes or for none, if that is cheap."""
    instruction, form = step.operation()
    for name in step.writes:
        frame.block.known.pop(name, None)
    if instruction.guard is not None or not instruction.operands:
        return
    first = instruction.operands[0]
    target = first.first if isinstance(first, Pair) else first
    if not isinstance(target, Register):
        return
    if form.opcode == "setp":
        found = _compare(frame, form, instruction.operands)
        boolop = getattr(form, "boolop", None)
        if found and boolop:
            found = _combine(frame, boolop, found, _known_operand(frame, instruction.operands[3]))
    elif form.opcode in ("and", "or", "not", "mov") and form.type == "pred":
        found = _known_operand(frame, instruction.operands[1])
        if form.opcode == "not" and found:
            found = found[1], found[0]
        elif form.opcode in ("and", "or") and found:
            found = _combine(frame, form.opcode, found, _known_operand(frame, instruction.operands[2]))
    else:
        return
    if found:
        frame.block.known[target.name] = found


def _known(frame: Frame, register: str) -> Known | None:
    if frame.graph.is_uniform(register):
        value = frame.get(register)
        return value, frame.builder.complement(value)
    return frame.block.known.get(register)


def _known_anew(frame: Frame, register: str, emit_step: Callable[[Frame, Step], None]) -> Known | None:
    """Repeat a comparison of another block, if that is cheap: one lane's comparison may decide for all."""
    graph, steps = frame.graph, frame.facts.recomputed[0].get(register, ())
    varying = [step for step in steps if not (graph.is_uniform(step.writes[0]) or graph.has_base(step.writes[0]))]
    if any(step.operation()[1].opcode not in TRACKED for step in varying):
        return None
    for step in steps:
        emit_step(frame, step)
    return frame.block.known.get(register)


def _known_operand(frame: Frame, operand: Operand) -> Known | None:
    if isinstance(operand, Negated):
        found = _known(frame, operand.operand.name)
        return found and (found[1], found[0])
    return _known(frame, operand.name) if isinstance(operand, Register) else None


def _combine(frame: Frame, boolop: str, a: Known, b: Known | None) -> Known | None:
    if b is None or boolop not in ("and", "or"):
        return None
    every, none = ("and", "or") if boolop == "and" else ("or", "and")
    builder = frame.builder
    return builder.binary(every, a[0], b[0]), builder.binary(none, a[1], b[1])


def _compare(frame: Frame, form: Form, operands: tuple[Operand, ...]) -> Known | None:
    """Compare the first and the last lane of each segment: base + stride * lane is monotonic."""
    type_ = form.type
    if type_ not in INTEGERS or form.cmp not in COMPARISONS:
        return None
    strides = [stride for operand in operands[1:3] if (stride := stride_of(frame.graph, operand)) is not None]
    if len(strides) < 2:
        return None
    builder, last = frame.builder, affine.lanes_of_segment(frame) - 1
    every = none = constant(1, "i1")
    far = [last * stride for stride in strides]
    for segment in affine.segments(frame):
        ends, sound = [], constant(1, "i1")
        with frame.in_segment(segment):
            for operand, stride in zip(operands[1:3], strides, strict=True):
                base = frame.read(operand, type_)
                end_ = builder.binary("add", base, constant(last * stride, ELEMENTS[type_])) if stride else base
                if stride:
                    sound = builder.binary("and", sound, affine.fits(frame, base, type_, last * stride))
                ends.append((base, end_))
        (a, a_end), (b, b_end) = ends
        here, nowhere = _compare_ends(frame, form, type_, (a, b), (a_end, b_end))
        here, nowhere = builder.binary("and", here, sound), builder.binary("and", nowhere, sound)
        here = _compare_far_end(frame, form, type_, (a, b), far) or here
        every = builder.binary("and", every, here) if segment else here
        none = builder.binary("and", none, nowhere) if segment else nowhere
    at_once = _compare_at_once(frame, form, operands, far)
    return at_once or every, none


def _compare_at_once(frame: Frame, form: Form, operands: tuple[Operand, ...], far: list[int]) -> Value | None:
    """Compare one lane for all segments, where the later ones lie in the direction of the stride."""
    beyond = []
    for segment in affine.segments(frame)[1:]:
        distances = [affine.distance_of(frame, operand, segment) for operand in operands[1:3]]
        moved, fixed = distances if far[0] else distances[::-1]
        if moved is None or fixed is None or not is_nothing(fixed) or is_nothing(moved):
            return None
        beyond.append(moved)
    if not beyond:
        return None
    with frame.in_segment(0):
        a, b = (frame.read(operand, form.type) for operand in operands[1:3])
    return _compare_far_end(frame, form, form.type, (a, b), far, beyond)


MIRRORED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "lo": "hi", "ls": "hs", "hi": "lo", "hs": "ls"}


def _compare_far_end(
    frame: Frame, form: Form, type_: str, bases: tuple[Value, Value], far: list[int], beyond: Sequence[Value] = ()
) -> Value | None:
    """Compare a base with a bound that leaves room for the other lanes; None if another lane decides.

    All of base .. base + far are less than the bound, and none wraps around, if base is less than bound - far: one
    comparison, with a loop invariant. Where bound - far would wrap around, no base is less. `beyond` is where the other
    segments begin; if one does in the other direction, which is rare, the SIMD group continues in the general copy.
    """
    builder = frame.builder
    cmp, (a, b) = form.cmp, bases
    if not far[0]:
        cmp, a, b, far = MIRRORED.get(cmp, ""), b, a, far[::-1]
    less = cmp in ("lt", "le", "lo", "ls")
    if far[1] or not far[0] or cmp not in MIRRORED or less != (far[0] > 0):
        return None
    room = abs(far[0]) - (cmp in ("le", "ge", "ls", "hs"))
    kind = "s" if type_.startswith("s") and cmp[1] in "et" else "u"  # lo, ls, hi and hs are unsigned
    if room >= 1 << width_of(b.element) - (kind == "s"):  # all numbers lie between the lanes
        return None
    saturated = f"{kind}{'sub' if less else 'add'}.sat"
    bound = builder.intrinsic(saturated, b.element, b, constant(room, b.element))
    if beyond:
        nothing = constant(0, b.element)
        steps = [builder.resize(each, b.element, signed=True) for each in beyond]
        steps = steps if less else [builder.binary("sub", nothing, each) for each in steps]
        least = functools.reduce(functools.partial(builder.intrinsic, "smin", b.element), steps)
        most = functools.reduce(functools.partial(builder.intrinsic, "smax", b.element), steps)
        low, high = affine.range_of(kind + b.element[1:])
        bound = builder.intrinsic(saturated, b.element, bound, most)
        on_the_way = builder.compare("icmp sge", least, nothing)
        bound = builder.select(on_the_way, bound, constant(low if less else high, b.element))
    return builder.compare(f"icmp {kind}{'lt' if less else 'gt'}", a, bound)


def _compare_ends(frame: Frame, form: Form, type_: str, first: tuple, last: tuple) -> tuple[Value, Value]:
    builder = frame.builder
    if form.cmp not in ("eq", "ne"):
        ends = [builder.compare(f"icmp {integer_predicate(form.cmp, type_)}", *each) for each in (first, last)]
        neither = builder.complement(builder.binary("or", *ends))
        return builder.binary("and", *ends), neither
    sign = "s" if type_.startswith("s") else "u"
    equal, less, more = (
        builder.binary("and", *(builder.compare(f"icmp {name}", *each) for each in (first, last)))
        for name in ("eq", sign + "lt", sign + "gt")
    )
    apart = builder.binary("or", less, more)
    return (equal, apart) if form.cmp == "eq" else (apart, equal)


# --- where reconverged lanes come back -------------------------------------------------------------


def continuing(frame: Frame, numbers: tuple[int, ...]) -> set[int]:
    """Return the blocks that one jump leads to, from the block before: such as were split, see find_breaks."""
    graph, inside, regions = frame.graph, set(numbers), frame.flow.regions
    resumed = regions.fusion.ends if regions and regions.fusion else ()  # SIMD groups of fused thread blocks
    return {
        number
        for number in inside.difference(resumed)
        if number - 1 in inside
        and frame.facts.ways[number] == 1
        and graph.blocks[number - 1].end.kind == "jump"
        and graph.blocks[number - 1].end.targets == (number,)
        and not (graph.regions and BLOCK in (graph.blocks[number - 1].barrier, graph.blocks[number].barrier))
    }


def reentries(frame: Frame, numbers: tuple[int, ...]) -> tuple[set[int], set[int]]:
    """Return the blocks at which the general copy checks whether its SIMD group is converged (again), and those in
    loops.

    Not inside of loops: these would have two entries then, and be irreducible for LLVM. Of blocks that continue each
    other, at the first one.
    """
    graph, inside, continued = frame.graph, set(numbers), continuing(frame, numbers)
    before: dict[int, int] = dict.fromkeys(numbers, 0)
    headers: dict[int, int] = {}
    for number in numbers:
        if graph.regions and graph.blocks[number].barrier == BLOCK:
            continue
        for target in set(graph.blocks[number].end.targets) & inside:
            before[target] += 1
            if target <= number:
                headers[target] = max(number, headers.get(target, 0))
    found, loops = {numbers[0]}, set()
    end_of_loop = -1
    for number in numbers:
        if number <= end_of_loop:
            loops.add(number)
            continue
        end_of_loop = headers.get(number, -1)
        if end_of_loop >= 0:
            loops.add(number)
        if graph.divergent >> number & 1 and number not in continued:
            parts = [number, *itertools.takewhile(continued.__contains__, itertools.count(number + 1))]
            if before[number] > 1 or any(affine.has_vector_access(frame, graph.blocks[each]) for each in parts):
                found.add(number)
    return found, loops


def live_affine(frame: Frame, live: int) -> list[str]:
    """Return the affine registers among some."""
    return frame.facts.names_of(live & frame.facts.affine)


def names_of(frame: Frame, registers: int) -> list[str]:
    """Return the names of a set of registers, without the special ones."""
    return [name for name in frame.facts.names_of(registers) if name in frame.facts.function.registers or name == "%cc"]
