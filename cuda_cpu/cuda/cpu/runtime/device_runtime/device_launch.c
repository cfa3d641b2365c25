/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Kernel launches in device code: cudaGetParameterBuffer takes the configuration and returns a parameter buffer, then
 * cudaLaunchDevice launches.
 */
#include "device_call.h"

#include <string.h>

#define MAX_PARAMETERS 32764u
#define PARAMETER_ALIGNMENT 64u /* of cpu_command.params */

struct cpu_kernel *cpu_kernel_at(uint64_t address)
{
    struct cpu_kernel *kernel = (struct cpu_kernel *)(uintptr_t)address;
    return address && address % _Alignof(struct cpu_kernel) == 0 && kernel->kind == CPU_KERNEL_KIND ? kernel : NULL;
}

static void read_dims(const struct call *call, unsigned row, uint32_t dims[3])
{
    for (unsigned i = 0; i < 3; i++)
        dims[i] = (uint32_t)operand(call, row + i);
}

static bool in_range(const uint32_t grid[3], const uint32_t block[3])
{
    return grid[0] && grid[1] && grid[2] && grid[0] <= CPU_MAX_GRID_X && grid[1] <= CPU_MAX_GRID_YZ &&
           grid[2] <= CPU_MAX_GRID_YZ && block[0] && block[1] && block[2] && block[0] <= CPU_MAX_BLOCK_XY &&
           block[1] <= CPU_MAX_BLOCK_XY && block[2] <= CPU_MAX_BLOCK_Z &&
           (uint64_t)block[0] * block[1] * block[2] <= CPU_MAX_BLOCK_THREADS;
}

static uint32_t check_cluster(const struct cpu_kernel *kernel, const uint32_t grid[3])
{
    for (int i = 0; i < 3; i++)
        if (!kernel->cluster[i] || grid[i] % kernel->cluster[i])
            return CPU_INVALID_CLUSTER_SIZE;
    return CPU_SUCCESS;
}

static uint32_t check_launch(const struct cpu_kernel *kernel, const uint32_t grid[3], const uint32_t block[3],
                             uint32_t shared)
{
    if (!in_range(grid, block))
        return CPU_INVALID_CONFIGURATION;
    if (block[0] * block[1] * block[2] > kernel->max_threads)
        return CPU_LAUNCH_OUT_OF_RESOURCES;
    if (shared > atomic_load(&kernel->dynamic))
        return CPU_INVALID_VALUE;
    if (kernel->required_block[0] && memcmp(block, kernel->required_block, sizeof kernel->required_block) != 0)
        return CPU_INVALID_VALUE;
    return check_cluster(kernel, grid);
}

/* Return the machine code for blocks of this shape: full_run if warps have 32 consecutive lanes, else half_run. The rows
 * of these blocks are not padded: each variant of the code is compiled before the parent kernel starts. */
static struct cpu_compiled_kernel *compiled_for(struct cpu_kernel *kernel, const uint32_t block[3])
{
    return atomic_load(cpu_lane_run(block) >= CPU_WARP_SIZE ? &kernel->full_run : &kernel->half_run);
}

/* Fill in a launch: operand `function` is the kernel, operands from `row` on are grid, block and shared memory. */
static uint32_t configure(const struct call *call, unsigned function, unsigned row, struct cpu_launch *launch)
{
    struct cpu_kernel *kernel = cpu_kernel_at(operand(call, function));
    launch->compiled = NULL;
    if (!kernel)
        return CPU_INVALID_DEVICE_FUNCTION;
    read_dims(call, row, launch->grid_dim);
    read_dims(call, row + 3, launch->block_dim);
    launch->shared_dynamic = (uint32_t)operand(call, row + 6);
    uint32_t status = check_launch(kernel, launch->grid_dim, launch->block_dim, launch->shared_dynamic);
    if (status != CPU_SUCCESS)
        return status;
    memcpy(launch->cluster_dim, kernel->cluster, sizeof launch->cluster_dim);
    launch->compiled = compiled_for(kernel, launch->block_dim);
    return launch->compiled ? CPU_SUCCESS : CPU_INVALID_DEVICE_FUNCTION;
}

static void fill_launch(struct cpu_command *command, const struct cpu_launch *wanted)
{
    uint8_t *params = command->launch.params;
    command->launch = *wanted;
    command->launch.params = params;
    command->launch.grid_id = cpu_grid_number();
    atomic_fetch_add(&wanted->compiled->in_flight, 1);
}

static uint64_t hand_out(const struct call *call, struct cpu_command *command, uint64_t size)
{
    cpu_children_prepare(call->children, command, call->job->compiled->checks ? size : 0);
    return (uint64_t)(uintptr_t)command->params;
}

uint64_t cpu_get_parameter_buffer(const struct call *call, uint32_t *status)
{
    uint64_t alignment = operand(call, 0), size = operand(call, 1);
    if (!alignment || alignment & (alignment - 1) || alignment > PARAMETER_ALIGNMENT || size > MAX_PARAMETERS) {
        *status = CPU_INVALID_VALUE;
        return 0;
    }
    struct cpu_command *command = cpu_children_command(call->children, CPU_LAUNCH, size, status);
    if (!command)
        return 0;
    command->launch.shared_dynamic = (uint32_t)size; /* holds the parameter size until the launch */
    return hand_out(call, command, size);
}

uint64_t cpu_get_parameter_buffer_v2(const struct call *call, uint32_t *status)
{
    struct cpu_launch wanted = {0};
    *status = configure(call, 0, 1, &wanted);
    if (*status != CPU_SUCCESS)
        return 0;
    uint32_t size = wanted.compiled->parameter_bytes;
    struct cpu_command *command = cpu_children_command(call->children, CPU_LAUNCH, size, status);
    if (!command)
        return 0;
    fill_launch(command, &wanted);
    return hand_out(call, command, size);
}

uint32_t cpu_launch_device_v2(const struct call *call)
{
    struct cpu_command *command = cpu_children_prepared(call->children, operand(call, 0));
    if (!command)
        return CPU_INVALID_VALUE;
    if (command->launch.compiled)
        return cpu_children_add(call->children, command, operand(call, 1));
    cpu_children_prepare(call->children, command, command->number); /* it is for cudaLaunchDevice() */
    return CPU_INVALID_VALUE;
}

uint32_t cpu_launch_device(const struct call *call)
{
    struct cpu_launch wanted = {0};
    uint32_t status = configure(call, 0, 2, &wanted);
    if (status != CPU_SUCCESS)
        return status;
    struct cpu_command *command = cpu_children_prepared(call->children, operand(call, 1));
    if (!command)
        return CPU_INVALID_VALUE;
    if (command->launch.compiled || command->launch.shared_dynamic < wanted.compiled->parameter_bytes) {
        cpu_children_prepare(call->children, command, command->number);
        return CPU_INVALID_VALUE;
    }
    fill_launch(command, &wanted);
    return cpu_children_add(call->children, command, operand(call, 9));
}
