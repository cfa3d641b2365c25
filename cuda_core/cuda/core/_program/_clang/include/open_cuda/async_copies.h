// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies of a thread from global to shared memory (cp.async). Devices before compute capability 8.0 have
// none: they copy at once.
#pragma once
#pragma clang system_header
#include "memory.h"

// Copies the first `filled` of `Size` bytes; the others become zero.
template <unsigned Size> __OPEN_CUDA_FN void __open_cuda_copy_async(void *to, const void *from, unsigned filled) {
    static_assert(Size == 4 || Size == 8 || Size == 16, "4, 8 or 16 bytes can be copied");
#if __OPEN_CUDA_ARCH >= 800
    unsigned shared = (unsigned)__cvta_generic_to_shared(to);
    size_t global = __cvta_generic_to_global(from);
    if constexpr (Size == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(global), "r"(filled) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %3, %2;"
                     ::"r"(shared), "l"(global), "r"(filled), "n"(Size) : "memory");
#else
    typedef unsigned word;
    for (unsigned i = 0; i < Size; i += 4) {
        unsigned value = 0;
        if (filled >= i + 4) value = *(const word *)((const char *)from + i);
        else if (filled > i) __builtin_memcpy(&value, (const char *)from + i, filled - i);
        *(word *)((char *)to + i) = value;
    }
#endif
}
__OPEN_CUDA_FN void __open_cuda_commit_async() {
#if __OPEN_CUDA_ARCH >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
template <unsigned Pending> __OPEN_CUDA_FN void __open_cuda_wait_async() {
#if __OPEN_CUDA_ARCH >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
#endif
}
