// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// What NVRTC defines of the C++ standard library (NVRTC documentation, --builtin-move-forward, --builtin-initializer-list).
#pragma once
#include "qualifiers.h"

#if __cplusplus >= 201103L
namespace std {
#ifdef __NV_BUILTIN_MOVE_FORWARD
template <class T> __host__ __device__ constexpr __remove_reference_t(T) &&move(T &&value) noexcept {
    return static_cast<__remove_reference_t(T) &&>(value);
}
template <class T> __host__ __device__ constexpr T &&forward(__remove_reference_t(T) &value) noexcept {
    return static_cast<T &&>(value);
}
template <class T> __host__ __device__ constexpr T &&forward(__remove_reference_t(T) &&value) noexcept {
    static_assert(!__is_lvalue_reference(T), "std::forward must not make an lvalue of an rvalue");
    return static_cast<T &&>(value);
}
#endif

#ifdef __NV_BUILTIN_INITIALIZER_LIST
// The compiler makes objects of this class from lists in braces: a pointer and a length.
template <class T> class initializer_list {
    const T *_first;
    size_t _size;

public:
    typedef T value_type;
    typedef const T &reference;
    typedef const T &const_reference;
    typedef size_t size_type;
    typedef const T *iterator;
    typedef const T *const_iterator;
    __host__ __device__ constexpr initializer_list() noexcept : _first(nullptr), _size(0) {}
    __host__ __device__ constexpr size_t size() const noexcept { return _size; }
    __host__ __device__ constexpr const T *begin() const noexcept { return _first; }
    __host__ __device__ constexpr const T *end() const noexcept { return _first + _size; }
};
#endif
}
#endif
