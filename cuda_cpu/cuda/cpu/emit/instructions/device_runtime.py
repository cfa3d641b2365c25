# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of the device runtime (cuda_device_runtime_api.h) from kernels: launches, copies, queries.

The native runtime (runtime/device_runtime) implements them.

Each function has two names: that of CUDA 12 and later (CDP2, __cudaCDP2LaunchDevice), which the header's inline
functions call, and that of CDP1 (cudaLaunchDevice), used with -DCUDA_FORCE_CDP1_IF_SUPPORTED.
"""

from __future__ import annotations

from cuda.cpu.emit.instructions.arguments import field, put_result
from cuda.cpu.emit.instructions.memory.bulk import SLOTS, Request
from cuda.cpu.emit.llvm.values import Value, constant
from cuda.cpu.emit.simt.frame import Frame
from cuda.cpu.ptx.device_runtime import FUNCTIONS, names_of
from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.syntax import Call
from cuda.cpu.runtime.abi import DEVICE_CALLS

# Name in PTX: number of the function, bytes of each parameter's fields, bytes of the result.
CALLS = {
    alias: (DEVICE_CALLS[name], fields, result)
    for name, (fields, result) in FUNCTIONS.items()
    for alias in names_of(name)
}


def emit_call(frame: Frame, call: Call) -> None:
    """Call the runtime with a row of all lanes' values per parameter field; it writes the result to the first row."""
    number, parameters, result = CALLS[call.target.name]
    if len(call.arguments) != len(parameters):
        raise PtxError(f"{call.target.name} takes {len(parameters)} parameters, not {len(call.arguments)}", call.line)
    request, index = Request(frame), 0
    for operand, fields in zip(call.arguments, parameters, strict=True):
        offset = 0
        for width in fields:
            request.put(index, field(frame, operand, offset, width))
            index, offset = index + 1, offset + width
    assert index <= SLOTS
    frame.service("device_call", frame.mask, constant(number, "i32"), Value(request.slots, "ptr"))
    if call.results:
        put_result(frame, call.results[0], request.get(0, f"i{8 * result}"))
