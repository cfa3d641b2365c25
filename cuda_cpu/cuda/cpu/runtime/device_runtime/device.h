/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * The device runtime (CUDA Dynamic Parallelism): launches, copies and queries by kernels (cuda_device_runtime_api.h).
 *
 * Child launches execute after their parent's blocks, in the parent's queue, one at a time in launch order, depth
 * first; tail launches come last. The semantics of streams and events permit this order, and CUDA guarantees no
 * concurrency.
 */
#ifndef CUDA_CPU_DEVICE_H
#define CUDA_CPU_DEVICE_H

#include "queue/queue.h"

/* In the order of FUNCTIONS in ptx/device_runtime.py. */
enum cpu_device_call {
    CPU_GET_PARAMETER_BUFFER,
    CPU_GET_PARAMETER_BUFFER_V2,
    CPU_LAUNCH_DEVICE,
    CPU_LAUNCH_DEVICE_V2,
    CPU_STREAM_CREATE_WITH_FLAGS,
    CPU_STREAM_DESTROY,
    CPU_STREAM_WAIT_EVENT,
    CPU_EVENT_CREATE_WITH_FLAGS,
    CPU_EVENT_RECORD,
    CPU_EVENT_RECORD_WITH_FLAGS,
    CPU_EVENT_DESTROY,
    CPU_MEMCPY_ASYNC,
    CPU_MEMCPY_2D_ASYNC,
    CPU_MEMCPY_3D_ASYNC,
    CPU_MEMSET_ASYNC,
    CPU_MEMSET_2D_ASYNC,
    CPU_MEMSET_3D_ASYNC,
    CPU_MALLOC,
    CPU_FREE_MEMORY,
    CPU_GET_LAST_ERROR,
    CPU_PEEK_AT_LAST_ERROR,
    CPU_GET_ERROR_STRING,
    CPU_GET_ERROR_NAME,
    CPU_GET_DEVICE_COUNT,
    CPU_GET_DEVICE,
    CPU_DEVICE_GET_ATTRIBUTE,
    CPU_DEVICE_GET_LIMIT,
    CPU_DEVICE_GET_CACHE_CONFIG,
    CPU_DEVICE_GET_SHARED_MEM_CONFIG,
    CPU_RUNTIME_GET_VERSION,
    CPU_FUNC_GET_ATTRIBUTES,
    CPU_OCCUPANCY,
    CPU_OCCUPANCY_WITH_FLAGS,
    CPU_DEVICE_CALLS,
};

/* cudaError_t that these functions return. */
enum cpu_status {
    CPU_SUCCESS = 0,
    CPU_INVALID_VALUE = 1,
    CPU_MEMORY_ALLOCATION = 2,
    CPU_INVALID_CONFIGURATION = 9,
    CPU_INVALID_PITCH_VALUE = 12,
    CPU_INVALID_MEMCPY_DIRECTION = 21,
    CPU_PENDING_COUNT_EXCEEDED = 69,
    CPU_INVALID_DEVICE_FUNCTION = 98,
    CPU_INVALID_DEVICE = 101,
    CPU_UNSUPPORTED_LIMIT = 215,
    CPU_INVALID_RESOURCE_HANDLE = 400,
    CPU_LAUNCH_OUT_OF_RESOURCES = 701,
    CPU_NOT_SUPPORTED = 801,
    CPU_INVALID_CLUSTER_SIZE = 912,
};

#define CPU_ATTRIBUTES 256
#define CPU_LIMITS 8
#define CPU_LIMIT_PENDING 4 /* cudaLimitDevRuntimePendingLaunchCount */
#define CPU_GRANULARITY 128 /* bytes: allocation unit of a block's shared memory */

struct cpu_status_text {
    int32_t status;
    const char *name, *text;
};

/* State of a context that kernels can query. */
struct cpu_device_runtime {
    uint32_t device, devices, version;
    int32_t attributes[CPU_ATTRIBUTES]; /* by cudaDeviceAttr */
    bool has_attribute[CPU_ATTRIBUTES];
    _Atomic uint64_t limits[CPU_LIMITS]; /* by cudaLimit */
    bool has_limit[CPU_LIMITS];
    uint32_t shared_per_sm, threads_per_sm, blocks_per_sm, reserved_shared; /* for occupancy */
    const struct cpu_status_text *statuses;
    uint32_t status_count;
    _Atomic uint64_t pending; /* child launches that have not ended */
};

#define CPU_FUNCTION_FACTS 256

/* A kernel that kernels can launch: in device code, the kernel's address is that of its cpu_kernel. */
struct cpu_kernel {
    uint64_t kind; /* CPU_KERNEL_KIND */
    /* Machine code for full runs of 32 consecutive lanes, and for half runs; NULL: not compiled. */
    struct cpu_compiled_kernel *_Atomic full_run, *_Atomic half_run;
    uint32_t max_threads, required_block[3]; /* 0: any */
    uint32_t cluster[3];                     /* 0: given at launch, which is not supported from kernels */
    _Atomic uint32_t dynamic;                /* maximum of a launch's dynamic shared memory, in bytes */
    uint32_t shared;
    uint32_t facts_size;
    uint8_t facts[CPU_FUNCTION_FACTS]; /* cudaFuncAttributes */
};
#define CPU_KERNEL_KIND ((uint64_t)0x6c656e72656b2e63)

struct cpu_children;

/* command.c: executes the launch; `children` collects the kernel's child launches, or is NULL. */
bool cpu_launch_run(struct cpu_command *command, struct cpu_exec exec, struct cpu_children *children);
/* children.c: executes a launch of a kernel that uses the device runtime, and its children; as cpu_command_run. */
bool cpu_children_run(struct cpu_command *command, struct cpu_exec exec);

/* For device.c. Added commands execute when the grid is done; on failure the command is discarded. */
const struct cpu_device_runtime *cpu_children_device_runtime(const struct cpu_children *children);
struct cpu_command *cpu_children_command(struct cpu_children *children, enum cpu_command_kind kind, size_t parameters,
                                         uint32_t *status);
/* `checked`: size of its parameter buffer in the table of allocations. */
void cpu_children_prepare(struct cpu_children *children, struct cpu_command *command, uint64_t checked);
/* Remove and return the launch that was prepared with this parameter buffer, or NULL. */
struct cpu_command *cpu_children_prepared(struct cpu_children *children, uint64_t parameters);
uint32_t cpu_children_add(struct cpu_children *children, struct cpu_command *command, uint64_t stream);
enum cpu_handle_kind { CPU_STREAM_HANDLE = 5, CPU_EVENT_HANDLE = 6 };
uint64_t cpu_children_new_handle(struct cpu_children *children, enum cpu_handle_kind kind); /* 0: out of memory */
bool cpu_children_has(struct cpu_children *children, enum cpu_handle_kind kind, uint64_t handle);
bool cpu_children_forget(struct cpu_children *children, enum cpu_handle_kind kind, uint64_t handle);
/* The last error of a thread, by its number in the grid. */
uint32_t cpu_children_error(struct cpu_children *children, uint64_t thread, bool clear);
void cpu_children_set_error(struct cpu_children *children, uint64_t thread, uint32_t status);

/* Streams that exist in every grid. */
#define CPU_STREAM_TAIL 3
#define CPU_STREAM_FIRE_AND_FORGET 4

/* Service, see kernel_abi.h. */
void cpu_device_call(struct cpu_warp *warp, cpu_lanes lanes, uint32_t function, uint64_t *operands);

#endif
