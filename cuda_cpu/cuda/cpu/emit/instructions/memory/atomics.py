# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Atomic operations: ISA manual 9.7.14.5 (atom) and 9.7.14.6 (red).

Lanes are processed one after the other; the manual leaves their order open. The threads of a block, a grid and the host
share one coherent memory, so scopes only matter to the only worker that executes blocks (sole_worker.py).
`atom.add.f32` preserves subnormal numbers in every state space, which the manual allows.
"""

from __future__ import annotations

import functools

from cuda.cpu.emit.access.addresses import pointers, space_name, space_of, split_shared_address
from cuda.cpu.emit.access.indexed import NARROW, index_of, pointer_by_index, split
from cuda.cpu.emit.access.lanes import for_each_lane
from cuda.cpu.emit.instructions.memory import contiguous_atomics, sole_worker
from cuda.cpu.emit.instructions.memory.conflicts import (
    COMBINES,
    FEWEST,
    FOLDS,
    modify_conflicts,
    modify_one,
)
from cuda.cpu.emit.instructions.memory.mbarrier import complete_bytes
from cuda.cpu.emit.llvm.registry import emits
from cuda.cpu.emit.llvm.values import ELEMENTS, Value, integer_of
from cuda.cpu.emit.simt.frame import Frame
from cuda.cpu.ptx.instructions import Form
from cuda.cpu.ptx.syntax import Address, Instruction, Operand, Register

_ORDERS = {None: "monotonic", "relaxed": "monotonic", "acquire": "acquire", "release": "release", "acq_rel": "acq_rel"}

# Name of each operation in LLVM's atomicrmw, for unsigned (and untyped), signed and floating-point types. `inc` and
# `dec` wrap around at the operand, as LLVM's do.
_OPERATIONS = {
    "add": ("add", "add", "fadd"),
    "min": ("umin", "min", ""),
    "max": ("umax", "max", ""),
    "inc": ("uinc_wrap", "", ""),
    "dec": ("udec_wrap", "", ""),
    "and": ("and", "", ""),
    "or": ("or", "", ""),
    "xor": ("xor", "", ""),
    "exch": ("xchg", "", ""),
}
LOCKED = {"add", "and", "or", "xor"}  # one x86 instruction each if the old value is unused
# Packed types are two atomic operations: the manual guarantees no more.
_HALVES = {"f16x2": "f16", "bf16x2": "bf16"}


@emits("atom", "red")
def emit_atomic(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Emit one access for each element of a vector, or one in all."""
    first = 1 if form.opcode == "atom" else 0  # the address
    address, space, size = instruction.address(first), space_of(form), _bytes(form.type)
    sources = instruction.elements(first + 1)
    targets = instruction.elements(0) if first else ()
    if len(targets) != len(sources):
        targets = (None,) * len(sources)
    for position, (each, value) in enumerate(zip(targets, sources, strict=True)):
        wanted = isinstance(each, Register) and frame.facts.is_read(each.name)
        result: Value | None
        if form.op == "cas":
            pointer = pointers(frame, address, space, position * size)
            result = _compare_and_swap(frame, form, pointer, value, instruction.operands[first + 2], wanted)
        elif form.type in _HALVES:
            result = _both_halves(frame, form, pointers(frame, address, space, position * size), value)
        elif form.type in ("f16", "bf16"):
            pointer = pointers(frame, address, space, position * size)
            result = _small_float(frame, form, form.type, pointer, frame.builder.bits(frame.read(value, form.type)))
        elif form.op in _PLAIN and _has_memory_for_itself(form) and not frame.checked:
            result = _change(frame, form, address, position * size, value, wanted)
        else:
            result = _modify(frame, form, address, position * size, value, wanted)
        if wanted and result is not None:
            frame.write(each, result)
    if form.opcode == "red" and form.mbarrier_complete_tx_bytes:  # red.async is performed synchronously
        complete_bytes(frame, instruction.address(first + 2), form.space, size * len(sources))


def _bytes(type_: str) -> int:
    return int(integer_of(ELEMENTS[type_])[1:]) // 8


def _order(form: Form) -> str:
    return _ORDERS[form.sem]


