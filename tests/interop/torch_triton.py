# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A program for test_triton_torch.py: what Triton's tutorials do, on tensors of PyTorch's device "cuda"."""

import math
import sys

import numpy as np
import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice

DEVICE = triton.runtime.driver.active.get_active_torch_device()


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(axis=0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=mask) + tl.load(y_ptr + i, mask=mask), mask=mask)


def vector_add():
    x, y = torch.rand(98432, device=DEVICE), torch.rand(98432, device=DEVICE)
    out = torch.empty_like(x)
    assert x.device == y.device == out.device == DEVICE
    assert out.is_cuda
    add_kernel[lambda meta: (triton.cdiv(out.numel(), meta["BLOCK"]),)](x, y, out, out.numel(), BLOCK=1024)
    torch.testing.assert_close(out, x + y)


@triton.jit
def softmax_kernel(out_ptr, in_ptr, in_step, out_step, n_rows, n_columns, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    columns = tl.arange(0, BLOCK)
    for row in tl.range(tl.program_id(0), n_rows, tl.num_programs(0), num_stages=STAGES):
        value = tl.load(in_ptr + row * in_step + columns, mask=columns < n_columns, other=-float("inf"))
        value = tl.exp(value - tl.max(value, axis=0))
        tl.store(out_ptr + row * out_step + columns, value / tl.sum(value, axis=0), mask=columns < n_columns)


def fused_softmax():
    x = torch.randn(123, 781, device=DEVICE)
    out = torch.empty_like(x)
    block = triton.next_power_of_2(x.shape[1])
    processors = torch.cuda.get_device_properties(DEVICE).multi_processor_count
    arguments = (out, x, x.stride(0), out.stride(0), *x.shape)
    kernel = softmax_kernel.warmup(*arguments, BLOCK=block, STAGES=2, num_warps=8, grid=(1,))
    kernel._init_handles()
    assert kernel.n_regs > 0
    softmax_kernel[(4 * processors,)](*arguments, BLOCK=block, STAGES=2, num_warps=8)
    torch.testing.assert_close(out, torch.softmax(x, axis=1))


@triton.autotune(
    configs=[triton.Config({"M": 32, "N": 32, "K": 32}, num_warps=warps, num_stages=2) for warps in (2, 4)],
    key=["m", "n", "k"],
)
@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, m, n, k, am, ak, bk, bn, cm, cn, M: tl.constexpr, N: tl.constexpr,
                  K: tl.constexpr, GROUP: tl.constexpr, ACTIVATION: tl.constexpr):  # fmt: skip
    program, rows, columns = tl.program_id(0), tl.cdiv(m, M), tl.cdiv(n, N)
    first = program // (GROUP * columns) * GROUP
    size = min(rows - first, GROUP)
    row = first + program % (GROUP * columns) % size
    column = program % (GROUP * columns) // size
    i, j, steps = (row * M + tl.arange(0, M)) % m, (column * N + tl.arange(0, N)) % n, tl.arange(0, K)
    a, b = a_ptr + i[:, None] * am + steps[None, :] * ak, b_ptr + steps[:, None] * bk + j[None, :] * bn
    total = tl.zeros((M, N), dtype=tl.float32)
    for step in range(tl.cdiv(k, K)):
        left = tl.load(a, mask=steps[None, :] < k - step * K, other=0.0)
        total = tl.dot(left, tl.load(b, mask=steps[:, None] < k - step * K, other=0.0), total)
        a += K * ak
        b += K * bk
    if ACTIVATION == "leaky_relu":
        total = tl.where(total >= 0, total, 0.01 * total)
    i, j = row * M + tl.arange(0, M), column * N + tl.arange(0, N)
    tl.store(c_ptr + cm * i[:, None] + cn * j[None, :], total.to(tl.float16), (i[:, None] < m) & (j[None, :] < n))


