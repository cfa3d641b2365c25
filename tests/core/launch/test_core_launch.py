# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Launches: every kind of kernel argument is passed correctly; invalid ones are rejected before anything runs."""

import ctypes
import math
import threading
from enum import IntEnum

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cuda.core import CUDAError, Device, LaunchConfig, LegacyPinnedMemoryResource, launch
from cuda.core.graph import GraphDefinition

ONE = LaunchConfig(grid=1, block=1)
MIXED = np.dtype([("a", "f4"), ("n", "i4"), ("d", "f8")])
SIZES = {"byte": 1, "short": 2, "int": 4, "long": 8}


class Mixed(ctypes.Structure):
    _fields_ = (("a", ctypes.c_float), ("n", ctypes.c_int), ("d", ctypes.c_double))


class Colour(IntEnum):
    RED = 3


@pytest.fixture
def stored(module, device, stream, host):
    """Return a function that launches a kernel which stores its argument, and returns what it stored."""
    with device.allocate(16, stream=stream) as out:

        def store(kind, value, dtype):
            launch(stream, ONE, module.get_kernel(f"store_{kind}"), out, value)
            return host(out, dtype)[0]

        yield store


@pytest.mark.parametrize(
    ("kind", "value", "dtype", "expected"),
    [
        ("float", 1.5, "f4", 1.5),
        ("float", 3, "f4", 3.0),
        ("float", True, "f4", 1.0),
        ("float", np.float32(-2.5), "f4", -2.5),
        ("float", ctypes.c_float(0.25), "f4", 0.25),
        ("float", math.inf, "f4", math.inf),
        ("double", 0.1, "f8", 0.1),
        ("double", np.float64(0.1), "f8", 0.1),
        ("double", ctypes.c_double(7), "f8", 7.0),
        ("int", -5, "i4", -5),
        ("int", 2**32 - 1, "u4", 2**32 - 1),
        ("int", True, "i4", 1),
        ("int", Colour.RED, "i4", 3),
        ("int", np.int32(-7), "i4", -7),
        ("int", np.uint32(7), "i4", 7),
        ("int", ctypes.c_int(9), "i4", 9),
        ("long", 2**64 - 1, "u8", 2**64 - 1),
        ("long", -(2**63), "i8", -(2**63)),
        ("short", ctypes.c_ushort(65535), "u2", 65535),
        ("byte", np.int8(-1), "i1", -1),
        ("bool", True, "?", True),
        ("bool", np.bool_(True), "?", True),
    ],
)
def test_scalar_arrives(stored, kind, value, dtype, expected):
    assert stored(kind, value, dtype) == expected


@pytest.mark.parametrize("value", [np.array((1, 2, 3), MIXED)[()], Mixed(1, 2, 3)], ids=["numpy", "ctypes"])
def test_structure_arrives(stored, value):
    assert stored("mixed", value, MIXED).tolist() == (1.0, 2, 3.0)


@pytest.mark.parametrize("value", [1 + 2j, np.complex64(1 + 2j), (ctypes.c_float * 2)(1, 2)])
def test_complex_arrives(stored, value):
    assert stored("pair", value, "c8") == 1 + 2j


@pytest.mark.parametrize("value", [None, 0x1234, np.uint64(0x1234), ctypes.c_void_p(0x1234)])
def test_pointer_arrives(stored, value):
    assert stored("address", value, "u8") == (0 if value is None else 0x1234)


def test_device_pointer_object_arrives(stored):
    from cuda.bindings.driver import CUdeviceptr

    assert stored("address", CUdeviceptr(0x1234), "u8") == 0x1234


def test_buffer_arrives(stored, device, stream):
    with device.allocate(8, stream=stream) as buffer:
        assert stored("address", buffer, "u8") == buffer.handle


class ArrayInterface:
    """A device array with __cuda_array_interface__, like those of CuPy and Numba."""

    def __init__(self, buffer, stream=None):
        self.__cuda_array_interface__ = {
            "data": (buffer.handle, False),
            "shape": (buffer.size,),
            "typestr": "|u1",
            "version": 3,
            "stream": stream,
        }


