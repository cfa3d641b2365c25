/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Part of stress.c: how many helpers a launch invites, by the time that its blocks took in the last launch, and that
 * all come where it takes longer; and that kernels with scattered atomic operations have one worker where several take
 * longer.
 */
#include "stress.h"

#include <unistd.h>

#include "kernel_helpers.h"

#define WORKERS 8
#define LAUNCHES 100
#define CROWDED 30000 /* microseconds of a block beside others */
#define LAST_NS 60000000000 /* only a failure takes as long */

/* How a block waits for other workers. */
enum waiting {
    POLLING,  /* in machine code that polls */
    SLEEPING, /* for a while; the next one continues */
    STAYING,  /* in a call that does not return before */
};

/* Parameters of the kernels below. */
struct seen {
    _Atomic uint32_t invited; /* helpers, at most */
    _Atomic uint32_t workers; /* bit i: worker i has come */
    uint32_t expected; /* number of workers to wait for */
    enum waiting waiting;
    int64_t end;       /* when to give up */
    useconds_t crowded; /* how long a block takes while several workers execute blocks */
    _Atomic uint32_t present; /* workers that execute blocks */
};

static struct seen *seen_of(const struct cpu_warp *warp)
{
    return *(struct seen *const *)warp->params;
}

static bool has_all(const struct seen *seen)
{
    return (uint32_t)__builtin_popcount(atomic_load(&seen->workers)) >= seen->expected || cpu_now() > seen->end;
}

static void gather(struct cpu_warp *warp)
{
    struct seen *seen = seen_of(warp);
    atomic_fetch_or(&seen->workers, 1u << warp->worker);
    while (!has_all(seen)) {
        if (seen->waiting == POLLING)
            wait_step(warp);
        else
            usleep(5000);
        if (seen->waiting == SLEEPING)
            return;
    }
}

/* Launch a kernel whose blocks took `block_time` nanoseconds in its last launch. */
static void launch(struct cpu_queue *queue, struct cpu_compiled_kernel *compiled, uint32_t blocks, uint32_t block_time,
                   struct seen *seen)
{
    struct cpu_command *command = cpu_command_make(queue, CPU_LAUNCH);
    command->launch = (struct cpu_launch){
        .compiled = compiled, .grid_dim = {blocks, 1, 1}, .block_dim = {1, 1, 1}, .cluster_dim = {1, 1, 1}};
    atomic_store(&compiled->block_time, block_time);
    atomic_fetch_add(&compiled->in_flight, 1);
    CHECK(cpu_launch_params(command, &seen, sizeof seen));
    CHECK(cpu_queue_submit(queue, command) == CPU_SUBMITTED);
    CHECK(cpu_queue_wait(queue, CPU_FOREVER));
}

static struct cpu_compiled_kernel *compile(void (*entry)(struct cpu_warp *), bool fibers)
{
    struct cpu_compiled_kernel *compiled = calloc(1, sizeof *compiled + 1);
    compiled->entry = entry;
    compiled->parameter_bytes = sizeof(struct seen *);
    compiled->path = fibers;
    return compiled;
}

#ifndef __SANITIZE_THREAD__ /* with it, launches take longer than expected */
static void look(struct cpu_warp *warp)
{
    struct seen *seen = seen_of(warp);
    struct cpu_job *job = ((struct cpu_running *)warp)->block->worker->job;
    uint32_t invited = atomic_load(&job->invited), most = atomic_load(&seen->invited);
    while (most < invited && !atomic_compare_exchange_weak(&seen->invited, &most, invited))
        ;
}

/* A launch that takes no longer than expected invites as many helpers as it is worth. Others may be interrupted, and
 * invite more: what counts is the least of many. */
static void invite_few(struct cpu_queue *queue, uint32_t blocks, uint32_t block_time, uint32_t helpers)
{
    struct cpu_compiled_kernel *compiled = compile(look, false);
    uint32_t least = UINT32_MAX;
    for (int i = 0; i < LAUNCHES; i++) {
        struct seen seen = {0};
        launch(queue, compiled, blocks, block_time, &seen);
        least = seen.invited < least ? seen.invited : least;
    }
    CHECK(least == helpers);
    free(compiled);
}
#endif

/* A launch that was expected to be worth one helper gets all workers that it can use. */
static void invite_all(struct cpu_queue *queue, uint32_t blocks, enum waiting waiting, bool fibers, uint32_t workers)
{
    struct cpu_compiled_kernel *compiled = compile(gather, fibers);
    struct seen seen = {.expected = workers, .waiting = waiting, .end = cpu_now() + LAST_NS};
    launch(queue, compiled, blocks, CPU_HELPER_NS * 5 / 4 / blocks, &seen);
    CHECK((uint32_t)__builtin_popcount(seen.workers) == workers);
    free(compiled);
}

/* A block with scattered atomic operations. */
static void scatter(struct cpu_warp *warp)
{
    struct seen *seen = seen_of(warp);
    warp->scattered = 1;
    atomic_fetch_or(&seen->workers, 1u << warp->worker);
    usleep(atomic_fetch_add(&seen->present, 1) ? seen->crowded : 50);
    atomic_fetch_sub(&seen->present, 1);
}

/* Launch such a kernel until several launches in a row had one worker, or had others; return whether that happened. */
static bool settles(struct cpu_queue *queue, struct cpu_compiled_kernel *compiled, useconds_t crowded, bool alone)
{
    int in_a_row = 0;
    for (int i = 0; i < 4 * LAUNCHES && in_a_row < 8; i++) {
        struct seen seen = {.crowded = crowded};
        launch(queue, compiled, 32, CPU_HELPER_NS, &seen);
        in_a_row = (__builtin_popcount(seen.workers) == 1) == alone ? in_a_row + 1 : 0;
    }
    return in_a_row == 8;
}

static void choose_workers(struct cpu_queue *queue)
{
    struct cpu_compiled_kernel *compiled = compile(scatter, false);
    CHECK(settles(queue, compiled, CROWDED, true));
    CHECK(settles(queue, compiled, 50, false)); /* which it finds at the next comparison */
    CHECK(settles(queue, compiled, CROWDED, true));
    free(compiled);
}

void invite_helpers(void)
{
    struct cpu_queue *queue = cpu_queue_make(0), *limited = cpu_queue_make(3);
    cpu_pool_set_workers(WORKERS);
#ifndef __SANITIZE_THREAD__
    invite_few(queue, 3, 10000, 1);
    invite_few(queue, 7, 10000, 3);
    invite_few(limited, 7, 10000, 2);
#endif
    invite_all(queue, 64, POLLING, false, WORKERS);
    invite_all(queue, 1000, SLEEPING, false, WORKERS);
    invite_all(queue, 64, STAYING, true, WORKERS); /* blocks on fibers may wait for others */
    invite_all(limited, 1000, SLEEPING, false, 3);
    choose_workers(queue);
    cpu_queue_destroy(queue);
    cpu_queue_destroy(limited);
}
