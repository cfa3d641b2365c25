/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * The device heap: malloc and free in device code.
 */
#ifndef CUDA_CPU_HEAP_H
#define CUDA_CPU_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel_abi.h"

void cpu_heap_malloc(struct cpu_warp *warp, cpu_lanes lanes, const uint64_t *size, uint64_t *result);
void cpu_heap_free(struct cpu_warp *warp, cpu_lanes lanes, const uint64_t *pointer);
bool cpu_heap_is_live(uint64_t address); /* an allocation begins there */
bool cpu_heap_give(uint64_t address); /* free; returns false for an invalid address instead of a fault */
void cpu_heap_reset(void); /* frees all allocations, at the end of the context */
bool cpu_heap_set_size(size_t size); /* false once device code has allocated, as in CUDA */

#endif