def _name(form: Form) -> str:
    """Return the name of the operation in LLVM's atomicrmw."""
    unsigned, signed, floating = _OPERATIONS[form.op]
    return floating if form.type[0] == "f" else signed if form.type[0] == "s" else unsigned


def _modify(
    frame: Frame, form: Form, address: Address, extra: int, source: Operand | None, wanted: bool
) -> Value | None:
    """Read, modify and write memory that other threads access; return the old value."""
    element, name, order = ELEMENTS[form.type], _name(form), _order(form)
    value, together = frame.read(source, form.type), name in COMBINES or name in FOLDS
    bases = contiguous_atomics.bases_of(frame, name, element, address, space_of(form), extra)
    if bases:
        return contiguous_atomics.modify_contiguous(frame, name, element, order, bases, value, wanted)
    pointer = pointers(frame, address, space_of(form), extra)
    if together and pointer.uniform:
        return modify_one(frame, name, element, order, pointer, value, wanted)
    locked = functools.partial(_modify_locked, frame, form, address, extra, pointer, value, wanted)
    if form.op not in _PLAIN:
        return locked()
    where: tuple[Value, ...] = (pointer,)
    plain, called = _plain(name, element, "%x0", "%x1"), f"{name}.{element}"
    found = split(frame, address, extra)
    if found:
        where, (locate, by) = (found[0], found[1].index), pointer_by_index(found[1])
        plain, called = f"{locate}\n  {_plain(name, element, '%pointer', '%x2')}", f"{called}.{by}"
    return sole_worker.modify(
        frame, form, called, element, plain, where, value, wanted=wanted, combined=together, locked=locked
    )


def _modify_locked(
    frame: Frame, form: Form, address: Address, extra: int, pointer: Value, value: Value, wanted: bool
) -> Value | None:
    builder, element, name, order = frame.builder, ELEMENTS[form.type], _name(form), _order(form)
    together = name in COMBINES or name in FOLDS
    end = _modify_scattered(frame, form, address, extra, value) if together and not wanted else ""
    old, mask = None, frame.mask
    if together and frame.width >= FEWEST:
        old, mask = modify_conflicts(frame, name, element, order, pointer, value, wanted)
    body = f"%r = atomicrmw {name} ptr %x0, {element} %x1 {order}, align {_bytes(form.type)}"
    result = for_each_lane(
        frame, f"atom.{name}.{element}.{order}", element, body, pointer, value, wanted=wanted, mask=mask
    )
    if end:
        builder.jump(end)
        builder.label(end)
    if old is None or result is None:
        return result
    return builder.select(builder.lanes_of(mask), result, old)


def _modify_scattered(frame: Frame, form: Form, address: Address, extra: int, value: Value) -> str:
    """Emit a path for addresses base + narrow index, taken if few lanes have the index of the first one.

    Returns the label after the code for all other cases, "" if this path is not emitted. Indices stay in registers: a
    locked instruction waits until all stores are in the cache, including those of a SIMD group's addresses.
    """
    builder, element, name, order = frame.builder, ELEMENTS[form.type], _name(form), _order(form)
    if not frame.copy.full or frame.width < FEWEST or frame.module.settings.quick or name not in LOCKED:
        return ""
    found = split(frame, address, extra, NARROW)
    if found is None:
        return ""
    (base, indexed), (locate, by) = found, pointer_by_index(found[1])
    index = indexed.index
    few = sole_worker.few_share_one(frame, index)
    labels = [builder.new_label(stem) for stem in ("apart", "shared", "changed")]
    builder.branch(few, labels[0], labels[1], likely=True)
    builder.label(labels[0])
    body = f"{locate}\n  %r = atomicrmw {name} ptr %pointer, {element} %x2 {order}, align {_bytes(form.type)}"
    called = f"atom.{name}.{element}.{order}.{by}"
    for_each_lane(frame, called, element, body, base, index, value, wanted=False, straight=True)
    builder.jump(labels[2])
    builder.label(labels[1])
    return labels[2]


