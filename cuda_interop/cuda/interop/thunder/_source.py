# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""What the kernels of the operator executor share: CUDA C++ of loads and stores, and how these are chosen."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from cuda.core import ObjectCode, ProgramOptions
from cuda.interop.fusion._operations import HELPERS
from cuda.interop.torch import Kernels

TYPES = {torch.float64, torch.float32, torch.float16, torch.bfloat16}  # of the elements that the kernels take
LOAD_BYTES = {"cpu": 1}  # at most, by device; 1: one element, as the CPU device loads those of a warp as a vector
_MOST_BYTES = 16
PREAMBLE = r"""
#include <cuda_bf16.h>
#include <cuda_fp16.h>
template <class T> struct Accumulator { using type = float; };
template <> struct Accumulator<double> { using type = double; };
template <bool FIRST, class A, class B> struct Choice { using type = A; };
template <class A, class B> struct Choice<false, A, B> { using type = B; };
template <class T> using Acc = typename Accumulator<T>::type;
template <class T, int N> struct alignas(sizeof(T) * N) Pack { T at[N]; };  // one load or store

template <class T, int N> __device__ void load(const T *from, Acc<T> (&to)[N])
{
    const Pack<T, N> pack = *reinterpret_cast<const Pack<T, N> *>(from);
    for (int k = 0; k < N; ++k)
        to[k] = (Acc<T>)pack.at[k];
}
template <class T, int N> __device__ void store(T *to, const Acc<T> (&from)[N])
{
    Pack<T, N> pack;
    for (int k = 0; k < N; ++k)
        pack.at[k] = (T)from[k];
    *reinterpret_cast<Pack<T, N> *>(to) = pack;
}
#define EACH int k = 0; k < N; ++k

// The sum, or the maximum, of a warp's values, which all its threads get
template <class S> __device__ S add_lanes(S value)
{
    for (int lanes = 16; lanes > 0; lanes /= 2)
        value += __shfl_xor_sync(0xffffffff, value, lanes);
    return value;
}
template <class S> __device__ S most_of_lanes(S value)
{
    for (int lanes = 16; lanes > 0; lanes /= 2)
        value = max(value, __shfl_xor_sync(0xffffffff, value, lanes));
    return value;
}

// Call a function for numbers below n, N apart. Block `first` of `blocks` has the first ones for its threads in x. The
// CPU device is faster if all threads go through the loop equally often, and without masks.
template <int N, class Index, class Function> __device__ void for_all(
    Index n, Index first, Index blocks, Function function)
{
    const Index own = threadIdx.x * N, all = blockDim.x * N;
    Index start = first * all;
    for (; start <= n - all; start += blocks * all)
        function(start + own);
    if (start + own < n)
        function(start + own);
}

// Call a function for the rows and columns of a matrix, in a grid of the size of `packs`
template <int N, class Function> __device__ void for_packs(long long rows, int columns, Function function)
{
    for (long long row = blockIdx.y; row < rows; row += gridDim.y)
        for_all<N, int>(columns, blockIdx.x, gridDim.x, [&](int i) { function(row, i); });
}
""" + "".join(HELPERS.values())


class BundledKernels(Kernels):
    """The kernels; their options are made when the first is compiled, as that initialises the driver."""

    def _compiled(self, name: str, arch: str) -> ObjectCode:
        self.options = self.options or ProgramOptions(use_bundled_headers=True)
        return super()._compiled(name, arch)


def accumulator(dtype: torch.dtype) -> torch.dtype:
    """Return the type in which a type is accumulated."""
    return torch.float64 if dtype == torch.float64 else torch.float32


def width(columns: int, *tensors: Tensor | None) -> int:
    """Return how many elements a load has: `LOAD_BYTES` if all rows of all tensors are aligned to that, else 1.

    The rows of a tensor may be apart, but their elements are not. If the tensors have types of several sizes, a load of
    the largest has these bytes.
    """
    given = [each for each in tensors if each is not None]
    most = max(1, LOAD_BYTES.get(given[0].device.type, _MOST_BYTES) // max(each.element_size() for each in given))
    return most if columns % most == 0 and all(_is_aligned(each, most) for each in given) else 1


def _is_aligned(tensor: Tensor, count: int) -> bool:
    """Return whether all rows begin at a multiple of the bytes of so many elements."""
    sizes, strides = tensor.shape[:-1], tensor.stride()[:-1]
    whole = all(stride % count == 0 for size, stride in zip(sizes, strides, strict=True) if size != 1)
    packed = tensor.ndim == 0 or tensor.stride(-1) == 1 or tensor.shape[-1] == 1
    return whole and packed and tensor.data_ptr() % (count * tensor.element_size()) == 0


def packs(rows: int, columns: int, load: int) -> tuple[tuple[int, int], int]:
    """Return the grid and the threads of a block of a kernel that loads each row of a matrix by so many elements."""
    warps = max(1, -(-columns // (32 * load)))
    of_block = min(warps, 8)
    return (-(-warps // of_block), min(rows, 4096)), 32 * of_block


def rows_of(x: Tensor) -> Tensor:
    """Return a tensor as a matrix of its rows; a copy unless these are equally far apart and their elements are not."""
    columns = x.shape[-1] if x.ndim else 1
    if x.ndim and x.stride(-1) != 1 and columns != 1:
        x = x.contiguous()
    return x.reshape(x.numel() // max(columns, 1), columns)


def load_of(columns: int, *tensors: Tensor) -> int:
    """Return `width`, or 1 for the tensors of PyTorch's compiler, which have no addresses."""
    if torch.compiler.is_compiling():
        return 1
    try:
        return width(columns, *tensors)
    except RuntimeError:  # from data_ptr, when a backward pass is traced
        return 1


def device_of(x: Any) -> str:
    """Return the name of the device of a tensor, or of a proxy of Thunder."""
    return str(x.device) if isinstance(x.device, torch.device) else str(x.device.device_str())
