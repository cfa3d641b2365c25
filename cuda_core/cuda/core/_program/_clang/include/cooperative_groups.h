// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Cooperative groups: CUDA C++ Programming Guide, "Cooperative Groups".
#pragma once
#pragma clang system_header
#include "open_cuda/groups/tiles.h"

namespace cooperative_groups {
namespace __v1 {

template <class Group> __OPEN_CUDA_STATIC void sync(const Group &group) { group.sync(); }
template <class Group> __OPEN_CUDA_STATIC auto thread_rank(const Group &group) { return group.thread_rank(); }
template <class Group> __OPEN_CUDA_STATIC auto group_size(const Group &group) { return group.num_threads(); }

// One thread of a group calls a function; which one is not defined.
template <class Group, class F, class... Args>
__OPEN_CUDA_STATIC void invoke_one(const Group &group, F &&function, Args &&...args) {
    if (group.thread_rank() == 0) function((Args &&)args...);
}
template <class Group, class F, class... Args>
__OPEN_CUDA_STATIC auto invoke_one_broadcast(const Group &group, F &&function, Args &&...args) {
    typedef __open::plain_t<decltype(function((Args &&)args...))> T;
    union Result {
        __OPEN_CUDA_METHOD Result() {}
        char none;
        T value;
    } result;
    if (group.thread_rank() == 0) result.value = function((Args &&)args...);
    return group.shfl(result.value, 0);
}
} // namespace __v1
} // namespace cooperative_groups
