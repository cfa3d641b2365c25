# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""cuFile on the CPU device: files, buffers, batches, streams, settings and statistics."""

from __future__ import annotations

import ctypes
import os

import numpy as np
import pytest
from cufile_calls import DATA, content, refused

from cuda.bindings import cufile, driver
from cuda.core import LaunchConfig, LegacyPinnedMemoryResource, Program, ProgramOptions, launch

pytestmark = pytest.mark.skipif(
    os.environ.get("CUDA_PYTHON_DRIVER") == "nvidia", reason="tests of the CPU device's own library"
)


def test_reads_and_writes(memory, path, register):
    handle = register(path)
    assert cufile.read(handle, memory, len(DATA), 0, 0) == len(DATA)
    assert content(memory) == DATA
    assert cufile.read(handle, memory, 100, 4099, 7) == 100  # nothing need be aligned
    assert content(memory, 200) == DATA[:7] + DATA[4099:4199] + DATA[107:200]
    assert cufile.write(handle, memory, 50, len(DATA) - 10, 7) == 50
    assert path.read_bytes() == DATA[:-10] + DATA[4099:4149]
    assert cufile.read(handle, memory, 100, len(DATA), 0) == 40  # the end of the file
    assert cufile.read(handle, memory, 100, 1 << 40, 0) == 0
    assert cufile.read(handle, memory, 0, 0, 0) == 0
    cufile.handle_deregister(handle)
    with refused("HANDLE_NOT_REGISTERED"):
        cufile.read(handle, memory, 1, 0, 0)


def test_direct_io_needs_no_alignment(memory, path, register):
    handle = register(path, os.O_RDWR | os.O_DIRECT)
    assert cufile.read(handle, memory, 33, 77, 5) == 33
    assert content(memory + 5, 33) == DATA[77:110]


def test_reads_into_host_memory(path, register):
    data = bytearray(100)
    assert cufile.read(register(path), data, 100, 50, 0) == 100
    assert data == DATA[50:150]


@pytest.mark.parametrize(
    ("size", "at", "offset", "name"),
    [
        (len(DATA) + 1, 0, 0, "CUDA_POINTER_RANGE_ERROR"),
        (1, 0, len(DATA) + 256, "CUDA_POINTER_RANGE_ERROR"),
        (1, -1, 0, "INVALID_VALUE"),
        (1, 0, -1, "INVALID_VALUE"),
        (1 << 63, 0, 0, "INVALID_VALUE"),
    ],
)
def test_invalid_transfers(memory, path, register, size, at, offset, name):
    handle = register(path)
    with refused(name):
        cufile.read(handle, memory, size, at, offset)


def test_errors_of_the_system_are_reported(memory, path, register):
    handle = register(path, os.O_RDONLY)
    with pytest.raises((cufile.cuFileError, OSError)) as caught:
        cufile.write(handle, memory, 1, 0, 0)
    assert "Bad file descriptor" in str(caught.value) or "-1" in str(caught.value)
    with pytest.raises((cufile.cuFileError, OSError)):
        cufile.read(handle, 4096, 1, 0, 0)  # EFAULT, no crash


def test_handles(path, tmp_path, register):
    handle = register(path)
    assert handle
    given = cufile.Descr(type=cufile.FileHandleType.OPAQUE_FD)
    with open(path) as file:
        given.handle.fd = file.fileno()
        first = cufile.handle_register(given.ptr)
        with refused("HANDLE_ALREADY_REGISTERED"):
            cufile.handle_register(given.ptr)
        cufile.handle_deregister(first)
        cufile.handle_deregister(cufile.handle_register(given.ptr))
    given.handle.fd = 9999
    with refused("INVALID_VALUE"):
        cufile.handle_register(given.ptr)
    given.type = cufile.FileHandleType.OPAQUE_WIN32
    with refused("PLATFORM_NOT_SUPPORTED"):
        cufile.handle_register(given.ptr)
    with refused("INVALID_VALUE"):
        cufile.handle_register(None)
    reader, writer = os.pipe()
    given.type, given.handle.fd = cufile.FileHandleType.OPAQUE_FD, reader
    with refused("INVALID_FILE_TYPE"):
        cufile.handle_register(given.ptr)
    os.close(reader)
    os.close(writer)
    cufile.handle_deregister(handle)
    cufile.handle_deregister(handle)  # is ignored