def matrix_multiplication():
    a, b = (torch.rand(shape, device=DEVICE, dtype=torch.float16) - 0.5 for shape in ((96, 80), (80, 112)))
    c = torch.empty(96, 112, device=a.device, dtype=a.dtype)
    for activation in ("", "leaky_relu"):
        matmul_kernel[lambda meta: (triton.cdiv(96, meta["M"]) * triton.cdiv(112, meta["N"]),)](
            a, b, c, 96, 112, 80, *a.stride(), *b.stride(), *c.stride(), GROUP=8, ACTIVATION=activation
        )
        expected = torch.matmul(a, b)
        if activation:
            expected = torch.nn.functional.leaky_relu(expected)
        torch.testing.assert_close(c, expected, atol=1e-2, rtol=0)
    assert matmul_kernel.best_config.num_warps in (2, 4)  # which one is chosen depends on times


@triton.jit
def dropout_kernel(x_ptr, out_ptr, n, p, seed, BLOCK: tl.constexpr):
    i = tl.program_id(axis=0) * BLOCK + tl.arange(0, BLOCK)
    x, keep = tl.load(x_ptr + i, mask=i < n), tl.rand(seed, i) > p
    tl.store(out_ptr + i, tl.where(keep, x / (1 - p), 0.0), mask=i < n)


def low_memory_dropout():
    x = torch.randn(size=(10000,), device=DEVICE)
    first, second, third = (torch.empty_like(x) for _ in range(3))
    for out, seed in ((first, 123), (second, 123), (third, 512)):
        dropout_kernel[(10,)](x, out, 10000, 0.5, seed, BLOCK=1024)
    assert torch.equal(first, second)
    assert not torch.equal(first, third)
    kept = first != 0
    torch.testing.assert_close(first[kept], 2 * x[kept])
    assert abs(kept.float().mean().item() - 0.5) < 0.03


@triton.jit
def norm_forward(x_ptr, y_ptr, w_ptr, b_ptr, mean_ptr, rstd_ptr, stride, n, eps, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * stride + i, mask=i < n, other=0.0)
    mean = tl.sum(x, axis=0) / n
    centred = tl.where(i < n, x - mean, 0.0)
    rstd = 1 / tl.sqrt(tl.sum(centred * centred, axis=0) / n + eps)
    tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, rstd)
    w, b = tl.load(w_ptr + i, mask=i < n), tl.load(b_ptr + i, mask=i < n)
    tl.store(y_ptr + row * stride + i, centred * rstd * w + b, mask=i < n)


@triton.jit
def norm_backward(dx_ptr, dy_ptr, dw_ptr, db_ptr, x_ptr, w_ptr, mean_ptr, rstd_ptr, stride, n, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    inside = i < n
    x = tl.load(x_ptr + row * stride + i, mask=inside, other=0.0)
    dy = tl.load(dy_ptr + row * stride + i, mask=inside, other=0.0)
    w = tl.load(w_ptr + i, mask=inside, other=0.0)
    rstd = tl.load(rstd_ptr + row)
    normal = tl.where(inside, (x - tl.load(mean_ptr + row)) * rstd, 0.0)
    gradient = tl.where(inside, w * dy, 0.0)
    first, second = tl.sum(normal * gradient, axis=0) / n, tl.sum(gradient, axis=0) / n
    tl.store(dx_ptr + row * stride + i, (gradient - normal * first - second) * rstd, mask=inside)
    tl.atomic_add(dw_ptr + i, dy * normal, mask=inside)
    tl.atomic_add(db_ptr + i, dy, mask=inside)


class LayerNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias, eps):
        y, (rows, n) = torch.empty_like(x), x.shape
        mean, rstd = (torch.empty((rows,), dtype=torch.float32, device=x.device) for _ in range(2))
        ctx.block = triton.next_power_of_2(n)
        norm_forward[(rows,)](x, y, weight, bias, mean, rstd, x.stride(0), n, eps, BLOCK=ctx.block)
        ctx.save_for_backward(x, weight, mean, rstd)
        return y

    @staticmethod
    def backward(ctx, dy):
        x, weight, mean, rstd = ctx.saved_tensors
        dx, dw, db = torch.empty_like(dy), torch.zeros_like(weight), torch.zeros(weight.shape, device=weight.device)
        norm_backward[(x.shape[0],)](dx, dy, dw, db, x, weight, mean, rstd, x.stride(0), x.shape[1], BLOCK=ctx.block)
        return dx, dw, db, None