def test_cuda_array_interface_arrives(stored, device, stream):
    with device.allocate(8, stream=stream) as buffer:
        assert stored("address", ArrayInterface(buffer), "u8") == buffer.handle
        other = device.create_stream()
        assert stored("address", ArrayInterface(buffer, other.__cuda_stream__()[1]), "u8") == buffer.handle


class Exporter:
    """A device array that only supports DLPack."""

    def __init__(self, buffer, versioned=True):
        self.buffer = buffer
        if versioned:
            self.export = buffer.__dlpack__
        else:
            self.export = lambda stream=None: buffer.__dlpack__(stream=stream)
        self.streams = []

    def __dlpack_device__(self):
        return self.buffer.__dlpack_device__()

    def __dlpack__(self, **settings):
        self.streams.append(settings["stream"])
        return self.export(**settings)


@pytest.mark.parametrize("versioned", [True, False])
def test_dlpack_arrives(stored, device, stream, versioned):
    with device.allocate(8, stream=stream) as buffer:
        exporter = Exporter(buffer, versioned)
        assert stored("address", exporter, "u8") == buffer.handle
        assert set(exporter.streams) == {stream.__cuda_stream__()[1]}


@pytest.mark.parametrize("kind", SIZES)
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=st.integers(-(2**70), 2**70) | st.integers(-300, 300))
def test_an_int_is_converted_to_the_parameter_size_or_refused(stored, kind, value):
    bits = 8 * SIZES[kind]
    if -(2 ** (bits - 1)) <= value < 2**bits:
        assert int(stored(kind, value, f"u{SIZES[kind]}")) == value % 2**bits
    else:
        with pytest.raises(OverflowError, match=f"is {value}, but its parameter of {SIZES[kind]} bytes holds -"):
            stored(kind, value, "u1")


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=st.floats())
def test_a_float_is_converted_to_the_parameter_size_or_refused(stored, value):
    np.testing.assert_equal(stored("double", value, "f8"), value)
    if abs(value) > 3.5e38 and math.isfinite(value):
        with pytest.raises(OverflowError, match="32-bit float"):
            stored("float", value, "f4")
    elif abs(value) < 3.4e38:
        np.testing.assert_equal(stored("float", value, "f4"), np.float32(value))


def test_padding_between_parameters(module, device, stream, host):
    with device.allocate(4, stream=stream) as out:
        launch(stream, ONE, module.pad, -3, 100.0, 1000, out)
        assert host(out, "i4")[0] == 1097


@pytest.mark.parametrize(
    ("kind", "value", "message"),
    [
        ("int", 1.0, r"is a float \(1.0\), but the parameter is an integer or pointer of 4 bytes: pass an int"),
        ("long", 1.0, "is a float .* integer or pointer of 8 bytes"),
        ("int", np.float32(1), "is a numpy.float32 .* integer or pointer of 4 bytes"),
        ("int", ctypes.c_float(1), "is a c_float .* integer or pointer"),
        ("int", np.int64(1), "is a numpy.int64 of 8 bytes, but the parameter is .* of 4 bytes.*numpy.int32"),
        ("int", ctypes.c_byte(1), "is a c_byte of 1 bytes"),
        ("int", None, "is None, a null pointer of 8 bytes, but the parameter is .* of 4 bytes"),
        ("int", 1j, r"is a complex \(1j\)"),
        ("float", np.int32(1), "is a numpy.int32 .* floating-point number of 4 bytes: pass a float or numpy.float32"),
        ("float", np.float64(1), "is a numpy.float64 of 8 bytes.*numpy.float32"),
        ("double", None, "is None, a null pointer"),
        ("mixed", 1, "is a int, but the parameter is a structure of 16 bytes: pass a ctypes.Structure"),
        ("mixed", 1.0, "is a float .* structure of 16 bytes"),
        ("mixed", np.zeros((), "f8,f4")[()], "is a numpy.void of 12 bytes, but the parameter is a structure of 16"),
        ("mixed", Mixed, "is a .*, which is no kernel argument"),
        ("address", np.zeros(3), "is a numpy.ndarray in memory of the host: copy it to the device"),
        ("address", b"bytes", "is a bytes in memory of the host"),
        ("address", "text", "is a str, which is no kernel argument"),
        ("address", [1, 2], "is a list, which is no kernel argument"),
    ],
)
def test_wrong_type_or_size_is_refused(stored, kind, value, message):
    with pytest.raises(TypeError, match=f"^argument 2 of kernel 'store_{kind}' {message}"):
        stored(kind, value, "u1")


