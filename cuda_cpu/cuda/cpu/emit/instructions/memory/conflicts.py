# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Atomic operations of several lanes on one address (conflicts), with the result of one lane directly after the other.

Memory that no other thread can access is loaded and stored. For integers, the lanes' values are combined first; a
lane's old value is the word in memory combined with the values of the lanes before it. Float sums depend on the order,
so the lanes' values are added one by one, in registers.
"""

from __future__ import annotations

from cuda.cpu.emit.access.lanes import store_split
from cuda.cpu.emit.llvm.values import Shape, Value, constant, integer_of, width_of
from cuda.cpu.emit.simt.frame import Frame

# For each operation of atomicrmw: the vector reduction, and the neutral element as its low bits and its high bit.
COMBINES = {
    "add": ("add", 0, 0), "or": ("or", 0, 0), "xor": ("xor", 0, 0), "and": ("and", 1, 1),
    "umin": ("umin", 1, 1), "umax": ("umax", 0, 0), "min": ("smin", 1, 0), "max": ("smax", 0, 1),
}  # fmt: skip
FOLDS = {"fadd"}
# Number of lanes with one address from which on combining them is cheaper than a locked instruction for each.
ENOUGH = {"fadd": 2}
MANY = 4
FEWEST = 8  # lanes a SIMD group must have to be tested for conflicts


def modify_one(
    frame: Frame, name: str, element: str, order: str, pointer: Value, value: Value, wanted: bool
) -> Value | None:
    """Update one word for all active lanes; return the old values if they are wanted.

    Parameters
    ----------
    name : str
        Name of the operation in LLVM's atomicrmw.
    order : str
        LLVM's memory order, "" if no other thread can access the word.
    pointer : Value
        The address, uniform.
    """
    builder = frame.builder
    helper = _define_one(frame, name, element, order, wanted)
    result = builder.type(element) if wanted else "void"
    values = builder.typed(builder.broadcast(value))
    ref = builder.call(helper, result, builder.typed(pointer), values, frame.mask)
    return Value(ref, element, Shape.VECTOR) if wanted else None


def modify_conflicts(
    frame: Frame, name: str, element: str, order: str, pointers: Value, value: Value, wanted: bool
) -> tuple[Value | None, Value]:
    """Update the words on which many lanes conflict, one by one; return the old values and the mask of remaining lanes.

    The address of the first remaining lane is compared with the others until few lanes share it: where addresses are
    spread over memory, this costs one comparison.
    """
    builder, mask = frame.builder, frame.builder.mask_type
    one = _define_one(frame, name, element, order, wanted)
    helper = f"{one}.conflicts"
    if not frame.module.has(helper):
        frame.module.declare(f"llvm.ctpop.{mask}", mask, [mask])
        frame.module.declare(f"llvm.cttz.{mask}", mask, [mask, "i1"])
        frame.module.define(helper, _many(frame, one, element, ENOUGH.get(name, MANY), wanted))
    values = builder.broadcast(value)
    if not wanted:
        return None, Value(builder.call(helper, mask, pointers, values, frame.mask), mask)
    fields = [(element, Shape.VECTOR), (mask, Shape.UNIFORM)]
    old, left = builder.call_several(helper, fields, pointers, values, frame.mask)
    return old, left


def _many(frame: Frame, one: str, element: str, enough: int, wanted: bool) -> str:
    width, mask = frame.width, frame.builder.mask_type
    vector, pointers, lanes = f"<{width} x {element}>", f"<{width} x ptr>", f"<{width} x i1>"
    result = f"{{ {vector}, {mask} }}" if wanted else mask
    old = f"  %old = phi {vector} [ zeroinitializer, %entry ], [ %both, %group ]\n" if wanted else ""
    call = f"call {vector if wanted else 'void'} @{one}(ptr %pointer, {vector} %v, {mask} %bits)"
    if wanted:
        call = f"%got = {call}\n  %both = select {lanes} %who, {vector} %got, {vector} %old"
        pair = f"%pair = insertvalue {result} poison, {vector} %old, 0"
        end = f"  {pair}\n  %all = insertvalue {result} %pair, {mask} %left, 1\n  ret {result} %all\n"
    else:
        end = f"  ret {mask} %left\n"
    return f"""define internal {result} @{one}.conflicts({pointers} %p, {vector} %v, {mask} %mask) #1 {{
