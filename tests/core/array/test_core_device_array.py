# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""DeviceArray: creation, types, views, protocols, kernel arguments, lifetime and bad input."""

import copy
import dataclasses
import gc
import pickle
import threading
import weakref

import ml_dtypes
import numpy as np
import pytest
from array_values import FLOATS, PAIR
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from cuda.core import (
    Buffer,
    ClosedError,
    DeviceArray,
    DeviceMemoryResource,
    LaunchConfig,
    Stream,
    launch,
)
from cuda.core.graph import GraphDefinition
from cuda.core.utils import StridedMemoryView

DTYPES = [
    *map(np.dtype, ("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16")),
    *map(np.dtype, (ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2, ml_dtypes.float4_e2m1fn)),
    PAIR,
]


@pytest.fixture
def array(device):
    with device.to_device(FLOATS) as made:
        yield made


def bytes_of(values):
    return values.shape, values.dtype, values.tobytes()


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_type_of_kernels_makes_the_round_trip(device, stream, dtype):
    values = np.frombuffer(np.random.default_rng(1).bytes(6 * dtype.itemsize), dtype).reshape(2, 3)
    values = np.ones((2, 3), dtype) if dtype.kind == "b" else values
    for order in (None, stream):
        array = device.to_device(values, stream=order)
        assert bytes_of(array.to_host(stream=order)) == bytes_of(values)
        assert array.dtype == dtype
        assert array.nbytes == values.nbytes
    assert device.empty(3, dtype).itemsize == dtype.itemsize
    assert not device.zeros((2, 2), dtype).to_host().tobytes().strip(b"\0")


def test_types_of_ml_dtypes_have_names(device):
    assert device.empty(2, "bfloat16").dtype == ml_dtypes.bfloat16


@pytest.mark.parametrize(
    ("dtype", "message"),
    [
        (object, "dtype object holds Python objects"),
        (">f4", r"dtype >f4 is byte-swapped: convert the array with astype\(dtype.newbyteorder"),
        ([("a", ">i2")], "byte-swapped"),
        ("g", "no equivalent in CUDA C"),
        ("U3", "no equivalent in CUDA C"),
        ("datetime64[s]", "no equivalent in CUDA C"),
        ("V8", "no equivalent in CUDA C"),
        (ml_dtypes.int4, "no equivalent in CUDA C"),
        ([("a", "S2")], "no equivalent in CUDA C"),
        ((np.int32, (3,)), "is an array itself: add its shape"),
        (None, "dtype must be given"),
        ("nonsense", "dtype must be a NumPy dtype, not 'nonsense'"),
        (",", "dtype must be a NumPy dtype, not ','"),
        (3, "dtype must be a NumPy dtype, not 3"),
    ],
)
def test_types_that_kernels_do_not_have(device, dtype, message):
    with pytest.raises(TypeError, match=message):
        device.empty(4, dtype)


@pytest.mark.parametrize(
    ("shape", "error", "message"),
    [
        ((2, -1), ValueError, r"shape \(2, -1\) has a negative extent"),
        (2.5, TypeError, "shape must be an int or a tuple of ints, not 2.5"),
        ("ab", TypeError, "shape must be an int"),
        (None, TypeError, "shape must be an int"),
        ((2**62, 2), ValueError, "more than any memory"),
        ((1,) * 65, ValueError, "shape has 65 axes; at most 64"),
    ],
)
def test_wrong_shapes(device, shape, error, message):
    with pytest.raises(error, match=message):
        device.empty(shape, np.float64)


def test_wrong_order(device):
    with pytest.raises(ValueError, match="order must be 'C', 'F' or 'K', not 'A'"):
        device.empty(3, np.int8, order="A")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([1, 2], r"not list; numpy.asarray\(array, dtype\) makes one"),
        (None, "array must be a Buffer or an array"),
        (np.array(["a", None], object), "array.dtype object holds Python objects"),
        (np.ma.masked_array([1.0, 2.0]), "array is a masked array, whose mask would be lost"),
        (np.arange(3, dtype=">i4"), "array.dtype >i4 is byte-swapped"),
    ],
)
def test_what_is_no_array_of_numbers(device, given, message):
    with pytest.raises(TypeError, match=message):
        device.to_device(given)


def test_a_buffer_has_no_shape(device, stream):
    with device.allocate(8, stream=stream) as buffer, pytest.raises(TypeError, match="use DeviceArray"):
        device.to_device(buffer)


def test_a_device_that_is_not_current():
    from cuda.core import CUDAError, Device

    with pytest.raises(CUDAError, match="set_current"):
        Device(0).empty(3, np.int8)


