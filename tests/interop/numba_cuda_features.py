# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A program for test_numba_cuda.py: what numba-cuda's documentation shows beyond the first kernels."""

import cmath
import math
import pathlib
import subprocess
import sys
import tempfile
import threading

import cffi
import numpy as np
from numba import cuda, float32
from numba.cuda import libdevice

random = np.random.default_rng(1)


@cuda.jit
def smooth(old, new, errors):
    """Make one step of Jacobi's method for Laplace's equation, and find each block's largest change."""
    i, j = cuda.grid(2)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    shared = cuda.shared.array((16, 16), float32)
    shared[x, y] = 0
    if 1 <= i < old.shape[0] - 1 and 1 <= j < old.shape[1] - 1:
        new[i, j] = float32(0.25) * (old[i + 1, j] + old[i - 1, j] + old[i, j + 1] + old[i, j - 1])
        shared[x, y] = abs(new[i, j] - old[i, j])
    cuda.syncthreads()
    step = 8
    while step > 0:
        if x < step:
            shared[x, y] = max(shared[x, y], shared[x + step, y])
        cuda.syncthreads()
        step //= 2
    if x == 0:
        cuda.atomic.max(errors, 0, shared[0, y])


def laplace():
    host = np.zeros((60, 60), np.float32)
    host[:, 0] = 1
    old, new, stream = cuda.to_device(host), cuda.to_device(host), cuda.stream()
    for _ in range(50):
        errors = cuda.to_device(np.zeros(1, np.float32), stream=stream)
        smooth[(4, 4), (16, 16), stream](old, new, errors)
        before, host = host, host.copy()
        host[1:-1, 1:-1] = (before[2:, 1:-1] + before[:-2, 1:-1] + before[1:-1, 2:] + before[1:-1, :-2]) / 4
        old, new = new, old
    np.testing.assert_allclose(old.copy_to_host(stream=stream), host, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(errors.copy_to_host(stream=stream)[0], abs(host - before).max(), rtol=1e-3)


@cuda.jit
def live(old, new):
    i, j = cuda.grid(2)
    if i >= old.shape[0] or j >= old.shape[1]:
        return
    count = 0
    for di in range(-1, 2):
        for dj in range(-1, 2):
            if di or dj:
                count += old[(i + di) % old.shape[0], (j + dj) % old.shape[1]]
    new[i, j] = 1 if count == 3 or (count == 2 and old[i, j]) else 0


def game_of_life():
    host = random.integers(0, 2, (50, 70)).astype(np.int8)
    old, new = cuda.to_device(host), cuda.device_array_like(host)
    for _ in range(10):
        live[(4, 5), (16, 16)](old, new)
        old, new = new, old
        near = sum(np.roll(host, (x, y), (0, 1)) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y)
        host = ((near == 3) | ((near == 2) & (host == 1))).astype(np.int8)
    np.testing.assert_array_equal(old.copy_to_host(), host)


@cuda.jit
def find_sessions(users, times, sessions):
    """Number events by the first one of their session, which ends at another user or after a pause."""
    i = cuda.grid(1)
    if i < len(users):
        new = i == 0 or users[i] != users[i - 1] or times[i] - times[i - 1] > 300
        sessions[i] = i if new else -1
    cuda.cg.this_grid().sync()
    if i < len(users) and sessions[i] == i:
        i += 1
        while i < len(users) and sessions[i] == -1:
            sessions[i] = cuda.grid(1)
            i += 1


def sessions():
    users, times = np.sort(random.integers(0, 30, 1000)), random.integers(0, 10000, 1000)
    times = times[np.lexsort((times, users))]
    found = cuda.device_array(1000, np.int64)
    find_sessions.forall(1000)(cuda.to_device(users), cuda.to_device(times), found)
    new = np.r_[True, (np.diff(users) != 0) | (np.diff(times) > 300)]
    np.testing.assert_array_equal(found.copy_to_host(), np.maximum.accumulate(np.where(new, np.arange(1000), 0)))


@cuda.jit
def increase(values, times):
    i = cuda.grid(1)
    if i < values.size:
        for _ in range(times):
            values[i] += 1


def streams_and_memory():
    one, two, begin, end = cuda.stream(), cuda.stream(), cuda.event(), cuda.event()
    pinned = cuda.pinned_array(1000, np.float64)
    pinned[:] = 1
    begin.record(one)
    device = cuda.to_device(pinned, stream=one)
    increase[4, 256, one](device, 10)
    end.record(one)
    end.wait(two)
    increase[4, 256, two](device, 5)
    device.copy_to_host(pinned, stream=two)
    two.synchronize()
    assert (pinned == 16).all()
    assert begin.elapsed_time(end) >= 0
    for make in (cuda.mapped_array, cuda.managed_array):
        values = make(100, np.int32)
        values[:] = 0
        increase[1, 128](values, 3)
        cuda.synchronize()
        assert (values == 3).all()
    host = np.zeros(1000)
    with cuda.pinned(host), one.auto_synchronize():
        device.copy_to_host(host, stream=one)
    assert (host == 16).all()


class Elsewhere:
    """Another library's array."""

    def __init__(self, array):
        self.__cuda_array_interface__ = array.__cuda_array_interface__


def arrays():
    host = np.arange(24, dtype=np.float32).reshape(4, 6)
    device = cuda.to_device(host)
    increase[1, 32](Elsewhere(device[1]), 100)
    host[1] += 100
    device[2], host[2] = 7, 7
    device[0, 2:4] = cuda.to_device(np.array([1, 2], np.float32))
    host[0, 2:4] = 1, 2
    np.testing.assert_array_equal(cuda.as_cuda_array(Elsewhere(device)).copy_to_host(), host)
    np.testing.assert_array_equal(device[1:3, ::2].copy_to_host(), host[1:3, ::2])
    records = np.zeros(10, np.dtype([("a", "i4"), ("b", "f8")], align=True))

    @cuda.jit
    def fill(records):
        i = cuda.grid(1)
        if i < records.size:
            records[i].a, records[i].b = i, i * 0.5

    fill[1, 32](records)
    assert records.tolist() == [(i, i * 0.5) for i in range(10)]


CONSTANT = np.array([[1, 2, 3], [4, 5, 6]], np.float32)


@cuda.jit
def compute(out, z, halves):
    i = cuda.grid(1)
    local, constant = cuda.local.array(3, float32), cuda.const.array_like(CONSTANT)
    for k in range(3):
        local[k] = constant[i % 2, k] * i
    out[0, i] = local[0] + local[2]
    value = cmath.exp(z[i]) + cmath.sqrt(z[i])
    out[1, i], out[2, i] = value.real, value.imag
    out[3, i] = libdevice.erf(z[i].real)
    sine, cosine = libdevice.sincos(z[i].real)
    out[4, i] = sine * sine + cosine * cosine
    out[5, i] = float32(cuda.fp16.hfma(halves[i], halves[i], halves[i]))
    out[6, i] = cuda.shfl_down_sync(0xFFFFFFFF, i, 3) + cuda.match_any_sync(0xFFFFFFFF, i // 16)


def arithmetic():
    out, z = np.zeros((7, 32)), random.standard_normal(32) + 1j * random.standard_normal(32)
    halves, i = random.random(32).astype(np.float16), np.arange(32)
    compute[1, 32](out, z, halves)
    value = np.exp(z) + np.sqrt(z)
    half = halves.astype(np.float32)
    expected = [i * CONSTANT[i % 2][:, [0, 2]].sum(1), value.real, value.imag, [*map(math.erf, z.real)]]
    expected += [np.ones(32), (half * half + half).astype(np.float16)]
    expected += [np.where(i < 29, i + 3, i) + np.where(i < 16, 0xFFFF, -0x10000)]
    np.testing.assert_allclose(out, expected, rtol=1e-12)


SEVEN = """.version 7.0
.target sm_50
.address_size 64
.visible .func (.param .b32 status) seven(.param .b64 result) {
    .reg .b64 %rd<2>; .reg .b32 %r<3>;
    ld.param.u64 %rd1, [result]; mov.u32 %r1, 7; st.u32 [%rd1], %r1; mov.u32 %r2, 0; st.param.b32 [status], %r2; ret;
}
"""


def foreign_functions():
    """In CUDA C++ with pointers and CUDA's headers, in PTX, and linked as LTO-IR."""
    file = pathlib.Path(tempfile.mkdtemp(), "seven.ptx")
    file.write_text(SEVEN)
    source = """#include <cooperative_groups.h>
    extern "C" __device__ int add_all(int *size, int *sum, int value) {
        *size = cooperative_groups::coalesced_threads().size(); atomicAdd(sum, value); return 0; }"""
    add_all = cuda.declare_device("add_all", "int32(CPointer(int32), int32)", link=cuda.CUSource(source))
    seven = cuda.declare_device("seven", "uint32()", link=str(file))
    twice = 'extern "C" __device__ int twice(int *result, int x) { *result = 2 * x; return 0; }'
    twice = cuda.declare_device("twice", "int32(int32)", link=cuda.CUSource(twice))
    memory = cffi.FFI()

    @cuda.jit
    def kernel(sums, sizes):
        sizes[cuda.grid(1)] = add_all(memory.from_buffer(sums), seven())

    @cuda.jit(lto=True)
    def double(values):
        values[cuda.grid(1)] = twice(values[cuda.grid(1)])

    sums, sizes = np.zeros(1, np.int32), np.zeros(64, np.int32)
    kernel[1, 64](sums, sizes)
    assert (sums[0], *set(sizes)) == (7 * 64, 32)
    double[1, 64](sizes)
    assert set(sizes) == {64}


def threads():
    ended = []

    def work(number):
        values = np.zeros(100)
        for _ in range(10):
            increase[1, 128](values, number)
        ended.append((values == 10 * number).all())

    running = [threading.Thread(target=work, args=(number,)) for number in range(5)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    assert ended == [True] * 5


CACHED = """
import numpy as np
from numba import cuda

@cuda.jit(cache=True)
def kernel(values):
    values[cuda.grid(1)] = 3 * cuda.grid(1)

values = np.zeros(32)
kernel[1, 32](values)
assert (values == 3 * np.arange(32)).all()
print(sum(kernel.stats.cache_hits.values()))
"""


def a_cache_of_several_processes():
    script = pathlib.Path(tempfile.mkdtemp(), "cached.py")
    script.write_text(CACHED)
    said = [subprocess.run([sys.executable, script], stdout=subprocess.PIPE, text=True).stdout for _ in range(2)]
    assert said == ["0\n", "1\n"]


def source_lines():
    """Comes last: after it, numba-cuda 0.30 cannot link LTO-IR of CUDA C++ with its own, on any driver."""
    kernel = cuda.jit(lineinfo=True)(increase.py_func)
    values = np.zeros(32)
    kernel[1, 32](values, 4)
    assert (values == 4).all()
    assert ".loc" in next(iter(kernel.inspect_asm().values()))


PROGRAMS = (laplace, game_of_life, sessions, streams_and_memory, arrays, arithmetic, foreign_functions, threads)
PROGRAMS += (a_cache_of_several_processes, source_lines)
if __name__ == "__main__":
    for run in PROGRAMS:
        run()
        print(run.__name__, "is right")
    print("on", cuda.get_current_device().name)
