/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * racecheck across launches: the bytes that an operation of a stream (a launch, a copy, a fill) has accessed. Python
 * knows the order of operations (cuda/cpu/check/order.py), and compares those that nothing orders.
 */
#ifndef CUDA_CPU_OPERATION_H
#define CUDA_CPU_OPERATION_H

#include "check.h"
#include "queue/queue.h"

/* Bits of cpu_touched.flags. */
#define CPU_TOUCHED_READ 1u
#define CPU_TOUCHED_WRITE 2u
#define CPU_TOUCHED_STRONG 4u  /* a strong write: atomic, volatile, relaxed or stronger */
#define CPU_TOUCHED_NARROW 8u  /* of scope .cta */
#define CPU_TOUCHED_POLLED 16u /* a strong read */

/* Bytes that one instruction has accessed in one way: pieces of `size` bytes, which begin `step` bytes apart. */
struct cpu_touched {
    uint64_t start, end, site;
    uint64_t size, step; /* step 0: one piece */
    uint32_t allocation;
    uint32_t block; /* of the first access: linear indices */
    uint16_t thread, flags;
};

struct cpu_operation {
    struct cpu_operation *next;
    uint64_t operation, node, round; /* node: of a graph, or 0; round: of the loop that it is in */
    uint64_t grid_id;
    const uint64_t *symbols; /* of the kernel's module; NULL: no kernel */
    char kernel[256];
    uint32_t grid_dim[3], block_dim[3];
    bool folds; /* ranges may have several pieces */
    size_t count, room;
    struct cpu_touched *of; /* sorted, disjoint */
    struct cpu_touched *polled; /* strong reads: likewise, one piece each */
    size_t polled_count;
};

struct cpu_conflict {
    uint64_t start, end, allocation, count; /* count: of pairs of ranges like this one */
    struct cpu_touched a, b;
};

extern _Atomic bool cpu_operations_on;

void cpu_operations_switch(bool on); /* off also forgets what was recorded */
struct cpu_operation *cpu_operations_take(void);
void cpu_operation_free(struct cpu_operation *operation);
/* Record what a launch, or a copy, fill or write of a value has accessed. */
void cpu_operation_launched(const struct cpu_job *job);
void cpu_operation_moved(const struct cpu_command *command, struct cpu_exec exec);
/* An operation that writes a range, or NULL. */
struct cpu_operation *cpu_operation_make(uint64_t operation, uint64_t start, uint64_t size, uint64_t allocation);
/* Find conflicts of different instructions, at most `room`, and return their number. */
size_t cpu_operation_conflicts(const struct cpu_operation *a, const struct cpu_operation *b, struct cpu_conflict *found,
                               size_t room);

#endif
