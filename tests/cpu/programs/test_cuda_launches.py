# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Dynamic parallelism through cuda.core: order of child launches, streams, events, memory and device queries."""

import ctypes
import re

import numpy as np
import pytest
from support.compilers import device_runtime_library

from cuda.bindings import driver, runtime
from cuda.core import (
    Device,
    LaunchConfig,
    LegacyPinnedMemoryResource,
    Linker,
    LinkerOptions,
    ObjectCode,
    Program,
    ProgramOptions,
    launch,
)

pytestmark = pytest.mark.needs_nvrtc

# `note` appends to a log, which shows the order of execution.
COMMON = """
__device__ int length;
extern "C" __global__ void note(int *log, int what) {
    if (threadIdx.x == 0 && blockIdx.x == 0) log[atomicAdd(&length, 1)] = what; }
extern "C" __global__ void clear() { length = 0; }
"""


@pytest.fixture(scope="module")
def device():
    device = Device()
    device.set_current()
    return device


class Launching:
    """Code that uses the device runtime, linked with libcudadevrt as for a GPU, or unlinked."""

    def __init__(self, device, source, linked=False, arch=None, **options):
        options = ProgramOptions(arch=f"sm_{arch or device.arch}", relocatable_device_code=True, **options)
        made = Program(COMMON + source, "c++", options).compile("cubin" if linked else "ptx")
        if linked:
            library = ObjectCode.from_library(device_runtime_library())
            made = Linker(made, library, options=LinkerOptions(arch=f"sm_{device.arch}")).link("cubin")
        self.code, self.stream = made, device.create_stream()
        self.memory = LegacyPinnedMemoryResource()

    def run(self, name, grid, block, *args, size=64, shmem=0):
        """Launch with an array of zeros and the arguments; return the array."""
        buffer = self.memory.allocate(4 * size, stream=self.stream)
        view = np.frombuffer((ctypes.c_int32 * size).from_address(int(buffer.handle)), np.int32)
        view[:] = 0
        try:
            if name != "clear":
                launch(self.stream, LaunchConfig(grid=1, block=1), self.code.get_kernel("clear"))
            launch(
                self.stream, LaunchConfig(grid=grid, block=block, shmem_size=shmem), self.code.get_kernel(name), buffer,
                *args,
            )  # fmt: skip
            self.stream.sync()
            return view.copy()
        finally:
            buffer.close()


@pytest.fixture
def build(device, compiler, on_gpu):
    if compiler == "clang":
        from cuda.core._program._clang import _find

        if _find.major(_find.find()[1]) < 22:
            pytest.skip("launches from kernels need clang 22")
    always = {"linked": True} if on_gpu else {}
    return lambda source, **options: Launching(device, source, **options | always)


ORDER = """
extern "C" __global__ void middle(int *log) {
    note<<<1, 1, 0, cudaStreamTailLaunch>>>(log, 13);
    note<<<1, 1>>>(log, 11); note<<<1, 1, 0, cudaStreamFireAndForget>>>(log, 12); }
extern "C" __global__ void order(int *log) {
    note<<<1, 1, 0, cudaStreamTailLaunch>>>(log, 4);
    note<<<1, 1, 0, cudaStreamTailLaunch>>>(log, 5);
    note<<<1, 1>>>(log, 1); middle<<<1, 1>>>(log); note<<<1, 1>>>(log, 3); }
"""


@pytest.mark.parametrize("linked", [pytest.param(True, marks=pytest.mark.needs_nvjitlink), False])
def test_launches_of_a_block_are_ordered_and_tail_launches_run_last(build, linked):
    log = build(ORDER, linked=linked).run("order", 1, 1)
    # A child is complete when its own launches are; fire-and-forget launches are unordered.
    assert log[log != 0].tolist() == [1, 11, 12, 13, 3, 4, 5]


CHAIN = """
extern "C" __global__ void chain(int *out, int left) {
    out[0]++;
    if (left) chain<<<1, 1, 0, cudaStreamTailLaunch>>>(out, left - 1);
    else out[1] = out[0]; }
extern "C" __global__ void tree(int *out, int depth) {
    atomicAdd(out, 1);
    if (depth) tree<<<1, 2>>>(out, depth - 1); }
"""


