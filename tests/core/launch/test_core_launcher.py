# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Prepared launches (Kernel.prepare): same results and errors as `launch`, lifetime of kernel and stream."""

import gc
import pickle
import threading

import numpy as np
import pytest

from cuda.core import LaunchConfig, Launcher, Module, launch

ONE = LaunchConfig(grid=1, block=1)


@pytest.fixture
def out(device, stream):
    with device.allocate(256, stream=stream) as buffer:
        yield buffer


def test_a_launcher_runs_the_kernel_with_its_arguments(module, stream, out, host):
    kernel = module.get_kernel("store_int")
    store = kernel.prepare(ONE, stream)
    for value in (5, np.int32(-6), True):
        assert store(out, value) is None
        assert host(out, "i4")[0] == value
    assert (store.kernel, store.config, store.stream) == (kernel, ONE, stream)
    assert repr(store).startswith("<Launcher of <Kernel 'store_int'> with LaunchConfig(grid=(1, 1, 1)")


def test_shape_and_shared_memory_come_from_the_configuration(module, stream, out, host):
    module.shape.prepare(LaunchConfig(grid=(2, 3), block=(4, 5, 6)), stream)(out)
    assert host(out, "u4")[:6].tolist() == [2, 3, 1, 4, 5, 6]
    out.fill(np.arange(1, dtype="i4"), stream=stream)
    module.reverse.prepare(LaunchConfig(grid=1, block=64, shmem_size=40 * 1024), stream)(out)
    stream.sync()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((), TypeError, r"^kernel 'store_int' takes 2 arguments, but 0 were given$"),
        ((None, 1, 2), TypeError, r"^kernel 'store_int' takes 2 arguments, but 3 were given$"),
        ((None, 1.5), TypeError, r"^argument 2 of kernel 'store_int' is a float \(1.5\), but the parameter is an int"),
        ((None, 1 << 40), OverflowError, r"^argument 2 of kernel 'store_int' is 1099511627776, but its parameter"),
        (("text", 1), TypeError, r"^argument 1 of kernel 'store_int' is a str, which is no kernel argument"),
    ],
)
def test_wrong_arguments_are_refused(module, stream, arguments, error, message):
    with pytest.raises(error, match=message):
        module.store_int.prepare(ONE, stream)(*arguments)


def test_arguments_have_no_names(module, stream, out):
    store = module.store_int.prepare(ONE, stream)
    with pytest.raises(TypeError, match=r"^a kernel's arguments have no names, but 'value' is given by name$"):
        store(out, value=1)
    store(*(out, 1), **{})


def test_wrong_objects_are_refused(module, stream):
    with pytest.raises(TypeError, match=r"^config must be a LaunchConfig, not int: "):
        module.empty.prepare(1, stream)
    with pytest.raises(TypeError, match=r"^stream must be a Stream or an object with __cuda_stream__, not NoneType"):
        module.empty.prepare(ONE, None)
    with pytest.raises(TypeError):
        Launcher._prepare(None, ONE, stream)
    with pytest.raises(RuntimeError, match=r"use Kernel.prepare$"):
        Launcher()
    with pytest.raises(TypeError):
        Launcher.__new__(Launcher)()
    with pytest.raises(TypeError, match=r"a Launcher belongs to this process"):
        pickle.dumps(module.empty.prepare(ONE, stream))


def test_a_closed_stream_is_refused(module, device):
    stream = device.create_stream()
    empty = module.empty.prepare(ONE, stream)
    empty()
    stream.close()
    with pytest.raises(ValueError, match=r"^this Stream is closed$"):
        empty()
    with pytest.raises(ValueError, match=r"^this Stream is closed$"):
        module.empty.prepare(ONE, stream)


@pytest.mark.needs_nvrtc
def test_a_launcher_keeps_kernel_and_stream_alive(device, stream, out, host):
    stream.sync()  # `out` was allocated in its order
    source = 'extern "C" __global__ void store(int *out, int value) { *out = value; }'
    own = device.create_stream()
    store = Module.from_source(source).store.prepare(LaunchConfig(grid=1, block=1), own)
    own = None
    gc.collect()
    store(out, 77)
    store.stream.sync()
    assert host(out, "i4")[0] == 77


def test_streams_of_other_libraries_and_graphs(module, device, stream, out, host):
    class Foreign:
        def __cuda_stream__(self):
            return stream.__cuda_stream__()

    store = module.store_int.prepare(ONE, Foreign())
    store(out, 8)
    assert host(out, "i4")[0] == 8
    builder = device.create_graph_builder().begin_building()
    module.store_int.prepare(ONE, builder)(out, 9)
    graph = builder.end_building().complete()
    assert host(out, "i4")[0] == 8
    graph.launch(stream)
    assert host(out, "i4")[0] == 9


def test_threads_share_a_launcher(module, device, stream, host):
    """Concurrent threads without a current device launch with different arguments."""
    count, wrong = 64, []
    store = module.store_int.prepare(ONE, stream)
    launch(stream, ONE, module.empty)

    def work(number):
        buffers = [device.allocate(4, stream=stream) for _ in range(count)]
        for index, buffer in enumerate(buffers):
            store(buffer, 1000 * number + index)
        device.set_current()
        found = [int(host(buffer, "i4")[0]) for buffer in buffers]
        wrong.extend(value for index, value in enumerate(found) if value != 1000 * number + index)
        for buffer in buffers:
            buffer.close()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_the_error_names_the_exceeded_limit(module, stream):
    with pytest.raises(RuntimeError, match=r"has 2048 threads, but kernel 'empty' takes at most"):
        module.empty.prepare(LaunchConfig(grid=1, block=2048), stream)()