def _change(
    frame: Frame, form: Form, address: Address, extra: int, source: Operand | None, wanted: bool
) -> Value | None:
    """Read, modify and write memory that no other thread accesses meanwhile; return the old value."""
    builder, element, name = frame.builder, ELEMENTS[form.type], _name(form)
    value = frame.read(source, form.type)
    if space_name(form.space) != "shared":
        pointer = pointers(frame, address, space_name(form.space), extra)
        return for_each_lane(
            frame,
            f"plain.{name}.{element}",
            element,
            _plain(name, element, "%x0", "%x1"),
            pointer,
            value,
            wanted=wanted,
        )
    base, offset = split_shared_address(frame, address, extra)
    if offset.uniform and (name in COMBINES or name in FOLDS):
        return modify_one(frame, name, element, "", pointers(frame, address, "shared", extra), value, wanted)
    called = f"plain.{name}.{element}.{offset.element}"
    locate = f"%pointer = getelementptr i8, ptr %x0, {offset.element} %x1"
    indexed = index_of(frame, address.base.name, NARROW) if isinstance(address.base, Register) else None
    if indexed is not None:  # the indices of several lanes are extracted from a register at once
        offset = indexed.index
        locate, by = pointer_by_index(indexed)
        called = f"plain.{name}.{element}.{by}"
        if indexed.base is not None:
            base = builder.advance(base, indexed.base)
    body = f"{locate}\n  {_plain(name, element, '%pointer', '%x2')}"
    return for_each_lane(frame, called, element, body, base, offset, value, wanted=wanted, straight=True)


# Operations without a lock; for minima and maxima, the comparison under which the old value stays.
_PLAIN = {"add", "and", "or", "xor", "exch", "min", "max", "inc", "dec"}
_STAYS = {"umin": "icmp ult", "min": "icmp slt", "umax": "icmp ugt", "max": "icmp sgt"}


UNPREDICTABLE = ", !unpredictable !2"  # metadata of a select that must not become a branch


def _has_memory_for_itself(form: Form) -> bool:
    """Return whether no other host thread can access the memory: all warps of a cluster run on one worker."""
    return form.space in ("shared", "shared::cta", "shared::cluster")


def _plain(name: str, element: str, pointer: str, value: str) -> str:
    """Return the operation as a load and a store, several times faster than a locked instruction."""
    align, new = int(integer_of(element)[1:]) // 8, "%n"
    if name == "xchg":
        change, new = "", value
    elif name in _STAYS:
        change = f"  %stays = {_STAYS[name]} {element} %r, {value}\n"
        change += f"  %n = select i1 %stays, {element} %r, {element} {value}\n"
    elif name == "uinc_wrap":
        change = f"  %fits = icmp ult {element} %r, {value}\n  %up = add {element} %r, 1\n"
        change += f"  %n = select i1 %fits, {element} %up, {element} 0\n"
    elif name == "udec_wrap":
        change = f"  %down = sub {element} %r, 1\n  %fits = icmp ult {element} %down, {value}\n"
        change += f"  %n = select i1 %fits, {element} %down, {element} {value}\n"
    else:
        change = f"  %n = {name} {element} %r, {value}\n"
    load = f"%r = load {element}, ptr {pointer}, align {align}\n"
    return f"{load}{change}  store {element} {new}, ptr {pointer}, align {align}"


def _compare_and_swap(
    frame: Frame, form: Form, pointer: Value, expected: Operand | None, new: Operand, wanted: bool
) -> Value | None:
    """Write `new` if the memory holds `expected`; return the old value."""
    element, order, align = ELEMENTS[form.type], _order(form), _bytes(form.type)
    args = (pointer, frame.read(expected, form.type), frame.read(new, form.type))
    # Without a branch, since whether a lane succeeds is hard to predict: others store to the stack, not to the memory.
    spare = Value(frame.builder.alloca(element), "ptr")
    plain = (
        f"%r = load {element}, ptr %x0, align {align}\n  %same = icmp eq {element} %r, %x1\n"
        f"  %to = select i1 %same, ptr %x0, ptr %x3{UNPREDICTABLE}\n  store {element} %x2, ptr %to, align {align}"
    )
    if _has_memory_for_itself(form):
        return for_each_lane(frame, f"plain.cas.{element}", element, plain, *args, spare, wanted=wanted)
    failed = {"release": "monotonic", "acq_rel": "acquire"}.get(order, order)
    body = (
        f"%pair = cmpxchg ptr %x0, {element} %x1, {element} %x2 {order} {failed}, align {align}\n"
        f"  %r = extractvalue {{ {element}, i1 }} %pair, 0"
    )
    called = f"atom.cas.{element}.{order}"
    return sole_worker.modify(
        frame,
        form,
        f"cas.{element}",
        element,
        plain,
        args[:1],
        *args[1:],
        spare,
        wanted=wanted,
        combined=False,
        locked=functools.partial(for_each_lane, frame, called, element, body, *args, wanted=wanted),
    )


