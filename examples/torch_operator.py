# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Define a PyTorch operator by kernels, with gradients and torch.compile: max(x, 0) squared. Needs torch."""

import torch
from torch import Tensor

from cuda.core import Device
from cuda.interop.torch import launch_kernel, operator

SOURCE = r"""
template <class T> __global__ void forward(const T *x, T *y, long long count)
{
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < count)
        y[i] = x[i] > 0 ? x[i] * x[i] : 0;
}
template <class T> __global__ void backward(const T *x, const T *grad, T *out, long long count)
{
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = x[i] > 0 ? 2 * x[i] * grad[i] : 0;
}
"""


@operator("open_cuda_python::squared_relu", SOURCE, kernel="forward<{x}>", leading=("x",))
def squared_relu(x: Tensor) -> Tensor:
    y = torch.empty_like(x)
    launch_kernel((x.numel() + 255) // 256, 256, x, y, x.numel())
    return y


@squared_relu.gradient
@operator("open_cuda_python::squared_relu_backward", SOURCE, kernel="backward<{x}>", leading=("x", "grad"))
def squared_relu_backward(x: Tensor, grad: Tensor) -> Tensor:
    out = torch.empty_like(x)
    launch_kernel((x.numel() + 255) // 256, 256, x, grad, out, x.numel())
    return out


if __name__ == "__main__":
    x = torch.randn(50, device="cuda" if torch.cuda.is_available() else "cpu", requires_grad=True)
    torch.library.opcheck(squared_relu.overload, (x,))
    torch.compile(lambda x: squared_relu(x).sum() * 3, backend="aot_eager", fullgraph=True)(x).backward()
    torch.testing.assert_close(x.grad, 6 * x.detach().clamp(min=0))
    print(f"torch_operator: squared_relu on {Device().name} has the gradient that PyTorch expects")
