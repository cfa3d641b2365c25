/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * initcheck: reports reads of memory that nothing has written since it was allocated.
 */
#ifndef CUDA_CPU_INIT_H
#define CUDA_CPU_INIT_H

#include "check.h"

/* init_shadow.c: which bytes were written. Memory counts as written unless it was marked otherwise. */
extern _Atomic bool cpu_init_on; /* some memory has been marked: copies must be tracked */
void cpu_init_mark(uint64_t address, uint64_t size, bool written);
/* Give the bytes at `to` the state of those at `from`. */
void cpu_init_copy(uint64_t to, uint64_t from, uint64_t size);
/* Return the address of the first byte that was not written, or 0. */
uint64_t cpu_init_find(uint64_t address, uint64_t size);

struct cpu_init_range {
    uint64_t start, size;
};
void cpu_init_begin_called(void *range); /* host function of a queue: marks a range as not written, and frees `range` */

/* init.c */
void cpu_init_block_begin(struct cpu_block *block); /* its shared memory is not written */
void cpu_init_block_end(struct cpu_block *block);
/* Check an access of lanes, or mark the local memory that they have just allocated. Arguments as in check_access. */
void cpu_init_access(struct cpu_running *warp, cpu_lanes lanes, uint64_t site, uint32_t flags, uint32_t size,
                     const uint64_t *addresses, const uint64_t *sizes);

#endif
