# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""mbarrier objects, ISA manual 9.7.14.16.

The 64 bits of an mbarrier are opaque in the manual. Here, from the lowest: 20 bits pending arrivals of the phase, 20
bits expected arrivals of each phase, 22 bits pending bytes of copies (tx-count), 2 bits number of the phase. `arrive`
returns all 64 bits as they were before it.
"""

from __future__ import annotations

from cuda.cpu.emit.access.addresses import pointers, space_name, space_of
from cuda.cpu.emit.access.gather_scatter import load, store
from cuda.cpu.emit.access.lanes import for_each_lane
from cuda.cpu.emit.llvm.registry import emits
from cuda.cpu.emit.llvm.values import Value, constant
from cuda.cpu.emit.simt.frame import Frame
from cuda.cpu.ptx.instructions import Form
from cuda.cpu.ptx.syntax import Address, Instruction

_COUNT = (1 << 20) - 1
_PHASE = 62  # the phase's first bit

_UPDATE = f"""
define internal i64 @mbarrier.update(ptr %p, i64 %arrived, i64 %dropped, i64 %bytes) #1 {{
entry:
  %first = load atomic i64, ptr %p acquire, align 8
  br label %again
again:
  %old = phi i64 [ %first, %entry ], [ %seen, %again ]
  %lacking = and i64 %old, {_COUNT}
  %shifted = lshr i64 %old, 20
  %expected = and i64 %shifted, {_COUNT}
  %high = lshr i64 %old, 40
  %sum = add i64 %high, %bytes
  %left = and i64 %sum, 4194303
  %phase = lshr i64 %old, {_PHASE}
  %lacks = sub i64 %lacking, %arrived
  %expects = sub i64 %expected, %dropped
  %either = or i64 %lacks, %left
  %complete = icmp eq i64 %either, 0
  %step = zext i1 %complete to i64
  %next = add i64 %phase, %step
  %count = select i1 %complete, i64 %expects, i64 %lacks
  %a = shl i64 %next, {_PHASE}
  %b = shl i64 %left, 40
  %c = shl i64 %expects, 20
  %ab = or i64 %a, %b
  %cd = or i64 %c, %count
  %new = or i64 %ab, %cd
  %pair = cmpxchg ptr %p, i64 %old, i64 %new acq_rel acquire, align 8
  %seen = extractvalue {{ i64, i1 }} %pair, 0
  %done = extractvalue {{ i64, i1 }} %pair, 1
  br i1 %done, label %over, label %again
over:
  ret i64 %old
}}
"""


def update(frame: Frame, pointer: Value, arrived: Value, dropped: Value, transferred: Value) -> Value:
    """Count arrivals, threads that drop out, and expected bytes; return the state before.

    Parameters
    ----------
    pointer : Value
        Host address of each lane's barrier.
    arrived, dropped, transferred : Value
        i64; `transferred` is positive for expected and negative for completed bytes.
    """
    if not frame.module.has("mbarrier.update"):
        frame.module.define("mbarrier.update", _UPDATE)
    body = "%r = call i64 @mbarrier.update(ptr %x0, i64 %x1, i64 %x2, i64 %x3)"
    return for_each_lane(frame, "mbarrier", "i64", body, pointer, arrived, dropped, transferred)


def complete_bytes(frame: Frame, barrier: Address, space: str | None, amount: Value | int) -> None:
    """Emit complete_tx: count bytes as transferred."""
    builder, zero = frame.builder, constant(0, "i64")
    amount = constant(amount, "i64") if isinstance(amount, int) else builder.resize(amount, "i64")
    update(frame, pointers(frame, barrier, space_name(space)), zero, zero, builder.binary("sub", zero, amount))


@emits("mbarrier")
def emit_mbarrier(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Dispatch on the operation, which is the first modifier."""
    _OPERATIONS[form.modifiers[0]](frame, instruction, form)


def _initialise(frame: Frame, instruction: Instruction, form: Form) -> None:
    builder = frame.builder
    count = builder.resize(frame.read(instruction.operands[1], "u32"), "i64")
    state = builder.binary("or", builder.binary("shl", count, constant(20, "i64")), count)
    store(frame, pointers(frame, instruction.address(0), space_of(form)), state, "release")


def _invalidate(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Emit nothing: the memory may be reused as it is."""


def arrivals(frame: Frame, instruction: Instruction, form: Form) -> tuple[Value, Value, Value]:
    """Return what arrive and arrive_drop count: arrivals, threads that drop out, expected bytes."""
    rest = instruction.operands[2:]
    amount = frame.builder.resize(frame.read(rest[0], "u32"), "i64") if rest else constant(1, "i64")
    zero, one = constant(0, "i64"), constant(1, "i64")
    arrived, expected = (one, amount) if form.op == "expect_tx" else (amount, zero)
    return arrived, arrived if form.modifiers[0] == "arrive_drop" else zero, expected


def _arrive(frame: Frame, instruction: Instruction, form: Form) -> None:
    counts = arrivals(frame, instruction, form)
    pointer = pointers(frame, instruction.address(1), space_of(form))
    frame.write(instruction.operands[0], update(frame, pointer, *counts))


def transferred(frame: Frame, instruction: Instruction, form: Form) -> Value:
    """Return the bytes of expect_tx or, negative, of complete_tx."""
    amount = frame.builder.resize(frame.read(instruction.operands[1], "u32"), "i64")
    if form.modifiers[0] == "complete_tx":
        amount = frame.builder.binary("sub", constant(0, "i64"), amount)
    return amount


def _transfer(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Emit expect_tx or complete_tx."""
    zero, amount = constant(0, "i64"), transferred(frame, instruction, form)
    update(frame, pointers(frame, instruction.address(0), space_of(form)), zero, zero, amount)


def _test(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Test whether the phase of a state, or of a parity, is complete. try_wait need not block: programs loop."""
    builder = frame.builder
    destination, _, state = instruction.operands[:3]
    now = load(frame, pointers(frame, instruction.address(1), space_of(form)), "i64", "acquire")
    phase = builder.binary("lshr", now, constant(_PHASE, "i64"))
    if form.parity:
        wanted = builder.resize(frame.read(state, "u32"), "i64")
        differs = builder.binary("and", builder.binary("xor", phase, wanted), constant(1, "i64"))
    else:
        differs = builder.binary(
            "xor", phase, builder.binary("lshr", frame.read(state, "b64"), constant(_PHASE, "i64"))
        )
    frame.write(destination, builder.compare("icmp ne", differs, constant(0, "i64")))


def _pending(frame: Frame, instruction: Instruction, form: Form) -> None:
    builder = frame.builder
    lacking = builder.binary("and", frame.read(instruction.operands[1], "b64"), constant(_COUNT, "i64"))
    frame.write(instruction.operands[0], builder.resize(lacking, "i32"))


_OPERATIONS = {
    "init": _initialise,
    "inval": _invalidate,
    "arrive": _arrive,
    "arrive_drop": _arrive,
    "expect_tx": _transfer,
    "complete_tx": _transfer,
    "test_wait": _test,
    "try_wait": _test,
    "pending_count": _pending,
}