def test_a_handle_outlives_its_descriptor(memory, path):
    given = cufile.Descr(type=cufile.FileHandleType.OPAQUE_FD)
    with open(path, "rb") as file:
        given.handle.fd = file.fileno()
        handle = cufile.handle_register(given.ptr)
    assert cufile.read(handle, memory, 10, 0, 0) == 10
    cufile.handle_deregister(handle)


def test_user_space_file_systems(memory):
    kept = bytearray(DATA[:1000])
    type_ = ctypes.CFUNCTYPE(
        ctypes.c_ssize_t, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_long, ctypes.c_void_p
    )

    def read(own, address, size, at, info):
        size = min(size, 300, max(len(kept) - at, 0))  # in parts
        ctypes.memmove(address, bytes(kept[at : at + size]), size)
        return size

    def write(own, address, size, at, info):
        kept[at : at + size] = ctypes.string_at(address, size)
        return size

    functions = type_(read), type_(write)
    operations = cufile.FSOps()
    operations.read, operations.write = (ctypes.cast(each, ctypes.c_void_p).value for each in functions)
    given = cufile.Descr(type=cufile.FileHandleType.USERSPACE_FS, fs_ops=operations.ptr)
    given.handle.handle = 5
    handle = cufile.handle_register(given.ptr)
    assert cufile.read(handle, memory, 2000, 100, 0) == 900
    assert content(memory, 900) == DATA[100:1000]
    assert cufile.write(handle, memory, 4, 10, 0) == 4
    assert kept[8:16] == DATA[8:10] + DATA[100:104] + DATA[14:16]
    cufile.handle_deregister(handle)


def test_buffers(memory, path, register):
    handle = register(path)
    cufile.buf_register(memory, 1000, 0)
    with refused("MEMORY_ALREADY_REGISTERED"):
        cufile.buf_register(memory, 10, 0)
    assert cufile.read(handle, memory, 900, 0, 100) == 900
    with refused("INVALID_MAPPING_RANGE"):
        cufile.read(handle, memory, 901, 0, 100)
    cufile.buf_deregister(memory)
    with refused("MEMORY_NOT_REGISTERED"):
        cufile.buf_deregister(memory)
    assert cufile.read(handle, memory, 901, 0, 100) == 901
    for base, length, flags, name in (
        (memory, 0, 0, "INVALID_VALUE"),
        (0, 5, 0, "INVALID_VALUE"),
        (memory, 5, 64, "INVALID_VALUE"),
        (memory, len(DATA) + 1, 0, "CUDA_POINTER_RANGE_ERROR"),
    ):
        with refused(name):
            cufile.buf_register(base, length, flags)


def test_vectors(memory, path, register):
    handle = register(path)
    parts = cufile.IOVec(3)
    for i, (start, size) in enumerate(((0, 10), (100, 0), (200, 30))):
        parts[i].base_, parts[i].len = memory + start, size
    assert cufile.readv(handle, parts, 5) == 40
    assert content(memory, 10) == DATA[5:15]
    assert content(memory + 200, 30) == DATA[15:45]
    assert cufile.writev(handle, parts, len(DATA)) == 40
    assert path.read_bytes()[len(DATA) :] == DATA[5:45]
    assert cufile.readv(handle, parts, len(DATA) + 25) == 15
    with refused("INVALID_VALUE"):
        cufile.readv(handle, parts, 0, 1)


def requests(handle, memory, *given):
    made = cufile.IOParams(len(given))
    for i, (opcode, size, at, offset) in enumerate(given):
        each = made[i]
        each.mode, each.opcode, each.fh, each.cookie = cufile.BatchMode.BATCH, opcode, handle, 100 + i
        part = each.u.batch
        part.dev_ptr_base, part.file_offset, part.dev_ptr_offset, part.size_ = memory, at, offset, size
    return made


