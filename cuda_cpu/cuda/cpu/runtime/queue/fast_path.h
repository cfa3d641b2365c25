/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * The way of frequent calls from libcuda's C functions to the queues, without Python. A call that Python has answered
 * leaves a route behind: what it has looked up, for calls with the same handles from the same thread. Whatever could
 * change the answer makes all routes old. Where there is none, or anything is unusual, the call goes round by Python,
 * which also says what is wrong with it.
 */
#ifndef CUDA_CPU_DIRECT_H
#define CUDA_CPU_DIRECT_H

#include <stdint.h>

#define CPU_GO_ROUND (-1)

/* What libcuda.so.1, another library, is handed. The functions return a CUresult or CPU_GO_ROUND. */
struct cpu_direct {
    /* `shape`: three dimensions of the grid, of the block, and bytes of dynamic shared memory. */
    int (*launch)(uint64_t function, const uint32_t shape[7], uint64_t stream, void *const *params);
    int (*synchronize)(uint64_t stream);
    int (*query)(uint64_t stream);
    int (*attribute)(int32_t *value, uint64_t attribute, int64_t device);
    int (*ended_idle)(void); /* 1: Python has ended, and all work was done before */
};

#endif
