# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Do for each lane by itself what has no vector form."""

from __future__ import annotations

from cuda.cpu.emit.frame import Frame
from cuda.cpu.emit.values import Shape, Value


def for_each_lane(frame: Frame, name: str, element: str, body: str, *args: Value) -> Value:
    """Compute a packet by a loop over the lanes that run.

    Parameters
    ----------
    name : str
        Of the helper function; the same name means the same body.
    element : str
        Type of the result.
    body : str
        LLVM instructions that make `%r` of `%x0`, `%x1` ... for one lane. `%lane` is its number (i64).
    """
    builder, module, width = frame.builder, frame.module, frame.width
    args = tuple(map(builder.broadcast, args))
    helper = f"lanes.{name}"
    packet, mask = f"<{width} x {element}>", builder.mask_type
    if not module.has(helper):
        module.declare(f"llvm.cttz.{mask}", mask, [mask, "i1"])
        types = [builder.type_of(arg) for arg in args]
        head = ", ".join([*(f"{type_} %v{i}" for i, type_ in enumerate(types)), f"{mask} %mask"])
        rooms = "".join(
            f"  %a{i} = alloca {type_}\n  store {type_} %v{i}, ptr %a{i}\n" for i, type_ in enumerate(types)
        )
        loads = "".join(
            f"  %p{i} = getelementptr {arg.element}, ptr %a{i}, i64 %lane\n  %x{i} = load {arg.element}, ptr %p{i}\n"
            for i, arg in enumerate(args)
        )
        module.define(
            helper,
            f"define internal {packet} @{helper}({head}) #1 {{\nentry:\n{rooms}  %room = alloca {packet}\n"
            f"  store {packet} zeroinitializer, ptr %room\n  %none = icmp eq {mask} %mask, 0\n"
            f"  br i1 %none, label %over, label %loop\nloop:\n"
            f"  %left = phi {mask} [ %mask, %entry ], [ %rest, %next ]\n"
            f"  %at = call {mask} @llvm.cttz.{mask}({mask} %left, i1 true)\n  %lane = zext {mask} %at to i64\n"
            f"{loads}  {body}\n  br label %next\nnext:\n"
            f"  %pr = getelementptr {element}, ptr %room, i64 %lane\n  store {element} %r, ptr %pr\n"
            f"  %less = sub {mask} %left, 1\n  %rest = and {mask} %left, %less\n"
            f"  %end = icmp eq {mask} %rest, 0\n  br i1 %end, label %over, label %loop\n"
            f"over:\n  %result = load {packet}, ptr %room\n  ret {packet} %result\n}}\n",
        )
    ref = builder.call(helper, packet, *map(builder.typed, args), f"{mask} {frame.mask}")
    return Value(ref, element, Shape.VECTOR)
