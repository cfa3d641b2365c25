# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""What the tests of Thunder's executors compare: values, gradients, and the calls in the traces."""

import thunder
import torch

TOLERANCES = {torch.float64: 1e-10, torch.float32: 2e-5, torch.float16: 4e-3, torch.bfloat16: 3e-2}


def values(function, inputs):
    """Return the value and the gradients of a function, weighted by cosines."""
    value = function(*inputs)
    weights = torch.cos(torch.arange(value.numel())).reshape(value.shape).to(value.dtype)
    wanted = [each for each in inputs if each.requires_grad]
    return [value.detach(), *torch.autograd.grad((value * weights).sum(), wanted)]


def widened(inputs):
    """Return floating-point inputs in double precision."""
    return [
        each.detach().double().requires_grad_(each.requires_grad) if each.is_floating_point() else each
        for each in inputs
    ]


def assert_as_in_double(compiled, function, inputs):
    """Compare values and gradients with those of eager PyTorch in double precision."""
    found = values(compiled, inputs)
    most = TOLERANCES[inputs[0].dtype]
    for part, expected in zip(found, values(function, widened(inputs)), strict=True):
        torch.testing.assert_close(part.double(), expected, atol=most, rtol=most)
    wanted = [inputs[0].dtype, *(each.dtype for each in inputs if each.requires_grad)]
    assert [part.dtype for part in found] == wanted


def calls(function):
    """Return the calls of kernels in the traces, forward and backward."""
    traces = (thunder.last_traces(function)[-1], thunder.last_backward_traces(function)[-1])
    return [[line.sym.name for line in each.bound_symbols if "cuda_" in line.sym.name] for each in traces]
