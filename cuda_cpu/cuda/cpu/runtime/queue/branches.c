/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Branches of a graph. The queue's own thread takes one part after the other, which costs nothing where parts are
 * short. Where a part takes longer than PATIENCE_NS while another one could run, a helper takes that: kernels of
 * different branches may wait for each other, and long ones share the cores.
 */
#define _GNU_SOURCE
#include "branches.h"

#include <stdlib.h>
#include <string.h>

#include "graph.h"
#include "process.h"

#define PATIENCE_NS 100000
#define LINGER_NS 10000000 /* a helper watches so long for more: to wake one at each graph costs more than most graphs */
#define LOOK_NS 5000000   /* how often a thread without a part looks whether the work was cancelled */
#define MOST_HELPERS 127  /* with the queue's thread as many kernels at once as CUDA promises a GPU to run */

/* One time that branches run. */
struct cpu_branch_run {
    const struct cpu_branches *branches;
    struct cpu_place place; /* of the command, whose thread owns this */
    struct cpu_graph_run *graph;
    struct cpu_branch_run *next; /* of those that helpers look at */
    pthread_mutex_t lock;
    struct cpu_bell changed; /* a part has ended */
    uint32_t *missing;       /* of each part: parts before it that have not ended */
    uint32_t *ready;         /* parts that can begin, in this order */
    uint32_t first, last;    /* of `ready` */
    uint32_t left;           /* parts that have not ended */
    uint32_t helpers;        /* guarded by the lock of the helpers */
    int64_t since;           /* when a part was taken last */
    _Atomic bool failed;
    struct cpu_fault_record fault;
};

static struct {
    pthread_mutex_t lock;
    struct cpu_branch_run *runs;
    struct cpu_bell posted, left;
    uint32_t threads, idle;
    bool watched;   /* an idle helper looks every PATIENCE_NS */
    int64_t called; /* the last time */
} helpers = {.lock = PTHREAD_MUTEX_INITIALIZER};

bool cpu_place_over(struct cpu_place place)
{
    if (cpu_queue_cancelled(place.queue, place.number))
        return true;
    for (struct cpu_branch_run *run = place.branches; run; run = run->place.branches)
        if (atomic_load(&run->failed))
            return true;
    return false;
}

static void *help(void *argument);

/* With the lock held: somebody must look whether parts wait. */
static void call_helper(void)
{
    helpers.called = cpu_now();
    if (helpers.watched)
        return;
    if (!helpers.idle && helpers.threads < MOST_HELPERS && cpu_thread_start(help, NULL))
        helpers.threads++;
    cpu_ring_for(&helpers.posted, 1);
}

/* The next part to run, or UINT32_MAX. A helper waits until the owner has been busy for a while; *when tells until when. */
static uint32_t take(struct cpu_branch_run *run, bool helper, int64_t *when)
{
    uint32_t part = UINT32_MAX;
    int64_t now = cpu_now();
    pthread_mutex_lock(&run->lock);
    if (run->first < run->last) {
        if (helper && now < run->since + PATIENCE_NS) {
            *when = run->since + PATIENCE_NS < *when ? run->since + PATIENCE_NS : *when;
        } else {
            part = run->ready[run->first++];
            run->since = now;
        }
    }
    pthread_mutex_unlock(&run->lock);
    return part;
}

static void finish(struct cpu_branch_run *run, uint32_t part, const struct cpu_fault_record *fault)
{
    const struct cpu_branch *branch = &run->branches->parts[part];
    pthread_mutex_lock(&run->lock);
    if (fault && !atomic_load(&run->failed)) {
        run->fault = *fault;
        atomic_store(&run->failed, true);
        cpu_queue_stop_jobs(run->place.queue); /* they may wait for what will not come */
    }
    for (uint32_t i = 0; i < branch->count; i++)
        if (--run->missing[branch->after[i]] == 0)
            run->ready[run->last++] = branch->after[i];
    run->left--;
    bool more = run->last - run->first > 1; /* one is for this thread */
    pthread_mutex_unlock(&run->lock);
    cpu_ring(&run->changed);
    if (more) {
        pthread_mutex_lock(&helpers.lock);
        call_helper();
        pthread_mutex_unlock(&helpers.lock);
    }
}

static void run_part(struct cpu_branch_run *run, uint32_t part, struct cpu_worker *worker)
{
    struct cpu_fault_record fault;
    struct cpu_place place = run->place;
    place.worker = worker;
    place.fault = &fault;
    place.branches = run;
    bool fine = cpu_place_over(place) || cpu_sequence_run(run->branches->parts[part].sequence, place);
    finish(run, part, fine ? NULL : &fault);
}

/* With the lock of the helpers held: a part that waits for a thread, and its run. */
static struct cpu_branch_run *find_part(uint32_t *part, int64_t *when)
{
    for (struct cpu_branch_run *run = helpers.runs; run; run = run->next) {
        *part = take(run, true, when);
        if (*part != UINT32_MAX) {
            run->helpers++;
            return run;
        }
    }
    return NULL;
}

/* With the lock of the helpers held. */
static bool has_part(struct cpu_branch_run *run)
{
    pthread_mutex_lock(&run->lock);
    bool has = run->first < run->last;
    pthread_mutex_unlock(&run->lock);
    return has;
}

