/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Fast path of launches, stream queries and stream waits from libcuda's C functions to the queues, without Python. The
 * first call with given handles in a thread is served by Python, which caches the objects behind them
 * (fast_path_cache.h). Whatever could change a result starts a new epoch, which invalidates all entries of all threads.
 * A call without a valid entry, or with unusual arguments, returns CPU_FALLBACK: Python then serves it, and reports
 * errors.
 */
#ifndef CUDA_CPU_FAST_PATH_H
#define CUDA_CPU_FAST_PATH_H

#include <stdint.h>

#define CPU_FALLBACK (-1)

/* The table of functions that libcuda.so.1, a separate library, gets. They return a CUresult or CPU_FALLBACK. */
struct cpu_fast_path {
    /* `shape`: three dimensions of the grid, of the block, and bytes of dynamic shared memory. */
    int (*launch)(uint64_t function, const uint32_t shape[7], uint64_t stream, void *const *params);
    int (*synchronize)(uint64_t stream);
    int (*query)(uint64_t stream);
    int (*attribute)(int32_t *value, uint64_t attribute, int64_t device);
    int (*ended_idle)(void); /* 1: Python has ended, and all work was done before */
};

#endif
