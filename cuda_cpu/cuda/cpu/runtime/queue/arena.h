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

/* NULL: no such range; errno says why. With a file (-1: none) as large as that, what is at an address is the file's
 * bytes at its distance from the base, and other processes may map them. */
struct cpu_arena *cpu_arena_make(uint64_t size, int file);
void cpu_arena_retain(struct cpu_arena *arena);
void cpu_arena_release(struct cpu_arena *arena); /* the last one unmaps it */
uint64_t cpu_arena_base(const struct cpu_arena *arena);
uint64_t cpu_arena_used(struct cpu_arena *arena);
enum cpu_arena_result cpu_arena_allocate(struct cpu_arena *arena, uint64_t size, uint64_t *address);
bool cpu_arena_free(struct cpu_arena *arena, uint64_t address); /* false: no live allocation begins there */
/* Put the pages of an allocation into an empty file, until it is freed. Nothing may write to them meanwhile. On success
 * *offset is where it begins in the file, whose size is set; false: no live allocation begins there, or errno says why
 * not. */
bool cpu_arena_share(struct cpu_arena *arena, uint64_t address, int file, uint64_t *offset);
bool cpu_arena_find(struct cpu_arena *arena, uint64_t address, uint64_t *start, uint64_t *size);

#endif
