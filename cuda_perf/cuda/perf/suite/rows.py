# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Operations on rows: softmax, layer and RMS norm, cross-entropy. A block has a row."""

from __future__ import annotations

import numpy as np

from cuda.perf import State, axis, benchmark
from cuda.perf.suite.kit import MODELS, Kit, skip_if_large, wide

BLOCK = 256
SOURCE = r"""
extern "C" __global__ void softmax(const T *x, T *y, int columns)
{
    x += (size_t)blockIdx.x * columns, y += (size_t)blockIdx.x * columns;
    float most = LOWEST, sum = 0;
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        most = fmaxf(most, (float)x[i]);
    most = reduce_block<Max>(most, LOWEST);
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        sum += __expf((float)x[i] - most);
    sum = reduce_block<Sum>(sum, 0);
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        y[i] = (T)(__expf((float)x[i] - most) / sum);
}
extern "C" __global__ void layer_norm(const T *x, const T *weight, const T *bias, T *y, int columns, float epsilon)
{
    x += (size_t)blockIdx.x * columns, y += (size_t)blockIdx.x * columns;
    float sum = 0, squares = 0;
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        sum += (float)x[i];
    const float mean = reduce_block<Sum>(sum, 0) / columns;
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        squares += ((float)x[i] - mean) * ((float)x[i] - mean);
    const float scale = rsqrtf(reduce_block<Sum>(squares, 0) / columns + epsilon);
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        y[i] = (T)(((float)x[i] - mean) * scale * (float)weight[i] + (float)bias[i]);
}
extern "C" __global__ void rms_norm(const T *x, const T *weight, T *y, int columns, float epsilon)
{
    x += (size_t)blockIdx.x * columns, y += (size_t)blockIdx.x * columns;
    float squares = 0;
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        squares += (float)x[i] * (float)x[i];
    const float scale = rsqrtf(reduce_block<Sum>(squares, 0) / columns + epsilon);
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        y[i] = (T)((float)x[i] * scale * (float)weight[i]);
}
extern "C" __global__ void cross_entropy(const T *logits, const int *labels, float *losses, int columns)
{
    logits += (size_t)blockIdx.x * columns;
    float most = LOWEST, sum = 0;
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        most = fmaxf(most, (float)logits[i]);
    most = reduce_block<Max>(most, LOWEST);
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        sum += __expf((float)logits[i] - most);
    sum = reduce_block<Sum>(sum, 0);
    if (threadIdx.x == 0)
        losses[blockIdx.x] = __logf(sum) + most - (float)logits[labels[blockIdx.x]];
}
"""
EPSILON = np.float32(1e-5)


@benchmark
@axis.size("tokens", 64, 512)
@axis.variant("model", *MODELS)
@axis.type("dtype", "float32", "float16")
def softmax(state: State, tokens: int, model: str, dtype: str) -> None:
    """Normalise the attention scores of all heads."""
    rows = MODELS[model].heads * tokens
    skip_if_large(state, 30.0 * rows * tokens)
    kit = Kit(state, SOURCE, dtype)
    x = kit.random(rows, tokens)
    y = kit.empty(rows, tokens)

    def expected() -> np.ndarray:
        exponentials = np.exp(wide(x) - wide(x).max(1, keepdims=True))
        return exponentials / exponentials.sum(1, keepdims=True)

    kit.exec(kit.call("softmax", rows, BLOCK, *kit.on_device(x), y, tokens), y, expected, (x,))


@benchmark
@axis.size("tokens", 64, 2048)
@axis.variant("model", "gpt2", "bert")
@axis.type("dtype", "float32", "float16")
def layer_norm(state: State, tokens: int, model: str, dtype: str) -> None:
    """Normalise activations by mean and variance, as GPT-2 and BERT do."""
    columns = MODELS[model].hidden
    skip_if_large(state, 30.0 * tokens * columns)
    kit = Kit(state, SOURCE, dtype)
    x, weight, bias = kit.random(tokens, columns), kit.random(columns), kit.random(columns)
    y = kit.empty(tokens, columns)

    def expected() -> np.ndarray:
        centred = wide(x) - wide(x).mean(1, keepdims=True)
        scale = 1 / np.sqrt((centred**2).mean(1, keepdims=True) + EPSILON)
        return centred * scale * wide(weight) + wide(bias)

    arguments = (*kit.on_device(x, weight, bias), y, columns, EPSILON)
    kit.exec(kit.call("layer_norm", tokens, BLOCK, *arguments), y, expected, (x, weight, bias))


@benchmark
@axis.size("tokens", 64, 2048)
@axis.variant("model", "llama2_7b", "mistral_7b")
@axis.type("dtype", "float32", "float16")
def rms_norm(state: State, tokens: int, model: str, dtype: str) -> None:
    """Normalise activations by their root mean square, as Llama and Mistral do."""
    columns = MODELS[model].hidden
    skip_if_large(state, 30.0 * tokens * columns)
    kit = Kit(state, SOURCE, dtype)
    x, weight = kit.random(tokens, columns), kit.random(columns)
    y = kit.empty(tokens, columns)

    def expected() -> np.ndarray:
        return wide(x) / np.sqrt((wide(x) ** 2).mean(1, keepdims=True) + EPSILON) * wide(weight)

    arguments = (*kit.on_device(x, weight), y, columns, EPSILON)
    kit.exec(kit.call("rms_norm", tokens, BLOCK, *arguments), y, expected, (x, weight))


@benchmark
@axis.size("tokens", 16, 512)
@axis.variant("model", *MODELS)
@axis.type("dtype", "float32", "float16")
def cross_entropy(state: State, tokens: int, model: str, dtype: str) -> None:
    """Compute the loss of each token from its logits."""
    columns = MODELS[model].vocabulary
    skip_if_large(state, 30.0 * tokens * columns)
    kit = Kit(state, SOURCE, dtype)
    logits, labels = kit.random(tokens, columns), kit.integers(columns, tokens)
    losses = kit.empty(tokens, dtype=np.float32)

    def expected() -> np.ndarray:
        values = wide(logits)
        return np.log(np.exp(values).sum(1)) - values[np.arange(tokens), labels]

    arguments = (*kit.on_device(logits, labels), losses, columns)
    kit.exec(kit.call("cross_entropy", tokens, BLOCK, *arguments), losses, expected, (logits, labels))
