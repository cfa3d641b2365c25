/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Thread pool: helpers, one less than cores, that join published launches. The thread of a queue always works on its
 * launch itself, so every launch makes progress even while spinning kernels occupy all helpers.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "queue/process.h"
#include "worker.h"

#define SPIN_NS 10000

static struct {
    pthread_mutex_t lock;
    struct cpu_job *jobs;      /* published */
    struct cpu_eventcount published;
    uint32_t threads;          /* helpers that exist */
    _Atomic uint32_t workers;  /* threads that may work on one launch; 0: not initialised */
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

/* With the lock held: return a launch with blocks left that wants another helper, or NULL. */
static struct cpu_job *find_job(void)
{
    for (struct cpu_job *job = pool.jobs; job; job = job->link)
        if (job->helpers < job->wanted && atomic_load(&job->next) < job->blocks && !atomic_load(&job->stop))
            return job;
    return NULL;
}

static struct cpu_job *join_job(void)
{
    pthread_mutex_lock(&pool.lock);
    struct cpu_job *job = find_job();
    if (job)
        job->helpers++;
    pthread_mutex_unlock(&pool.lock);
    return job;
}

static void leave_job(struct cpu_job *job)
{
    pthread_mutex_lock(&pool.lock);
    if (--job->helpers == 0)
        cpu_eventcount_notify_all(&job->left); /* under the lock: the owner frees the job once it has no helper */
    pthread_mutex_unlock(&pool.lock);
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
            cpu_job_work(job, &worker);
            leave_job(job);
        } else {
            wait_for_job(seen);
        }
    }
    cpu_fault_thread(NULL);
    cpu_worker_end(&worker);
    cpu_thread_ended();
    return NULL;
}

/* With the lock held: start helpers; continue with fewer where one cannot be started. */
static void start_helpers(uint32_t count)
{
    while (pool.threads < count && cpu_thread_start(help, (void *)(uintptr_t)(pool.threads + 1)))
        pool.threads++;
}

void cpu_pool_publish(struct cpu_job *job)
{
    uint64_t others = job->blocks - 1;
    uint32_t helpers = cpu_pool_workers() - 1, most = job->limit && job->limit <= helpers ? job->limit - 1 : helpers;
    pthread_mutex_lock(&pool.lock);
    job->helpers = 0;
    job->wanted = others < most ? (uint32_t)others : most;
    job->link = pool.jobs;
    pool.jobs = job;
    int wanted = (int)job->wanted;
    start_helpers(helpers);
    pthread_mutex_unlock(&pool.lock);
    cpu_eventcount_notify(&pool.published, wanted);
}

uint32_t cpu_pool_retract(struct cpu_job *job)
{
    pthread_mutex_lock(&pool.lock);
    struct cpu_job **link = &pool.jobs;
    while (*link != job)
        link = &(*link)->link;
    *link = job->link;
    uint32_t helpers = job->helpers;
    while (job->helpers) {
        uint32_t seen = atomic_load(&job->left.count);
        pthread_mutex_unlock(&pool.lock);
        if (!cpu_eventcount_spin(&job->left, seen, cpu_now() + SPIN_NS))
            cpu_eventcount_wait(&job->left, seen, CPU_FOREVER);
        pthread_mutex_lock(&pool.lock);
    }
    pthread_mutex_unlock(&pool.lock);
    return helpers;
}

void cpu_pool_stop(void)
{
    atomic_store(&pool.stopping, true);
    cpu_eventcount_notify_all(&pool.published);
}