def test_long_chains_of_tail_launches(build):
    assert build(CHAIN).run("chain", 1, 1, np.int32(3000))[:2].tolist() == [3001, 3001]


def test_launches_nest(build):
    assert build(CHAIN).run("tree", 1, 2, np.int32(7))[0] == sum(2 ** (level + 1) for level in range(8))


SHAPES = """
struct Big { int a[300]; };
extern "C" __global__ void child(int *out, Big big, double scale, char one, int n) {
    extern __shared__ int shared[];
    int id = threadIdx.y * blockDim.x + threadIdx.x;
    shared[id] = big.a[id] * one; __syncthreads();
    int here = (blockIdx.y * gridDim.x + blockIdx.x) * n + id;
    out[here] = int(shared[n - 1 - id] * scale); }
template <class T> __global__ void twice(T *out) { out[threadIdx.x] *= T(2); }
extern "C" __global__ void shapes(int *out) {
    Big big; for (int i = 0; i < 300; i++) big.a[i] = i;
    child<<<dim3(2, 2), dim3(5, 3), 15 * sizeof(int)>>>(out, big, 3.0, 1, 15);
    twice<<<1, 60>>>(out); }
"""


def test_child_launches_with_shape_parameters_and_shared_memory(build):
    out = build(SHAPES).run("shapes", 1, 1)
    expected = np.tile(6 * np.arange(14, -1, -1), 4)
    assert out[:60].tolist() == expected.tolist()


VISIBLE = """
extern "C" __global__ void square(const int *in, int *out) { out[threadIdx.x] = in[threadIdx.x] * in[threadIdx.x]; }
extern "C" __global__ void sum(const int *in, int *out) { for (int i = 0; i < 32; i++) *out += in[i]; }
extern "C" __global__ void work(int *out) {
    int *mine = out + 64 * blockIdx.x;
    mine[threadIdx.x] = threadIdx.x + blockIdx.x; __syncthreads();
    if (threadIdx.x == 0) {
        square<<<1, 32>>>(mine, mine + 32); sum<<<1, 1>>>(mine + 32, mine); } }
"""


@pytest.mark.parametrize("blocks", [1, 40])
def test_children_see_writes_of_their_parents(build, blocks):
    out = build(VISIBLE).run("work", blocks, 32, size=64 * blocks).reshape(blocks, 64)
    for block in range(blocks):
        squares = (np.arange(32) + block) ** 2
        assert out[block, 32:].tolist() == squares.tolist()
        assert out[block, 0] == block + squares.sum()


def test_later_work_in_the_stream_waits_for_children(device, build):
    program = build(ORDER)
    buffer = program.memory.allocate(256, stream=program.stream)
    view = np.frombuffer((ctypes.c_int32 * 64).from_address(int(buffer.handle)), np.int32)
    for _ in range(20):
        view[:] = 0
        one = LaunchConfig(grid=1, block=1)
        launch(program.stream, one, program.code.get_kernel("clear"))
        launch(program.stream, one, program.code.get_kernel("order"), buffer)
        launch(program.stream, one, program.code.get_kernel("note"), buffer, np.int32(99))
        program.stream.sync()
        assert view[view != 0].tolist() == [1, 11, 12, 13, 3, 4, 5, 99]
    buffer.close()


