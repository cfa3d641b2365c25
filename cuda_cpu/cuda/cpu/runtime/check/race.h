/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * racecheck: reports accesses of different threads to one address that are not ordered by synchronisation. A checked launch
 * runs on one worker.
 */
#ifndef CUDA_CPU_RACE_H
#define CUDA_CPU_RACE_H

#include "check.h"

bool cpu_races_begin(struct cpu_job *job); /* false: out of memory */
void cpu_races_end(struct cpu_job *job);
/* Start (with new shared memory) and end of a block. */
bool cpu_race_block_begin(struct cpu_block *block);
void cpu_race_block_end(struct cpu_block *block);

/* Check an access of a lane; `values` as in check_access. */
void cpu_race_access(struct cpu_running *warp, cpu_lanes lanes, unsigned lane, uint64_t site, uint32_t flags,
                     const uint64_t *addresses, uint64_t size, const uint64_t *values);
/* race_group.c: check and record accesses of lanes; return the lanes whose accesses must be checked by cpu_race_access. */
cpu_lanes cpu_race_group(struct cpu_running *warp, cpu_lanes lanes, uint64_t site, uint32_t flags,
                         const uint64_t *addresses, uint32_t size);
/* race_reads.c: reads of allocations that the kernel does not write, which no other access of the launch can race with.
 * `offsets`: of the parameters that it writes memory through. */
void cpu_reads_begin(struct cpu_running *warp, const uint32_t *offsets, uint32_t count);
/* Record reads of lanes; false: they must be checked. */
bool cpu_reads_add(struct cpu_running *warp, cpu_lanes lanes, uint64_t site, uint32_t flags, const uint64_t *addresses,
                   uint32_t size);
/* Forget earlier accesses to a range that was newly allocated. */
void cpu_race_forget(struct cpu_running *warp, uint64_t address, uint64_t size);
/* Synchronisation: */
void cpu_race_fence(struct cpu_running *warp, cpu_lanes lanes, bool in_block);
void cpu_race_copies(struct cpu_running *warp, cpu_lanes lanes, uint32_t order, uint32_t count); /* enum cpu_order */
/* Let all lanes of a warp meet; false: cpu_race_meet must do it. */
bool cpu_race_meet_all(struct cpu_running *warp, cpu_lanes lanes);
void cpu_race_meet(struct cpu_running *warp, cpu_lanes lanes, const uint64_t *masks);
void cpu_race_arrive(struct cpu_running *warp, uint32_t barrier, uint32_t threads, cpu_lanes lanes, bool waits);
void cpu_race_pass(struct cpu_running *warp, cpu_lanes lanes); /* the warp has passed the barrier */
void cpu_race_cluster_arrive(struct cpu_running *warp, cpu_lanes lanes);
void cpu_race_cluster_pass(struct cpu_running *warp, cpu_lanes lanes);

#endif
