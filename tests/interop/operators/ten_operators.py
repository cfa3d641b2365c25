# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Ten operators of neural networks with gradients, made by cuda.interop.torch, and their references in PyTorch."""

import torch
import torch.nn.functional as F
from torch import Tensor

from cuda.interop.torch import Kernels, launch_kernel, operator

KERNELS = Kernels(r"""
template <class T> struct Sum { using type = float; };
template <> struct Sum<double> { using type = double; };
#define INDEX long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; if (i >= n) return
#define ROW x += blockIdx.x * (long long)n, y += blockIdx.x * (long long)n
#define EACH(i) int i = threadIdx.x; i < n; i += blockDim.x

template <class S> __device__ S total(S value)
{
    __shared__ S part[128];
    part[threadIdx.x] = value;
    for (int half = 64; half; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
    }
    __syncthreads();
    S result = part[0];
    __syncthreads();
    return result;
}
template <class S> __device__ S largest(S value)
{
    __shared__ S part[128];
    part[threadIdx.x] = value;
    for (int half = 64; half; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            part[threadIdx.x] = max(part[threadIdx.x], part[threadIdx.x + half]);
    }
    __syncthreads();
    S result = part[0];
    __syncthreads();
    return result;
}
__device__ double cdf(double x) { return 0.5 * (1 + erf(x * 0.70710678118654752)); }
__device__ double pdf(double x) { return 0.39894228040143268 * exp(-0.5 * x * x); }
__device__ double logistic(double x) { return 1 / (1 + exp(-x)); }

template <class T> __global__ void gelu(const T *x, T *y, long long n) { INDEX; y[i] = x[i] * cdf(x[i]); }
template <class T> __global__ void gelu_backward(const T *x, const T *grad, T *dx, long long n)
{
    INDEX;
    dx[i] = grad[i] * (cdf(x[i]) + x[i] * pdf(x[i]));
}
template <class T> __global__ void silu(const T *x, T *y, long long n) { INDEX; y[i] = x[i] * logistic(x[i]); }
template <class T> __global__ void silu_backward(const T *x, const T *grad, T *dx, long long n)
{
    INDEX;
    double s = logistic(x[i]);
    dx[i] = grad[i] * s * (1 + x[i] * (1 - s));
}
template <class T> __global__ void swiglu(const T *gate, const T *up, T *y, long long n)
{
    INDEX;
    y[i] = gate[i] * logistic(gate[i]) * up[i];
}
template <class T> __global__ void swiglu_backward(const T *gate, const T *up, const T *grad, T *dgate, T *dup,
                                                     long long n)
{
    INDEX;
    double s = logistic(gate[i]);
    dgate[i] = grad[i] * up[i] * s * (1 + gate[i] * (1 - s));
    dup[i] = grad[i] * gate[i] * s;
}
template <class T> __global__ void relu2(const T *x, T *y, long long n) { INDEX; y[i] = x[i] > 0 ? x[i] * x[i] : 0; }
template <class T> __global__ void mix(const T *x, const T *y, T *z, double alpha, long long n)
{
    INDEX;
    z[i] = alpha * x[i] + (1 - alpha) * y[i];
}
template <class T> __global__ void softmax(const T *x, T *y, int n)
{
    using S = typename Sum<T>::type;
    ROW;
    S top = -1e30, sum = 0;
    for (EACH(i)) top = max(top, (S)x[i]);
    top = largest(top);
    for (EACH(i)) sum += exp((S)x[i] - top);
    sum = total(sum);
    for (EACH(i)) y[i] = exp((S)x[i] - top) / sum;
}
template <class T> __global__ void softmax_backward(const T *x, const T *grad, T *y, int n)
{
    using S = typename Sum<T>::type;
    ROW;
    grad += blockIdx.x * (long long)n;
    S sum = 0;
    for (EACH(i)) sum += (S)x[i] * grad[i];
    sum = total(sum);
    for (EACH(i)) y[i] = x[i] * (grad[i] - sum);
}
template <class T> __global__ void rms_norm(const T *x, const T *weight, T *y, T *scale, double eps, int n)
{
    using S = typename Sum<T>::type;
    ROW;
    S sum = 0;
    for (EACH(i)) sum += (S)x[i] * x[i];
    S factor = rsqrt(total(sum) / n + (S)eps);
    if (threadIdx.x == 0) scale[blockIdx.x] = factor;
    for (EACH(i)) y[i] = x[i] * factor * weight[i];
}
template <class T> __global__ void layer_norm(
    const T *x, const T *weight, const T *bias, T *y, T *mean, T *scale, double eps, int n)
{
    using S = typename Sum<T>::type;
    ROW;
    S sum = 0, squares = 0;
    for (EACH(i)) sum += (S)x[i];
    S middle = total(sum) / n;
    for (EACH(i)) squares += (x[i] - middle) * (x[i] - middle);
    S factor = rsqrt(total(squares) / n + (S)eps);
    if (threadIdx.x == 0) mean[blockIdx.x] = middle, scale[blockIdx.x] = factor;
    for (EACH(i)) y[i] = (x[i] - middle) * factor * weight[i] + (bias ? bias[i] : (T)0);
}
template <class T> __global__ void cross_entropy(const T *x, const long long *target, T *loss, T *y, int n)
{
    using S = typename Sum<T>::type;
    ROW;
    S top = -1e30, sum = 0;
    for (EACH(i)) top = max(top, (S)x[i]);
    top = largest(top);
    for (EACH(i)) sum += exp((S)x[i] - top);
    sum = total(sum);
    for (EACH(i)) y[i] = exp((S)x[i] - top) / sum;
    if (threadIdx.x == 0) loss[blockIdx.x] = top + log(sum) - x[target[blockIdx.x]];
}
template <class T> __global__ void rotary(const T *x, const T *cos, const T *sin, T *y, int sign, int length, int n)
{
    ROW;
    int half = n / 2, position = blockIdx.x % length;
    for (int i = threadIdx.x; i < half; i += blockDim.x) {
        T c = cos[position * half + i], s = sign * sin[position * half + i], a = x[i], b = x[i + half];
        y[i] = a * c - b * s;
        y[i + half] = b * c + a * s;
    }
}
""")