STREAMS = """
extern "C" __global__ void streams(int *log, int *status) {
    cudaStream_t a, b; cudaEvent_t event; int n = 0;
    status[n++] = cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    status[n++] = cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    status[n++] = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    note<<<1, 1, 0, a>>>(log, 1);
    status[n++] = cudaEventRecord(event, a);
    status[n++] = cudaStreamWaitEvent(b, event, 0);
    note<<<1, 1, 0, b>>>(log, 2);
    status[n++] = cudaStreamDestroy(a); status[n++] = cudaStreamDestroy(b); status[n++] = cudaEventDestroy(event);
    /* from here on wrong */
    status[n++] = cudaStreamDestroy(a);
    status[n++] = cudaStreamCreateWithFlags(&a, 0);
    status[n++] = cudaEventCreateWithFlags(&event, 0);
    status[n++] = cudaEventRecord(event, 0);
    status[n++] = cudaStreamWaitEvent((cudaStream_t)0x1234567, event, 0);
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    status[n++] = cudaEventRecord(event, cudaStreamTailLaunch);
    status[n++] = cudaEventRecord(event, cudaStreamFireAndForget);
    status[n++] = cudaStreamWaitEvent(b, event, 0);
    cudaGetLastError();
    note<<<1, 1, 0, b>>>(log, 3);
    status[n++] = cudaPeekAtLastError(); status[n++] = cudaGetLastError(); status[n++] = cudaGetLastError(); }
extern "C" __global__ void both(int *out) { streams<<<1, 1>>>(out, out + 8); }
"""


def test_streams_and_events_of_kernels(build):
    out = build(STREAMS).run("both", 1, 1)
    assert out[:8].tolist() == [1, 2] + [0] * 6
    assert out[8:16].tolist() == [0] * 8
    assert out[16:27].tolist() == [400, 1, 1, 400, 400, 1, 1, 400, 400, 400, 0]


WRONG = """
__global__ void __launch_bounds__(64) bounded(int *out) { out[63] = 1; }
extern "C" __global__ void wrong(int *out, void (*nothing)(int *)) {
    int n = 0;
    bounded<<<0, 1>>>(out); out[n++] = cudaGetLastError();
    bounded<<<1, 0>>>(out); out[n++] = cudaGetLastError();
    bounded<<<1, dim3(1, 1, 65)>>>(out); out[n++] = cudaGetLastError();
    bounded<<<dim3(1, 65536), 1>>>(out); out[n++] = cudaGetLastError();
    bounded<<<1, 2000>>>(out); out[n++] = cudaGetLastError();
    bounded<<<1, 65>>>(out); out[n++] = cudaGetLastError();
    bounded<<<1, 1, 1 << 20>>>(out); out[n++] = cudaGetLastError();
    nothing<<<1, 1>>>(out); out[n++] = cudaGetLastError();
    out[n++] = cudaLaunchDeviceV2(nullptr, 0);
    void *buffer = cudaGetParameterBufferV2((void *)bounded, dim3(1), dim3(1), 0);
    out[n++] = cudaLaunchDeviceV2(buffer, (cudaStream_t)77);
    out[n++] = cudaLaunchDeviceV2(buffer, 0);
    cudaGetLastError();
    if (threadIdx.x == 1) out[n++] = cudaGetLastError(); }
extern "C" __global__ void each(int *out) {
    if (threadIdx.x % 2) bounded<<<0, 1>>>(out);
    out[threadIdx.x] = cudaPeekAtLastError() + cudaGetLastError() + cudaGetLastError(); }
"""


def test_invalid_launches_return_errors(build):
    out = build(WRONG).run("wrong", 1, 1, np.uint64(0))
    assert out[:12].tolist() == [9, 9, 9, 9, 9, 701, 1, 98, 1, 400, 1, 0]
    assert out[63] == 0


@pytest.mark.parametrize("block", [32, (8, 4), 48])
def test_the_last_error_is_per_thread(build, block):
    out = build(WRONG).run("each", 1, block)
    threads = 8 if block == (8, 4) else block
    assert out[:threads].tolist() == [18 * (i % 2) for i in range(threads)]


MANY = """
extern "C" __global__ void add(int *out) { atomicAdd(out, 1); }
extern "C" __global__ void many(int *out, int count) {
    for (int i = 0; i < count; i++) add<<<1, 1>>>(out);
    out[1] = cudaGetLastError(); size_t most; cudaDeviceGetLimit(&most, cudaLimitDevRuntimePendingLaunchCount);
    out[2] = most; }
extern "C" __global__ void spread(int *out) { add<<<1, 1>>>(out); }
"""