entry:
  %room = alloca {pointers}, align 64
{store_split(frame, "ptr", "%p", "%room")}  br label %look
look:
  %left = phi {mask} [ %mask, %entry ], [ %rest, %group ]
{old}  %at = call {mask} @llvm.cttz.{mask}({mask} %left, i1 false)
  %in = urem {mask} %at, {width}
  %lane = zext {mask} %in to i64
  %here = getelementptr ptr, ptr %room, i64 %lane
  %pointer = load ptr, ptr %here
  %first = insertelement {pointers} poison, ptr %pointer, i64 0
  %each = shufflevector {pointers} %first, {pointers} poison, <{width} x i32> zeroinitializer
  %equal = icmp eq {pointers} %p, %each
  %same = bitcast {lanes} %equal to {mask}
  %bits = and {mask} %same, %left
  %count = call {mask} @llvm.ctpop.{mask}({mask} %bits)
  %few = icmp ult {mask} %count, {enough}
  br i1 %few, label %over, label %group
group:
  %who = bitcast {mask} %bits to {lanes}
  {call}
  %rest = xor {mask} %left, %bits
  br label %look
over:
{end}}}
"""


def _define_one(frame: Frame, name: str, element: str, order: str, wanted: bool) -> str:
    helper = f"uniform.{name}.{element}.{order or 'plain'}{'' if wanted else '.red'}"
    if not frame.module.has(helper):
        text = (
            _fold(frame, name, element, order, wanted)
            if name in FOLDS
            else _combine(frame, name, element, order, wanted)
        )
        vector, mask = frame.builder.type(element), frame.builder.mask_type
        head = f"define internal {vector if wanted else 'void'} @{helper}(ptr %pointer, {vector} %v, {mask} %mask) #1"
        frame.module.define(helper, f"{head} {{\nentry:\n{text}}}\n")
    return helper


def _combine(frame: Frame, name: str, element: str, order: str, wanted: bool) -> str:
    """Return the code that reduces the values of the lanes and updates the word once."""
    module, width, mask = frame.module, frame.width, frame.builder.mask_type
    vector, lanes, align = f"<{width} x {element}>", f"<{width} x i1>", width_of(element) // 8
    how, low, high = COMBINES[name]
    bits = width_of(element)
    neutral = constant((high << (bits - 1)) | ((1 << (bits - 1)) - 1) * low, element).ref
    reduce = f"llvm.vector.reduce.{how}.v{width}{element}"
    module.declare(reduce, element, [vector])
    text = (
        f"  %none = icmp eq {mask} %mask, 0\n  br i1 %none, label %nobody, label %some\n"
        f"nobody:\n  ret {vector + ' zeroinitializer' if wanted else 'void'}\nsome:\n"
        f"  %who = bitcast {mask} %mask to {lanes}\n"
        f"  %mine = select {lanes} %who, {vector} %v, {vector} splat ({element} {neutral})\n"
        f"  %total = call {element} @{reduce}({vector} %mine)\n"
    )
    if order:
        text += f"  %was = atomicrmw {name} ptr %pointer, {element} %total {order}, align {align}\n"
    else:
        text += f"  %was = load {element}, ptr %pointer, align {align}\n"
        text += _operation(frame, how, element, "%new", "%was", "%total", packed=False)
        text += f"  store {element} %new, ptr %pointer, align {align}\n"
    if not wanted:
        return text + "  ret void\n"
    last, step = "%mine", 1
    others = f"splat ({element} {neutral})"
    for number, step in enumerate([1] + [1 << n for n in range(width.bit_length() - 1)]):
        order_ = ", ".join(f"i32 {lane - step if lane >= step else width}" for lane in range(width))
        text += f"  %s{number} = shufflevector {vector} {last}, {vector} {others}, <{width} x i32> <{order_}>\n"
        if number == 0:
            last = "%s0"
            continue
        text += _operation(frame, how, element, f"%c{number}", last, f"%s{number}", packed=True)
        last = f"%c{number}"
    return text + (
        f"  %first = insertelement {vector} poison, {element} %was, i64 0\n"
        f"  %start = shufflevector {vector} %first, {vector} poison, <{width} x i32> zeroinitializer\n"
        + _operation(frame, how, element, "%old", "%start", last, packed=True)
        + f"  %result = select {lanes} %who, {vector} %old, {vector} zeroinitializer\n  ret {vector} %result\n"
    )


def _operation(frame: Frame, how: str, element: str, to: str, a: str, b: str, *, packed: bool) -> str:
    type_ = frame.builder.type(element) if packed else element
    if how in ("add", "and", "or", "xor"):
        return f"  {to} = {how} {type_} {a}, {b}\n"
    name = f"llvm.{how}.{f'v{frame.width}' if packed else ''}{element}"
    frame.module.declare(name, type_, [type_, type_])
    return f"  {to} = call {type_} @{name}({type_} {a}, {type_} {b})\n"


def _fold(frame: Frame, name: str, element: str, order: str, wanted: bool) -> str:
    """Return the code that adds the values to the word in registers, one after the other, and swaps in the sum."""
    width, mask, bits = frame.width, frame.builder.mask_type, integer_of(element)
    vector, align = f"<{width} x {element}>", width_of(element) // 8
    frame.module.declare(f"llvm.cttz.{mask}", mask, [mask, "i1"])
    if order:
        failed = {"release": "monotonic", "acq_rel": "acquire"}.get(order, order)
        begin = f"load atomic {bits}, ptr %pointer monotonic, align {align}"
        end = (
            f"  %new = bitcast {element} %sum to {bits}\n"
            f"  %pair = cmpxchg ptr %pointer, {bits} %before, {bits} %new {order} {failed}, align {align}\n"
            f"  %seen = extractvalue {{ {bits}, i1 }} %pair, 0\n  %done = extractvalue {{ {bits}, i1 }} %pair, 1\n"
            "  br i1 %done, label %over, label %again\n"
        )
    else:
        begin = f"load {bits}, ptr %pointer, align {align}"
        end = f"  store {element} %sum, ptr %pointer, align {align}\n  br label %over\n"
    room, keep, give = "", "", "  ret void\n"
    if wanted:
        room = f"  %room = alloca {vector}\n  store {vector} zeroinitializer, ptr %room\n"
        keep = f"  %mine = getelementptr {element}, ptr %room, i64 %lane\n  store {element} %state, ptr %mine\n"
        give = f"  %result = load {vector}, ptr %room\n  ret {vector} %result\n"
    seen = ", [ %seen, %folded ]" if order else ""
    return f"""{room}  %values = alloca {vector}, align 64
{store_split(frame, element, "%v", "%values")}  %none = icmp eq {mask} %mask, 0
  br i1 %none, label %over, label %start
start:
  %there = {begin}
  br label %again
again:
  %before = phi {bits} [ %there, %start ]{seen}
  %first = bitcast {bits} %before to {element}
  br label %loop
loop:
  %left = phi {mask} [ %mask, %again ], [ %rest, %loop ]
  %state = phi {element} [ %first, %again ], [ %sum, %loop ]
  %at = call {mask} @llvm.cttz.{mask}({mask} %left, i1 true)
  %lane = zext {mask} %at to i64
{keep}  %source = getelementptr {element}, ptr %values, i64 %lane
  %x = load {element}, ptr %source
  %sum = {name} {element} %state, %x
  %less = sub {mask} %left, 1
  %rest = and {mask} %left, %less
  %last = icmp eq {mask} %rest, 0
  br i1 %last, label %folded, label %loop
folded:
{end}over:
{give}"""