def flat(inputs, outputs, *numbers):
    """Ask for a launch with a thread for each element."""
    count = inputs[0].numel()
    launch_kernel((count + 127) // 128, 128, *inputs, *outputs, *numbers, count)


def rows(x):
    """Return the number of rows, and their length."""
    return x.numel() // x.shape[-1], x.shape[-1]


def define(name, kernel=None, **options):
    return operator(f"open_cuda_ten::{name}", KERNELS, kernel=f"{kernel or name}<{{dtype}}>", **options)


def pointwise(name):
    """Define an operator y = f(x) and its gradient."""

    @define(name, leading=("x",))
    def forward(x: Tensor) -> Tensor:
        y = torch.empty_like(x)
        flat([x], [y])
        return y

    @forward.gradient
    @define(f"{name}_backward", leading=("x", "grad"))
    def backward(x: Tensor, grad: Tensor) -> Tensor:
        dx = torch.empty_like(x)
        flat([x, grad], [dx])
        return dx

    return forward


gelu, silu = pointwise("gelu"), pointwise("silu")


@define("swiglu", leading=("gate", "up"))
def swiglu(gate: Tensor, up: Tensor) -> Tensor:
    y = torch.empty_like(gate)
    flat([gate, up], [y])
    return y


@swiglu.gradient
@define("swiglu_backward", leading=("gate", "up", "grad"))
def swiglu_backward(gate: Tensor, up: Tensor, grad: Tensor) -> tuple[Tensor, Tensor]:
    dgate, dup = torch.empty_like(gate), torch.empty_like(up)
    flat([gate, up, grad], [dgate, dup])
    return dgate, dup


@define("relu2", leading=("x",))
def relu2(x: Tensor) -> Tensor:
    y = torch.empty_like(x)
    flat([x], [y])
    return y


@relu2.gradient
def relu2_gradient(x, grad):
    return 2 * grad * x.clamp(min=0)


@define("mix", leading=("x", "y"))
def mix(x: Tensor, y: Tensor, alpha: float = 0.25) -> Tensor:
    z = torch.empty_like(x)
    flat([x, y], [z], alpha)
    return z


@mix.gradient
def mix_gradient(grad, alpha):
    return alpha * grad, (1 - alpha) * grad


@define("softmax", leading=("x",))
def softmax(x: Tensor) -> Tensor:
    y = torch.empty_like(x)
    count, n = rows(x)
    launch_kernel(count, 128, x, y, n)
    return y


@softmax.gradient
@define("softmax_backward", leading=("out", "grad"))
def softmax_backward(out: Tensor, grad: Tensor) -> Tensor:
    dx = torch.empty_like(out)
    count, n = rows(out)
    launch_kernel(count, 128, out, grad, dx, n)
    return dx


@define("rms_norm", leading=("x",))
def rms_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> tuple[Tensor, Tensor]:
    y, scale = torch.empty_like(x), x.new_empty(x.shape[:-1])
    count, n = rows(x)
    launch_kernel(count, 128, x, weight, y, scale, eps, n)
    return y, scale


@rms_norm.gradient
def rms_norm_gradient(x, weight, out_1, grad_0, grad_1):
    normal, scaled = x * out_1[..., None], grad_0 * weight
    inner = (scaled * normal).mean(-1, keepdim=True) + grad_1[..., None] * out_1[..., None] / x.shape[-1]
    return out_1[..., None] * (scaled - normal * inner), (grad_0 * normal).reshape(-1, x.shape[-1]).sum(0)


@define("layer_norm", leading=("x",))
def layer_norm(x: Tensor, weight: Tensor, bias: Tensor | None, eps: float = 1e-5) -> tuple[Tensor, Tensor, Tensor]:
    y, mean, scale = torch.empty_like(x), x.new_empty(x.shape[:-1]), x.new_empty(x.shape[:-1])
    count, n = rows(x)
    launch_kernel(count, 128, x, weight, bias, y, mean, scale, eps, n)
    return y, mean, scale


@layer_norm.gradient
def layer_norm_gradient(x, weight, out_1, out_2, grad_0):
    normal, scaled = (x - out_1[..., None]) * out_2[..., None], grad_0 * weight
    inner = scaled - scaled.mean(-1, keepdim=True) - normal * (scaled * normal).mean(-1, keepdim=True)
    by_row = grad_0.reshape(-1, x.shape[-1])
    return out_2[..., None] * inner, (by_row * normal.reshape(-1, x.shape[-1])).sum(0), by_row.sum(0)


@define("cross_entropy", leading=("x", "target"))
def cross_entropy(x: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    loss, likely = x.new_empty(x.shape[:-1]), torch.empty_like(x)
    count, n = rows(x)
    launch_kernel(count, 128, x, target, loss, likely, n)
    return loss, likely


@cross_entropy.gradient(wrt=("x",))
def cross_entropy_gradient(x, target, out_1, grad_0):
    return grad_0[..., None] * (out_1 - F.one_hot(target, x.shape[-1]))


@define("rotary", leading=("x",))
def rotary(x: Tensor, cos: Tensor, sin: Tensor, sign: int = 1) -> Tensor:
    y = torch.empty_like(x)
    count, n = rows(x)
    launch_kernel(count, 64, x, cos, sin, y, sign, x.shape[-2], n)
    return y


@rotary.gradient(wrt=("x",))
def rotary_gradient(grad, cos, sin, sign):
    return rotary(grad, cos, sin, -sign)


def rotated(x, cos, sin):
    a, b = x.chunk(2, -1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)


def first(outputs):
    return outputs[0]


def make(*shape):
    """Return a function that makes a tensor of a type, with gradient."""
    return lambda dtype: torch.randn(*shape, dtype=dtype, requires_grad=True)


def classes(count, most):
    return lambda dtype: torch.randint(0, most, (count,))


def angles(*shape):
    return lambda dtype: torch.rand(*shape, dtype=dtype)


# Name -> operator, function of its outputs that is compared, reference, makers of its inputs.
TEN = {
    "gelu": (gelu, None, F.gelu, [make(3, 40)]),
    "silu": (silu, None, F.silu, [make(3, 40)]),
    "swiglu": (swiglu, None, lambda gate, up: F.silu(gate) * up, [make(3, 40), make(3, 40)]),
    "relu2": (relu2, None, lambda x: x.clamp(min=0).square(), [make(3, 40)]),
    "mix": (mix, None, lambda x, y: 0.25 * x + 0.75 * y, [make(3, 40), make(3, 40)]),
    "softmax": (softmax, None, lambda x: x.softmax(-1), [make(3, 40)]),
    "rms_norm": (rms_norm, first, lambda x, w: F.rms_norm(x, w.shape, w, 1e-6), [make(3, 40), make(40)]),
    "layer_norm": (
        layer_norm, first, lambda x, w, b: F.layer_norm(x, w.shape, w, b), [make(3, 40), make(40), make(40)],
    ),
    "cross_entropy": (
        cross_entropy, first, lambda x, t: F.cross_entropy(x, t, reduction="none"), [make(3, 40), classes(3, 40)],
    ),
    "rotary": (rotary, None, rotated, [make(2, 5, 8), angles(5, 4), angles(5, 4)]),
}  # fmt: skip
