/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Queries of the device runtime: device attributes, limits, kernel attributes, occupancy, error texts.
 */
#include "device_call.h"

#include <string.h>

uint64_t cpu_status_text(const struct call *call, bool name)
{
    static const char unknown[] = "unrecognized error code";
    const struct cpu_device_runtime *runtime = call->runtime;
    for (uint32_t i = 0; i < runtime->status_count; i++)
        if (runtime->statuses[i].status == (int32_t)operand(call, 0))
            return (uint64_t)(uintptr_t)(name ? runtime->statuses[i].name : runtime->statuses[i].text);
    return (uint64_t)(uintptr_t)unknown;
}

uint32_t cpu_device_attribute(const struct call *call)
{
    uint64_t which = operand(call, 1);
    if (operand(call, 2) != call->runtime->device)
        return operand(call, 2) < call->runtime->devices ? CPU_NOT_SUPPORTED : CPU_INVALID_DEVICE;
    if (!operand(call, 0) || which >= CPU_ATTRIBUTES || !call->runtime->has_attribute[which])
        return CPU_INVALID_VALUE;
    put_int(call, 0, call->runtime->attributes[which]);
    return CPU_SUCCESS;
}

uint32_t cpu_device_limit(const struct call *call)
{
    uint64_t which = operand(call, 1);
    if (which >= CPU_LIMITS || !call->runtime->has_limit[which])
        return CPU_UNSUPPORTED_LIMIT;
    if (!operand(call, 0))
        return CPU_INVALID_VALUE;
    put_long(call, 0, atomic_load(&call->runtime->limits[which]));
    return CPU_SUCCESS;
}

uint32_t cpu_function_attributes(const struct call *call)
{
    const struct cpu_kernel *kernel = cpu_kernel_at(operand(call, 1));
    if (!operand(call, 0))
        return CPU_INVALID_VALUE;
    if (!kernel)
        return CPU_INVALID_DEVICE_FUNCTION;
    memcpy((void *)(uintptr_t)operand(call, 0), kernel->facts, kernel->facts_size);
    wrote(operand(call, 0), kernel->facts_size);
    return CPU_SUCCESS;
}

/* Same formula as driver/code/occupancy.py. */
uint32_t cpu_occupancy(const struct call *call, uint64_t flags)
{
    const struct cpu_device_runtime *runtime = call->runtime;
    const struct cpu_kernel *kernel = cpu_kernel_at(operand(call, 1));
    int32_t threads = (int32_t)operand(call, 2);
    uint64_t dynamic = operand(call, 3), blocks = 0;
    if (!operand(call, 0) || threads <= 0 || flags > 1)
        return CPU_INVALID_VALUE;
    if (!kernel)
        return CPU_INVALID_DEVICE_FUNCTION;
    if ((uint32_t)threads <= kernel->max_threads && dynamic <= atomic_load(&kernel->dynamic)) {
        uint64_t shared = (kernel->shared + dynamic + CPU_GRANULARITY - 1) / CPU_GRANULARITY * CPU_GRANULARITY +
                          runtime->reserved_shared;
        uint64_t by_threads = runtime->threads_per_sm / (((uint32_t)threads + CPU_WARP_SIZE - 1) / CPU_WARP_SIZE * CPU_WARP_SIZE);
        blocks = runtime->blocks_per_sm < by_threads ? runtime->blocks_per_sm : by_threads;
        if (shared && runtime->shared_per_sm / shared < blocks)
            blocks = runtime->shared_per_sm / shared;
    }
    put_int(call, 0, (int32_t)blocks);
    return CPU_SUCCESS;
}