def layer_norm():
    x = torch.randn(37, 500, device="cuda", requires_grad=True)
    weight, bias = (torch.rand(500, device="cuda", requires_grad=True) for _ in range(2))
    copies = [tensor.detach().clone().requires_grad_() for tensor in (x, weight, bias)]
    y, dy = LayerNorm.apply(x, weight, bias, 1e-5), torch.randn(37, 500, device="cuda")
    y.backward(dy, retain_graph=True)
    expected = torch.nn.functional.layer_norm(copies[0], (500,), *copies[1:], 1e-5)
    expected.backward(dy)
    torch.testing.assert_close(y, expected, atol=1e-4, rtol=1e-4)
    for found, wanted in zip((x, weight, bias), copies, strict=True):
        assert found.grad.is_cuda
        torch.testing.assert_close(found.grad, wanted.grad, atol=1e-4, rtol=1e-4)


@triton.jit
def attention_kernel(q_ptr, k_ptr, v_ptr, out_ptr, scale, heads, n, D: tl.constexpr, BLOCK: tl.constexpr):
    start = tl.program_id(1) * n * D
    rows, depth = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), tl.arange(0, D)
    q = tl.load(q_ptr + start + rows[:, None] * D + depth[None, :])
    most, weight = tl.full((BLOCK,), -float("inf"), tl.float32), tl.zeros((BLOCK,), tl.float32)
    total = tl.zeros((BLOCK, D), tl.float32)
    for first in range(0, (tl.program_id(0) + 1) * BLOCK, BLOCK):
        columns = first + tl.arange(0, BLOCK)
        k = tl.load(k_ptr + start + columns[None, :] * D + depth[:, None])
        score = tl.where(rows[:, None] >= columns[None, :], tl.dot(q, k) * scale, -float("inf"))
        new = tl.maximum(most, tl.max(score, 1))
        part, keep = tl.math.exp2(score - new[:, None]), tl.math.exp2(most - new)
        weight = weight * keep + tl.sum(part, 1)
        v = tl.load(v_ptr + start + columns[:, None] * D + depth[None, :])
        total = tl.dot(part.to(tl.float16), v, total * keep[:, None])
        most = new
    tl.store(out_ptr + start + rows[:, None] * D + depth[None, :], (total / weight[:, None]).to(tl.float16))


def fused_attention():
    q, k, v = (torch.randn(1, 2, 64, 32, device=DEVICE, dtype=torch.float16) for _ in range(3))
    out = torch.empty_like(q)
    attention_kernel[(2, 2)](q, k, v, out, 1.4426950408889634 / math.sqrt(32), 2, 64, D=32, BLOCK=32)
    score = torch.matmul(q, k.transpose(2, 3)).float() / math.sqrt(32)
    mask = torch.tril(torch.ones((64, 64), device=DEVICE))
    score[:, :, mask == 0] = float("-inf")
    torch.testing.assert_close(out, torch.matmul(score.softmax(-1).half(), v), atol=1e-2, rtol=0)


@triton.jit
def asin_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(axis=0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, libdevice.asin(tl.load(x_ptr + i, mask=i < n)), mask=i < n)


def libdevice_functions():
    x = torch.rand(5000, device=DEVICE)
    y = torch.zeros(5000, device=DEVICE)
    asin_kernel[(5,)](x, y, 5000, BLOCK=1024)
    torch.testing.assert_close(y, torch.asin(x))


@triton.jit
def grouped_kernel(a_ptrs, b_ptrs, c_ptrs, sizes_ptr, groups, PROGRAMS: tl.constexpr, TILE: tl.constexpr):
    tile, end = tl.program_id(0), 0
    for group in range(groups):
        m, n, k = tl.load(sizes_ptr + 3 * group), tl.load(sizes_ptr + 3 * group + 1), tl.load(sizes_ptr + 3 * group + 2)
        across, begin = n // TILE, end
        end += m // TILE * across
        a = tl.load(a_ptrs + group).to(tl.pointer_type(tl.float16))
        b = tl.load(b_ptrs + group).to(tl.pointer_type(tl.float16))
        c = tl.load(c_ptrs + group).to(tl.pointer_type(tl.float16))
        while tile >= begin and tile < end:
            i, steps = (tile - begin) // across * TILE + tl.arange(0, TILE), tl.arange(0, TILE)
            j = (tile - begin) % across * TILE + tl.arange(0, TILE)
            total = tl.zeros((TILE, TILE), tl.float32)
            for step in range(0, k, TILE):
                left = tl.load(a + i[:, None] * k + (step + steps)[None, :])
                total += tl.dot(left, tl.load(b + (step + steps)[:, None] * n + j[None, :]))
            tl.store(c + i[:, None] * n + j[None, :], total.to(tl.float16))
            tile += PROGRAMS


