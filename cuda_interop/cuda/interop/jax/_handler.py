# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The handler that XLA calls for all operators: it finds the operator by a text, and launches its kernels."""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from typing import Any

import jax

from cuda.core import Device
from cuda.interop._kernels import Kernels
from cuda.interop._signature import SCALAR
from cuda.interop.arrays import _execute
from cuda.interop.arrays._plan import Planner
from cuda.interop.jax import _xla

TARGET = "open_cuda_python_operator"
_planners: dict[str, tuple[Planner, Kernels]] = {}  # by the text that calls name them by
_handler: Any = None


def register(wanted: str, planner: Planner, kernels: Kernels) -> str:
    """Make an operator known to the handler, and return the text by which calls name it."""
    global _handler
    key, count = wanted, 1
    while key in _planners:  # compiled functions may still call the operator of before
        count += 1
        key = f"{wanted}/{count}"
    _planners[key] = planner, kernels
    if _handler is None:
        _handler = _xla.Handler(_handle)
        jax.ffi.register_ffi_target(TARGET, jax.ffi.pycapsule(_handler), platform="cpu")
    return key


def call_text(key: str, values: Sequence[Any]) -> str:
    """Return what a call tells the handler: the operator, numbers, and where arrays are (true) or absent (null)."""
    return json.dumps([key, *values])


@functools.lru_cache(4096)
def _call(text: bytes) -> tuple[Planner, Kernels, list[Any]]:
    key, *values = json.loads(text)
    try:
        planner, kernels = _planners[key]
    except KeyError:
        raise RuntimeError(f"this process has no operator {key}: import the module that defines it") from None
    return planner, kernels, values


def _handle(address: int) -> int | None:
    frame = _xla.Frame.from_address(address)
    try:
        if _xla.answer_query(frame) or frame.stage != _xla.EXECUTE:
            return None
        _xla.check(frame)
        planner, kernels, values = _call(_xla.text_attribute(frame))
        inputs, outputs = _xla.buffers(frame.args), _xla.buffers(frame.rets)
        arrays = iter(inputs)
        arguments = [
            value if parameter.kind == SCALAR or value is None else next(arrays)
            for parameter, value in zip(planner.signature.parameters, values, strict=True)
        ]
        plan = planner.plan(arguments)
        for spec, output in zip(plan.outputs, outputs, strict=True):
            if (spec.shape, spec.dtype) != (output.shape, output.dtype):
                raise RuntimeError(f"{planner.name}: an output has shape {output.shape}, must have {spec.shape}")
        with _execute.on_device(_xla.ordinal(frame) % len(Device.get_all_devices())):
            _execute.execute(planner.name, kernels, plan, inputs, outputs)
    except BaseException as error:  # an exception cannot leave the handler: it becomes an error of XLA
        return _xla.error(frame, f"{type(error).__name__}: {error}")
    return None
