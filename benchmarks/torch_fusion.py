# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Speed of what the back-end of `torch.compile` fuses, on tensors of the CPU, beside eager PyTorch and Inductor.

One worker of the CPU device, one thread of PyTorch. The bound is a copy of the input by PyTorch: what reads and writes
every element once. Needs torch; Inductor also g++ and Python's headers, and is left out where it fails. Candidates take
turns; each time is the best of the rounds: `python -m benchmarks.torch_fusion [--only NAME] [--gradients]`. With
`--cpu-time`, it is that of all threads: waiting for a worker takes long on a machine with other work.
"""

from __future__ import annotations

import argparse
import functools
import os
import time
from collections.abc import Callable
from typing import Any

os.environ["CUDA_CPU_WORKERS"] = "1"
os.environ["CUDA_CPU_LEVEL"] = "3"  # which frequent kernels get after a while

import torch
from torch.nn import functional

from cuda.interop.torch import backend

SHAPE = (2048, 1024)
CALLS = 5  # of a candidate at its turn
Case = tuple[Callable[..., torch.Tensor], tuple[torch.Tensor, ...]]


def gelu_chain(x: torch.Tensor) -> torch.Tensor:
    return functional.gelu(x) * torch.sigmoid(x) + functional.gelu(x, approximate="tanh")


def rms_norm(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * weight


def layer_norm(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    return functional.layer_norm(x, (x.shape[-1],), weight, bias)


def cases() -> dict[str, Case]:
    """Return functions and their inputs, by name."""
    torch.manual_seed(0)
    x, weight, bias = torch.randn(SHAPE), torch.randn(SHAPE[1]), torch.randn(SHAPE[1])
    target = torch.randint(0, SHAPE[1], SHAPE[:1])
    return {
        "gelu chain": (gelu_chain, (x,)),
        "softmax": (lambda x: torch.softmax(x, -1), (x,)),
        "layer norm": (layer_norm, (x, weight, bias)),
        "rms norm": (rms_norm, (x, weight)),
        "cross-entropy": (lambda x: functional.cross_entropy(x, target), (x,)),
        "column sum": (lambda x: (x * x).sum(0), (x,)),
        "full sum": (lambda x: (x * x).sum(), (x,)),
    }


def with_gradients(function: Callable[..., torch.Tensor]) -> Callable[..., Any]:
    """Return a function that computes the gradients of the sum of squares of a function's result."""

    def call(*inputs: torch.Tensor) -> Any:
        value = function(*inputs)
        return torch.autograd.grad(value, inputs, torch.ones_like(value))

    return call


def candidates(case: Case, gradients: bool) -> dict[str, Callable[[], Any]]:
    """Return the candidates that work and agree with eager."""
    function, inputs = case
    wrap = with_gradients if gradients else lambda each: each
    if gradients:
        inputs = tuple(each.clone().requires_grad_() for each in inputs)
    compiled = {"eager": function, "cuda.interop": torch.compile(function, backend=backend)}
    compiled["Inductor"] = torch.compile(function, backend="inductor")
    found: dict[str, Callable[[], Any]] = {}
    expected = wrap(function)(*inputs)
    for name, each in compiled.items():
        try:
            torch.testing.assert_close(wrap(each)(*inputs), expected, rtol=1e-4, atol=1e-4)
        except Exception as error:
            if name != "Inductor":
                raise
            print(f"  without Inductor: {str(error).strip().splitlines()[0]:.100}")
            continue
        found[name] = functools.partial(wrap(each), *inputs)
    other = torch.empty_like(inputs[0])
    found["copy"] = lambda: other.copy_(inputs[0].detach())
    return found


def best(calls: dict[str, Callable[[], Any]], rounds: int, clock: Callable[[], float]) -> dict[str, float]:
    """Return the least time of each, in seconds by a clock; they take turns."""
    found = dict.fromkeys(calls, float("inf"))
    for _ in range(rounds):
        for name, call in calls.items():
            for _ in range(CALLS):
                begin = clock()
                call()
                found[name] = min(found[name], clock() - begin)
    return found


def main(
    description: str | None = __doc__,
    cases: Callable[[], dict[str, Case]] = cases,
    candidates: Callable[[Case, bool], dict[str, Callable[[], Any]]] = candidates,
) -> None:
    """Print a table: milliseconds, and ratios to eager."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--only", help="cases whose names contain this")
    parser.add_argument("--gradients", action="store_true", help="forward and backward")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--cpu-time", action="store_true", help="of all threads: on a machine with other work")
    arguments = parser.parse_args()
    clock = time.process_time if arguments.cpu_time else time.perf_counter
    torch.set_num_threads(1)
    for name, case in cases().items():
        if arguments.only and arguments.only not in name:
            continue
        torch._dynamo.reset()
        times = best(candidates(case, arguments.gradients), arguments.rounds, clock)
        texts = [f"{each} {seconds * 1e3:7.2f} ms {seconds / times['eager']:5.2f}" for each, seconds in times.items()]
        print(f"{name:22}", " | ".join(texts), flush=True)


if __name__ == "__main__":
    main()