def events(batch, most, least=0):
    count, found = ctypes.c_uint(most), cufile.IOEvents(max(most, 1))
    cufile.batch_io_get_status(batch, least, ctypes.addressof(count), found.ptr, 0)
    return [(found[i].cookie, found[i].status, ctypes.c_int64(found[i].ret).value) for i in range(count.value)]


def test_batches(memory, path, register):
    handle, batch = register(path), cufile.batch_io_set_up(4)
    read, write, status = cufile.Opcode.READ, cufile.Opcode.WRITE, cufile.Status
    made = requests(handle, memory, (read, 1000, 0, 0), (read, 5000, 9000, 2000), (write, 10, len(DATA), 2000))
    cufile.batch_io_submit(batch, 3, made.ptr, 0)
    with refused("BATCH_FULL"):
        cufile.batch_io_submit(batch, 2, made.ptr, 0)
    assert events(batch, 2) == [(100, status.COMPLETE, 1000), (101, status.COMPLETE, 5000)]
    assert events(batch, 4, 1) == [(102, status.COMPLETE, 10)]
    assert events(batch, 4) == []
    assert content(memory, 1000) == DATA[:1000]
    assert content(memory + 2000, 5000) == DATA[9000:14000]
    assert path.read_bytes()[-10:] == DATA[9000:9010]
    too_much = requests(handle, memory, (read, len(DATA) + 1, 0, 0))
    cufile.batch_io_submit(batch, 1, too_much.ptr, 0)
    assert events(batch, 1) == [(100, status.FAILED, -5014)]
    wrong = requests(handle, memory, (read, 1, 0, 0), (read, 1, 0, 0))
    wrong[1].mode = 7
    with refused("INVALID_VALUE"):
        cufile.batch_io_submit(batch, 2, wrong.ptr, 0)
    assert events(batch, 4) == []  # none was done
    cufile.batch_io_cancel(batch)
    cufile.batch_io_destroy(batch)
    for call in (
        lambda: cufile.batch_io_set_up(0),
        lambda: cufile.batch_io_set_up(1000),
        lambda: cufile.batch_io_cancel(batch),
        lambda: cufile.batch_io_submit(batch, 1, made.ptr, 0),
        lambda: events(batch, 1),
    ):
        with refused("INVALID_VALUE"):
            call()


class Late:
    """Parameters that cuFile reads when it executes an asynchronous operation, and its result."""

    def __init__(self, size, at=0, offset=0):
        self.values = (ctypes.c_size_t(size), ctypes.c_long(at), ctypes.c_long(offset), ctypes.c_ssize_t(-99))
        self.addresses = tuple(ctypes.addressof(value) for value in self.values)

    @property
    def moved(self):
        return self.values[3].value


ADD = 'extern "C" __global__ void add(unsigned char *x) { x[blockIdx.x * blockDim.x + threadIdx.x] += 1; }'


