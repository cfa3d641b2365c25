/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Thread pool: helpers, one less than cores, that join published launches. The thread of a queue always works on its
 * launch itself, so every launch makes progress even while spinning kernels occupy all helpers.
 *
 * A launch invites as many helpers as its blocks left are worth, by their time in the last launch. Each thread wakes
 * only a few at a time, and those that join wake the next ones. While a launch has fewer helpers than it can use, its
 * workers compare the time that it takes with the expected one, between blocks and in long ones, and invite more.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "queue/process.h"
#include "worker.h"

#define SPIN_NS 10000
#define WAKE_AT_ONCE 4 /* a thread can wake one in a microsecond or two */

/* In lines of their own, since idle helpers read one of them again and again. */
static struct {
    _Alignas(CPU_LINE) pthread_mutex_t lock;
    struct cpu_job *jobs;      /* published */
    uint32_t threads;          /* helpers that exist */
    _Atomic int32_t idle;      /* ... that have no launch */
    _Alignas(CPU_LINE) struct cpu_eventcount published;
    _Atomic int32_t invitations; /* of all launches, that no helper has accepted; written with the lock held */
    _Alignas(CPU_LINE) struct cpu_eventcount left; /* notified when the last helper leaves some launch */
    _Alignas(CPU_LINE) _Atomic uint32_t workers;   /* threads that may work on one launch; 0: not initialised */
    _Atomic bool stopping;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER};

static long cores(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
}

bool cpu_may_spin(void)
{
    static _Atomic int known; /* cached result, 0: unknown, 1: no, 2: yes */
    int answer = atomic_load_explicit(&known, memory_order_relaxed);
    if (!answer)
        atomic_store(&known, answer = cores() > 1 ? 2 : 1);
    return answer == 2;
}

static uint32_t default_workers(void)
{
    const char *text = getenv("CUDA_CPU_WORKERS");
    long count = text ? strtol(text, NULL, 10) : 0;
    if (count <= 0)
        count = cores();
    return count > CPU_MAX_WORKERS ? CPU_MAX_WORKERS : (uint32_t)count;
}

uint32_t cpu_pool_workers(void)
{
    uint32_t count = atomic_load_explicit(&pool.workers, memory_order_relaxed);
    if (!count) {
        count = default_workers();
        atomic_store(&pool.workers, count);
    }
    return count;
}

void cpu_pool_set_workers(uint32_t count)
{
    atomic_store(&pool.workers, count > CPU_MAX_WORKERS ? CPU_MAX_WORKERS : count);
}

static uint64_t blocks_left(const struct cpu_job *job)
{
    uint64_t next = atomic_load(&job->next);
    return next < job->blocks && !atomic_load(&job->stop) ? job->blocks - next : 0;
}

static void *help(void *argument);

/* With the lock held: start helpers for invitations that no idle one can accept; continue with fewer where one cannot
 * be started. */
static void start_helpers(void)
{
    while (atomic_load(&pool.idle) < atomic_load(&pool.invitations) && pool.threads + 1 < cpu_pool_workers() &&
           cpu_thread_start(help, (void *)(uintptr_t)(pool.threads + 1))) {
        pool.threads++;
        atomic_fetch_add(&pool.idle, 1);
    }
}

/* With the lock held: invite more helpers if the blocks left are worth it. Return how many to wake after unlocking. */
static int invite(struct cpu_job *job)
{
    uint64_t left = blocks_left(job), invited = atomic_load(&job->invited);
    uint32_t share = job->block_time && job->block_time < CPU_HELPER_NS ? CPU_HELPER_NS / job->block_time : 1;
    uint64_t worth = left >= share ? left / share : left > 0, most = worth < job->wanted ? worth : job->wanted;
    int more = most <= invited ? 0 : most - invited < WAKE_AT_ONCE ? (int)(most - invited) : WAKE_AT_ONCE;
    atomic_store(&job->invited, (uint32_t)invited + (uint32_t)more);
    atomic_fetch_add(&pool.invitations, more);
    start_helpers();
    return more;
}

static void wake(int helpers)
{
    if (helpers)
        cpu_eventcount_notify(&pool.published, helpers);
}

/* With the lock held: return a launch with blocks left and an invitation, or NULL. */
static struct cpu_job *find_job(void)
{
    for (struct cpu_job *job = pool.jobs; job; job = job->link)
        if (job->joined < atomic_load(&job->invited) && blocks_left(job))
            return job;
    return NULL;
}

