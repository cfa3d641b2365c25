# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Rotary embedding, and the forward pass of attention. A block has a query of a head."""

from __future__ import annotations

import numpy as np

from cuda.perf import State, axis, benchmark
from cuda.perf.suite.kit import MODELS, Kit, skip_if_large, wide

SOURCE = r"""
extern "C" __global__ void rotary(const T *x, const float *cosine, const float *sine, T *y, int heads, int width)
{
    const int token = blockIdx.x, half = width / 2;
    for (int i = threadIdx.x; i < heads * half; i += blockDim.x) {
        const int head = i / half, pair = i % half;
        const size_t first = ((size_t)token * heads + head) * width + pair;
        const float a = (float)x[first], b = (float)x[first + half];
        const float c = cosine[token * half + pair], s = sine[token * half + pair];
        y[first] = (T)(a * c - b * s);
        y[first + half] = (T)(b * c + a * s);
    }
}
extern "C" __global__ void attention(const T *q, const T *k, const T *v, T *o, int tokens, int width, int group,
                                     int causal, float scale)
{
    extern __shared__ float scores[];
    const int query = blockIdx.x, head = blockIdx.y, keys = causal ? query + 1 : tokens;
    q += ((size_t)head * tokens + query) * width, o += ((size_t)head * tokens + query) * width;
    k += (size_t)(head / group) * tokens * width, v += (size_t)(head / group) * tokens * width;
    float most = LOWEST, sum = 0;
    for (int key = threadIdx.x; key < keys; key += blockDim.x) {
        float product = 0;
        for (int i = 0; i < width; ++i)
            product += (float)q[i] * (float)k[(size_t)key * width + i];
        scores[key] = product * scale;
        most = fmaxf(most, scores[key]);
    }
    most = reduce_block<Max>(most, LOWEST);
    for (int key = threadIdx.x; key < keys; key += blockDim.x) {
        scores[key] = __expf(scores[key] - most);
        sum += scores[key];
    }
    sum = reduce_block<Sum>(sum, 0);
    for (int i = threadIdx.x; i < width; i += blockDim.x) {
        float product = 0;
        for (int key = 0; key < keys; ++key)
            product += scores[key] * (float)v[(size_t)key * width + i];
        o[i] = (T)(product / sum);
    }
}
"""


@benchmark
@axis.size("tokens", 64, 2048)
@axis.variant("model", "llama2_7b", "mistral_7b")
@axis.type("dtype", "float32", "float16")
def rotary(state: State, tokens: int, model: str, dtype: str) -> None:
    """Rotate the queries by their positions; the frequencies are those of arXiv 2104.09864."""
    sizes = MODELS[model]
    heads, width = sizes.heads, sizes.hidden // sizes.heads
    skip_if_large(state, 30.0 * tokens * sizes.hidden)
    kit = Kit(state, SOURCE, dtype)
    x = kit.random(tokens, heads, width)
    angles = np.outer(np.arange(tokens), 10000.0 ** (-np.arange(width // 2) / (width // 2)))
    cosine, sine = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
    y = kit.empty(tokens, heads, width)

    def expected() -> np.ndarray:
        a, b = np.split(wide(x), 2, axis=2)
        c, s = np.cos(angles)[:, None], np.sin(angles)[:, None]
        return np.concatenate([a * c - b * s, b * c + a * s], axis=2)

    arguments = (*kit.on_device(x, cosine, sine), y, heads, width)
    kit.exec(kit.call("rotary", tokens, 256, *arguments), y, expected, (x, cosine, sine), 6.0 * x.size / 2)


@benchmark
@axis.size("tokens", 32, 128, 1024)
@axis.variant("model", *MODELS)
@axis.variant("mask", "full", "causal")
@axis.type("dtype", "float32", "float16")
def attention(state: State, tokens: int, model: str, mask: str, dtype: str) -> None:
    """Compute attention for all heads of a layer; Mistral's keys are shared by four heads."""
    sizes = MODELS[model]
    width, group, causal = sizes.hidden // sizes.heads, sizes.heads // sizes.key_heads, mask == "causal"
    flops = 4.0 * sizes.hidden * tokens * (tokens + 1) / 2 if causal else 4.0 * sizes.hidden * tokens**2
    skip_if_large(state, flops)
    kit = Kit(state, SOURCE, dtype)
    q = kit.random(sizes.heads, tokens, width)
    k, v = (kit.random(sizes.key_heads, tokens, width) for _ in range(2))
    o = kit.empty(sizes.heads, tokens, width)

    def expected() -> np.ndarray:
        keys, values = (np.repeat(wide(each), group, axis=0) for each in (k, v))
        scores = wide(q) @ keys.swapaxes(1, 2) / np.sqrt(width)
        if causal:
            scores[:, *np.triu_indices(tokens, 1)] = -np.inf
        exponentials = np.exp(scores - scores.max(2, keepdims=True))
        return exponentials / exponentials.sum(2, keepdims=True) @ values

    arguments = (*kit.on_device(q, k, v), o, tokens, width, group, int(causal), np.float32(width**-0.5))
    launcher = kit.call("attention", (tokens, sizes.heads), 128, *arguments, shared=4 * tokens)
    kit.exec(launcher, o, expected, (q, k, v), flops)