def grouped_matrices():
    """Kernels get the addresses of the matrices from memory."""
    sizes = [(64, 32, 32), (32, 64, 32), (32, 32, 64)]
    a = [torch.rand(m, k, device=DEVICE, dtype=torch.float16) for m, _, k in sizes]
    b = [torch.rand(k, n, device=DEVICE, dtype=torch.float16) for _, n, k in sizes]
    c = [torch.empty(m, n, device=DEVICE, dtype=torch.float16) for m, n, _ in sizes]
    addresses = [torch.tensor([tensor.data_ptr() for tensor in tensors], device=DEVICE) for tensors in (a, b, c)]
    shapes = torch.tensor(sizes, dtype=torch.int32, device=DEVICE)
    grouped_kernel[(2,)](*addresses, shapes, 3, PROGRAMS=2, TILE=32)
    for left, right, out in zip(a, b, c, strict=True):
        torch.testing.assert_close(out, left @ right, atol=1e-2, rtol=1e-2)


def benchmark_and_streams():
    x, out = torch.rand(1024, device=DEVICE), torch.zeros(1024, device=DEVICE)
    milliseconds = triton.testing.do_bench(lambda: add_kernel[(1,)](x, x, out, 1024, BLOCK=1024), warmup=1, rep=5)
    assert milliseconds > 0
    torch.testing.assert_close(out, 2 * x)
    side, begin, end = torch.cuda.Stream(), torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        begin.record()
        add_kernel[(1,)](out, x, out, 1024, BLOCK=1024)
        end.record()
        assert torch.cuda.current_stream() == side != torch.cuda.default_stream()
    torch.cuda.current_stream().wait_stream(side)
    torch.cuda.synchronize()
    assert begin.elapsed_time(end) > 0
    torch.testing.assert_close(out, 3 * x)


@triton.jit
def scale_kernel(x_ptr, factor_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + i, tl.load(x_ptr + i, mask=i < n) * tl.load(factor_ptr), mask=i < n)


def modules_and_copies():
    """What surrounds kernels: models that move, copies to the host, errors for tensors of the host."""
    model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1)).to("cuda")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.randn(64, 8, device="cuda")
    target, losses = x.sum(1, keepdim=True), []
    for _ in range(20):
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(x), target)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.5 * losses[0]
    assert {parameter.device for parameter in model.parameters()} == {DEVICE}
    host = torch.arange(100.0)
    device, factor = host.cuda(), torch.tensor(3.0, device=DEVICE)
    scale_kernel[(1,)](device, factor, 100, BLOCK=128)
    assert device.cpu().device.type == "cpu"
    assert host[5] == 5  # the copy has memory of its own
    assert (device.cpu().numpy() == 3 * host.numpy()).all()
    np.testing.assert_raises_regex(ValueError, "cpu tensor", lambda: scale_kernel[(1,)](host, factor, 100, BLOCK=128))
    np.testing.assert_raises_regex(TypeError, "cuda:0", device.numpy)


PROGRAMS = [vector_add, fused_softmax, matrix_multiplication, low_memory_dropout, layer_norm, fused_attention,
            libdevice_functions, grouped_matrices, benchmark_and_streams, modules_and_copies]  # fmt: skip

if __name__ == "__main__":
    torch.manual_seed(0)
    for program in PROGRAMS:
        if len(sys.argv) == 1 or program.__name__ in sys.argv:
            program()
            print(program.__name__, "is right", flush=True)
    print("on", torch.cuda.get_device_name())
