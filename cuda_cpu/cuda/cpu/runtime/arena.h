/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * A reserved address range in which allocations come and go, each with a guard page behind it.
 */
#ifndef CUDA_CPU_ARENA_H
#define CUDA_CPU_ARENA_H

#include <stdbool.h>
#include <stdint.h>

struct cpu_arena;

enum cpu_arena_result { CPU_ARENA_DONE, CPU_ARENA_FULL, CPU_ARENA_NO_MEMORY };

struct cpu_arena *cpu_arena_make(uint64_t size); /* NULL: no such range; errno says why */
void cpu_arena_retain(struct cpu_arena *arena);
void cpu_arena_release(struct cpu_arena *arena); /* the last one unmaps it */
uint64_t cpu_arena_base(const struct cpu_arena *arena);
uint64_t cpu_arena_used(struct cpu_arena *arena);
enum cpu_arena_result cpu_arena_allocate(struct cpu_arena *arena, uint64_t size, uint64_t *address);
bool cpu_arena_free(struct cpu_arena *arena, uint64_t address); /* false: no live allocation begins there */
bool cpu_arena_find(struct cpu_arena *arena, uint64_t address, uint64_t *start, uint64_t *size);

#endif
