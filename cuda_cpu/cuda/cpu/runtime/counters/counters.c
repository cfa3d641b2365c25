/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Counters of a profiled launch: each worker has its own, which are added up when the worker leaves the launch.
 */
#include "counters.h"

#include <stdlib.h>
#include <string.h>

static struct {
    pthread_mutex_t lock;
    struct cpu_profile *first, **last;
} done = {.lock = PTHREAD_MUTEX_INITIALIZER, .last = &done.first};

static _Atomic uint64_t begun;

bool cpu_profile_begin(struct cpu_job *job)
{
    uint32_t count = job->compiled->counters;
    struct cpu_profile *profile = calloc(1, sizeof *profile + count * sizeof *profile->counters);
    if (!profile)
        return false;
    pthread_mutex_init(&profile->lock, NULL);
    profile->token = job->compiled->token;
    profile->order = atomic_fetch_add(&begun, 1);
    memcpy(profile->grid_dim, job->grid_dim, sizeof profile->grid_dim);
    memcpy(profile->block_dim, job->block_dim, sizeof profile->block_dim);
    memcpy(profile->cluster_dim, job->cluster_dim, sizeof profile->cluster_dim);
    profile->shared_size = job->shared_size;
    profile->count = count;
    job->profile = profile;
    return true;
}

void cpu_profile_end(struct cpu_job *job)
{
    struct cpu_profile *profile = job->profile;
    job->profile = NULL;
    profile->fault = atomic_load(&job->stop);
    pthread_mutex_destroy(&profile->lock);
    pthread_mutex_lock(&done.lock);
    *done.last = profile;
    done.last = &profile->next;
    pthread_mutex_unlock(&done.lock);
}

bool cpu_profile_join(struct cpu_job *job, struct cpu_worker *worker)
{
    uint8_t *memory = calloc(1, CPU_MARKS + job->profile->count * sizeof *worker->counters);
    worker->counters = memory ? (uint64_t *)(void *)(memory + CPU_MARKS) : NULL;
    return memory;
}

uint8_t *cpu_profile_marks(const struct cpu_worker *worker)
{
    return (uint8_t *)worker->counters - CPU_MARKS;
}

void cpu_profile_leave(struct cpu_job *job, struct cpu_worker *worker)
{
    struct cpu_profile *profile = job->profile;
    pthread_mutex_lock(&profile->lock);
    for (uint32_t i = 0; worker->counters && i < profile->count; i++)
        profile->counters[i] += worker->counters[i];
    pthread_mutex_unlock(&profile->lock);
    if (worker->counters)
        free(cpu_profile_marks(worker));
    worker->counters = NULL;
}

struct cpu_profile *cpu_profiles_take(void)
{
    pthread_mutex_lock(&done.lock);
    struct cpu_profile *taken = done.first;
    done.first = NULL;
    done.last = &done.first;
    pthread_mutex_unlock(&done.lock);
    return taken;
}
