# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A program for test_triton_torch.py: operators of Liger-Kernel, forward and backward, beside PyTorch's own."""

import torch
import torch.nn.functional as F
from liger_kernel import ops


def tensor(*shape):
    return torch.randn(shape, device="cuda", requires_grad=True)


def compare(ours, theirs, inputs, tolerance=1e-4):
    """Compare the results of two functions, and the gradients of their inputs."""
    results = []
    for function in (ours, theirs):
        copies = [value.detach().clone().requires_grad_(value.requires_grad) for value in inputs]
        result = function(*copies)
        torch.manual_seed(7)
        result.backward(torch.randn_like(result) if result.dim() else torch.ones_like(result))
        results.append([result.detach(), *(copy.grad for copy in copies if copy.requires_grad)])
    for found, expected in zip(*results, strict=True):
        assert found.device == torch.device("cuda", 0)
        torch.testing.assert_close(found, expected, rtol=tolerance, atol=tolerance)


def rms_norm():
    compare(
        lambda x, w: ops.LigerRMSNormFunction.apply(x, w, 1e-6, 0.0, "llama", False),
        lambda x, w: F.rms_norm(x, (256,), w, 1e-6),
        [tensor(8, 4, 256), tensor(256)],
    )


def layer_norm():
    compare(
        lambda x, w, b: ops.LigerLayerNormFunction.apply(x, w, b, 1e-5),
        lambda x, w, b: F.layer_norm(x, (256,), w, b, 1e-5),
        [tensor(32, 256), tensor(256), tensor(256)],
    )


def group_norm():
    compare(
        lambda x, w, b: ops.LigerGroupNormFunction.apply(x, w, b, 6, 2, 1e-5),
        lambda x, w, b: F.group_norm(x, 2, w, b, 1e-5),
        [tensor(4, 6, 40), tensor(6), tensor(6)],
        1e-3,
    )


def swiglu():
    compare(ops.LigerSiLUMulFunction.apply, lambda a, b: F.silu(a) * b, [tensor(6, 128), tensor(6, 128)])


def geglu():
    compare(
        ops.LigerGELUMulFunction.apply,
        lambda a, b: F.gelu(a, approximate="tanh") * b,
        [tensor(6, 128), tensor(6, 128)],
    )


def softmax():
    compare(ops.LigerSoftmaxFunction.apply, lambda x: x.softmax(-1), [tensor(16, 300)])


def rope():
    angles = torch.outer(torch.arange(8.0, device="cuda"), 10000 ** (-torch.arange(0, 64, 2, device="cuda") / 64))
    cos, sin = (function(torch.cat((angles, angles), -1))[None] for function in (torch.cos, torch.sin))

    def rotated(x):
        return x * cos + torch.cat((-x[..., 32:], x[..., :32]), -1) * sin

    def ours(q, k):
        return torch.cat(ops.LigerRopeFunction.apply(q * 1, k * 1, cos, sin), 1)

    compare(ours, lambda q, k: torch.cat((rotated(q), rotated(k)), 1), [tensor(1, 4, 8, 64), tensor(1, 2, 8, 64)])


def cross_entropy():
    labels = torch.randint(0, 1000, (16,), device="cuda")
    labels[3] = -100  # is left out
    compare(
        lambda x: ops.LigerCrossEntropyFunction.apply(x, labels, None)[0],
        lambda x: F.cross_entropy(x, labels),
        [tensor(16, 1000)],
    )


def fused_linear_cross_entropy():
    labels = torch.randint(0, 500, (16,), device="cuda")
    compare(
        lambda x, w: ops.LigerFusedLinearCrossEntropyFunction.apply(x, w, labels)[0],
        lambda x, w: F.cross_entropy(x @ w.T, labels),
        [tensor(16, 64), tensor(500, 64)],
    )


def kl_divergence():
    target = tensor(8, 200).detach().softmax(-1)
    compare(
        lambda x: ops.LigerKLDivLossFunction.apply(x.log_softmax(-1), target),
        lambda x: F.kl_div(x.log_softmax(-1), target, reduction="batchmean"),
        [tensor(8, 200)],
    )


PROGRAMS = [rms_norm, layer_norm, group_norm, swiglu, geglu, softmax, rope, cross_entropy, fused_linear_cross_entropy,
            kl_divergence]  # fmt: skip

if __name__ == "__main__":
    torch.manual_seed(0)
    for program in PROGRAMS:
        program()
        print(program.__name__, "is right", flush=True)
    print("on", torch.cuda.get_device_name())