@pytest.mark.parametrize("count", [0, 1, 3])
def test_wrong_count_is_refused(module, stream, count):
    with pytest.raises(TypeError, match=f"^kernel 'add_one' takes 2 arguments, but {count} (was|were) given$"):
        launch(stream, ONE, module.add_one, *[0] * count)


def test_closed_buffer_is_refused(module, device, stream):
    buffer = device.allocate(4, stream=stream)
    buffer.close()
    with pytest.raises(ValueError, match=r"^argument 1 of kernel 'add_one' is a closed Buffer$"):
        launch(stream, ONE, module.add_one, buffer, 1)


def test_buffer_for_a_number_is_refused(module, device, stream):
    with device.allocate(4, stream=stream) as buffer:
        with pytest.raises(TypeError, match=r"argument 2 .* is a Buffer, a pointer of 8 bytes"):
            launch(stream, ONE, module.add_one, buffer, buffer)
        with pytest.raises(TypeError, match=r"argument 2 .* is a Buffer, a pointer of 8 bytes"):
            launch(stream, ONE, module.store_double, buffer, buffer)


def test_grid_and_block_arrive(module, device, stream, host):
    with device.allocate(24, stream=stream) as out:
        launch(stream, LaunchConfig(grid=(2, 3, 4), block=(5, 6, 7)), module.shape, out)
        assert host(out, "u4").tolist() == [2, 3, 4, 5, 6, 7]
        launch(stream, LaunchConfig(grid=2, block=8, is_cooperative=True), module.shape, out)
        assert host(out, "u4").tolist() == [2, 1, 1, 8, 1, 1]


def test_grid_counts_clusters(module, device, stream, host):
    if not device.properties.cluster_launch:
        pytest.skip("the device has no clusters")
    with device.allocate(24, stream=stream) as out:
        launch(stream, LaunchConfig(grid=3, cluster=2, block=8), module.shape, out)
        assert host(out, "u4").tolist() == [6, 1, 1, 8, 1, 1]


@pytest.fixture
def reverse(module):
    """Return a kernel that uses as much dynamic shared memory as its launch gives it."""
    kernel = module.reverse
    yield kernel
    kernel.attributes.max_dynamic_shared_size_bytes = 48 * 1024


@pytest.mark.parametrize("shared", [4 * 64, 100 * 1024])
def test_dynamic_shared_memory(reverse, stream, host, upload, shared):
    kernel = reverse
    kernel.attributes.max_dynamic_shared_size_bytes = max(shared + 1024, 48 * 1024)
    with upload(np.arange(64, dtype="i4")) as data:
        for size in (shared, shared + 1024, shared):
            launch(stream, LaunchConfig(grid=1, block=64, shmem_size=size), kernel, data)
        assert host(data, "i4").tolist() == list(range(63, -1, -1))


def test_large_dynamic_shared_memory_needs_the_kernel_attribute(reverse, device, stream):
    """As in CUDA: above 48 KiB the kernel's attribute has to be set, and no launch does so by itself."""
    config = LaunchConfig(grid=1, block=64, shmem_size=48 * 1024 + 1)
    refused = pytest.raises(
        CUDAError,
        match=r"shmem_size is 49153 bytes, but kernel 'reverse' may ask for 49152: set kernel\.attributes",
    )
    with device.allocate(256, stream=stream) as data:
        with refused:
            launch(stream, config, reverse, data)
        with refused:
            reverse.prepare(config, stream)(data)
        with refused:
            GraphDefinition().launch(config, reverse, data)
        with device.create_graph_builder().begin_building() as builder, refused:
            launch(builder, config, reverse, data)
        assert reverse.attributes.max_dynamic_shared_size_bytes == 48 * 1024
        reverse.attributes.max_dynamic_shared_size_bytes = 48 * 1024 + 1
        launch(stream, config, reverse, data)
        GraphDefinition().launch(config, reverse, data)
        stream.sync()


