/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Which worker is the only one that executes blocks, so that its atomic operations need no locked instructions.
 *
 * Machine code announces such an operation (`busy`), then looks whether the worker is still the only one (`valid`).
 * There is no fence between the two, which would cost as much as a locked instruction: the next worker to begin clears
 * `valid`, runs a fence on all threads (membarrier), and waits until the operation in progress, if any, is complete.
 */
#define _GNU_SOURCE
#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "worker.h"

#ifndef REFUSED
#define REFUSED 256 /* launches with locks after workers have met: membarrier takes microseconds */
#endif

static struct {
    _Alignas(64) _Atomic uint32_t working; /* workers that execute blocks; other processes count as one */
    _Atomic uint32_t refused;              /* launches that do not become sole workers */
    _Atomic bool shared;                   /* with other processes */
    _Atomic bool granted;                  /* there is a sole worker, or others do not know yet that there is none */
    _Alignas(64) struct cpu_sole sole;
} state;

static bool can_fence(void)
{
    static _Atomic int known; /* 0: unknown, 1: no, 2: yes */
    int answer = atomic_load_explicit(&known, memory_order_relaxed);
    if (!answer) {
        answer = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) ? 1 : 2;
        atomic_store(&known, answer);
    }
    return answer == 2;
}

/* Make the sole worker use locks, if there is one. Several workers may begin at once, and all of them must wait. */
static void revoke_sole(void)
{
    if (!atomic_load(&state.granted))
        return;
    atomic_store(&state.sole.valid, 0);
    atomic_store(&state.refused, REFUSED);
    syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
    while (atomic_load(&state.sole.busy)) /* at most as long as a SIMD group's operation */
        sched_yield();
    atomic_store(&state.granted, false);
}

static bool is_refused(void)
{
    uint32_t left = atomic_load_explicit(&state.refused, memory_order_relaxed);
    if (left)
        atomic_store_explicit(&state.refused, left - 1, memory_order_relaxed);
    return left > 0;
}

static void withdraw(void)
{
    atomic_store_explicit(&state.sole.busy, 0, memory_order_release); /* left by a fault */
    atomic_store_explicit(&state.sole.valid, 0, memory_order_release);
    atomic_store_explicit(&state.granted, false, memory_order_release);
}

void cpu_sole_enter(struct cpu_worker *worker, bool wanted)
{
    if (atomic_fetch_add(&state.working, 1)) {
        revoke_sole();
        return;
    }
    if (!wanted || is_refused() || !can_fence())
        return;
    atomic_store(&state.sole.valid, 1);
    atomic_store(&state.granted, true);
    if (atomic_load(&state.working) == 1)
        worker->sole = &state.sole;
    else
        withdraw(); /* a worker has begun that may not have seen it */
}

void cpu_sole_end(struct cpu_worker *worker)
{
    if (!worker->sole)
        return;
    worker->sole = NULL;
    withdraw();
}

void cpu_sole_leave(struct cpu_worker *worker)
{
    cpu_sole_end(worker);
    atomic_fetch_sub(&state.working, 1);
}

void cpu_sole_share(void)
{
    if (atomic_exchange(&state.shared, true))
        return;
    atomic_fetch_add(&state.working, 1);
    revoke_sole();
}
