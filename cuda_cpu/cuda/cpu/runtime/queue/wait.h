/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Clock, futexes, and eventcounts (a condition variable without a lock).
 */
#ifndef CUDA_CPU_WAIT_H
#define CUDA_CPU_WAIT_H

#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "arch/arch.h"

#define CPU_FOREVER INT64_MAX

static inline int64_t cpu_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Sleep while *word == seen, at most until `deadline` (nanoseconds of cpu_now). False once the deadline has passed. */
static inline bool cpu_futex_wait(_Atomic uint32_t *word, uint32_t seen, int64_t deadline)
{
    struct timespec left, *timeout = NULL;
    if (deadline != CPU_FOREVER) {
        int64_t span = deadline - cpu_now();
        if (span <= 0)
            return false;
        left.tv_sec = span / 1000000000;
        left.tv_nsec = span % 1000000000;
        timeout = &left;
    }
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, timeout, NULL, 0);
    return true;
}

static inline void cpu_futex_wake(_Atomic uint32_t *word, int count)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

/* An eventcount: waiters read `count`, check their condition, and sleep until the count differs. A notification makes a
 * system call only if some thread sleeps. */
struct cpu_eventcount {
    _Atomic uint32_t count;
    _Atomic uint32_t waiters;
};

static inline void cpu_eventcount_notify(struct cpu_eventcount *event, int count)
{
    atomic_fetch_add(&event->count, 1);
    if (atomic_load(&event->waiters))
        cpu_futex_wake(&event->count, count);
}

static inline void cpu_eventcount_notify_all(struct cpu_eventcount *event)
{
    cpu_eventcount_notify(event, INT_MAX);
}

/* Return whether there is a second core: on a single one, a spinning thread blocks the one it waits for. */
bool cpu_may_spin(void);

/* Spin until a notification after `seen` was read. False once the deadline has passed. */
static inline bool cpu_eventcount_spin(struct cpu_eventcount *event, uint32_t seen, int64_t deadline)
{
    for (uint32_t rounds = 0; atomic_load(&event->count) == seen; rounds++) {
        if (!cpu_may_spin() || cpu_now() >= deadline)
            return false;
        if (rounds < 20)
            cpu_relax();
        else
            sched_yield(); /* the awaited thread may be scheduled on this very core */
    }
    return true;
}

/* Sleep until a notification after `seen` was read. False once the deadline has passed. */
static inline bool cpu_eventcount_wait(struct cpu_eventcount *event, uint32_t seen, int64_t deadline)
{
    atomic_fetch_add(&event->waiters, 1);
    bool in_time = cpu_futex_wait(&event->count, seen, deadline);
    atomic_fetch_sub(&event->waiters, 1);
    return in_time;
}

#endif