@pytest.mark.parametrize("order", ["C", "F", "K"])
def test_order_of_the_axes(device, order):
    for values in (FLOATS, FLOATS.T, np.asfortranarray(FLOATS), FLOATS.transpose(1, 0, 2)):
        array = device.to_device(values, order=order)
        assert np.array_equal(array.to_host(), values)
        assert array.strides == values.copy(order=order).strides
        assert array.to_host().strides == array.strides
    assert device.empty((2, 3), np.int8, order="F").is_contiguous_f


def test_attributes(device, array, stream):
    assert (array.shape, array.strides, array.dtype) == ((2, 3, 4), (48, 16, 4), np.float32)
    assert (array.ndim, array.size, array.itemsize, array.nbytes, len(array)) == (3, 24, 4, 96, 2)
    assert array.device == device
    assert array.stream is None
    assert device.empty(1, np.int8, stream=stream).stream is stream
    assert array.ptr == array.buffer.handle
    assert array.is_contiguous_c
    assert not array.is_contiguous_f
    assert repr(array) == "<DeviceArray (2, 3, 4) float32, device 0>"
    assert repr(array[0, :, ::-1]) == "<DeviceArray (3, 4) float32, strides (16, -4), device 0>"
    assert [part.ptr - array.ptr for part in array] == [0, 48]


@st.composite
def indexed(draw):
    """Return an array and a basic index of it."""
    shape = draw(hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5))
    values = np.arange(np.prod(shape, dtype=int), dtype=np.int32).reshape(shape)
    return values, draw(hnp.basic_indices(shape, max_dims=8, allow_newaxis=True, allow_ellipsis=True))


@given(indexed())
def test_indexing_is_that_of_numpy(case):
    from cuda.core import Device

    Device(0).set_current()
    values, key = case
    expected = values[key if key != () else ...]
    array = Device(0).to_device(values)
    found = array[key]
    assert found.shape == expected.shape
    assert np.array_equal(found.to_host(), expected)
    if expected.size and isinstance(expected, np.ndarray):
        wanted = [step for step, extent in zip(expected.strides, expected.shape, strict=True) if extent > 1]
        assert [step for step, extent in zip(found.strides, found.shape, strict=True) if extent > 1] == wanted
        assert found.ptr - array.ptr == expected.ctypes.data - values.ctypes.data
    assert found.is_contiguous_c == expected.flags.c_contiguous
    assert found.is_contiguous_f == expected.flags.f_contiguous


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (2, "index 2 is out of bounds for axis 0 with size 2"),
        ((0, -4), "index -4 is out of bounds for axis 1 with size 3"),
        ((0, 0, 0, 0), "too many indices for array: array is 3-dimensional, but 4 were indexed"),
        ((..., ...), "single ellipsis"),
        ([0, 1], "not list: select elements with a kernel"),
        (True, "not bool"),
        (1.0, "not float"),
        (np.array([0, 1]), "not ndarray"),
        ("x", "dtype float32 has no field 'x': it has none"),
    ],
)
def test_wrong_indices(array, key, message):
    with pytest.raises(IndexError, match=message):
        array[key]


def test_fields_of_structures(device):
    values = np.zeros(4, PAIR)
    values["x"], values["n"] = np.arange(4), np.arange(12).reshape(4, 3)
    array = device.to_device(values)
    assert np.array_equal(array["x"].to_host(), values["x"])
    assert np.array_equal(array["n"][1:, ::2].to_host(), values["n"][1:, ::2])
    array["x"].fill(7)
    assert array[2].to_host()["x"] == 7
    assert np.array_equal(array.to_host()["n"], values["n"])
    with pytest.raises(IndexError, match=r"no field 'y': its fields are 'x', 'n'"):
        array["y"]


def test_reshape_and_transpose(array):
    assert array.reshape(-1).shape == array.reshape((24,)).shape == (24,)
    assert np.array_equal(array.reshape(4, -1).to_host(), FLOATS.reshape(4, -1))
    assert np.array_equal(array[:, 1].reshape(2, 2, 2).to_host(), FLOATS[:, 1].reshape(2, 2, 2))
    assert np.array_equal(array.T.to_host(), FLOATS.T)
    assert np.array_equal(array.transpose(1, 0, 2).to_host(), FLOATS.transpose(1, 0, 2))
    assert np.array_equal(array.transpose((2, -3, 1)).to_host(), FLOATS.transpose(2, 0, 1))
    for wrong in ((5,), (-1, -1), (7, -1)):
        with pytest.raises(ValueError):
            array.reshape(*wrong)
    with pytest.raises(ValueError, match="would need a copy"):
        array.T.reshape(24)
    with pytest.raises(ValueError, match="axis_order must have all 3 axes once"):
        array.transpose(0, 1)


