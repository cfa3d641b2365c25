# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A program for test_tinygrad.py: what tinygrad's documentation and quick start show, with DEV=CUDA."""

import numpy as np
from tinygrad import Context, Device, Tensor, TinyJit, dtypes, nn

random = np.random.default_rng(7)


def normal(*shape, dtype=np.float32):
    return random.standard_normal(shape).astype(dtype)


def close(found, expected, tolerance=1e-4):
    np.testing.assert_allclose(found.numpy(), expected, rtol=tolerance, atol=tolerance)


def elementwise():
    a, b = normal(37, 5), normal(37, 5)
    close((Tensor(a) * 2 + Tensor(b).relu()).exp2(), np.exp2(a * 2 + np.maximum(b, 0)), 1e-3)


def reductions():
    x = normal(20, 30)
    close(Tensor(x).sum(0), x.sum(0))
    close(Tensor(x).max(1), x.max(1))
    close(Tensor(x).std(), x.std(ddof=1))
    np.testing.assert_array_equal(Tensor(x).argmax(1).numpy(), x.argmax(1))


def matmul():
    a, b = normal(40, 33), normal(33, 24)
    close(Tensor(a) @ Tensor(b), a @ b, 1e-3)


def half_precision():
    a, b = (random.integers(-3, 4, (32, 32)).astype(np.float16) for _ in range(2))
    close(Tensor(a).matmul(Tensor(b), dtype=dtypes.float32), a.astype(np.float32) @ b.astype(np.float32))


def softmax_and_attention():
    q, k, v = (normal(2, 8, 16) for _ in range(3))
    score = q @ k.swapaxes(1, 2) / 4
    part = np.exp(score - score.max(-1, keepdims=True))
    expected = part / part.sum(-1, keepdims=True) @ v
    close(Tensor(q).scaled_dot_product_attention(Tensor(k), Tensor(v)), expected, 1e-3)


def convolution():
    x, w = normal(1, 2, 8, 9), normal(3, 2, 3, 3)
    windows = np.lib.stride_tricks.sliding_window_view(x[0], (3, 3), (1, 2))
    close(Tensor(x).conv2d(Tensor(w))[0], np.einsum("cijkl,ockl->oij", windows, w), 1e-3)


def gradients():
    x, y = Tensor(normal(5, 4)), Tensor(normal(4, 3))
    x.requires_grad = y.requires_grad = True
    (x @ y).square().sum().backward()
    close(x.grad, 2 * (x.numpy() @ y.numpy()) @ y.numpy().T, 1e-3)


def jit():
    @TinyJit
    def step(x):
        return (x + 1).realize()

    for value in range(5):  # captured at the second call, replayed from the third
        close(step(Tensor(np.full(6, value, np.float32)).realize()), np.full(6, value + 1))


def indexing():
    x, rows = normal(20, 7), random.integers(0, 20, 9).astype(np.int32)
    close(Tensor(x)[Tensor(rows)], x[rows])
    close(Tensor(x).cumsum(1), x.cumsum(1))
    close(Tensor(x).transpose().pad(((1, 0), (0, 2))), np.pad(x.T, ((1, 0), (0, 2))))


def training():
    Tensor.manual_seed(1)
    inputs = Tensor(normal(64, 8))
    labels = (inputs[:, 0] > inputs[:, 1]).cast(dtypes.int32)
    first, last = nn.Linear(8, 16), nn.Linear(16, 2)
    losses = []
    optimizer = nn.optim.Adam(nn.state.get_parameters([first, last]), lr=0.05)
    with Context(TRAINING=1):
        for _ in range(12):
            optimizer.zero_grad()
            loss = last(first(inputs).relu()).sparse_categorical_crossentropy(labels).backward()
            optimizer.step()
            losses.append(loss.item())
    assert losses[-1] < losses[0] / 2, losses


PROGRAMS = (elementwise, reductions, matmul, half_precision, softmax_and_attention, convolution, gradients, jit)
PROGRAMS += (indexing, training)
if __name__ == "__main__":
    for program in PROGRAMS:
        program()
        print(program.__name__, "is right")
    print("on", Device.DEFAULT)