def test_the_error_for_a_too_large_launch_names_the_limit(module, device, stream):
    cases = [
        (LaunchConfig(grid=1, block=2048), r"block \(2048, 1, 1\) has 2048 threads, but kernel 'empty' takes at most"),
        (LaunchConfig(grid=1, block=(1, 1, 128)), r"block \(1, 1, 128\) is 128 along z, but the device's limit is 64"),
        (LaunchConfig(grid=(1, 10**6), block=1), "is 1000000 along y, but the device's limit is 65535"),
        (
            LaunchConfig(grid=1, block=1, shmem_size=2**30),
            "shmem_size is 1073741824 bytes, but kernel 'empty' can have",
        ),
    ]
    for config, message in cases:
        with pytest.raises(CUDAError, match=message) as caught:
            launch(stream, config, module.empty)
        assert caught.value.name == "CUDA_ERROR_INVALID_VALUE"
        assert caught.value.call == "cuLaunchKernelEx"
    launch(stream, ONE, module.empty)
    stream.sync()


def test_the_error_names_a_wrong_object(module, stream):
    with pytest.raises(TypeError, match="config must be a LaunchConfig, not int"):
        launch(stream, 1, module.empty)
    with pytest.raises(TypeError, match="kernel must be a Kernel, as get_kernel returns it, not Module"):
        launch(stream, ONE, module)
    with pytest.raises(TypeError, match="stream must be a Stream or an object with __cuda_stream__, not NoneType"):
        launch(None, ONE, module.empty)


def test_objects_with_cuda_stream_are_accepted_as_streams(module, stream):
    class Foreign:
        def __cuda_stream__(self):
            return stream.__cuda_stream__()

    launch(Foreign(), ONE, module.empty)
    launch(Device(0).default_stream, ONE, module.empty)
    stream.sync()


@pytest.mark.needs_nvrtc
def test_kernels_with_many_parameters(device, stream, host):
    from cuda.core import Module

    count = 500
    parameters = ", ".join(f"int p{i}" for i in range(count))
    total = " + ".join(f"p{i}" for i in range(count))
    source = f'extern "C" __global__ void sum(int *out, {parameters}) {{ *out = {total}; }}'
    with device.allocate(4, stream=stream) as out:
        launch(stream, ONE, Module.from_source(source).sum, out, *range(count))
        assert host(out, "i4")[0] == sum(range(count))


@pytest.mark.parametrize("current", [True, False])
def test_launches_from_many_threads(module, device, current):
    count, wrong = 4096, []

    def work(number, own, buffer, pinned, done):
        if current:
            device.set_current()
        for _ in range(3):
            buffer.fill(0, stream=own)
            for _ in range(number):
                launch(own, LaunchConfig(grid=count // 256, block=256), module.add_one, buffer, count)
            buffer.copy_to(pinned, stream=own)
            own.record(done)
            done.sync()
            wrong.extend(value for value in np.frombuffer(bytes(pinned), "i4") if value != number)

    def things():
        own = device.create_stream()
        pinned = LegacyPinnedMemoryResource().allocate(4 * count, stream=own)
        return own, device.allocate(4 * count, stream=own), pinned, device.create_event()

    threads = [threading.Thread(target=work, args=(number, *things())) for number in range(1, 7)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_the_default_stream_needs_a_current_device(module, device):
    raised = []

    def work():
        try:
            launch(device.default_stream, ONE, module.empty)
        except CUDAError as error:
            raised.append(error.name)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert raised == ["CUDA_ERROR_INVALID_CONTEXT"]
