# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""PTX and LTO-IR that numba-cuda compiles from Python, loaded and launched by cuda.core."""

from __future__ import annotations

import math

import numpy as np
import pytest

pytest.importorskip("numba_cuda", reason="numba-cuda is not installed (see docs, Beside NVIDIA's)")

from numba import cuda, float32, float64, int32, types, void

from cuda.core import (
    LaunchConfig,
    LegacyPinnedMemoryResource,
    Linker,
    LinkerOptions,
    ObjectCode,
    Program,
    ProgramOptions,
    launch,
)

ARCHES = [(7, 5), (8, 6), (9, 0)]
FLOATS = types.CPointer(float32)


def on_device(stream, array):
    buffer = LegacyPinnedMemoryResource().allocate(array.nbytes, stream=stream)
    seen = np.from_dlpack(buffer).view(array.dtype).reshape(array.shape)
    seen[...] = array
    return buffer, seen


def saxpy(out, x, y, a, n):
    i = cuda.grid(1)
    if i < n:
        out[i] = a * x[i] + y[i]


@pytest.mark.parametrize("cc", ARCHES)
def test_pointers_are_plain_parameters(stream, cc):
    text, _ = cuda.compile_ptx(saxpy, void(FLOATS, FLOATS, FLOATS, float32, int32), cc=cc)
    kernel = ObjectCode.from_ptx(text.encode()).get_kernel(name_of(text))
    (x, first), (y, second) = (on_device(stream, np.arange(k, k + 1000, dtype=np.float32)) for k in (0, 7))
    out, found = on_device(stream, np.zeros(1000, np.float32))
    launch(stream, LaunchConfig(grid=4, block=256), kernel, out, x, y, 2.0, 1000)
    stream.sync()
    np.testing.assert_array_equal(found, 2 * first + second)


def name_of(text: str) -> str:
    return text.partition(".visible .entry ")[2].partition("(")[0]


def strided(out, table):
    row, column = cuda.grid(2)
    if row < table.shape[0] and column < table.shape[1]:
        out[column, row] = math.exp(-table[row, column]) + math.fmod(table[row, column], 0.3)


def test_an_array_is_seven_parameters_and_more_by_its_dimensions(stream):
    """The owner, its parent, the items, the bytes of one, the data, the shape, the strides."""
    table = float64[:, :]
    text, _ = cuda.compile_ptx(strided, void(table, table), cc=(9, 0))
    kernel = ObjectCode.from_ptx(text.encode()).get_kernel(name_of(text))
    values = np.random.default_rng(2).random((20, 15))
    (given, seen), (out, found) = on_device(stream, values), on_device(stream, np.zeros((15, 20)))

    def parts(buffer, array):
        return [None, None, array.size, array.itemsize, buffer, *array.shape, *array.strides]

    config = LaunchConfig(grid=(2, 2), block=(16, 16))
    launch(stream, config, kernel, *parts(out, found), *parts(given, seen))
    stream.sync()
    np.testing.assert_allclose(found, (np.exp(-values) + np.fmod(values, 0.3)).T, rtol=1e-14)


APPLY = """
extern "C" __device__ float op(float, float);
extern "C" __global__ void apply(float *out, const float *x, const float *y) {
    int i = threadIdx.x; out[i] = op(x[i], y[i]) + 1; }
"""


def smooth(x, y):
    return math.sin(x) * y if x > y else math.hypot(x, y)


@pytest.mark.needs_nvrtc
@pytest.mark.needs_nvjitlink
@pytest.mark.parametrize(
    ("output", "with_kernel"), [("ltoir", "ltoir"), ("ptx", "ptx"), ("ltoir", "ptx"), ("ptx", "ltoir")]
)
def test_a_function_of_numba_is_linked_into_a_kernel_in_cuda_cpp(device, stream, output, with_kernel):
    code, _ = cuda.compile(smooth, (float32, float32), device=True, abi="c", abi_info={"abi_name": "op"},
                           output=output, cc=device.compute_capability)  # fmt: skip
    options = ProgramOptions(relocatable_device_code=True, link_time_optimization=with_kernel == "ltoir")
    unit = Program(APPLY, "c++", options).compile(with_kernel)
    function = ObjectCode.from_ltoir(code) if output == "ltoir" else ObjectCode.from_ptx(code.encode())
    lto = "ltoir" in (output, with_kernel)
    kernel = Linker(unit, function, options=LinkerOptions(link_time_optimization=lto)).link("cubin").get_kernel("apply")
    values = np.random.default_rng(1).standard_normal((2, 32)).astype(np.float32)
    (x, first), (y, second) = (on_device(stream, row) for row in values)
    out, found = on_device(stream, np.zeros(32, np.float32))
    launch(stream, LaunchConfig(grid=1, block=32), kernel, out, x, y)
    stream.sync()
    expected = np.where(first > second, np.sin(first) * second, np.hypot(first, second)) + 1
    np.testing.assert_allclose(found, expected, rtol=1e-5)
