// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies of a thread: CUDA C++ Programming Guide, "Pipeline Primitives Interface".
#pragma once
#pragma clang system_header
#include "cuda_awbarrier_primitives.h"
#include "open_cuda/async_copies.h"

// Copies `bytes` (4, 8 or 16) to shared memory; the last `zeros` of them become zero.
__OPEN_CUDA_FN void __pipeline_memcpy_async(void *to, const void *from, size_t bytes, size_t zeros = 0) {
    unsigned filled = (unsigned)(bytes - zeros);
    if (zeros > bytes || !__isShared(to) || !__isGlobal(from)) __trap();
    else if (bytes == 4) __open_cuda_copy_async<4>(to, from, filled);
    else if (bytes == 8) __open_cuda_copy_async<8>(to, from, filled);
    else if (bytes == 16) __open_cuda_copy_async<16>(to, from, filled);
    else __trap();
}
__OPEN_CUDA_FN void __pipeline_commit() { __open_cuda_commit_async(); }
// Waits for all batches but the last n; from 8 on, for all but the last 8.
__OPEN_CUDA_FN void __pipeline_wait_prior(size_t n) {
    switch (n) {
    case 0: return __open_cuda_wait_async<0>();
    case 1: return __open_cuda_wait_async<1>();
    case 2: return __open_cuda_wait_async<2>();
    case 3: return __open_cuda_wait_async<3>();
    case 4: return __open_cuda_wait_async<4>();
    case 5: return __open_cuda_wait_async<5>();
    case 6: return __open_cuda_wait_async<6>();
    case 7: return __open_cuda_wait_async<7>();
    default: return __open_cuda_wait_async<8>();
    }
}
#if __OPEN_CUDA_ARCH >= 800
// The barrier's phase also waits for the copies that this thread has started.
__OPEN_CUDA_FN void __pipeline_arrive_on(__mbarrier_t *barrier) {
    asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
#endif
