// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Barriers in shared memory: CUDA C++ Programming Guide, "Memory Barrier Primitives Interface". They need compute
// capability 8.0; waits with a time limit need 9.0, and return at once before.
#pragma once
#pragma clang system_header
#include "open_cuda/memory.h"

#if __OPEN_CUDA_ARCH >= 800
typedef unsigned long long __mbarrier_t;
typedef unsigned long long __mbarrier_token_t;

__OPEN_CUDA_FN unsigned __open_cuda_shared(const void *address) { return (unsigned)__cvta_generic_to_shared(address); }
__OPEN_CUDA_CONST unsigned __mbarrier_maximum_count() { return (1u << 20) - 1; }
__OPEN_CUDA_FN void __mbarrier_init(__mbarrier_t *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(__open_cuda_shared(barrier)), "r"(count) : "memory");
}
__OPEN_CUDA_FN void __mbarrier_inval(__mbarrier_t *barrier) {
    asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(__open_cuda_shared(barrier)) : "memory");
}
#define __OPEN_CUDA_ARRIVE(name, op)                                                                              \
    __OPEN_CUDA_FN __mbarrier_token_t name(__mbarrier_t *barrier) {                                               \
        __mbarrier_token_t token;                                                                                 \
        asm volatile("mbarrier." op ".shared.b64 %0, [%1];"                                                       \
                     : "=l"(token) : "r"(__open_cuda_shared(barrier)) : "memory");                                \
        return token;                                                                                             \
    }
__OPEN_CUDA_ARRIVE(__mbarrier_arrive, "arrive")
__OPEN_CUDA_ARRIVE(__mbarrier_arrive_and_drop, "arrive_drop")
__OPEN_CUDA_FN unsigned __mbarrier_token_pending_count(__mbarrier_token_t token) {
    unsigned count;
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(token));
    return count;
}
#define __OPEN_CUDA_TEST(name, op, type, reg, phase)                                                              \
    __OPEN_CUDA_FN bool name(__mbarrier_t *barrier, type given) {                                                 \
        unsigned done;                                                                                            \
        asm volatile("{.reg .pred p; mbarrier." op ".shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"              \
                     : "=r"(done) : "r"(__open_cuda_shared(barrier)), reg((phase)given) : "memory");              \
        return done;                                                                                              \
    }
__OPEN_CUDA_TEST(__mbarrier_test_wait, "test_wait", __mbarrier_token_t, "l", __mbarrier_token_t)
__OPEN_CUDA_TEST(__mbarrier_test_wait_parity, "test_wait.parity", bool, "r", unsigned)
#if __OPEN_CUDA_ARCH >= 900
#define __OPEN_CUDA_TRY(name, op, type, reg, phase)                                                               \
    __OPEN_CUDA_FN bool name(__mbarrier_t *barrier, type given, unsigned nanoseconds) {                           \
        unsigned done;                                                                                            \
        asm volatile("{.reg .pred p; mbarrier." op ".shared.b64 p, [%1], %2, %3; selp.u32 %0, 1, 0, p;}"          \
                     : "=r"(done)                                                                                 \
                     : "r"(__open_cuda_shared(barrier)), reg((phase)given), "r"(nanoseconds) : "memory");         \
        return done;                                                                                              \
    }
__OPEN_CUDA_TRY(__mbarrier_try_wait, "try_wait", __mbarrier_token_t, "l", __mbarrier_token_t)
__OPEN_CUDA_TRY(__mbarrier_try_wait_parity, "try_wait.parity", bool, "r", unsigned)
#else
__OPEN_CUDA_FN bool __mbarrier_try_wait(__mbarrier_t *barrier, __mbarrier_token_t token, unsigned) {
    return __mbarrier_test_wait(barrier, token);
}
__OPEN_CUDA_FN bool __mbarrier_try_wait_parity(__mbarrier_t *barrier, bool parity, unsigned) {
    return __mbarrier_test_wait_parity(barrier, parity);
}
#endif
#endif