def test_the_pending_launch_count_limit(build):
    program = build(MANY)
    which = driver.CUlimit.CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT
    assert program.run("many", 1, 1, np.int32(2048))[:3].tolist() == [2048, 0, 2048]
    assert program.run("many", 1, 1, np.int32(2049))[:3].tolist() == [2048, 69, 2048]  # PendingCountExceeded
    assert driver.cuCtxSetLimit(which, 5000)[0] == 0
    try:
        assert program.run("many", 1, 1, np.int32(4000))[:3].tolist() == [4000, 0, 5000]
        assert program.run("spread", 40, 100)[0] == 4000
    finally:
        assert driver.cuCtxSetLimit(which, 2048)[0] == 0


COPIES = """
extern "C" __global__ void copies(unsigned char *out, int *status) {
    __shared__ int shared; int n = 0, local = 0;
    unsigned char *rows = out + 64, *box = out + 128;
    status[n++] = cudaMemsetAsync(out, 7, 16, 0);
    status[n++] = cudaMemcpyAsync(out + 16, out, 16, cudaMemcpyDeviceToDevice, 0);
    status[n++] = cudaMemset2DAsync(rows, 8, 1, 3, 4, 0);
    status[n++] = cudaMemcpy2DAsync(rows + 4, 8, rows, 8, 2, 4, cudaMemcpyDefault, 0);
    cudaPitchedPtr whole = {box, 8, 8, 4}; cudaExtent extent = {2, 2, 2};
    status[n++] = cudaMemset3DAsync(whole, 5, extent, 0);
    cudaMemcpy3DParms given = {}; given.srcPtr = whole; given.dstPtr = whole; given.dstPos.x = 4; given.extent = extent;
    given.dstPos.y = 1; given.kind = cudaMemcpyDeviceToDevice;
    status[n++] = cudaMemcpy3DAsync(&given, 0);
    status[n++] = cudaMemcpyAsync(out, out, 1, cudaMemcpyHostToDevice, 0);
    status[n++] = cudaMemcpyAsync(&shared, out, 4, cudaMemcpyDeviceToDevice, 0);
    status[n++] = cudaMemcpyAsync(out, &local, 4, cudaMemcpyDeviceToDevice, 0);
    status[n++] = cudaMemset2DAsync(rows, 2, 1, 3, 4, 0);
    status[n++] = cudaMemsetAsync(nullptr, 1, 4, 0);
    status[n++] = cudaMemsetAsync(nullptr, 1, 0, 0);
    status[n++] = cudaMemsetAsync(out, 1, 4, (cudaStream_t)99); }
extern "C" __global__ void copy(unsigned char *out) { copies<<<1, 1>>>(out, (int *)(out + 256)); }
"""


def test_copies_and_fills_by_kernels(build):
    out = build(COPIES).run("copy", 1, 1, size=128).view(np.uint8)
    assert out[256:].view(np.int32)[:13].tolist() == [0] * 6 + [21, 1, 1, 12, 1, 0, 400]
    assert out[:32].tolist() == [7] * 32
    assert out[64:96].reshape(4, 8).tolist() == [[1, 1, 1, 0, 1, 1, 0, 0]] * 4
    box = np.zeros((2, 4, 8), np.uint8)
    box[:, :2, :2] = 5
    box[:, 1:3, 4:6] = 5
    assert out[128:192].reshape(2, 4, 8).tolist() == box.tolist()


MEMORY = """
extern "C" __global__ void fill(int *where, int *out) { *where = 5; *out = *where; }
extern "C" __global__ void release(int *where, int *out) { *out = cudaFree(where); }
extern "C" __global__ void memory(int *out) {
    int *mine = nullptr, n = 0, *nothing = (int *)8;
    out[n++] = cudaMalloc((void **)&mine, 64); out[n++] = mine != nullptr;
    fill<<<1, 1>>>(mine, out + 20); release<<<1, 1>>>(mine, out + 21);
    out[n++] = cudaMalloc((void **)&nothing, size_t(1) << 40); out[n++] = nothing == nullptr;
    out[n++] = cudaFree(nullptr); out[n++] = cudaFree(out); out[n++] = cudaMalloc(nullptr, 4);
    void *by_malloc = malloc(100); out[n++] = cudaFree(by_malloc); }
"""


