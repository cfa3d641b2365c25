/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Functions of the device runtime: the CUDA programming guide, "CUDA Dynamic Parallelism". Invalid arguments
 * return a status, which becomes the thread's last error; only an invalid output pointer is a fault.
 */
#include "device_call.h"

#include "check/check.h"
#include "exec/heap.h"

#define NON_BLOCKING 1u        /* cudaStreamNonBlocking */
#define DISABLE_TIMING 2u      /* cudaEventDisableTiming */
#define BLOCKING_SYNC 1u       /* cudaEventBlockingSync */
#define FOUR_BYTE_BANKS 1      /* cudaSharedMemBankSizeFourByte */

/* --- streams and events ------------------------------------------------------------------------------------------ */

static uint32_t make(const struct call *call, enum cpu_handle_kind kind, bool flags_fit)
{
    if (!flags_fit || !operand(call, 0))
        return CPU_INVALID_VALUE;
    uint64_t handle = cpu_children_new_handle(call->children, kind);
    if (!handle)
        return CPU_MEMORY_ALLOCATION;
    put_long(call, 0, handle);
    return CPU_SUCCESS;
}

static uint32_t destroy(const struct call *call, enum cpu_handle_kind kind)
{
    return cpu_children_forget(call->children, kind, operand(call, 0)) ? CPU_SUCCESS : CPU_INVALID_RESOURCE_HANDLE;
}

/* A record and a wait are only validated: children execute in launch order anyway. */
static uint32_t check_event(const struct call *call, uint64_t event, uint64_t stream, uint64_t flags)
{
    if (stream == CPU_STREAM_TAIL || stream == CPU_STREAM_FIRE_AND_FORGET || flags)
        return CPU_INVALID_VALUE;
    if (!cpu_children_has(call->children, CPU_EVENT_HANDLE, event))
        return CPU_INVALID_RESOURCE_HANDLE;
    if (stream > CPU_STREAM_FIRE_AND_FORGET && !cpu_children_has(call->children, CPU_STREAM_HANDLE, stream))
        return CPU_INVALID_RESOURCE_HANDLE;
    return CPU_SUCCESS;
}

/* --- memory ------------------------------------------------------------------------------------------------------ */

static uint32_t allocate(const struct call *call)
{
    uint64_t sizes[CPU_WARP_SIZE], results[CPU_WARP_SIZE] = {0};
    if (!operand(call, 0))
        return CPU_INVALID_VALUE;
    sizes[call->lane] = operand(call, 1);
    if (sizes[call->lane])
        call->warp->abi.runtime->malloc(&call->warp->abi, (cpu_lanes)1 << call->lane, sizes, results);
    put_long(call, 0, results[call->lane]);
    return results[call->lane] || !sizes[call->lane] ? CPU_SUCCESS : CPU_MEMORY_ALLOCATION;
}

static uint32_t release(const struct call *call)
{
    uint64_t address = operand(call, 0);
    if (address && call->job->compiled->checks)
        cpu_table_remove(address); /* before the free, which lets other threads get the address */
    return !address || cpu_heap_give(address) ? CPU_SUCCESS : CPU_INVALID_VALUE;
}

static uint32_t answer(const struct call *call, int32_t value)
{
    if (!operand(call, 0))
        return CPU_INVALID_VALUE;
    put_int(call, 0, value);
    return CPU_SUCCESS;
}

/* --- dispatch ---------------------------------------------------------------------------------------------------- */

