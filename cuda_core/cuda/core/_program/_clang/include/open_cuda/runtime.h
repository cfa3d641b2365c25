// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// printf, assert and the heap of device code: CUDA C++ Programming Guide, "Formatted Output", "Assertion", "Dynamic
// Global Memory Allocation and Operations". Clang turns a call of printf into vprintf.
#pragma once
#include "qualifiers.h"
#pragma clang diagnostic ignored "-Winline-new-delete"

extern "C" {
__device__ int printf(const char *format, ...);
__device__ int vprintf(const char *format, const void *arguments);
__device__ __attribute__((noreturn)) void __assertfail(const char *message, const char *file, unsigned line,
                                                       const char *function, size_t size);
__device__ void *malloc(size_t size);
__device__ void free(void *pointer);
}
__OPEN_CUDA_FN void *memcpy(void *to, const void *from, size_t size) { return __builtin_memcpy(to, from, size); }
__OPEN_CUDA_FN void *memmove(void *to, const void *from, size_t size) { return __builtin_memmove(to, from, size); }
__OPEN_CUDA_FN void *memset(void *to, int value, size_t size) { return __builtin_memset(to, value, size); }
__OPEN_CUDA_FN int memcmp(const void *a, const void *b, size_t size) {
    for (size_t i = 0; i < size; i++) {
        int difference = ((const unsigned char *)a)[i] - ((const unsigned char *)b)[i];
        if (difference) return difference;
    }
    return 0;
}
__device__ __inline__ void *operator new(size_t size) { return malloc(size); }
__device__ __inline__ void *operator new[](size_t size) { return malloc(size); }
__device__ __inline__ void operator delete(void *pointer) noexcept { free(pointer); }
__device__ __inline__ void operator delete[](void *pointer) noexcept { free(pointer); }
__device__ __inline__ void operator delete(void *pointer, size_t) noexcept { free(pointer); }
__device__ __inline__ void operator delete[](void *pointer, size_t) noexcept { free(pointer); }
#ifdef __OPEN_CUDA_PROGRAM__
#define __OPEN_CUDA_PLACEMENT __device__ // host code has those of <new>
#else
#define __OPEN_CUDA_PLACEMENT __host__ __device__
#endif
__OPEN_CUDA_PLACEMENT __inline__ void *operator new(size_t, void *pointer) noexcept { return pointer; }
__OPEN_CUDA_PLACEMENT __inline__ void *operator new[](size_t, void *pointer) noexcept { return pointer; }
__OPEN_CUDA_PLACEMENT __inline__ void operator delete(void *, void *) noexcept {}
__OPEN_CUDA_PLACEMENT __inline__ void operator delete[](void *, void *) noexcept {}

// What virtual functions call that have no definition, or a deleted one: C++ ABI, "Pure Virtual Function API".
extern "C" __device__ __attribute__((weak)) void __cxa_pure_virtual() { __builtin_trap(); }
extern "C" __device__ __attribute__((weak)) void __cxa_deleted_virtual() { __builtin_trap(); }

#ifdef __OPEN_CUDA_PROGRAM__ // what glibc's assert calls
extern "C" __device__ __attribute__((noreturn)) __inline__ void __assert_fail(
    const char *message, const char *file, unsigned line, const char *function) {
    __assertfail(message, file, line, function, sizeof(char));
}
#endif
#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) \
    ((condition) ? (void)0 : __assertfail(#condition, __FILE__, __LINE__, __PRETTY_FUNCTION__, sizeof(char)))
#endif
