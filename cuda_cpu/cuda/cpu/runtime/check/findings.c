/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * The findings of all checks: each launch has a list of its own, until it ends.
 */
#include "check.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define MAX_KINDS 64 /* findings of one launch: different instructions, or different errors of one */

static struct {
    pthread_mutex_t lock; /* also of the findings of jobs */
    struct cpu_finding *first; /* of launches that have ended */
} findings = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Atomic bool recording, pending; /* cpu_check_record, cpu_check_pending */

void cpu_check_name(struct cpu_finding *finding, const struct cpu_running *warp, unsigned lane)
{
    const struct cpu_warp *abi = &warp->abi;
    const uint32_t *grid = abi->grid_dim, *block = abi->block_idx;
    memcpy(finding->block, block, sizeof finding->block);
    for (int axis = 0; axis < 3; axis++)
        finding->thread[axis] = abi->thread_idx[axis][lane];
    uint64_t number = block[0] + (uint64_t)grid[0] * (block[1] + (uint64_t)grid[1] * block[2]);
    finding->order = number * CPU_MAX_BLOCK_THREADS + abi->warp_id * CPU_WARP_SIZE + lane;
}

/* Remove the finding of the same launch, instructions and kind from a list, and return it; otherwise count them. */
static struct cpu_finding *remove_same(struct cpu_finding **link, const struct cpu_finding *found, uint32_t *count)
{
    for (; *link; link = &(*link)->next, ++*count) {
        struct cpu_finding *each = *link;
        if (each->grid_id == found->grid_id && each->site == found->site && each->kind == found->kind &&
            each->other_site == found->other_site) {
            *link = each->next;
            return each;
        }
    }
    return NULL;
}

/* Add the errors of a finding to another one of the same kind, which describes the first of them afterwards. */
static void combine(struct cpu_finding *known, const struct cpu_finding *found)
{
    uint64_t count = known->count + found->count;
    bool ends = known->ends || found->ends;
    if (found->order < known->order)
        *known = *found;
    known->count = count;
    known->ends = ends;
}

void cpu_check_add(struct cpu_job *job, struct cpu_finding *found)
{
    struct cpu_finding more;
    uint32_t kinds = 0;
    found->grid_id = job->grid_id;
    found->count = 1;
    pthread_mutex_lock(&findings.lock);
    struct cpu_finding *known = remove_same(&job->findings, found, &kinds);
    if (!known && kinds >= MAX_KINDS) {
        more = (struct cpu_finding){.kind = CPU_FOUND_MORE, .flags = found->kind, .offset = MAX_KINDS, .count = 1,
                                    .order = UINT64_MAX, .grid_id = job->grid_id, .ends = found->ends};
        found = &more;
        known = remove_same(&job->findings, found, &kinds);
    }
    if (known)
        combine(known, found);
    else if ((known = malloc(sizeof *known)))
        *known = *found;
    if (known) {
        known->next = job->findings; /* in front, since the next error is probably of the same kind */
        job->findings = known;
    }
    pthread_mutex_unlock(&findings.lock);
}

static bool comes_before(const struct cpu_finding *a, const struct cpu_finding *b)
{
    if (a->grid_id != b->grid_id)
        return a->grid_id < b->grid_id;
    if (a->order != b->order)
        return a->order < b->order;
    return a->site != b->site ? a->site < b->site : a->kind <= b->kind;
}

struct cpu_finding *cpu_findings_take(uint64_t grid_id)
{
    struct cpu_finding *taken = NULL, **link = &findings.first;
    pthread_mutex_lock(&findings.lock);
    if (!grid_id)
        atomic_store(&pending, false);
    while (*link) {
        struct cpu_finding *each = *link;
        if (grid_id && each->grid_id != grid_id) {
            link = &each->next;
            continue;
        }
        *link = each->next;
        struct cpu_finding **at = &taken;
        while (*at && comes_before(*at, each))
            at = &(*at)->next;
        each->next = *at;
        *at = each;
    }
    pthread_mutex_unlock(&findings.lock);
    return taken;
}

void cpu_check_report(struct cpu_running *warp, unsigned lane, struct cpu_finding *finding)
{
    cpu_check_name(finding, warp, lane);
    cpu_check_add(warp->block->worker->job, finding);
}

static uint32_t fault_of(uint32_t kind)
{
    if (kind == CPU_FOUND_MISALIGNED)
        return CPU_FAULT_MISALIGNED;
    return kind < CPU_FOUND_WRITE_AFTER_WRITE ? CPU_FAULT_ILLEGAL_ADDRESS : CPU_FAULT_CHECK;
}

void cpu_check_end(struct cpu_job *job)
{
    const struct cpu_finding *first = NULL;
    pthread_mutex_lock(&findings.lock);
    for (const struct cpu_finding *each = job->findings; each; each = each->next)
        if (!first || each->order < first->order)
            first = each;
    if (first && cpu_job_fault(job, NULL, fault_of(first->kind), 0, first->address, NULL)) {
        memcpy(job->fault.block, first->block, sizeof job->fault.block);
        job->fault.warp = (uint32_t)(first->order % CPU_MAX_BLOCK_THREADS / CPU_WARP_SIZE);
    }
    pthread_mutex_unlock(&findings.lock);
}

void cpu_check_record(bool on)
{
    atomic_store(&recording, on);
}

bool cpu_check_pending(void)
{
    return atomic_load(&pending);
}

void cpu_check_finish(struct cpu_job *job)
{
    bool faulted = !atomic_load(&recording) || atomic_load(&job->stop);
    if (faulted) {
        cpu_check_end(job);
        job->fault.found = true;
    }
    pthread_mutex_lock(&findings.lock);
    for (struct cpu_finding *each; (each = job->findings);) {
        uint32_t others = 0;
        job->findings = each->next;
        each->symbols = job->compiled->symbols;
        strncpy(each->kernel, job->compiled->name, sizeof each->kernel - 1);
        struct cpu_finding *known = remove_same(&findings.first, each, &others);
        if (known) { /* the launches of a graph's node have one number */
            combine(known, each);
            free(each);
            each = known;
        }
        each->next = findings.first;
        findings.first = each;
    }
    if (!faulted) /* otherwise the fault's message contains them, unless nobody waits for it */
        atomic_store(&pending, true);
    pthread_mutex_unlock(&findings.lock);
}
