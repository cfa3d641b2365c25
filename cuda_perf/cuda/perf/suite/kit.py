# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""What the included benchmarks share: shapes of models, compilation, data, comparison with NumPy."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from cuda.core import LaunchConfig, Module, ProgramOptions, launch
from cuda.perf.define import Launch, State


class Model(NamedTuple):
    """Sizes of a transformer, from its publication."""

    hidden: int
    heads: int
    key_heads: int
    inner: int  # of the feed-forward layer
    vocabulary: int
    source: str


MODELS = {
    "gpt2": Model(
        768, 12, 12, 3072, 50257, "Radford et al. 2019, 'Language Models are Unsupervised Multitask Learners'"
    ),
    "bert": Model(768, 12, 12, 3072, 30522, "Devlin et al. 2018, arXiv 1810.04805, BERT-base"),
    "llama2_7b": Model(4096, 32, 32, 11008, 32000, "Touvron et al. 2023, arXiv 2307.09288, and its configuration file"),
    "mistral_7b": Model(4096, 32, 8, 14336, 32000, "Jiang et al. 2023, arXiv 2310.06825, table 1"),
}

# What a call may cost on the CPU device, which has the speed of a processor: about a tenth of a second.
MOST_FLOPS, MOST_BYTES = 4e8, 1 << 26
TOLERANCES = {"float32": 1e-4, "float16": 2e-2}
TYPES = {"float32": "float", "float16": "__half"}

# Sums and maxima of a block of up to 1,024 threads; all threads get the result.
COMMON = r"""
#include <cuda_fp16.h>
#define LOWEST __int_as_float(0xff800000)
struct Sum { static __device__ float of(float a, float b) { return a + b; } };
struct Max { static __device__ float of(float a, float b) { return fmaxf(a, b); } };
template <class Op> __device__ float reduce_block(float value, float start)
{
    __shared__ float of_warp[33];
    for (int distance = 16; distance; distance /= 2)
        value = Op::of(value, __shfl_xor_sync(~0u, value, distance));
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x < 32) {
        value = threadIdx.x < (blockDim.x + 31) / 32 ? of_warp[threadIdx.x] : start;
        for (int distance = 16; distance; distance /= 2)
            value = Op::of(value, __shfl_xor_sync(~0u, value, distance));
        if (threadIdx.x == 0)
            of_warp[32] = value;
    }
    __syncthreads();
    value = of_warp[32];
    __syncthreads();
    return value;
}
"""


class Kit:
    """The device side of a benchmark: compiles a source with `T` as a data type, and has arrays."""

    def __init__(self, state: State, source: str, dtype: str = "float32", **macros: int) -> None:
        self.state, self.dtype = state, np.dtype(dtype)
        defined = tuple((name, str(value)) for name, value in macros.items())
        options = ProgramOptions(
            arch=f"sm_{state.device.arch}",
            name="suite.cu",
            lineinfo=True,
            define_macro=defined,
            use_bundled_headers=True,
        )
        self._module = Module.from_source(f"{COMMON}using T = {TYPES[dtype]};\n{source}", options=options)
        self._random = np.random.default_rng(7)

    def random(self, *shape: int) -> np.ndarray:
        """Return numbers between -1 and 1."""
        return self._random.uniform(-1, 1, shape).astype(self.dtype)

    def integers(self, high: int, *shape: int, dtype: Any = np.int32) -> np.ndarray:
        return self._random.integers(0, high, shape).astype(dtype)

    def on_device(self, *arrays: np.ndarray) -> list[Any]:
        return [self.state.device.to_device(array, stream=self.state.stream) for array in arrays]

    def empty(self, *shape: int, dtype: Any = None) -> Any:
        return self.state.device.empty(shape, dtype or self.dtype, stream=self.state.stream)

    def call(
        self, name: str, grid: int | tuple[int, ...], block: int | tuple[int, ...], *arguments: Any, shared: int = 0
    ) -> Callable[[Launch], None]:
        """Return a launcher of a kernel."""
        kernel, config = getattr(self._module, name), LaunchConfig(grid=grid, block=block, shmem_size=shared)
        return lambda launched: launch(launched.stream, config, kernel, *arguments)

    def exec(
        self,
        launcher: Callable[[Launch], Any],
        result: Any,
        expected: Callable[[], np.ndarray],
        reads: Sequence[Any],
        flops: float = 0,
    ) -> None:
        """Register the launcher; `result` must then be what `expected` returns, within the data type's tolerance."""
        state = self.state
        state.add_global_memory_reads(sum(array.nbytes for array in reads))
        state.add_global_memory_writes(result.nbytes)
        state.add_element_count(math.prod(result.shape))
        state.add_flops(flops)
        tolerance = TOLERANCES.get(result.dtype.name, 0)

        def check() -> None:
            found = result.to_host(stream=state.stream).astype(np.float64)
            np.testing.assert_allclose(found, expected(), rtol=tolerance, atol=tolerance)

        state.exec(launcher, check=check)


def skip_if_large(state: State, flops: float, size: float = 0) -> None:
    """Skip the point on the CPU device if a call would take long there."""
    if state.on_cpu and (flops > MOST_FLOPS or size > MOST_BYTES):
        state.skip(f"too large for the CPU device: {flops:.2g} operations, {size / 2**20:.0f} MiB")


def each(*launchers: Callable[[Launch], Any]) -> Callable[[Launch], None]:
    """Return a launcher that calls others one after the other."""

    def run(launched: Launch) -> None:
        for launcher in launchers:
            launcher(launched)

    return run


def wide(array: np.ndarray) -> np.ndarray:
    return array.astype(np.float64)
