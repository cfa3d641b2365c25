# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The device-side library that NVRTC's code calls: printf, malloc, free, assert, graphs. The runtime does the work."""

from __future__ import annotations

from collections.abc import Callable

from cuda.cpu.emit.frame import Frame
from cuda.cpu.emit.values import Shape, Value, constant
from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.syntax import Call, Variable

# Name in PTX: service, widths of the parameters, and of the result (0: none).
SERVICES = {
    "vprintf": ("vprintf", (8, 8), 4),
    "malloc": ("malloc", (8,), 8),
    "free": ("free", (8,), 0),
    "__assertfail": ("assert_fail", (8, 8, 4, 8), 0),
    "cudaGraphSetConditional": ("graph_set_conditional", (8, 4), 0),
    "cudaGraphLaunch": ("graph_launch", (8, 8), 4),
}


def _emit_service(name: str) -> Callable[[Frame, Call], None]:
    service, widths, result = SERVICES[name]

    def emit_service(frame: Frame, call: Call) -> None:
        from cuda.cpu.emit.calls import argument, put_result

        builder = frame.builder
        arguments = call.arguments[: len(widths)]  # __assertfail has one more, the size of a character
        if len(arguments) != len(widths):
            raise PtxError(f"{name} takes {len(widths)} parameters, not {len(arguments)}", call.line)
        places = []
        for operand, width in zip(arguments, widths, strict=True):
            places.append(builder.alloca(builder.type(f"i{8 * width}"), 64))
            variable = Variable("", "param", f"b{8 * width}", width, width)
            builder.line(f"store {argument(frame, operand, variable)}, ptr {places[-1]}, align 64")
        if result:
            places.append(builder.alloca(builder.type(f"i{8 * result}"), 64))
            builder.store(builder.broadcast(constant(0, f"i{8 * result}")), places[-1], align=64)
        frame.service(service, "void", f"{builder.mask_type} {frame.mask}", *(f"ptr {place}" for place in places))
        if result and call.results:
            value: Value = builder.load(f"i{8 * result}", places[-1], shape=Shape.VECTOR, align=64)
            put_result(frame, call.results[0], value)

    return emit_service


FUNCTIONS = {name: _emit_service(name) for name in SERVICES}
