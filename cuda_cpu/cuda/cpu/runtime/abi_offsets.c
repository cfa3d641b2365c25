/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * The offsets of kernel_abi.h as the C compiler sees them, for the test that compares them with emit/frame.py.
 */
#include "abi_offsets.h"

#include <stddef.h>

#include "kernel_abi.h"

#define WARP(member) {"warp." #member, offsetof(struct cpu_warp, member)}
#define RUNTIME(member) {"runtime." #member, offsetof(struct cpu_runtime, member)}

const struct cpu_offset cpu_offsets[] = {
    WARP(runtime), WARP(params), WARP(shared), WARP(local), WARP(symbols), WARP(local_stride), WARP(local_top),
    WARP(lanes), WARP(budget), WARP(warp_id), WARP(shared_size), WARP(shared_static), WARP(worker), WARP(grid_dim),
    WARP(block_idx), WARP(block_dim), WARP(cluster_dim), WARP(grid_id), WARP(grid_workspace), WARP(thread_idx),
    WARP(stack_limit),
    RUNTIME(barrier_sync), RUNTIME(barrier_arrive), RUNTIME(barrier_reduce), RUNTIME(poll), RUNTIME(fault),
    RUNTIME(vprintf), RUNTIME(malloc), RUNTIME(free), RUNTIME(assert_fail), RUNTIME(nanosleep), RUNTIME(clock),
    RUNTIME(globaltimer), RUNTIME(exit_lanes),
    {NULL, 0},
};
