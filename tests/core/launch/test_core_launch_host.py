# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""`LaunchConfig(host_arrays=True)`: kernels use arrays in memory of the host in place."""

import array
import pickle

import ml_dtypes
import numpy as np
import pytest

from cuda.core import LaunchConfig, Module, launch
from cuda.core.graph import GraphDefinition

pytestmark = pytest.mark.needs_nvrtc
SOURCE = 'extern "C" __global__ void copy(const char *x, char *y, int n) { for (int i = 0; i < n; i++) y[i] = x[i]; }'


@pytest.fixture
def reaching(device):
    if not device.properties.pageable_memory_access:
        pytest.skip("the device cannot access memory of the host")
    return LaunchConfig(grid=1, block=1, host_arrays=True)


@pytest.fixture
def kernel(device):
    return Module.from_source(SOURCE).copy


class Exporter:
    """An array with DLPack alone."""

    def __init__(self, values):
        self.values = values

    def __dlpack__(self, **options):
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


@pytest.mark.parametrize("dtype", ["f4", "i1", "c16", ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn])
def test_arrays_are_used_in_place(stream, kernel, reaching, dtype):
    x, y = np.arange(20).astype(dtype), np.zeros(20, dtype)
    launch(stream, reaching, kernel, x, y, x.nbytes)
    stream.sync()
    assert y.tobytes() == x.tobytes()


def test_other_kinds_of_host_memory(stream, kernel, reaching):
    y = np.zeros(8, np.uint8)
    for x in (b"12345678", bytearray(b"abcdefgh"), memoryview(b"ABCDEFGH"), Exporter(np.arange(8, dtype=np.uint8))):
        launch(stream, reaching, kernel, x, y, 8)
        stream.sync()
        assert y.tobytes() == (x.values.tobytes() if isinstance(x, Exporter) else bytes(x))


def test_a_view_begins_at_its_first_element(stream, kernel, reaching):
    x, y = np.arange(12, dtype=np.uint8).reshape(3, 4), np.zeros(4, np.uint8)
    launch(stream, reaching, kernel, x[1:], y, 4)
    stream.sync()
    assert y.tolist() == [4, 5, 6, 7]


def test_graphs_and_prepared_launches(stream, kernel, reaching):
    x, y = np.arange(8, dtype=np.uint8), np.zeros((2, 8), np.uint8)
    kernel.prepare(reaching, stream)(x, y[0], 8)
    stream.sync()
    definition = GraphDefinition()
    definition.launch(reaching, kernel, x, y[1], 8)
    definition.instantiate().launch(stream)
    stream.sync()
    assert y.tolist() == [x.tolist()] * 2


def test_without_the_option_arrays_are_refused(stream, kernel):
    config = LaunchConfig(grid=1, block=1)
    for x in (np.zeros(3), b"123", Exporter(np.zeros(3))):
        with pytest.raises(TypeError, match=r"argument 1 of kernel 'copy' .* host.*host_arrays"):
            launch(stream, config, kernel, x, None, 0)


def test_no_other_arguments_are_accepted(stream, kernel, reaching):
    for x in (array.array("f", [1]), object(), "text", 1.0):
        with pytest.raises(TypeError, match="argument 1 of kernel 'copy'"):
            launch(stream, reaching, kernel, x, None, 0)


def test_it_is_part_of_the_configuration():
    config = LaunchConfig(grid=1, block=1, host_arrays=True)
    assert config.host_arrays
    assert config != LaunchConfig(grid=1, block=1)
    assert pickle.loads(pickle.dumps(config)) == config
    config.grid = (2,)
    assert config.host_arrays
    config.host_arrays = False
    assert config == LaunchConfig(grid=2, block=1)
    config.host_arrays = True
    assert "host_arrays=True" in repr(config)