static struct cpu_job *join_job(void)
{
    int more = 0;
    if (!atomic_load(&pool.invitations))
        return NULL;
    pthread_mutex_lock(&pool.lock);
    struct cpu_job *job = find_job();
    if (job) {
        job->joined++;
        atomic_fetch_add(&job->present, 1);
        atomic_fetch_sub(&pool.invitations, 1);
        atomic_fetch_sub(&pool.idle, 1);
        more = invite(job);
    }
    pthread_mutex_unlock(&pool.lock);
    wake(more);
    return job;
}

static void leave_job(struct cpu_job *job)
{
    atomic_fetch_add(&pool.idle, 1);
    if (atomic_fetch_sub(&job->present, 1) == 1) /* from now on the owner may free the job */
        cpu_eventcount_notify_all(&pool.left);
}

static void wait_for_job(uint32_t seen)
{
    if (!cpu_eventcount_spin(&pool.published, seen, cpu_now() + SPIN_NS))
        cpu_eventcount_wait(&pool.published, seen, CPU_FOREVER);
}

static void *help(void *argument)
{
    struct cpu_worker worker;
    char name[16];
    uint32_t index = (uint32_t)(uintptr_t)argument;
    snprintf(name, sizeof name, "cuda-worker-%u", index % 100);
    cpu_worker_begin(&worker, index);
    cpu_fault_thread(&worker);
    bool able = cpu_worker_thread(name);
    while (able && !atomic_load(&pool.stopping)) {
        uint32_t seen = atomic_load(&pool.published.count);
        struct cpu_job *job = join_job();
        if (job) {
            int64_t start = cpu_now();
            cpu_job_work(job, &worker);
            atomic_fetch_add(&job->helped, cpu_now() - start);
            leave_job(job);
        } else {
            wait_for_job(seen);
        }
    }
    atomic_fetch_sub(&pool.idle, 1);
    cpu_fault_thread(NULL);
    cpu_worker_end(&worker);
    cpu_thread_ended();
    return NULL;
}

/* With the lock held: expect blocks to take as long as those taken so far, if these took much longer than expected. */
static void expect(struct cpu_job *job, int64_t now)
{
    uint64_t next = atomic_load(&job->next), taken = next < job->blocks ? next : job->blocks;
    uint64_t time = taken ? (uint64_t)(now - job->start) * (1 + job->joined) / taken : 0;
    if (job->block_time && time / 2 > job->block_time)
        job->block_time = time < CPU_HELPER_NS ? (uint32_t)time : CPU_HELPER_NS;
}

static void wake_for(struct cpu_job *job, int helpers)
{
    if (!helpers)
        return;
    int64_t start = cpu_now();
    wake(helpers);
    atomic_fetch_sub(&job->helped, cpu_now() - start);
}

void cpu_pool_publish(struct cpu_job *job)
{
    uint64_t others = job->blocks - 1;
    uint32_t helpers = cpu_pool_workers() - 1, most = job->limit && job->limit <= helpers ? job->limit - 1 : helpers;
    int64_t now = cpu_now();
    job->wanted = others < most ? (uint32_t)others : most;
    job->joined = 0;
    atomic_store(&job->invited, 0);
    atomic_store(&job->helped, 0);
    atomic_store(&job->review, now + CPU_HELPER_NS);
    pthread_mutex_lock(&pool.lock);
    job->link = pool.jobs;
    pool.jobs = job;
    expect(job, now);
    int more = invite(job);
    pthread_mutex_unlock(&pool.lock);
    wake_for(job, more);
}

void cpu_pool_review(struct cpu_job *job)
{
    int64_t now = cpu_now();
    if (now < atomic_load_explicit(&job->review, memory_order_relaxed))
        return;
    atomic_store_explicit(&job->review, now + CPU_HELPER_NS, memory_order_relaxed);
    pthread_mutex_lock(&pool.lock);
    expect(job, now);
    int more = invite(job);
    pthread_mutex_unlock(&pool.lock);
    wake_for(job, more);
}

void cpu_pool_retract(struct cpu_job *job)
{
    pthread_mutex_lock(&pool.lock);
    struct cpu_job **link = &pool.jobs;
    while (*link != job)
        link = &(*link)->link;
    *link = job->link;
    atomic_fetch_sub(&pool.invitations, (int32_t)(atomic_load(&job->invited) - job->joined));
    pthread_mutex_unlock(&pool.lock);
    for (;;) {
        uint32_t seen = atomic_load(&pool.left.count);
        if (!atomic_load(&job->present))
            return;
        if (!cpu_eventcount_spin(&pool.left, seen, cpu_now() + SPIN_NS))
            cpu_eventcount_wait(&pool.left, seen, CPU_FOREVER);
    }
}

void cpu_pool_stop(void)
{
    atomic_store(&pool.stopping, true);
    cpu_eventcount_notify_all(&pool.published);
}
