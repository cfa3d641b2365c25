// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Copies by all threads of a group: CUDA C++ Programming Guide, "Cooperative Groups", "memcpy_async" and "wait".
#pragma once
#pragma clang system_header
#include "../cooperative_groups.h"
#include "../open_cuda/async_copies.h"

namespace cooperative_groups {
namespace __v1 {
namespace __open {

// The largest unit of 16, 8 or 4 bytes that divides addresses and size is what a thread copies at a time; the rest, and
// what is not from global to shared memory, is copied by ordinary loads and stores.
template <unsigned Unit>
__OPEN_CUDA_STATIC size_t copy_units(unsigned rank, unsigned count, char *to, const char *from, size_t bytes) {
    for (size_t i = (size_t)rank * Unit; i + Unit <= bytes; i += (size_t)count * Unit)
        __open_cuda_copy_async<Unit>(to + i, from + i, Unit);
    return bytes & ~(size_t)(Unit - 1);
}
__OPEN_CUDA_STATIC void copy_bytes(unsigned rank, unsigned count, char *to, const char *from, size_t bytes) {
    size_t done = 0, bits = (size_t)to | (size_t)from;
    if (__isShared(to) && __isGlobal(from)) {
        if (bits % 16 == 0 && bytes >= 16) done = copy_units<16>(rank, count, to, from, bytes);
        else if (bits % 8 == 0 && bytes >= 8) done = copy_units<8>(rank, count, to, from, bytes);
        if (bits % 4 == 0) done += copy_units<4>(rank, count, to + done, from + done, bytes - done);
    }
    for (size_t i = done + rank; i < bytes; i += count) to[i] = from[i];
    __open_cuda_commit_async();
}
} // namespace __open

// Copies bytes: a number, or a cuda::aligned_size_t, which converts to one.
template <class Group, class T, class Shape>
__OPEN_CUDA_STATIC void memcpy_async(const Group &group, T *to, const T *from, const Shape &bytes) {
    __open::copy_bytes(group.thread_rank(), group.num_threads(), (char *)to, (const char *)from, (size_t)bytes);
}
template <class Group, class Shape>
__OPEN_CUDA_STATIC void memcpy_async(const Group &group, void *to, const void *from, const Shape &bytes) {
    __open::copy_bytes(group.thread_rank(), group.num_threads(), (char *)to, (const char *)from, (size_t)bytes);
}
// Copies elements: as many as both sides have.
template <class Group, class T, class ToCount, class FromCount>
__OPEN_CUDA_STATIC void memcpy_async(const Group &group, T *to, const ToCount &to_count, const T *from,
                                     const FromCount &from_count) {
    size_t count = (size_t)to_count < (size_t)from_count ? (size_t)to_count : (size_t)from_count;
    memcpy_async(group, to, from, count * sizeof(T));
}
template <class Group> __OPEN_CUDA_STATIC void wait(const Group &group) {
    __open_cuda_wait_async<0>();
    group.sync();
}
// Waits for all copies but the last `Stages`.
template <unsigned Stages, class Group> __OPEN_CUDA_STATIC void wait_prior(const Group &group) {
    __open_cuda_wait_async<Stages>();
    group.sync();
}
} // namespace __v1
} // namespace cooperative_groups
