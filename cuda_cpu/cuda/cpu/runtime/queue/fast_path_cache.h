/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * The cache of the fast path: the objects that Python has looked up for a launch or a wait, per thread.
 */
#ifndef CUDA_CPU_FAST_PATH_CACHE_H
#define CUDA_CPU_FAST_PATH_CACHE_H

#include "fast_path.h"
#include "queue.h"

#define CPU_MAX_AWAITED 8

/* A launch (`function` 0: a wait) in a stream, while `context` is the thread's context. */
struct cpu_fast_path_entry {
    uint64_t function, stream, context;
    struct cpu_queue *queue;
    struct cpu_queue *awaited[CPU_MAX_AWAITED]; /* the fast path is taken only while all are idle; NULL ends them */
    struct cpu_compiled_kernel *compiled;
    uint32_t lane_run; /* that `compiled` is the machine code for, see cpu_lane_run */
    uint32_t max_threads, max_shared; /* of a block */
    uint64_t most_threads; /* of a launch: others run other code; 0: any number */
    uint32_t required_block[3]; /* 0: any */
    uint32_t tile_block[3]; /* of tile kernels: the block that runs instead of that of the launch */
};

extern const struct cpu_fast_path cpu_fast_path;

/* attribute.c: device attributes that cuDeviceGetAttribute returns without Python. */
void cpu_attribute_set(uint32_t device, uint32_t attribute, int32_t value);
int cpu_attribute_get(int32_t *value, uint64_t attribute, int64_t device);

uint64_t cpu_fast_path_epoch(void);
void cpu_fast_path_invalidate(void); /* starts a new epoch: all entries of all threads are invalid */
/* Add an entry of this thread, valid if `epoch` is still current. It takes references to the queues and the kernel. */
void cpu_fast_path_add(const struct cpu_fast_path_entry *entry, uint64_t epoch);
void cpu_fast_path_set_context(uint64_t context); /* current in this thread from now on */
void cpu_fast_path_set_deferred_work(bool some); /* whether a synchronize must also run deferred host work */

#endif
