# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of the device-side library in NVRTC's code: printf, malloc, free, assert, graphs, launches; all native."""

from __future__ import annotations

from collections.abc import Callable

from cuda.cpu.emit.instructions.arguments import argument, field, put_result
from cuda.cpu.emit.instructions.device_runtime import CALLS, emit_call
from cuda.cpu.emit.instructions.memory.bulk import Request
from cuda.cpu.emit.llvm.values import Shape, Value, constant
from cuda.cpu.emit.simt.frame import Frame
from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.syntax import Call, Variable
from cuda.cpu.runtime.abi import number

# Name in PTX: runtime function, widths of the parameters, width of the result (0: none).
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
        builder = frame.builder
        arguments = call.arguments[: len(widths)]  # __assertfail has one more, the size of a char
        if len(arguments) != len(widths):
            raise PtxError(f"{name} takes {len(widths)} parameters, not {len(arguments)}", call.line)
        buffers = []
        for operand, width in zip(arguments, widths, strict=True):
            buffers.append(builder.alloca(builder.type(f"i{8 * width}"), 64))
            variable = Variable("", "param", f"b{8 * width}", width, width)
            builder.store(argument(frame, operand, variable), buffers[-1], align=64)
        if result:
            buffers.append(builder.alloca(builder.type(f"i{8 * result}"), 64))
            builder.store(builder.broadcast(constant(0, f"i{8 * result}")), buffers[-1], align=64)
        if name == "free" and (instrumentation := frame.module.settings.instrumentation) is not None:
            instrumentation.freeing(frame, Value(buffers[0], "ptr"))
        frame.service(service, frame.mask, *(Value(buffer, "ptr") for buffer in buffers))
        if result and call.results:
            value: Value = builder.load(f"i{8 * result}", buffers[-1], shape=Shape.VECTOR, align=64)
            put_result(frame, call.results[0], value)

    return emit_service


# Name in PTX: enum cpu_node_update, widths of the parameters. A dim3 takes three rows.
UPDATES = {
    "cudaGraphKernelNodeSetParam": (number("NODE_PARAM"), (8, 8, 8, 8)),
    "cudaGraphKernelNodeSetEnabled": (number("NODE_ENABLED"), (8, 4)),
    "cudaGraphKernelNodeSetGridDim": (number("NODE_GRID"), (8, 12)),
    "cudaGraphKernelNodeUpdatesApply": (number("NODE_SEVERAL"), (8, 8)),
}


def _emit_update(name: str) -> Callable[[Frame, Call], None]:
    what, widths = UPDATES[name]

    def emit_update(frame: Frame, call: Call) -> None:
        if len(call.arguments) != len(widths):
            raise PtxError(f"{name} takes {len(widths)} parameters, not {len(call.arguments)}", call.line)
        request, index = Request(frame), 0
        for operand, width in zip(call.arguments, widths, strict=True):
            for offset in range(0, width, 4) if width == 12 else (0,):
                request.put(index, field(frame, operand, offset, 4 if width == 12 else width))
                index += 1
        frame.service("graph_update", frame.mask, constant(what, "i32"), Value(request.slots, "ptr"))
        if call.results:
            put_result(frame, call.results[0], request.get(0, "i32"))

    return emit_update


FUNCTIONS = {
    **{name: _emit_service(name) for name in SERVICES},
    **{name: _emit_update(name) for name in UPDATES},
    **dict.fromkeys(CALLS, emit_call),
}