def test_no_arithmetic_and_no_elements(array, device):
    for use in (lambda: array + 1, lambda: np.add(array, 1), lambda: bool(array), lambda: float(array[0, 0, 0])):
        with pytest.raises(TypeError):
            use()
    with pytest.raises(TypeError, match=r"use array\[...\].copy_from\(values\)"):
        array[0] = 1
    with pytest.raises(TypeError, match=r"call to_host\(\)"):
        np.asarray(array)
    scalar = device.to_device(np.float32(3))
    for use in (lambda: len(scalar), lambda: iter(scalar)):
        with pytest.raises(TypeError, match="0-d DeviceArray"):
            use()
    assert scalar.to_host() == 3
    assert (array == array, array != array[:], hash(array) == hash(array)) == (True, True, True)


@pytest.mark.parametrize("shape", [(), 0, (0, 3), (3, 0, 2), 1, (1, 1)])
def test_small_and_empty_arrays(device, stream, shape):
    values = np.full(shape, 5, np.int64)
    for order in (None, stream):
        array = device.to_device(values, stream=order)
        array.fill(6, stream=order)
        array.copy_from(values, stream=order)
        assert array.to_host(stream=order).tobytes() == values.tobytes()
        assert array.shape == values.shape
        assert array.T.is_contiguous_f


def test_closing_closes_all_views(device, stream):
    with device.to_device(FLOATS) as array:
        part = array[1]
    assert array.is_closed
    assert part.is_closed
    assert (part.ptr, array.buffer.size) == (0, 0)
    assert repr(part) == "<DeviceArray (3, 4) float32, closed>"
    array.close()
    uses = [
        part.to_host, array.__enter__, array.__dlpack__, lambda: array.__cuda_array_interface__,
        lambda: array.copy_from(FLOATS), lambda: array.copy_to(FLOATS.copy()), lambda: array.fill(0),
        lambda: device.to_device(array), lambda: StridedMemoryView.from_any_interface(array, -1),
    ]  # fmt: skip
    for use in uses:
        with pytest.raises(ClosedError):
            use()


def test_views_keep_the_memory(device):
    gc.collect()
    before = device.memory_resource.attributes.used_mem_current
    part = device.to_device(FLOATS)[1, :, ::2]
    assert np.array_equal(part.to_host(), FLOATS[1, :, ::2])
    del part
    gc.collect()
    assert device.memory_resource.attributes.used_mem_current == before


def test_memory_is_given_back(device, stream):
    gc.collect()
    pool = device.memory_resource
    before = pool.attributes.used_mem_current
    source = np.ones(1000, np.float32)
    gone = weakref.ref(source)
    for _ in range(200):
        array = device.to_device(source, stream=stream)
        array[::3].copy_from(source[::3], stream=stream)
        array.to_host()
        with pytest.raises(ValueError):
            array.copy_from(source[1:])
    del array, source
    stream.sync()
    gc.collect()
    assert gone() is None
    assert pool.attributes.used_mem_current == before


def test_memory_without_a_stream_is_freed_after_all_work(device, stream):
    go_on = threading.Event()
    array = device.to_device(FLOATS)
    stream.add_callback(go_on.wait)
    timer = threading.Timer(0.2, go_on.set)
    timer.start()
    del array  # waits
    assert go_on.is_set()
    timer.join()
    stream.sync()


