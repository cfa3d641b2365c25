/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * One thread's call of a device runtime function, and the functions in other files, which return a cudaError_t.
 */
#ifndef CUDA_CPU_DEVICE_CALL_H
#define CUDA_CPU_DEVICE_CALL_H

#include <stdatomic.h>

#include "check/init.h"
#include "device.h"

/* One thread's call. */
struct call {
    struct cpu_running *warp;
    struct cpu_job *job;
    struct cpu_children *children;
    const struct cpu_device_runtime *runtime;
    uint64_t thread; /* its number in the grid */
    unsigned lane;
    uint64_t *operands; /* the first operand; each following one is a row of CPU_WARP_SIZE further */
};

static inline uint64_t operand(const struct call *call, unsigned row)
{
    return call->operands[row * CPU_WARP_SIZE];
}

/* Record what a function writes for its caller. */
static inline void wrote(uint64_t address, uint64_t size)
{
    if (atomic_load_explicit(&cpu_init_on, memory_order_relaxed))
        cpu_init_mark(address, size, true);
}

static inline void put_int(const struct call *call, unsigned row, int32_t value)
{
    *(int32_t *)(uintptr_t)operand(call, row) = value;
    wrote(operand(call, row), sizeof value);
}

static inline void put_long(const struct call *call, unsigned row, uint64_t value)
{
    *(uint64_t *)(uintptr_t)operand(call, row) = value;
    wrote(operand(call, row), sizeof value);
}

/* device_launch.c */
struct cpu_kernel *cpu_kernel_at(uint64_t address); /* NULL: not a kernel */
uint64_t cpu_get_parameter_buffer(const struct call *call, uint32_t *status);
uint64_t cpu_get_parameter_buffer_v2(const struct call *call, uint32_t *status);
uint32_t cpu_launch_device(const struct call *call);
uint32_t cpu_launch_device_v2(const struct call *call);

/* device_copy.c */
uint32_t cpu_memcpy_async(const struct call *call);
uint32_t cpu_memcpy_2d_async(const struct call *call);
uint32_t cpu_memcpy_3d_async(const struct call *call);
uint32_t cpu_memset_async(const struct call *call);
uint32_t cpu_memset_2d_async(const struct call *call);
uint32_t cpu_memset_3d_async(const struct call *call);

/* device_query.c */
uint64_t cpu_status_text(const struct call *call, bool name);
uint32_t cpu_device_attribute(const struct call *call);
uint32_t cpu_device_limit(const struct call *call);
uint32_t cpu_function_attributes(const struct call *call);
uint32_t cpu_occupancy(const struct call *call, uint64_t flags);

#endif
