# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Cost of a call of a PyTorch operator on a small CPU tensor, beside the same operator in C++ and as a `custom_op`.

All three launch the same kernel on the CPU device and wait for it. Also: `launch()` with tensors beside Buffers. Needs
torch and g++: `python -m benchmarks.torch_operators`. Candidates take turns; each time is the best of 40 rounds.
"""

from __future__ import annotations

import ctypes
import pathlib
import subprocess
import tempfile
import time
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

import cuda.cpu
from cuda.core import Device, LaunchConfig, LegacyPinnedMemoryResource, launch
from cuda.interop.torch import launch_kernel, operator

ROUNDS, CALLS = 40, 200
SOURCE = r"""
template <class T> __global__ void scale(const T *x, T *y, double factor, long long n)
{
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = factor * x[i];
}
"""


@operator("open_cuda_bench::scale", SOURCE, kernel="scale<{x}>")
def scale(x: Tensor, factor: float) -> Tensor:
    y = torch.empty_like(x)
    launch_kernel((x.numel() + 127) // 128, 128, x, y, factor, x.numel())
    return y


def build_peer(folder: str) -> None:
    """Compile and load the operator in C++."""
    root = pathlib.Path(torch.__file__).parent
    includes = [f"-I{root}/include", f"-I{root}/include/torch/csrc/api/include"]
    libraries = [f"-L{root}/lib", "-ltorch", "-ltorch_cpu", "-lc10"]
    source, library = pathlib.Path(__file__).with_name("torch_peer.cpp"), f"{folder}/peer.so"
    command = ["g++", "-O2", "-fPIC", "-shared", "-std=c++20", str(source), *includes, *libraries, "-o", library]
    subprocess.run(command, check=True)
    torch.ops.load_library(library)


def prepare_peer(kernel: Any, stream: Any) -> None:
    """Tell the operator in C++ the kernel, the stream, and the functions of the CPU device."""
    driver = ctypes.CDLL(str(pathlib.Path(cuda.cpu.__file__).parent / "entry/libcuda.so.1"))

    def address(name: str) -> int:
        return ctypes.cast(getattr(driver, name), ctypes.c_void_p).value or 0

    torch.ops.open_cuda_peer.prepare(
        address("cuLaunchKernel"), address("cuStreamSynchronize"), int(kernel.handle), int(stream.handle)
    )


def best(candidates: dict[str, Callable[[], Any]], after: Callable[[], Any] = lambda: None) -> dict[str, float]:
    """Return the least time of a call of each candidate, in seconds; `after` runs untimed after each round."""
    found = dict.fromkeys(candidates, float("inf"))
    for _ in range(ROUNDS):
        for name, call in candidates.items():
            begin = time.perf_counter()
            for _ in range(CALLS):
                call()
            found[name] = min(found[name], (time.perf_counter() - begin) / CALLS)
            after()
    return found


def show(title: str, times: dict[str, float]) -> None:
    """Print times, and their ratios to the first."""
    print(title)
    first = next(iter(times.values()))
    for name, seconds in times.items():
        print(f"  {name:32} {seconds * 1e9:8.0f} ns {seconds / first:6.2f}")


def operators(stream: Any) -> None:
    """Compare the operators, without and with gradients."""
    kernel = scale.kernels.get("scale<float>")
    prepare_peer(kernel, stream)
    peer = torch.ops.open_cuda_peer.scale
    config = LaunchConfig(grid=1, block=128, host_arrays=True)

    @torch.library.custom_op("open_cuda_bench::custom", mutates_args=())
    def custom(x: Tensor, factor: float) -> Tensor:
        y = torch.empty_like(x)
        launch(stream, config, kernel, x.detach(), y, factor, x.numel())
        stream.sync()
        return y

    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        return custom(grad, ctx.factor), None

    def setup(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.factor = inputs[1]

    custom.register_autograd(backward, setup_context=setup)
    scale.gradient(lambda grad, factor: scale(grad, factor), wrt=("x",))
    x = torch.randn(100)
    for call in (peer, scale, custom):
        torch.testing.assert_close(call(x, 2.0), 2 * x)
    candidates = {
        "C++, torch.library": lambda: peer(x, 2.0),
        "cuda.interop.torch.operator": lambda: scale(x, 2.0),
        "torch.library.custom_op": lambda: custom(x, 2.0),
    }
    show("call of an operator on 100 numbers", best(candidates))
    x.requires_grad_()
    del candidates["C++, torch.library"]  # it has no gradient
    show("the same with a gradient to record", best(candidates))


def launches(stream: Any) -> None:
    """Compare launches with Buffers and with tensors."""
    kernel = scale.kernels.get("scale<float>")
    source = LegacyPinnedMemoryResource()
    one, other = (source.allocate(400, stream=stream) for _ in range(2))
    x, y = torch.randn(100), torch.empty(100)
    plain, config = LaunchConfig(grid=1, block=128), LaunchConfig(grid=1, block=128, host_arrays=True)
    candidates = {
        "two Buffers": lambda: launch(stream, plain, kernel, one, other, 2.0, 100),
        "two tensors of the CPU": lambda: launch(stream, config, kernel, x, y, 2.0, 100),
    }
    show("launch(), without waiting", best(candidates, stream.sync))


def main() -> None:
    """Print all comparisons."""
    torch.set_num_threads(1)
    device = Device()
    device.set_current()
    stream = device.create_stream()
    with tempfile.TemporaryDirectory() as folder:
        build_peer(folder)
        operators(stream)
    launches(stream)


if __name__ == "__main__":
    main()