# --- half and bfloat ----------------------------------------------------------------------------------

# Conversions of bit patterns, for which LLVM would call library functions that may not be linked.
_WIDEN = {
    "f16": "  %{to}.h = bitcast i16 %{of} to half\n  %{to} = fpext half %{to}.h to float\n",
    "bf16": (
        "  %{to}.z = zext i16 %{of} to i32\n  %{to}.s = shl i32 %{to}.z, 16\n  %{to} = bitcast i32 %{to}.s to float\n"
    ),
}
_NARROW = {
    "f16": "  %new.h = fptrunc float %value to half\n  %new = bitcast half %new.h to i16\n",
    "bf16": (
        "  %bits = bitcast float %value to i32\n  %high = lshr i32 %bits, 16\n  %odd = and i32 %high, 1\n"
        "  %up = add i32 %bits, 32767\n  %even = add i32 %up, %odd\n  %cut = lshr i32 %even, 16\n"
        "  %nan = fcmp uno float %value, %value\n  %pick = select i1 %nan, i32 32767, i32 %cut\n"
        "  %new = trunc i32 %pick to i16\n"
    ),
}
_COMBINE = {
    "add": "  %value = fadd float %a, %b\n",
    "min": "  %value = call float @llvm.minnum.f32(float %a, float %b)\n",
    "max": "  %value = call float @llvm.maxnum.f32(float %a, float %b)\n",
}


def _small_float(frame: Frame, form: Form, type_: str, pointer: Value, value: Value) -> Value:
    """Emit add, min or max of a half or bfloat as a compare-and-swap loop; return the old bits."""
    order = _order(form)
    failed = {"release": "monotonic", "acq_rel": "acquire"}.get(order, order)
    if form.op != "add":
        frame.module.declare(f"llvm.{form.op}num.f32", "float", ["float", "float"])
    body = (
        "%first = load atomic i16, ptr %x0 monotonic, align 2\n  br label %again\nagain:\n"
        "  %old = phi i16 [ %first, %loop ], [ %r, %again ]\n"
        + _WIDEN[type_].format(to="a", of="old")
        + _WIDEN[type_].format(to="b", of="x1")
        + _COMBINE[form.op]
        + _NARROW[type_]
        + f"  %pair = cmpxchg ptr %x0, i16 %old, i16 %new {order} {failed}, align 2\n"
        "  %r = extractvalue { i16, i1 } %pair, 0\n  %done = extractvalue { i16, i1 } %pair, 1\n"
        "  br i1 %done, label %finished, label %again\nfinished:"
    )
    return for_each_lane(frame, f"atom.{form.op}.{type_}.{order}", "i16", body, pointer, value)


def _both_halves(frame: Frame, form: Form, pointer: Value, source: Operand | None) -> Value:
    builder = frame.builder
    bits = frame.read(source, "b32")
    parts = []
    for position in (0, 1):
        pointer = pointer
        if position:
            pointer = builder.advance(pointer, 2)
            bits = builder.binary("lshr", bits, Value("16", "i32", literal=True))
        part = builder.resize(bits, "i16")
        parts.append(builder.resize(_small_float(frame, form, _HALVES[form.type], pointer, part), "i32"))
    return builder.binary("or", parts[0], builder.binary("shl", parts[1], Value("16", "i32", literal=True)))
