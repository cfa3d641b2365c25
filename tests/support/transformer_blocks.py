# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Transformer blocks in small sizes: of nanoGPT, Llama and BERT, written from their papers."""

import torch
import torch.nn.functional as F
from torch import nn

# Within which values and gradients of a block in a type are those of eager PyTorch
TOLERANCES = {torch.float64: 1e-12, torch.float32: 1e-5, torch.float16: 0.02, torch.bfloat16: 0.1}


def heads(x, count):
    return x.unflatten(-1, (count, -1)).transpose(1, 2)


class NanoGPT(nn.Module):
    """Layer norm before attention and before the perceptron, causal attention, GELU."""

    def __init__(self, width=32, count=4):
        super().__init__()
        self.count = count
        self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        q, k, v = (heads(each, self.count) for each in self.qkv(self.before(x)).chunk(3, -1))
        x = x + self.out(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))
        return x + self.down(F.gelu(self.up(self.between(x))))


class Llama(nn.Module):
    """RMS norm, rotary positions, causal attention, SwiGLU; no biases. Heads may share keys and values."""

    def __init__(self, width=32, count=4, keys=4, length=64):
        super().__init__()
        self.count, self.keys = count, keys
        size = width // count
        self.sizes = [width, keys * size, keys * size]
        self.before, self.between = nn.RMSNorm(width, eps=1e-5), nn.RMSNorm(width, eps=1e-5)
        self.qkv, self.out = nn.Linear(width, sum(self.sizes), bias=False), nn.Linear(width, width, bias=False)
        self.gate, self.up = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, 3 * width, bias=False)
        self.down = nn.Linear(3 * width, width, bias=False)
        half = size // 2
        angles = torch.arange(length)[:, None] / 10000 ** (torch.arange(half) / half)
        self.register_buffer("cos", torch.cat([angles.cos()] * 2, -1))
        self.register_buffer("sin", torch.cat([angles.sin()] * 2, -1))

    def rotated(self, x):
        first, second = x.chunk(2, -1)
        length = x.shape[-2]
        return x * self.cos[:length] + torch.cat([-second, first], -1) * self.sin[:length]

    def forward(self, x):
        parts = self.qkv(self.before(x))
        parts = parts.chunk(3, -1) if self.keys == self.count else parts.split(self.sizes, -1)
        q, k, v = (heads(each, count) for each, count in zip(parts, (self.count, self.keys, self.keys), strict=True))
        shared = {"enable_gqa": True} if self.keys != self.count else {}
        attended = F.scaled_dot_product_attention(self.rotated(q), self.rotated(k), v, is_causal=True, **shared)
        x = x + self.out(attended.transpose(1, 2).flatten(2))
        normal = self.between(x)
        return x + self.down(F.silu(self.gate(normal)) * self.up(normal))


class Bert(nn.Module):
    """Attention to all positions but the masked, layer norm after each half, GELU."""

    def __init__(self, width=32, count=4, composed=True):
        super().__init__()
        self.count, self.composed = count, composed
        self.first, self.last = nn.LayerNorm(width, eps=1e-12), nn.LayerNorm(width, eps=1e-12)
        self.q, self.k, self.v = nn.Linear(width, width), nn.Linear(width, width), nn.Linear(width, width)
        self.out, self.up, self.down = nn.Linear(width, width), nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x, mask):
        q, k, v = (heads(each(x), self.count) for each in (self.q, self.k, self.v))
        if self.composed:
            scores = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5 + mask
            attended = torch.softmax(scores, -1) @ v
        else:
            attended = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        x = self.first(x + self.out(attended.transpose(1, 2).flatten(2)))
        return self.last(x + self.down(F.gelu(self.up(x))))


BLOCKS = {
    "nanoGPT": NanoGPT,
    "Llama": Llama,
    "Llama, shared keys": lambda: Llama(keys=2),
    "BERT": Bert,
    "BERT, one attention": lambda: Bert(composed=False),
}


def block(name, dtype=torch.float32, batch=2, length=12, width=32):
    """Return a block and its inputs."""
    torch.manual_seed(0)
    made = BLOCKS[name]().to(dtype)
    inputs = [torch.randn(batch, length, width, dtype=dtype, requires_grad=True)]
    if name.startswith("BERT"):
        visible = torch.arange(length) < torch.tensor([[length], [length - 3]])
        inputs.append(torch.where(visible, 0.0, -1e4).to(dtype)[:, None, None])
    return made, inputs
