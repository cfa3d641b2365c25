/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Snapshots of a warp at a fault, for core dumps: registers, stack, and the memory that the warp's state refers to.
 */
#ifndef CUDA_CPU_SNAPSHOT_H
#define CUDA_CPU_SNAPSHOT_H

#include <signal.h>

#include "worker.h"

void cpu_snapshots_enable(bool enabled);
/* Take one at the first fault, by the context of the signal; NULL: in a service that machine code has called. */
void cpu_snapshot_take(struct cpu_running *warp, const ucontext_t *context);
/* Find a part of the snapshot, valid until it is dropped: 0 are the registers. Returns false behind the last one. */
bool cpu_snapshot_part(uint32_t number, uint64_t *address, uint64_t *size, const uint8_t **data);
void cpu_snapshot_drop(void);

#endif