def test_memory_allocated_by_kernels_outlives_them(build):
    out = build(MEMORY).run("memory", 1, 1)
    assert out[:8].tolist() == [0, 1, 2, 1, 0, 1, 1, 0]
    assert out[20:22].tolist() == [5, 0]


QUESTIONS = """
__global__ void __launch_bounds__(128) plain(int *out) { __shared__ int x[100]; x[threadIdx.x] = 1; out[0] = x[0]; }
extern "C" __global__ void questions(int *out, int which) {
    int n = 0, value; size_t limit; cudaFuncAttributes attributes; const void *f = (const void *)plain;
    cudaFuncCache cache; cudaSharedMemConfig config;
    out[n++] = cudaGetDevice(&value); out[n++] = value;
    out[n++] = cudaGetDeviceCount(&value); out[n++] = value;
    out[n++] = cudaDeviceGetAttribute(&value, (cudaDeviceAttr)which, 0); out[n++] = value;
    out[n++] = cudaDeviceGetAttribute(&value, (cudaDeviceAttr)9999, 0);
    out[n++] = cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 99);
    out[n++] = cudaDeviceGetLimit(&limit, cudaLimitStackSize); out[n++] = limit;
    out[n++] = cudaDeviceGetLimit(&limit, (cudaLimit)77);
    out[n++] = cudaRuntimeGetVersion(&value); out[n++] = value;
    out[n++] = cudaFuncGetAttributes(&attributes, f);
    out[n++] = attributes.maxThreadsPerBlock; out[n++] = attributes.sharedSizeBytes; out[n++] = attributes.ptxVersion;
    out[n++] = cudaFuncGetAttributes(&attributes, nullptr);
    out[n++] = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, f, 128, 0); out[n++] = value;
    out[n++] = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, f, 128, 100000); out[n++] = value;
    out[n++] = cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&value, f, 129, 0, 0); out[n++] = value;
    out[n++] = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, f, 0, 0);
    out[n++] = cudaDeviceGetCacheConfig(&cache); out[n++] = cache;
    out[n++] = cudaDeviceGetSharedMemConfig(&config); out[n++] = config;
    plain<<<1, 32>>>(out + 63); }
extern "C" __global__ void texts(char *out, int status) {
    const char *name = cudaGetErrorName((cudaError_t)status), *text = cudaGetErrorString((cudaError_t)status);
    while (*name) *out++ = *name++; *out++ = '|'; while (*text) *out++ = *text++; }
"""


def test_device_queries_in_kernels(device, build):
    program = build(QUESTIONS)
    out = program.run("questions", 1, 1, np.int32(16))  # cudaDevAttrMultiProcessorCount
    count, version = driver.cuDeviceGetCount()[1], driver.cuDriverGetVersion()[1]
    assert out[:6].tolist() == [0, 0, 0, count, 0, device.properties.multiprocessor_count]
    assert out[6:13].tolist() == [1, 101, 0, 1024, 215, 0, version]
    assert out[13:16].tolist() == [0, 128, 400]
    assert out[16] >= 75
    assert out[17] == 98
    assert out[18] == 0
    assert out[20] == 0
    assert out[19] >= 1
    assert out[21] == 0  # beyond 48 KiB of dynamic shared memory, which the kernel may not have
    assert out[22:29].tolist() == [0, 0, 1, 0, 0, 0, 1]
    assert out[63] == 1


def test_occupancy_in_kernels_matches_the_host(build):
    program = build(QUESTIONS)
    out = program.run("questions", 1, 1, np.int32(10))
    plain = next(name for name in re.findall(r"_Z5plain\w+", program.code.code.decode()))
    occupancy = program.code.get_kernel(plain).occupancy
    assert out[19] == occupancy.max_active_blocks_per_multiprocessor(128, 0)
    assert out[21] == occupancy.max_active_blocks_per_multiprocessor(128, 100000)
    assert out[5] == 32  # cudaDevAttrWarpSize


def test_error_strings_match_the_host(build):
    program = build(QUESTIONS)
    for error in runtime.cudaError_t:
        told = program.run("texts", 1, 1, np.int32(error)).tobytes().rstrip(b"\0")
        name, text = runtime.cudaGetErrorName(error)[1], runtime.cudaGetErrorString(error)[1]
        assert told == name + b"|" + text
    told = program.run("texts", 1, 1, np.int32(12345)).tobytes().rstrip(b"\0")
    assert told == b"unrecognized error code|unrecognized error code"