@pytest.mark.needs_nvrtc
class TestLaunch:
    CONFIG = LaunchConfig(grid=1, block=32)

    def test_an_array_is_a_pointer_to_its_first_element(self, device, stream, module):
        array = device.to_device(np.zeros((4, 8), np.int32), stream=stream)
        launch(stream, self.CONFIG, module.add_one, array, 32)
        launch(stream, self.CONFIG, module.add_one, array[2, 3:], 5)
        expected = np.ones((4, 8), np.int32)
        expected[2, 3:] += 1
        assert np.array_equal(array.to_host(stream=stream), expected)

    def test_no_stream_waits_for_all_streams(self, device, stream, module):
        array = device.zeros(32, np.int32)
        go_on = threading.Event()
        stream.add_callback(go_on.wait)
        launch(stream, self.CONFIG, module.add_one, array, 32)
        timer = threading.Timer(0.2, go_on.set)
        timer.start()
        assert array.to_host().tolist() == [1] * 32
        timer.join()

    def test_closed_arrays_and_wrong_parameters(self, device, stream, module):
        array = device.zeros(32, np.int32)
        with pytest.raises(TypeError, match="argument 2 of kernel 'add_one' is a DeviceArray, a pointer of 8 bytes"):
            launch(stream, self.CONFIG, module.add_one, array, array)
        part = array[3:]
        array.close()
        with pytest.raises(ClosedError, match="argument 1 of kernel 'add_one' is a closed Buffer"):
            launch(stream, self.CONFIG, module.add_one, part, 3)

    def test_a_pointer_in_a_dataclass(self, device, stream):
        import ctypes

        from cuda.core import Module

        @dataclasses.dataclass
        class Job:
            data: ctypes.c_void_p
            count: np.int32

        source = """struct Job { int *data; int count; };
        extern "C" __global__ void run(Job job) { if (threadIdx.x < job.count) job.data[threadIdx.x] = 5; }"""
        array = device.zeros(8, np.int32)
        kernel = Module.from_source(source).run
        launch(stream, self.CONFIG, kernel, Job(array[4:], np.int32(2)))
        assert array.to_host(stream=stream).tolist() == [0, 0, 0, 0, 5, 5, 0, 0]
        array.close()
        with pytest.raises(ValueError, match="closed DeviceArray"):
            launch(stream, self.CONFIG, kernel, Job(array, np.int32(2)))

    def test_a_graph_keeps_the_arrays_that_it_uses(self, device, stream, module):
        source, target = np.arange(32, dtype=np.int32), np.zeros(32, np.int32)
        array = device.zeros(32, np.int32, stream=stream)
        stream.sync()
        builder = device.create_graph_builder().begin_building()
        array.copy_from(source, stream=builder)
        launch(builder, self.CONFIG, module.add_one, array, 32)
        array.copy_to(target, stream=builder)
        graph = builder.end_building().complete()
        del array, builder
        gc.collect()
        graph.upload(stream)
        graph.launch(stream)
        stream.sync()
        assert target.tolist() == list(range(1, 33))

    def test_many_threads(self, device, module):
        failures = []

        def work(number):
            try:
                device.set_current()
                with device.create_stream() as stream:
                    for _ in range(30):
                        array = device.full((8, 32), number, np.int32, stream=stream)
                        launch(stream, self.CONFIG, module.add_one, array[number % 8], 32)
                        found = array[:, ::-1].to_host(stream=stream)
                        assert found.sum() == 8 * 32 * number + 32
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failures == []


def test_nodes_of_graphs_take_arrays(device, stream):
    array, other = device.to_device(np.arange(8, dtype=np.int32)), device.zeros(8, np.int32)
    definition = GraphDefinition()
    definition.memset(array, 1, 32).memcpy(other, array, 32)
    with pytest.raises(ValueError, match=r"dst has strides \(8,\): give a contiguous DeviceArray"):
        definition.memcpy(other[::2], array, 4)
    with pytest.raises(ValueError, match="src is a DeviceArray of 16 bytes, but 32 are used"):
        definition.memcpy(other, array[:4], 32)
    graph = definition.instantiate()
    array.close()
    graph.launch(stream)
    assert other.to_host(stream=stream).tolist() == [0x01010101] * 8
    with pytest.raises(ClosedError, match="src is a closed DeviceArray"):
        definition.memcpy(other, array, 32)


def test_what_is_made_only_by_methods(array):
    with pytest.raises(RuntimeError, match=r"use Device.to_device, Device.empty or DeviceArray.from_buffer"):
        DeviceArray()
    for make in (copy.copy, pickle.dumps):
        with pytest.raises(TypeError, match="DeviceArray"):
            make(array)


def test_the_resource_of_the_device_is_used(device, stream):
    before, pool = device.memory_resource, DeviceMemoryResource(device, {"max_size": 1 << 20})
    device.memory_resource = pool
    try:
        array = device.empty(10, np.int8)
        assert isinstance(array.buffer, Buffer)
        assert array.buffer.memory_resource is pool
        array.close()
        assert isinstance(device.empty(1, np.int8, stream=stream).stream, Stream)
    finally:
        device.memory_resource = before
    pool.close()


def test_memory_without_a_stream_survives_a_capture(device, stream):
    """Waiting for the device, which precedes its deallocation, would invalidate the capture."""
    gc.collect()
    pool = device.memory_resource
    array, source = device.zeros(4, np.int32, stream=stream), device.zeros(100, np.int32)
    stream.sync()
    used = pool.attributes.used_mem_current
    builder = device.create_graph_builder().begin_building()
    array.fill(3, stream=builder)
    del source
    assert pool.attributes.used_mem_current == used
    for use in (array.to_host, lambda: array.fill(0), lambda: device.to_device(FLOATS)):
        with pytest.raises(RuntimeError, match=r"give stream=: a graph builder is building"):
            use()
    graph = builder.end_building().complete()
    builder.close()
    assert pool.attributes.used_mem_current < used
    graph.launch(stream)
    assert array.to_host(stream=stream).tolist() == [3] * 4
