# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Functions compiled by Lightning Thunder with our executors, on tensors of the CPU, beside eager PyTorch.

One worker of the CPU device, one thread of PyTorch. Needs the extra `thunder`. Forward, or with `--gradients` forward
and backward. Candidates take turns; each time is the best of the rounds: `python -m benchmarks.thunder_executors`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from benchmarks import torch_fusion  # isort: skip  # first, since it sets the workers of the CPU device

import thunder
import torch
from torch.nn import functional

from cuda.interop.thunder import OperatorPatterns, fusion_executor, operator_executor

EXECUTORS = {"fusion": [fusion_executor], "operators": [operator_executor], "PyTorch's": []}
attention = functional.scaled_dot_product_attention


def swiglu(gate: torch.Tensor, up: torch.Tensor) -> torch.Tensor:
    return functional.silu(gate) * up


def rotary(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    first, second = x.chunk(2, -1)
    return x * cos + torch.cat([-second, first], -1) * sin


def rms_norm(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return functional.rms_norm(x, weight.shape, weight, 1e-6)


def cases() -> dict[str, torch_fusion.Case]:
    """Return functions and their inputs, by name."""
    found = {name: case for name, case in torch_fusion.cases().items() if not name.endswith(" sum")}
    x, weight = found["rms norm"][1]
    heads, table, short = torch.randn(4, 8, 1024, 64), torch.randn(1024, 64), torch.randn(1, 4, 256, 64)
    mask = torch.randn(256, 256) > 0
    return found | {
        "rms norm": (rms_norm, (x, weight)),
        "gelu": (functional.gelu, (x,)),
        "SwiGLU": (swiglu, (x, torch.randn_like(x))),
        "rotary": (lambda x: rotary(x, table, table), (heads,)),
        "attention with a mask": (lambda x: attention(x, x, x, attn_mask=mask), (short,)),
        "causal attention": (lambda x: attention(x, x, x, is_causal=True), (short,)),
    }


def candidates(case: torch_fusion.Case, gradients: bool) -> dict[str, Callable[[], Any]]:
    """Return eager PyTorch, and Thunder with each executor; all must agree."""
    function, inputs = case
    wrap = torch_fusion.with_gradients if gradients else lambda each: each
    if gradients:
        inputs = tuple(each.clone().requires_grad_() for each in inputs)
    calls = {"eager": wrap(function)}
    for name, executors in EXECUTORS.items():
        transforms = [OperatorPatterns()] if name == "operators" else []
        calls[name] = wrap(thunder.jit(function, executors=executors or None, transforms=transforms))
        torch.testing.assert_close(calls[name](*inputs), calls["eager"](*inputs), rtol=1e-4, atol=1e-4)
    return {name: functools.partial(call, *inputs) for name, call in calls.items()}


if __name__ == "__main__":
    torch_fusion.main(__doc__, cases, candidates)