def test_functions_of_the_older_device_runtime(build):
    # CDP1, which devices below compute capability 9.0 have, too
    source = VISIBLE + CHAIN.split('extern "C" __global__ void tree')[0].replace(", 0, cudaStreamTailLaunch", "")
    program = build(source, arch="80", define_macro="CUDA_FORCE_CDP1_IF_SUPPORTED")
    assert "__cudaCDP2" not in program.code.code.decode()
    assert "cudaLaunchDevice" in program.code.code.decode()
    out = program.run("work", 1, 32)
    assert out[0] == (np.arange(32) ** 2).sum()
    assert program.run("chain", 1, 1, np.int32(30))[:2].tolist() == [31, 31]


BUFFERS = """
extern "C" __global__ void store(int *out, int what) { *out = what; }
extern "C" __global__ void buffers(int *out) {
    int n = 0; dim3 one(1); const void *f = (const void *)store;
    char *buffer = (char *)cudaGetParameterBuffer(64, 12);
    *(int **)buffer = out + 63; *(int *)(buffer + 8) = 5;
    out[n++] = cudaLaunchDeviceV2(buffer, 0); /* of no kernel yet */
    out[n++] = cudaLaunchDevice((void *)f, buffer, one, one, 0, 0);
    out[n++] = cudaLaunchDevice((void *)f, buffer, one, one, 0, 0); /* launched before */
    out[n++] = cudaLaunchDevice((void *)f, cudaGetParameterBuffer(8, 8), one, one, 0, 0); /* too small */
    out[n++] = cudaGetParameterBuffer(3, 8) == nullptr; out[n++] = cudaGetLastError();
    out[n++] = cudaGetParameterBuffer(128, 8) == nullptr; out[n++] = cudaGetParameterBuffer(8, 40000) == nullptr; }
"""


def test_explicit_parameter_buffers(build):
    out = build(BUFFERS).run("buffers", 1, 1)
    assert out[:8].tolist() == [1, 0, 1, 1, 1, 1, 1, 1]
    assert out[63] == 5


GRAPHS = """
extern "C" __global__ void work(int *out) {
    atomicAdd(out, 1); if (out[0] < 3) work<<<1, 1>>>(out); }
"""


def test_graph_kernels_launch_kernels(build):
    program = build(GRAPHS)
    buffer = program.memory.allocate(4, stream=program.stream)
    view = np.frombuffer((ctypes.c_int32 * 1).from_address(int(buffer.handle)), np.int32)
    builder = program.stream.create_graph_builder()
    builder.begin_building()
    launch(builder, LaunchConfig(grid=1, block=1), program.code.get_kernel("work"), buffer)
    graph = builder.end_building().complete()
    for _ in range(3):
        view[:] = 0
        graph.launch(program.stream)
        program.stream.sync()
        assert view[0] == 3
    graph.close()
    buffer.close()


def test_the_driver_links_with_the_library_of_the_device_runtime(device):
    code = Program(COMMON + ORDER, "c++", ProgramOptions(arch=f"sm_{device.arch}", relocatable_device_code=True))
    ptx = code.compile("ptx").code + b"\0"
    library = device_runtime_library()
    kind = driver.CUjitInputType
    status, state = driver.cuLinkCreate(0, [], [])
    assert status == 0
    for which, data in ((kind.CU_JIT_INPUT_PTX, ptx), (kind.CU_JIT_INPUT_LIBRARY, library)):
        assert driver.cuLinkAddData(state, which, data, len(data), b"input", 0, [], [])[0] == 0
    status, image, size = driver.cuLinkComplete(state)
    assert status == 0
    status, module = driver.cuModuleLoadData(ctypes.string_at(int(image), size))
    assert status == 0
    assert driver.cuModuleGetFunction(module, b"order")[0] == 0
    driver.cuModuleUnload(module)
    driver.cuLinkDestroy(state)