static bool parts_wait(void)
{
    for (struct cpu_branch_run *run = helpers.runs; run; run = run->next)
        if (has_part(run))
            return true;
    return false;
}

/* With the lock held, which is let go meanwhile: wait until called, or until a part is due for a helper. */
static void idle(uint32_t seen, int64_t due)
{
    int64_t now = cpu_now();
    bool watches = !helpers.watched && (due != CPU_FOREVER || now < helpers.called + LINGER_NS);
    if (watches && due > now + PATIENCE_NS)
        due = now + PATIENCE_NS;
    helpers.watched |= watches;
    helpers.idle++;
    pthread_mutex_unlock(&helpers.lock);
    cpu_await(&helpers.posted, seen, watches ? due : CPU_FOREVER);
    pthread_mutex_lock(&helpers.lock);
    helpers.idle--;
    if (watches)
        helpers.watched = false;
}

static void *help(void *argument)
{
    struct cpu_worker worker;
    (void)argument;
    cpu_fault_install();
    cpu_worker_begin(&worker, 0);
    cpu_fault_thread(&worker);
    bool able = cpu_worker_thread("cuda-branch");
    pthread_mutex_lock(&helpers.lock);
    while (able && cpu_process_state() == CPU_RUNNING) {
        uint32_t part, seen = atomic_load(&helpers.posted.rings);
        int64_t when = CPU_FOREVER;
        struct cpu_branch_run *run = find_part(&part, &when);
        if (!run) {
            idle(seen, when);
            continue;
        }
        if (parts_wait())
            call_helper(); /* this one is busy from now on */
        pthread_mutex_unlock(&helpers.lock);
        worker.graph = run->graph;
        run_part(run, part, &worker);
        pthread_mutex_lock(&helpers.lock);
        if (--run->helpers == 0)
            cpu_ring(&helpers.left); /* under the lock: the run is gone as soon as its owner sees no helper */
    }
    helpers.threads--;
    pthread_mutex_unlock(&helpers.lock);
    cpu_fault_thread(NULL);
    cpu_worker_end(&worker);
    cpu_thread_ended();
    return NULL;
}

static void publish(struct cpu_branch_run *run)
{
    pthread_mutex_lock(&helpers.lock);
    run->next = helpers.runs;
    helpers.runs = run;
    if (run->last > 1)
        call_helper();
    pthread_mutex_unlock(&helpers.lock);
}

static void retract(struct cpu_branch_run *run)
{
    pthread_mutex_lock(&helpers.lock);
    struct cpu_branch_run **place = &helpers.runs;
    while (*place != run)
        place = &(*place)->next;
    *place = run->next;
    while (run->helpers) {
        uint32_t seen = atomic_load(&helpers.left.rings);
        pthread_mutex_unlock(&helpers.lock);
        cpu_await(&helpers.left, seen, CPU_FOREVER);
        pthread_mutex_lock(&helpers.lock);
    }
    pthread_mutex_unlock(&helpers.lock);
}

static bool begin(struct cpu_branch_run *run, const struct cpu_branches *branches, struct cpu_place place)
{
    memset(run, 0, offsetof(struct cpu_branch_run, fault));
    run->missing = malloc(2 * branches->count * sizeof *run->missing);
    if (!run->missing)
        return false;
    run->ready = run->missing + branches->count;
    run->branches = branches;
    run->place = place;
    run->graph = place.worker->graph;
    run->left = branches->count;
    run->since = cpu_now();
    for (uint32_t i = 0; i < branches->count; i++) {
        run->missing[i] = branches->parts[i].before;
        if (!run->missing[i])
            run->ready[run->last++] = i;
    }
    pthread_mutex_init(&run->lock, NULL);
    return true;
}

bool cpu_branches_run(const struct cpu_branches *branches, struct cpu_place place)
{
    struct cpu_branch_run run;
    if (!begin(&run, branches, place)) {
        memset(place.fault, 0, sizeof *place.fault);
        place.fault->kind = CPU_FAULT_UNSUPPORTED;
        strcpy(place.fault->message, "out of host memory for the branches of a graph");
        return false;
    }
    publish(&run);
    for (;;) {
        uint32_t seen = atomic_load(&run.changed.rings);
        int64_t when;
        uint32_t part = take(&run, false, &when);
        if (part != UINT32_MAX) {
            run_part(&run, part, place.worker);
            continue;
        }
        pthread_mutex_lock(&run.lock);
        bool over = !run.left;
        pthread_mutex_unlock(&run.lock);
        if (over)
            break;
        cpu_await(&run.changed, seen, cpu_now() + LOOK_NS);
    }
    retract(&run);
    bool fine = !atomic_load(&run.failed);
    if (!fine)
        *place.fault = run.fault;
    pthread_mutex_destroy(&run.lock);
    free(run.missing);
    return fine;
}

void cpu_branches_drop(struct cpu_branches *branches)
{
    for (uint32_t i = 0; i < branches->count; i++) {
        cpu_sequence_release(branches->parts[i].sequence);
        free(branches->parts[i].after);
    }
    free(branches->parts);
}

void cpu_branches_stop(void)
{
    cpu_ring(&helpers.posted);
}
