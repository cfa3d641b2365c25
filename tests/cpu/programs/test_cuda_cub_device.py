# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""CUB's device-wide algorithms: its kernels, over many tiles, launched without CUB's host code.

Kernels, agents and policies are CUB's internals: names and parameters are those of CCCL 3.5.
"""

from __future__ import annotations

import numpy as np
import pytest
from support.compilers import is_clang
from test_cuda_headers import load

from cuda.cpu import check

pytestmark = [pytest.mark.cpu_only, pytest.mark.needs_nvrtc]
random = np.random.default_rng(9)
EMPTY = np.uint8(0)  # an object without members, such as cuda::std::plus<>
HEAD = """#include <cuda_device_runtime_api.h>
    #include <cub/block/block_load.cuh>
    #include <cub/block/block_store.cuh>
    #include <cub/block/block_scan.cuh>
    namespace d = cub::detail; using cub::BLOCK_LOAD_WARP_TRANSPOSE; using cub::BLOCK_STORE_WARP_TRANSPOSE;
    using cub::BLOCK_SCAN_WARP_SCANS; using cub::LOAD_DEFAULT; using cub::LOAD_LDG; typedef cuda::std::plus<> Plus;
    #define POLICY(name, kind, ...) struct name { \\
        constexpr cub::kind operator()(cuda::compute_capability) const { return __VA_ARGS__; } }
    """


class Kernels:
    """Launches kernels by a part of their names."""

    def __init__(self, source: str, arch: str = "sm_90") -> None:
        # clang takes no explicit instantiations of kernels with -default-device, without which NVRTC takes no policies.
        language = ["--std=c++17", *([] if is_clang() else ["-default-device"])]
        self._loaded = load(HEAD + source, arch=arch, language=language)

    def reaches(self, array: np.ndarray) -> None:
        """Declare that kernels access an array through pointers in memory."""
        self._loaded.others.append(array)

    def __call__(self, part: str, grid: int, block: int, *args: object, shared: int = 0) -> None:
        kernels = self._loaded.code.kernels
        (name,) = [part] if part in kernels else [name for name in kernels if part in name]
        self._loaded.launch(name, grid, block, *args, shared=shared)


def tiles_of(count: int, size: int) -> int:
    return -(-count // size)


@pytest.mark.parametrize(("arch", "type_", "dtype"), [("sm_90", "short", np.int16), ("sm_120", "long long", np.int64)])
def test_warp_specialized_lookahead_scan(arch, type_, dtype):
    """The warps of a block load, scan, look ahead and store concurrently; bulk copies begin at unaligned addresses."""
    source = """#include <cub/device/dispatch/kernels/kernel_scan.cuh>
        namespace s = d::scan; typedef cub::ScanTileState<T> Old; typedef s::tile_state_kernel_arg_t<Old, T> State;
        POLICY(Policy, ScanPolicy, {cub::ScanAlgorithm::lookahead, {}, {2, 4, 2}});
        template __global__ void s::DeviceScanInitKernel<Policy, const T *, T *, Old, T>(State, int);
        template __global__ void s::DeviceScanKernel<Policy, const T *, T *, Old, Plus, cub::NullType, int, T, true,
            false>(const T *, T *, State, int, Plus, cub::NullType, int, int);
        extern "C" __global__ void prepare(State *state, char *memory, int *sizes) {
            state->lookahead.atomic_counter = (unsigned *)memory;
            state->lookahead.tile_states = (d::warpspeed::tile_state_t<T> *)(memory + 128);
            auto policy = Policy{}({}).lookahead; sizes[0] = sizeof *state; sizes[1] = s::num_total_threads(policy);
            sizes[2] = s::smem_for_stages<T, T, T>(policy, 3); }"""
    cub = Kernels(f"typedef {type_} T;\n" + source, arch)
    values = random.integers(-9, 9, 10001).astype(dtype)[1:]
    state, memory, sizes = np.zeros(64, np.uint8), np.zeros(1 << 16, np.uint8), np.zeros(3, np.int32)
    cub("prepare", 1, 1, state, memory[-memory.ctypes.data % 128 :], sizes)
    cub.reaches(memory)
    state, tiles = np.void(state[: sizes[0]].tobytes()), tiles_of(len(values), 256)
    for _ in range(5):
        out = np.zeros_like(values)
        cub("InitKernel", tiles_of(tiles, 128), 128, state, np.int32(tiles))
        rest = (np.int32(0), EMPTY, EMPTY, np.int32(len(values)), np.int32(3))
        cub("ScanKernel", tiles, int(sizes[1]), values, out, state, *rest, shared=int(sizes[2]))
        np.testing.assert_array_equal(out, np.cumsum(values, dtype=dtype))


def test_reductions_and_onesweep_radix_sort():
    source = """#include <cub/device/dispatch/kernels/kernel_radix_sort.cuh>
        #include <cub/device/dispatch/kernels/kernel_reduce.cuh>
        namespace r = d::radix_sort; namespace u = d::reduce; typedef d::identity_decomposer_t Digits;
        typedef u::no_init_t None; typedef cuda::std::identity Same; typedef cub::GridEvenShare<int> Share;
        POLICY(Sort, RadixSortPolicy, {cub::RadixSortAlgorithm::onesweep, {128, 4, 1, 8}, {256, 8}, {128, 6,
            cub::RADIX_SORT_STORE_DIRECT, cub::RADIX_RANK_MATCH_EARLY_COUNTS_ANY, BLOCK_SCAN_WARP_SCANS, 1, 8}, {}, {},
            {}, {}, {}, {}});
        POLICY(Reduce, ReducePolicy, {{128, 4, 2, cub::BLOCK_REDUCE_WARP_REDUCTIONS, LOAD_LDG},
            {64, 4, 4, cub::BLOCK_REDUCE_RAKING, LOAD_DEFAULT}});
        constexpr auto UP = cub::SortOrder::Ascending;
        template __global__ void r::DeviceRadixSortHistogramKernel<Sort, UP, float, unsigned>(unsigned *, const float *,
            unsigned, int, int, Digits);
        template __global__ void r::DeviceRadixSortExclusiveSumKernel<Sort, unsigned>(unsigned *);
        template __global__ void r::DeviceRadixSortOnesweepKernel<Sort, UP, float, int, unsigned, int, int>(int *,
            int *, unsigned *, const unsigned *, float *, const float *, int *, const int *, int, int, int, Digits);
        template __global__ void u::DeviceReduceKernel<Reduce, true, const int *, int *, int, int, Plus, int, None,
            Same>(const int *, int *, int, Share, Plus, None, Same);
        template __global__ void u::DeviceReduceKernel<Reduce, false, const int *, int *, int, int, Plus, int, int,
            Same>(const int *, int *, int, Share, Plus, int, Same);
        template __global__ void u::DeviceReduceSingleTileKernel<Reduce, const int *, int *, int, Plus, int, int,
            Same>(const int *, int *, int, Plus, int, Same);
        extern "C" __global__ void share(Share *share, int n, int blocks, int tile, int *size) {
            *share = Share(); share->DispatchInit(n, blocks, tile);
            size[0] = sizeof *share; size[1] = share->grid_size; }
        """
    cub, count = Kernels(source), 7000
    keys, values, n = (
        random.standard_normal(count).astype(np.float32),
        np.arange(count, dtype=np.int32),
        np.int32(count),
    )
    keys[:100] = keys[50]  # equal ones keep their order
    order = np.argsort(keys, kind="stable")
    bins = np.zeros((4, 256), np.uint32)
    cub("Histogram", 3, 128, bins, keys, np.uint32(count), np.int32(0), np.int32(32), EMPTY)
    cub("ExclusiveSum", 4, 256, bins)
    sorted_keys, sorted_values = keys, values
    for digit in range(4):
        tiles, outputs = tiles_of(count, 128 * 6), (np.zeros_like(keys), np.zeros_like(values))
        work = np.zeros((tiles, 256), np.int32), np.zeros(1, np.int32), np.zeros(256, np.uint32), bins[digit].copy()
        pairs = outputs[0], sorted_keys, outputs[1], sorted_values
        cub("Onesweep", tiles, 128, *work, *pairs, n, np.int32(8 * digit), np.int32(8), EMPTY)
        sorted_keys, sorted_values = outputs
    np.testing.assert_array_equal(sorted_keys, keys[order])
    np.testing.assert_array_equal(sorted_values, order)

    share, sizes, total = np.zeros(128, np.uint8), np.zeros(2, np.int32), np.zeros(1, np.int32)
    cub("share", 1, 1, share, n, np.int32(5), np.int32(512), sizes)
    share, blocks = np.void(share[: sizes[0]].tobytes()), int(sizes[1])
    parts = np.zeros(blocks, np.int32)
    cub("ReduceKernelI6ReduceLb1", blocks, 128, values, parts, n, share, EMPTY, EMPTY, EMPTY)
    cub("ReduceSingleTile", 1, 64, parts, total, np.int32(blocks), EMPTY, np.int32(5), EMPTY)
    assert total[0] == values.sum() + 5
    total[0] = 0
    cub("ReduceKernelI6ReduceLb0", blocks, 128, values, total, n, share, EMPTY, np.int32(7), EMPTY)
    assert total[0] == values.sum() + 7


AGENTS = """#include <cub/agent/agent_reduce_by_key.cuh>
    #include <cub/agent/agent_rle.cuh>
    #include <cub/agent/agent_select_if.cuh>
    #include <cub/device/dispatch/kernels/kernel_three_way_partition.cuh>
    typedef cuda::std::equal_to<> Equal; typedef cub::NullType None; typedef cub::ScanTileState<int> Counts;
    typedef cub::ReduceByKeyScanTileState<float, int> Sums; typedef cub::ReduceByKeyScanTileState<int, int> Runs;
    typedef d::three_way_partition::ScanTileStateT Parts;
    typedef d::three_way_partition::streaming_context_t<int> Whole;
    struct Context { typedef int total_num_items_t; __device__ bool is_first_partition() const { return true; }
        __device__ int input_offset() const { return 0; } __device__ int num_previously_selected() const { return 0; }
        __device__ int num_previously_rejected() const { return 0; }
        __device__ int num_total_items(int n) const { return n; }
        __device__ void update_num_selected(int *out, int n) const { *out = n; } };
    struct Odd { __device__ bool operator()(int x) const { return x & 1; } };
    struct Small { __device__ bool operator()(int x) const { return x < 20; } };
    #define KERNEL(name, State, ...) \\
        extern "C" __global__ void name##_begin(char *memory, int tiles) { \\
            State state; state.Init(tiles, memory, 1 << 16); state.InitializeStatus(tiles); } \\
        extern "C" __global__ void __launch_bounds__(128) name( \\
            char *memory, int tiles, const int *in, int *out, int n, int *count, __VA_ARGS__) { \\
            State state; state.Init(tiles, memory, 1 << 16);
    #define POLICY_OF(agent) \\
        d::agent_##agent##_policy<128, 3, BLOCK_LOAD_WARP_TRANSPOSE, LOAD_DEFAULT, BLOCK_SCAN_WARP_SCANS>
    KERNEL(sums, Sums, const float *values, float *sums)
        typedef d::reduce_by_key::AgentReduceByKey<POLICY_OF(reduce_by_key), const int *, int *, const float *, float *,
            int *, Equal, Plus, int, float, None> Agent; __shared__ typename Agent::TempStorage room;
        Agent(room, in, out, values, sums, count, Equal{}, Plus{}, None{}).ConsumeRange(n, state, 0); }
    KERNEL(runs, Runs, int *lengths)
        typedef d::agent_rle_policy<128, 3, BLOCK_LOAD_WARP_TRANSPOSE, LOAD_DEFAULT, true, BLOCK_SCAN_WARP_SCANS> How;
        typedef d::rle::AgentRle<How, const int *, int *, int *, Equal, int, int, None> Agent;
        __shared__ typename Agent::TempStorage room;
        Agent(room, in, out, lengths, Equal{}, n, None{}).ConsumeRange(tiles, state, count); }
    KERNEL(odd, Counts, int)
        typedef d::select::AgentSelectIf<POLICY_OF(select_if), const int *, None *, int *, Odd, None, int, Context,
            cub::SelectImpl::SelectPotentiallyInPlace> Agent; __shared__ typename Agent::TempStorage room;
        Agent(room, in, nullptr, out, Odd{}, None{}, n, Context{}).ConsumeRange(tiles, state, count); }
    KERNEL(parts, Parts, int *second, int *rest)
        typedef d::three_way_partition::AgentThreeWayPartition<POLICY_OF(three_way_partition), const int *, int *,
            int *, int *, Odd, Small, int, Whole> Agent; __shared__ typename Agent::TempStorage room;
        Agent(room, in, out, second, rest, Odd{}, Small{}, n, Whole(nullptr, nullptr, true))
            .ConsumeRange(tiles, state, count); }"""


@pytest.mark.skipif(
    bool(check.chosen() & check.RACECHECK), reason="CUB orders no reads of other blocks: racecheck tells"
)
def test_decoupled_look_back_run_length_encoding_and_selection():
    cub, count = Kernels(AGENTS), 10000
    tiles = tiles_of(count, 128 * 3)

    def run(name: str, given: np.ndarray, out: np.ndarray, *more: object) -> list[int]:
        memory, counts = np.zeros(1 << 16, np.uint8), np.zeros(2, np.int32)
        cub(name + "_begin", 1, 128, memory, np.int32(tiles))
        cub(name, tiles, 128, memory, np.int32(tiles), given, out, np.int32(count), counts, *more)
        return counts.tolist()

    def room(dtype: type = np.int32) -> np.ndarray:
        return np.zeros(count, dtype)

    keys = np.repeat(np.arange(5000), random.integers(0, 8, 5000))[:count].astype(np.int32) % 97
    values = random.integers(-9, 9, count).astype(np.float32)
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    unique, sums = room(), room(np.float32)
    found, _ = run("sums", keys, unique, values, sums)
    np.testing.assert_array_equal(unique[:found], keys[starts])
    np.testing.assert_array_equal(sums[:found], np.add.reduceat(values, starts))
    long = np.diff(starts, append=count) > 1
    offsets, lengths = room(), room()
    found, _ = run("runs", keys, offsets, lengths)
    np.testing.assert_array_equal(offsets[:found], starts[long])
    np.testing.assert_array_equal(lengths[:found], np.diff(starts, append=count)[long])

    numbers = random.integers(0, 100, count).astype(np.int32)
    here, odd, small = numbers.copy(), numbers % 2 == 1, (numbers % 2 == 0) & (numbers < 20)
    found, _ = run("odd", here, here, np.int32(0))
    np.testing.assert_array_equal(here[:found], numbers[odd])
    first, second, rest = room(), room(), room()
    assert run("parts", numbers, first, second, rest) == [odd.sum(), small.sum()]
    np.testing.assert_array_equal(np.concatenate([first[: odd.sum()], second[: small.sum()]]),
                                  np.concatenate([numbers[odd], numbers[small]]))  # fmt: skip
    others = numbers[~odd & ~small]
    np.testing.assert_array_equal(rest[: len(others)], others)
