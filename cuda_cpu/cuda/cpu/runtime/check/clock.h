/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Vector clocks of racecheck: a time, from 1, for each thread of each block. Clocks are immutable while shared, and
 * reference-counted without atomics, since only one host thread uses them.
 */
#ifndef CUDA_CPU_CLOCK_H
#define CUDA_CPU_CLOCK_H

#include <stdint.h>

struct cpu_times {
    uint32_t references, count;
    uint32_t of[]; /* for each thread of the block; 0: nothing known */
};

struct cpu_known {
    uint64_t block;
    struct cpu_times *times;
};

/* NULL: the empty clock. */
struct cpu_clock {
    uint32_t references, count;
    struct cpu_known of[]; /* sorted by block */
};

struct cpu_clock *cpu_clock_retain(struct cpu_clock *clock);
void cpu_clock_release(struct cpu_clock *clock);
/* Pointwise maximum. Consumes the reference to `a`; returns one to the result. */
struct cpu_clock *cpu_clock_join(struct cpu_clock *a, struct cpu_clock *b);
/* Return the times of a block's threads, or NULL if none is known. */
const struct cpu_times *cpu_clock_of(const struct cpu_clock *clock, uint64_t block);
/* Return a copy of the clock in which the times of a block may be changed. Consumes the reference to `clock`. */
struct cpu_clock *cpu_clock_own(struct cpu_clock *clock, uint64_t block, uint32_t threads, struct cpu_times **times);

/* Return the times of a block, which may be changed, if all references to the clock are `references`; else NULL. */
struct cpu_times *cpu_clock_alone(struct cpu_clock *clock, uint64_t block, uint32_t references);

/* race.c: ends the launch with a fault. */
void cpu_clock_no_memory(void) __attribute__((noreturn));

#endif
