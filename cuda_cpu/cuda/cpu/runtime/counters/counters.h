/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Exact counts of profiled kernels. Each instruction with memory accesses has a group of counters per state space; the
 * machine code itself counts executions of blocks. exec/abi_table.c exports the numbers to Python.
 */
#ifndef CUDA_CPU_COUNTERS_H
#define CUDA_CPU_COUNTERS_H

#include <pthread.h>

#include "exec/worker.h"
#include "texture/tensor.h"

/* Counters of the accesses of an instruction to one state space. A request is one execution by a warp. */
enum cpu_count {
    CPU_COUNT_REQUESTS,
    CPU_COUNT_THREADS,    /* accesses by threads */
    CPU_COUNT_BYTES,      /* of these accesses */
    CPU_COUNT_SECTORS,    /* different aligned 32-byte ranges of memory in each request (not of shared memory) */
    CPU_COUNT_WAVEFRONTS, /* passes over the banks of shared memory */
    CPU_COUNT_CONFLICTS,  /* passes more than accesses without bank conflicts would take */
    CPU_COUNT_EXCESS,     /* requests with more sectors than their bytes would fill */
    CPU_COUNT_STRIDED,    /* requests whose threads have addresses at a constant distance, which is not 0 */
    CPU_COUNT_STRIDES,    /* sum of these distances, in bytes, without sign */
    CPU_COUNT_COLLISIONS, /* threads whose address another thread of the request has (atomic operations) */
    CPU_COUNTS,
};

/* Groups of counters of an instruction that accesses generic addresses; others have the first one alone. */
enum cpu_count_group { CPU_GROUP_GLOBAL, CPU_GROUP_SHARED, CPU_GROUP_LOCAL, CPU_GROUPS };

#define CPU_BANKS 32u  /* of shared memory, each of 4 bytes */

/* Bytes of a table that access.c uses: one for each word of the largest shared memory. */
#define CPU_MARKS 65536u

/* A launch, and the sum of its counters. */
struct cpu_profile {
    struct cpu_profile *next;
    pthread_mutex_t lock; /* protects `counters` */
    uint64_t token;       /* of the kernel, see struct cpu_grid */
    uint64_t order;       /* of the beginnings of launches */
    uint32_t grid_dim[3], block_dim[3], cluster_dim[3];
    uint32_t shared_size, fault;
    uint32_t count; /* of `counters` */
    uint64_t counters[];
};

/* Called by profiled kernels before an access, with a mask that is not empty. `index` is the first counter, `access` as
 * in check_access (check/check.h), with CPU_ACCESS_UNIFORM, CPU_ACCESS_SIZED and, for bulk copies, CPU_ACCESS_COPIED. */
void cpu_profile_access(struct cpu_warp *warp, cpu_lanes lanes, uint32_t index, uint32_t access, uint32_t size,
                        const uint64_t *addresses, const uint64_t *sizes);
/* Called after cpu_bulk, with the same flags and operands: counts a tensor copy, multicast or multimem. `index` is
 * the first counter of the group of global memory; that of shared memory follows. */
void cpu_profile_bulk(struct cpu_warp *warp, cpu_lanes lanes, uint32_t index, uint32_t flags, const uint64_t *operands);
bool cpu_profile_begin(struct cpu_job *job); /* false: out of memory */
void cpu_profile_end(struct cpu_job *job);
uint8_t *cpu_profile_marks(const struct cpu_worker *worker); /* zeros between calls */
bool cpu_profile_join(struct cpu_job *job, struct cpu_worker *worker); /* false: out of memory */
void cpu_profile_leave(struct cpu_job *job, struct cpu_worker *worker);
/* Remove all completed launches, in any order; the caller frees them. */
struct cpu_profile *cpu_profiles_take(void);

#endif
