// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Reductions over groups: CUDA C++ Programming Guide, "Cooperative Groups", "reduce".
#pragma once
#pragma clang system_header
#include "../cooperative_groups.h"
#include "../open_cuda/groups/operations.h"

namespace cooperative_groups {
namespace __v1 {
namespace __open {

template <unsigned Size, class T, class Op>
__OPEN_CUDA_STATIC T reduce_lanes(const lanes_tile<Size> &tile, T value, Op &op) {
    if constexpr (reducible<T, Op>::value && Size > 1) return reduced(access::mask(tile), value, op);
    for (unsigned lanes = Size / 2; lanes; lanes /= 2) value = op(value, tile.shfl_xor(value, lanes));
    return value;
}
// After each step, a thread has the result of twice as many threads, itself being the first; at last, rank 0 of all.
template <class T, class Op> __OPEN_CUDA_STATIC T reduce_lanes(const coalesced_group &group, T value, Op &op) {
    if constexpr (reducible<T, Op>::value) return reduced(access::mask(group), value, op);
    unsigned rank = group.thread_rank(), count = group.num_threads();
    for (unsigned step = 1; step < count; step *= 2) {
        T other = group.shfl_down(value, step);
        if (rank + step < count) value = op(value, other);
    }
    return group.shfl(value, 0);
}
template <unsigned Size, class T, class Op>
__OPEN_CUDA_STATIC T reduce_lanes(const warps_tile<Size> &tile, T value, Op &op) {
    value = reduce_lanes(maker::tile<32, void>(0, 1), value, op);
    return tile.exchange(value, [&](const T *values, unsigned count, unsigned) {
        T result = values[0];
        for (unsigned i = 1; i < count; i++) result = op(result, values[i]);
        return result;
    });
}
} // namespace __open

template <class Group, class T, class Op>
__OPEN_CUDA_STATIC __open::plain_t<T> reduce(const Group &group, T &&value, Op &&op) {
    return __open::reduce_lanes(group, __open::plain_t<T>(value), op);
}
template <class Group, class T> __OPEN_CUDA_STATIC __open::plain_t<T> reduce(const Group &group, T &&value) {
    plus<__open::plain_t<T>> op;
    return __open::reduce_lanes(group, __open::plain_t<T>(value), op);
}
template <class Group, class Atomic, class T, class Op>
__OPEN_CUDA_STATIC void reduce_update_async(const Group &group, Atomic &atomic, T &&value, Op &&op) {
    auto result = reduce(group, (T &&)value, op);
    if (group.thread_rank() == 0) __open::update(atomic, result, op);
}
template <class Group, class Atomic, class T, class Op>
__OPEN_CUDA_STATIC void reduce_store_async(const Group &group, Atomic &atomic, T &&value, Op &&op) {
    auto result = reduce(group, (T &&)value, op);
    if (group.thread_rank() == 0) atomic.store(result);
}
template <class Group, class T, class Value, class Op>
__OPEN_CUDA_STATIC void reduce_store_async(const Group &group, T *to, Value &&value, Op &&op) {
    auto result = reduce(group, (Value &&)value, op);
    if (group.thread_rank() == 0) *to = result;
}
} // namespace __v1
} // namespace cooperative_groups
