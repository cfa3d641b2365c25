// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// The operations of reductions and scans, and the instructions of warps that some of them have.
#pragma once
#include "common.h"

namespace cooperative_groups {
namespace __v1 {

#define __OPEN_CUDA_OPERATION(name, expression)                                              \
    template <class T> struct name {                                                         \
        __OPEN_CUDA_METHOD T operator()(T a, T b) const { return expression; }               \
    };
__OPEN_CUDA_OPERATION(plus, a + b)
__OPEN_CUDA_OPERATION(less, b < a ? b : a)
__OPEN_CUDA_OPERATION(greater, a < b ? b : a)
__OPEN_CUDA_OPERATION(bit_and, a & b)
__OPEN_CUDA_OPERATION(bit_or, a | b)
__OPEN_CUDA_OPERATION(bit_xor, a ^ b)
#undef __OPEN_CUDA_OPERATION

namespace __open {

template <class Op> struct is_plus { enum { value = false }; };
template <class T> struct is_plus<plus<T>> { enum { value = true }; };
template <class T> struct is_plus<const plus<T>> { enum { value = true }; };

// redux.sync: integers of 32 bits.
template <class T, class Op> struct reducible { enum { value = false }; };
#if __OPEN_CUDA_ARCH >= 800
#define __OPEN_CUDA_REDUCIBLE(name, type, function)                                          \
    template <> struct reducible<type, name<type>> { enum { value = true }; };               \
    template <> struct reducible<type, const name<type>> { enum { value = true }; };         \
    __OPEN_CUDA_STATIC type reduced(unsigned mask, type value, const name<type> &) { return function(mask, value); }
__OPEN_CUDA_REDUCIBLE(plus, int, __reduce_add_sync)
__OPEN_CUDA_REDUCIBLE(plus, unsigned, __reduce_add_sync)
__OPEN_CUDA_REDUCIBLE(less, int, __reduce_min_sync)
__OPEN_CUDA_REDUCIBLE(less, unsigned, __reduce_min_sync)
__OPEN_CUDA_REDUCIBLE(greater, int, __reduce_max_sync)
__OPEN_CUDA_REDUCIBLE(greater, unsigned, __reduce_max_sync)
__OPEN_CUDA_REDUCIBLE(bit_and, int, (int)__reduce_and_sync)
__OPEN_CUDA_REDUCIBLE(bit_and, unsigned, __reduce_and_sync)
__OPEN_CUDA_REDUCIBLE(bit_or, int, (int)__reduce_or_sync)
__OPEN_CUDA_REDUCIBLE(bit_or, unsigned, __reduce_or_sync)
__OPEN_CUDA_REDUCIBLE(bit_xor, int, (int)__reduce_xor_sync)
__OPEN_CUDA_REDUCIBLE(bit_xor, unsigned, __reduce_xor_sync)
#undef __OPEN_CUDA_REDUCIBLE
#endif

// What an exclusive scan gives to the first thread.
template <class T, class Op> __OPEN_CUDA_STATIC T identity(const Op &) { return T(); }

// Applies an operation to a cuda::atomic or cuda::atomic_ref, and returns the old value.
template <class Atomic, class T, class Op> __OPEN_CUDA_STATIC auto update(Atomic &atomic, const T &value, Op &op) {
    if constexpr (is_plus<Op>::value) {
        return atomic.fetch_add(value);
    } else {
        auto old = atomic.load();
        while (!atomic.compare_exchange_weak(old, op(old, value)));
        return old;
    }
}
} // namespace __open
} // namespace __v1
} // namespace cooperative_groups
