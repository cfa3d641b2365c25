// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Prefix sums over groups: CUDA C++ Programming Guide, "Cooperative Groups", "inclusive_scan and exclusive_scan".
#pragma once
#pragma clang system_header
#include "../cooperative_groups.h"
#include "../open_cuda/groups/operations.h"

namespace cooperative_groups {
namespace __v1 {
namespace __open {

template <class Group, class T, class Op> __OPEN_CUDA_STATIC T scan_lanes(const Group &group, T value, Op &op) {
    unsigned rank = group.thread_rank(), count = group.num_threads();
    for (unsigned step = 1; step < count; step *= 2) {
        T before = group.shfl_up(value, step);
        if (rank >= step) value = op(before, value);
    }
    return value;
}
template <class Group, class T, class Op> __OPEN_CUDA_STATIC T inclusive(const Group &group, T value, Op &op) {
    return scan_lanes(group, value, op);
}
template <class Group, class T, class Op> __OPEN_CUDA_STATIC T exclusive(const Group &group, T value, Op &op) {
    T before = group.shfl_up(scan_lanes(group, value, op), 1);
    return group.thread_rank() ? before : identity<T>(op);
}
template <unsigned Size, class Parent, class T, class Op>
__OPEN_CUDA_STATIC T scan_warps(const thread_block_tile<Size, Parent> &tile, T value, Op &op, bool including) {
    auto warp = maker::tile<32, void>(0, 1);
    T scanned = scan_lanes(warp, value, op), mine = including ? scanned : warp.shfl_up(scanned, 1);
    bool some = including || lane() > 0;
    return tile.exchange(scanned, [&](const T *values, unsigned, unsigned number) {
        if (number == 0) return some ? mine : identity<T>(op);
        T before = values[0];
        for (unsigned i = 1; i < number; i++) before = op(before, values[i]);
        return some ? op(before, mine) : before;
    });
}
#define __OPEN_CUDA_SCAN_OF_WARPS(name, including)                                                            \
    template <unsigned Size, class Parent, class T, class Op>                                                 \
    __OPEN_CUDA_STATIC T name(const thread_block_tile<Size, Parent> &tile, T value, Op &op) {                 \
        if constexpr (Size > 32) return scan_warps(tile, value, op, including);                               \
        else return name<thread_block_tile<Size, Parent>, T, Op>(tile, value, op);                            \
    }
__OPEN_CUDA_SCAN_OF_WARPS(inclusive, true)
__OPEN_CUDA_SCAN_OF_WARPS(exclusive, false)
#undef __OPEN_CUDA_SCAN_OF_WARPS

// The last thread adds the result of all to an atomic variable; its old value precedes what the group scans.
template <class Group, class Atomic, class T, class Op>
__OPEN_CUDA_STATIC T scan_update(const Group &group, Atomic &atomic, T value, Op &op, bool including) {
    T all = inclusive(group, value, op), old = all;
    if (group.thread_rank() == group.num_threads() - 1) old = update(atomic, all, op);
    old = group.shfl(old, group.num_threads() - 1);
    if (including) return op(old, all);
    T before = exclusive(group, value, op);
    return group.thread_rank() ? op(old, before) : old;
}
} // namespace __open

#define __OPEN_CUDA_SCAN(name)                                                                                \
    template <class Group, class T, class Op>                                                                 \
    __OPEN_CUDA_STATIC __open::plain_t<T> name##_scan(const Group &group, T &&value, Op &&op) {               \
        return __open::name(group, __open::plain_t<T>(value), op);                                            \
    }                                                                                                         \
    template <class Group, class T>                                                                           \
    __OPEN_CUDA_STATIC __open::plain_t<T> name##_scan(const Group &group, T &&value) {                        \
        plus<__open::plain_t<T>> op;                                                                          \
        return __open::name(group, __open::plain_t<T>(value), op);                                            \
    }
__OPEN_CUDA_SCAN(inclusive)
__OPEN_CUDA_SCAN(exclusive)
#undef __OPEN_CUDA_SCAN
#define __OPEN_CUDA_SCAN_UPDATE(name, including)                                                              \
    template <class Group, class Atomic, class T, class Op>                                                   \
    __OPEN_CUDA_STATIC __open::plain_t<T> name(const Group &group, Atomic &atomic, T &&value, Op &&op) {      \
        return __open::scan_update(group, atomic, __open::plain_t<T>(value), op, including);                  \
    }                                                                                                         \
    template <class Group, class Atomic, class T>                                                             \
    __OPEN_CUDA_STATIC __open::plain_t<T> name(const Group &group, Atomic &atomic, T &&value) {               \
        plus<__open::plain_t<T>> op;                                                                          \
        return __open::scan_update(group, atomic, __open::plain_t<T>(value), op, including);                  \
    }
__OPEN_CUDA_SCAN_UPDATE(inclusive_scan_update, true)
__OPEN_CUDA_SCAN_UPDATE(exclusive_scan_update, false)
#undef __OPEN_CUDA_SCAN_UPDATE
} // namespace __v1
} // namespace cooperative_groups