static uint32_t status_of(const struct call *call, enum cpu_device_call function)
{
    switch (function) {
    case CPU_LAUNCH_DEVICE:
        return cpu_launch_device(call);
    case CPU_LAUNCH_DEVICE_V2:
        return cpu_launch_device_v2(call);
    case CPU_STREAM_CREATE_WITH_FLAGS:
        return make(call, CPU_STREAM_HANDLE, operand(call, 1) == NON_BLOCKING);
    case CPU_STREAM_DESTROY:
        return destroy(call, CPU_STREAM_HANDLE);
    case CPU_STREAM_WAIT_EVENT:
        return check_event(call, operand(call, 1), operand(call, 0), operand(call, 2));
    case CPU_EVENT_CREATE_WITH_FLAGS:
        return make(call, CPU_EVENT_HANDLE, (operand(call, 1) & ~(uint64_t)BLOCKING_SYNC) == DISABLE_TIMING);
    case CPU_EVENT_RECORD:
        return check_event(call, operand(call, 0), operand(call, 1), 0);
    case CPU_EVENT_RECORD_WITH_FLAGS:
        return check_event(call, operand(call, 0), operand(call, 1), operand(call, 2));
    case CPU_EVENT_DESTROY:
        return destroy(call, CPU_EVENT_HANDLE);
    case CPU_MEMCPY_ASYNC:
        return cpu_memcpy_async(call);
    case CPU_MEMCPY_2D_ASYNC:
        return cpu_memcpy_2d_async(call);
    case CPU_MEMCPY_3D_ASYNC:
        return cpu_memcpy_3d_async(call);
    case CPU_MEMSET_ASYNC:
        return cpu_memset_async(call);
    case CPU_MEMSET_2D_ASYNC:
        return cpu_memset_2d_async(call);
    case CPU_MEMSET_3D_ASYNC:
        return cpu_memset_3d_async(call);
    case CPU_MALLOC:
        return allocate(call);
    case CPU_FREE_MEMORY:
        return release(call);
    case CPU_GET_DEVICE_COUNT:
        return answer(call, (int32_t)call->runtime->devices);
    case CPU_GET_DEVICE:
        return answer(call, (int32_t)call->runtime->device);
    case CPU_DEVICE_GET_ATTRIBUTE:
        return cpu_device_attribute(call);
    case CPU_DEVICE_GET_LIMIT:
        return cpu_device_limit(call);
    case CPU_DEVICE_GET_CACHE_CONFIG:
        return answer(call, 0);
    case CPU_DEVICE_GET_SHARED_MEM_CONFIG:
        return answer(call, FOUR_BYTE_BANKS);
    case CPU_RUNTIME_GET_VERSION:
        return answer(call, (int32_t)call->runtime->version);
    case CPU_FUNC_GET_ATTRIBUTES:
        return cpu_function_attributes(call);
    case CPU_OCCUPANCY:
        return cpu_occupancy(call, 0);
    case CPU_OCCUPANCY_WITH_FLAGS:
        return cpu_occupancy(call, operand(call, 4));
    default: return CPU_NOT_SUPPORTED;
    }
}

static uint64_t result_of(const struct call *call, enum cpu_device_call function)
{
    uint32_t status = CPU_SUCCESS;
    uint64_t result;
    switch (function) {
    case CPU_GET_LAST_ERROR:
    case CPU_PEEK_AT_LAST_ERROR:
        return cpu_children_error(call->children, call->thread, function == CPU_GET_LAST_ERROR);
    case CPU_GET_ERROR_NAME:
    case CPU_GET_ERROR_STRING:
        return cpu_status_text(call, function == CPU_GET_ERROR_NAME);
    case CPU_GET_PARAMETER_BUFFER:
        result = cpu_get_parameter_buffer(call, &status);
        break;
    case CPU_GET_PARAMETER_BUFFER_V2:
        result = cpu_get_parameter_buffer_v2(call, &status);
        break;
    default:
        result = status = status_of(call, function);
    }
    if (status != CPU_SUCCESS)
        cpu_children_set_error(call->children, call->thread, status);
    return result;
}

/* Return the number in the grid of a warp's first thread; blocks are rounded up to full warps. */
static uint64_t first_thread(const struct cpu_running *warp, const struct cpu_job *job)
{
    const struct cpu_warp *first = &warp->block->warps[0].abi;
    uint64_t block = ((uint64_t)first->block_idx[2] * job->grid_dim[1] + first->block_idx[1]) * job->grid_dim[0] +
                     first->block_idx[0];
    uint32_t number = job->path == CPU_PATH_BLOCKS ? first->current : warp->abi.warp_id;
    return (block * job->warps + number) * CPU_WARP_SIZE;
}

void cpu_device_call(struct cpu_warp *abi, cpu_lanes lanes, uint32_t function, uint64_t *operands)
{
    struct cpu_running *warp = (struct cpu_running *)abi;
    struct cpu_job *job = warp->block->worker->job;
    struct call call = {.warp = warp, .job = job, .children = job->children};
    if (!job->children || function >= CPU_DEVICE_CALLS)
        cpu_fault_now(warp, CPU_FAULT_UNSUPPORTED, 0, 0, "the device runtime needs the driver");
    cpu_need_stack(abi); /* before locks are taken */
    call.runtime = cpu_children_device_runtime(job->children);
    uint64_t thread = first_thread(warp, job);
    for (; lanes; lanes &= lanes - 1) {
        call.lane = (unsigned)__builtin_ctz(lanes);
        call.thread = thread + call.lane;
        call.operands = operands + call.lane;
        operands[call.lane] = result_of(&call, function);
    }
}
