# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Define a PyTorch operator by kernels, with gradients and torch.compile: max(x, 0) squared. Needs torch."""

import torch

from cuda.core import Device, LaunchConfig, LegacyPinnedMemoryResource, Module, launch

SOURCE = r"""
extern "C" __global__ void forward(const float *x, float *y, long long count)
{
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < count)
        y[i] = x[i] > 0 ? x[i] * x[i] : 0;
}
extern "C" __global__ void backward(const float *x, const float *grad, float *out, long long count)
{
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = x[i] > 0 ? 2 * x[i] * grad[i] : 0;
}
"""
device = Device()
device.set_current()
our_stream = device.create_stream()
module = Module.from_source(SOURCE)


class TorchStream:
    """PyTorch's current stream, for cuda.core."""

    def __cuda_stream__(self):
        return (0, torch.cuda.current_stream().cuda_stream)


def run(kernel, *inputs):
    """Run a kernel over float32 tensors of one shape, and return its result."""
    if any(tensor.dtype != torch.float32 or tensor.shape != inputs[0].shape for tensor in inputs):
        raise TypeError("squared_relu takes float32 tensors of one shape")
    first, *rest = inputs = [tensor.contiguous() for tensor in inputs]
    result, count = torch.empty_like(first), first.numel()
    config = LaunchConfig(grid=max(1, (count + 255) // 256), block=256)
    if first.is_cuda:
        launch(TorchStream(), config, kernel, first, *rest, result, count)
        return result
    device.set_current()  # PyTorch's autograd may call this in another thread
    buffers = [LegacyPinnedMemoryResource().allocate(4 * max(1, count), stream=our_stream) for _ in (*inputs, result)]
    views = [torch.frombuffer(buffer, dtype=torch.float32)[:count].view(first.shape) for buffer in buffers]
    for view, tensor in zip(views, inputs, strict=False):
        view.copy_(tensor)
    launch(our_stream, config, kernel, *buffers, count)
    our_stream.sync()
    return result.copy_(views[-1])


@torch.library.custom_op("open_cuda_python::squared_relu", mutates_args=())
def squared_relu(x: torch.Tensor) -> torch.Tensor:
    return run(module.forward, x)


@torch.library.custom_op("open_cuda_python::squared_relu_backward", mutates_args=())
def squared_relu_backward(x: torch.Tensor, grad: torch.Tensor) -> torch.Tensor:
    return run(module.backward, x, grad)


squared_relu.register_fake(torch.empty_like)
squared_relu_backward.register_fake(lambda x, grad: torch.empty_like(x))
squared_relu.register_autograd(
    lambda ctx, grad: squared_relu_backward(*ctx.saved_tensors, grad),
    setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs),
)

if __name__ == "__main__":
    x = torch.randn(50, requires_grad=True)
    torch.library.opcheck(squared_relu, (x,))
    torch.compile(lambda x: squared_relu(x).sum() * 3, backend="aot_eager", fullgraph=True)(x).backward()
    torch.testing.assert_close(x.grad, 6 * x.detach().clamp(min=0))
    print(f"torch_operator: squared_relu on {device.name} has the gradient that PyTorch expects")
