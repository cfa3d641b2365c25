/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Arena: allocator of device memory in a reserved address range; a guard page follows each allocation.
 */
#ifndef CUDA_CPU_ARENA_H
#define CUDA_CPU_ARENA_H

#include <stdbool.h>
#include <stdint.h>

struct cpu_arena;

enum cpu_arena_result { CPU_ARENA_DONE, CPU_ARENA_FULL, CPU_ARENA_NO_MEMORY };

/* Returns NULL with errno set if the range cannot be reserved. `file`: descriptor of a file of this size that backs the
 * memory, with the base at offset 0, so that other processes can map it; -1: none. */
struct cpu_arena *cpu_arena_make(uint64_t size, int file);
void cpu_arena_retain(struct cpu_arena *arena);
void cpu_arena_release(struct cpu_arena *arena); /* the last one unmaps it */
uint64_t cpu_arena_base(const struct cpu_arena *arena);
uint64_t cpu_arena_used(struct cpu_arena *arena);
enum cpu_arena_result cpu_arena_allocate(struct cpu_arena *arena, uint64_t size, uint64_t *address);
bool cpu_arena_free(struct cpu_arena *arena, uint64_t address); /* false: no live allocation begins there */
/* Move the pages of an allocation into an empty file, until it is freed. No thread may write to them during the call.
 * On success the file's size is set, and *offset is the start of the allocation in the file. False: errno is set, or no
 * live allocation begins at the address. */
bool cpu_arena_share(struct cpu_arena *arena, uint64_t address, int file, uint64_t *offset);
bool cpu_arena_find(struct cpu_arena *arena, uint64_t address, uint64_t *start, uint64_t *size);

#endif
