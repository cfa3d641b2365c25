/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Live allocations of malloc in device code, for leakcheck.
 */
#ifndef CUDA_CPU_HEAP_BLOCKS_H
#define CUDA_CPU_HEAP_BLOCKS_H

#include "worker.h"

struct cpu_heap_block {
    struct cpu_heap_block *next;
    uint64_t address, size, grid_id;
    char kernel[256];
};

void cpu_heap_track(bool on); /* note allocations from now on */
void cpu_heap_note(uint64_t address, uint64_t size, const struct cpu_job *job);
void cpu_heap_forget(uint64_t address);
struct cpu_heap_block *cpu_heap_blocks_take(void);
struct cpu_heap_block *cpu_heap_leaks(void); /* in heap.c: remove the notes of live allocations; the caller frees them */

#endif