@pytest.mark.needs_nvrtc
def test_streams_order_file_io_and_kernels(device, stream, memory, path, register):
    kernel = Program(ADD, "c++", ProgramOptions(arch=f"sm_{device.arch}")).compile("ptx").get_kernel("add")
    handle, size = register(path), 1 << 16
    pairs = [(Late(size, number), Late(size, number)) for number in range(10)]
    for read, write in pairs:
        cufile.read_async(handle, memory, *read.addresses, int(stream.handle))
        launch(stream, LaunchConfig(grid=size // 256, block=256), kernel, np.uint64(memory))
        cufile.write_async(handle, memory, *write.addresses, int(stream.handle))
    stream.sync()
    assert {(read.moved, write.moved) for read, write in pairs} == {(size, size)}
    found, wanted = np.frombuffer(path.read_bytes(), np.uint8), np.frombuffer(DATA, np.uint8).copy()
    for number in range(10):
        wanted[number : number + size] += 1
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("fixed", [0, 7])
def test_sizes_and_offsets_are_read_at_execution_unless_fixed(stream, memory, path, register, fixed):
    handle, line = register(path), int(stream.handle)
    cufile.stream_register(line, fixed)
    with refused("INVALID_VALUE"):
        cufile.stream_register(line, fixed)
    late, gate = Late(10, 0, 0), LegacyPinnedMemoryResource().allocate(4, stream=stream)
    flag = ctypes.c_uint32.from_address(int(gate.handle))
    flag.value = 0
    assert driver.cuStreamWaitValue32(line, int(gate.handle), 1, 0)[0] == 0
    cufile.read_async(handle, memory, *late.addresses, line)
    for value, new in zip(late.values, (20, 1000, 500), strict=False):
        value.value = new
    flag.value = 1
    stream.sync()
    assert late.moved == (10 if fixed else 20)
    start, size, at = (0, 10, 0) if fixed else (500, 20, 1000)
    assert content(memory + start, size) == DATA[at : at + size]
    cufile.stream_deregister(line)
    with refused("INVALID_VALUE"):
        cufile.stream_deregister(line)
    with refused("INVALID_VALUE"):
        cufile.stream_register(line, 64)
    gate.close()


def test_failures_in_streams_are_reported_in_bytes_done(stream, memory, path, register):
    handle, line = register(path), int(stream.handle)
    late = Late(len(DATA) + 1)
    cufile.read_async(handle, memory, *late.addresses, line)
    stream.sync()
    assert late.moved == -5014
    cufile.stream_register(line, 8)
    late = Late(100)
    cufile.read_async(handle, memory, *late.addresses, line)
    stream.sync()
    assert late.moved == -5022  # not aligned
    cufile.stream_deregister(line)
    with refused("INVALID_VALUE"):
        cufile.read_async(handle, memory, 0, *late.addresses[1:], line)
    with refused("CUDA_DRIVER_ERROR"):
        cufile.read_async(handle, memory, *late.addresses, 12345)
    builder = stream.create_graph_builder()
    builder.begin_building()
    with refused("ASYNC_NOT_SUPPORTED"):
        cufile.read_async(handle, memory, *late.addresses, line)
    builder.end_building()


def test_statistics(memory, path, register):
    cufile.set_stats_level(3)
    cufile.stats_reset()
    cufile.stats_start()
    handle = register(path)
    cufile.read(handle, memory, 5000, 0, 0)
    cufile.write(handle, memory, 100, 0, 0)
    with refused("CUDA_POINTER_RANGE_ERROR"):
        cufile.read(handle, memory, len(DATA) + 1, 0, 0)
    batch = cufile.batch_io_set_up(2)
    made = requests(handle, memory, (cufile.Opcode.READ, 50, 0, 0))
    cufile.batch_io_submit(batch, 1, made.ptr, 0)
    events(batch, 1)
    cufile.stats_stop()
    cufile.read(handle, memory, 7, 0, 0)  # is not counted
    found = cufile.StatsLevel3()
    cufile.get_stats_l3(found.ptr)
    basic = found.detailed.basic
    assert (basic.read_ops.ok, basic.read_ops.err, basic.read_bytes) == (2, 1, 5050)
    assert (basic.write_ops.ok, basic.write_bytes, basic.hdl_register_ops.ok) == (1, 100, 1)
    assert (basic.batch_submit_ops.ok, basic.batch_complete_ops.ok, basic.batch_read_bytes) == (1, 1, 50)
    assert np.asarray(found.detailed.read_size_kb_hist).tolist()[:5] == [1, 0, 0, 1, 0]
    each = found.per_gpu_stats[0]
    assert found.num_gpus == driver.cuDeviceGetCount()[1]
    assert (each.n_total_reads, each.n_posix_reads, each.n_reads_err) == (3, 2, 1)
    one, two = cufile.StatsLevel1(), cufile.StatsLevel2()
    cufile.get_stats_l1(one.ptr)
    cufile.get_stats_l2(two.ptr)
    assert one.read_bytes == two.basic.read_bytes == 5050
    cufile.set_stats_level(1)
    assert cufile.get_stats_level() == 1
    with refused("INVALID_VALUE"):
        cufile.get_stats_l2(two.ptr)
    with refused("INVALID_VALUE"):
        cufile.set_stats_level(4)
    cufile.set_stats_level(0)
