/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * synccheck: barriers, operations of the warp (sync.c), and mbarrier objects (mbarrier.c).
 */
#ifndef CUDA_CPU_SYNC_H
#define CUDA_CPU_SYNC_H

#include "check.h"

bool cpu_sync_block_begin(struct cpu_block *block); /* false: out of memory */
void cpu_sync_block_end(struct cpu_block *block);
/* Check an operation of the warp; arguments as in check_warp. */
void cpu_sync_meet(struct cpu_running *warp, cpu_lanes lanes, uint64_t site, uint32_t flags, const uint64_t *masks);
/* Check an operation of lanes on mbarriers; arguments as in check_access. */
void cpu_sync_mbarrier(struct cpu_running *warp, cpu_lanes lanes, uint64_t site, uint32_t flags,
                       const uint64_t *addresses, const uint64_t *values);
/* The warp has read what other threads may have written to tell it something. */
void cpu_sync_acquired(struct cpu_running *warp);
/* The warp arrives at a barrier of the block, or (CPU_BARRIERS) of the cluster; it has passed it. */
void cpu_sync_arrive(struct cpu_running *warp, uint32_t barrier);
void cpu_sync_pass(struct cpu_running *warp, uint32_t barrier);

#endif
