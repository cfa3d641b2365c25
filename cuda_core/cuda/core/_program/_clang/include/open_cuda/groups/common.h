// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// The handle that all cooperative groups share, and the operations on lanes that they are made of.
#pragma once
#pragma clang system_header
#include "../../cuda_runtime.h"

#define __OPEN_CUDA_METHOD __device__ __inline__ __attribute__((always_inline))
#define __OPEN_CUDA_STATIC static __device__ __inline__ __attribute__((always_inline))

namespace cooperative_groups {
namespace __v1 {
namespace __open {

__OPEN_CUDA_STATIC unsigned lane() { return __nvvm_read_ptx_sreg_laneid(); }
__OPEN_CUDA_STATIC unsigned lanes_below() {
    unsigned mask;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
    return mask;
}
__OPEN_CUDA_STATIC unsigned rank_in_block() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
__OPEN_CUDA_STATIC unsigned threads_of_block() { return blockDim.x * blockDim.y * blockDim.z; }
// The number of the set bit that has n set bits below it.
__OPEN_CUDA_STATIC unsigned nth_bit(unsigned mask, unsigned n) {
    unsigned bit = 0;
    for (unsigned half = 16; half; half >>= 1) {
        unsigned below = __popc(mask >> bit & ((1u << half) - 1));
        if (n >= below) n -= below, bit += half;
    }
    return bit;
}
// Bits of lanes as bits of ranks.
__OPEN_CUDA_STATIC unsigned packed(unsigned mask, unsigned bits) {
    unsigned result = 0;
    for (unsigned rank = 0; mask; mask &= mask - 1, rank++) result |= (bits >> (__ffs(mask) - 1) & 1) << rank;
    return result;
}
// Applies a shuffle to each word of a value.
template <class T, class F> __OPEN_CUDA_STATIC T by_words(const T &value, F shuffle) {
    static_assert(__is_trivially_copyable(T), "values to shuffle must be trivially copyable");
    static_assert(sizeof(T) <= 32, "values to shuffle have at most 32 bytes");
    unsigned words[(sizeof(T) + 3) / 4] = {};
    __builtin_memcpy(words, &value, sizeof(T));
    for (unsigned &word : words) word = shuffle(word);
    T result = value;
    __builtin_memcpy(&result, words, sizeof(T));
    return result;
}
// All threads add 1, and the first one as much as makes the sum 2^31: the highest bit changes when all have arrived.
// Whoever counts needs the order of memory: the fences of `arrive_at` and `wait_for`.
__OPEN_CUDA_STATIC unsigned arrive_at(unsigned *counter, bool first, unsigned count) {
    __threadfence();
    return atomicAdd(counter, first ? 0x80000001u - count : 1u);
}
__OPEN_CUDA_STATIC void wait_for(unsigned *counter, unsigned before) {
    while (!((before ^ *(volatile unsigned *)counter) & 0x80000000u));
    __threadfence();
}
template <class T> struct plain { typedef T type; };
template <class T> struct plain<T &> : plain<T> {};
template <class T> struct plain<T &&> : plain<T> {};
template <class T> struct plain<const T> : plain<T> {};
template <class T> using plain_t = typename plain<T>::type;
template <class T> T &&value();
template <class T> __OPEN_CUDA_STATIC T &&passed(plain_t<T> &x) { return (T &&)x; }
template <class T> __OPEN_CUDA_STATIC T &&passed(const plain_t<T> &x) { return (T &&)x; }
struct access; // to the masks of groups
struct maker;  // of groups within a block
} // namespace __open

// A group of threads: a block, lanes of a warp, or a tile of several warps.
class thread_group {
  public:
    __OPEN_CUDA_METHOD unsigned long long num_threads() const {
        return kind == BLOCK ? __open::threads_of_block() : count;
    }
    __OPEN_CUDA_METHOD unsigned long long size() const { return num_threads(); }
    __OPEN_CUDA_METHOD unsigned long long thread_rank() const {
        return kind == LANES ? __popc(mask & __open::lanes_below()) : __open::rank_in_block() & (count - 1);
    }
    __OPEN_CUDA_METHOD void sync() const {
        if (kind == LANES) __syncwarp(mask);
        else if (kind == BLOCK) __syncthreads();
        else sync_warps();
    }

  protected:
    enum Kind { BLOCK, LANES, WARPS };
    __OPEN_CUDA_METHOD thread_group(Kind kind, unsigned mask, unsigned count, unsigned meta_rank, unsigned meta_count,
                                    unsigned *counter = nullptr)
        : kind(kind), mask(mask), count(count), meta_rank(meta_rank), meta_count(meta_count), counter(counter) {}
    __OPEN_CUDA_METHOD void sync_warps() const {
        __syncwarp();
        if (__open::lane() == 0) {
            bool first = (__open::rank_in_block() & (count - 1)) == 0;
            __open::wait_for(counter, __open::arrive_at(counter, first, count / 32));
        }
        __syncwarp();
    }
    Kind kind;
    unsigned mask, count; // the lanes; the number of threads (of a block: 0)
    unsigned meta_rank, meta_count; // of the groups of the partition
    unsigned *counter; // barrier of several warps, in shared memory
    friend struct __open::access;
};

namespace __open {
struct access {
    __OPEN_CUDA_STATIC unsigned mask(const thread_group &group) { return group.mask; }
    __OPEN_CUDA_STATIC unsigned warps(const thread_group &group) { return group.count / 32; }
    __OPEN_CUDA_STATIC bool is_lanes(const thread_group &group) { return group.kind == thread_group::LANES; }
};
} // namespace __open
} // namespace __v1
using namespace __v1; // not an inline namespace: libcu++ declares groups in it, too
} // namespace cooperative_groups
