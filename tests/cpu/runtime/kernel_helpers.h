/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Helpers of the kernels in kernels.c: lanes, ranks, and the code at the end of loop iterations.
 */
#ifndef TESTS_KERNEL_HELPERS_H
#define TESTS_KERNEL_HELPERS_H

#include <stdint.h>

#include "exec/kernel_abi.h"

#define LANES(lane) for (int lane = 0; lane < CPU_WARP_SIZE; lane++) if (warp->lanes >> lane & 1)

static uint32_t block_size(const struct cpu_warp *warp)
{
    return warp->block_dim[0] * warp->block_dim[1] * warp->block_dim[2];
}

/* __builtin_popcount would call libgcc. */
static uint32_t count_lanes(cpu_lanes lanes)
{
    uint32_t count = 0;
    for (; lanes; lanes &= lanes - 1)
        count++;
    return count;
}

static uint64_t block_rank(const struct cpu_warp *warp)
{
    const uint32_t *dim = warp->grid_dim, *idx = warp->block_idx;
    return idx[0] + dim[0] * (idx[1] + (uint64_t)dim[1] * idx[2]);
}

static uint32_t thread_rank(const struct cpu_warp *warp, int lane)
{
    return warp->thread_idx[0][lane] +
           warp->block_dim[0] * (warp->thread_idx[1][lane] + warp->block_dim[1] * warp->thread_idx[2][lane]);
}

/* The code that the emitter generates at the end of a loop iteration. */
static void spend(struct cpu_warp *warp, int32_t cost)
{
    warp->budget -= cost;
    if (warp->budget <= 0)
        warp->runtime->poll(warp);
}

static void loop_step(struct cpu_warp *warp)
{
    spend(warp, 1);
}

static void wait_step(struct cpu_warp *warp)
{
    spend(warp, 256);
}
#endif
