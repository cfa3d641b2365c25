/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Execution of concurrent branches of a graph. The queue's own thread executes one part after the other, which is
 * cheapest for short parts. If a part takes longer than PATIENCE_NS while another one is ready, a helper thread
 * executes that one: kernels of different branches may wait for each other, and long ones share the cores.
 */
#define _GNU_SOURCE
#include "branches.h"

#include <stdlib.h>
#include <string.h>

#include "graph.h"
#include "process.h"

#define PATIENCE_NS 100000
#define LINGER_NS 10000000 /* for which an idle helper polls: to wake one up takes longer than most graphs */
#define POLL_NS 5000000   /* interval at which a thread without a part checks for cancellation */
#define MAX_HELPERS 127  /* with the queue's thread 128, CUDA's maximum of resident grids for a device */

/* One execution of a set of branches. */
struct cpu_branch_run {
    const struct cpu_branches *branches;
    struct cpu_exec exec; /* of the command, whose thread owns this struct */
    struct cpu_graph_run *graph;
    struct cpu_branch_run *next; /* in helpers.runs */
    pthread_mutex_t lock;
    struct cpu_eventcount changed; /* a part has ended */
    uint32_t *missing;       /* of each part: parts before it that have not ended */
    uint32_t *ready;         /* queue of the parts that can begin */
    uint32_t first, last;    /* of `ready` */
    uint32_t left;           /* parts that have not ended */
    uint32_t helpers;        /* guarded by the lock of the helpers */
    int64_t since;           /* time at which a part was taken last */
    _Atomic bool failed;
    struct cpu_fault_record fault;
};

static struct {
    pthread_mutex_t lock;
    struct cpu_branch_run *runs;
    struct cpu_eventcount posted, left;
    uint32_t threads, idle;
    bool watched;   /* an idle helper polls every PATIENCE_NS */
    int64_t called; /* time of the last call_helper */
} helpers = {.lock = PTHREAD_MUTEX_INITIALIZER};

bool cpu_exec_stopped(struct cpu_exec exec)
{
    if (cpu_queue_cancelled(exec.queue, exec.number))
        return true;
    for (struct cpu_branch_run *run = exec.branches; run; run = run->exec.branches)
        if (atomic_load(&run->failed))
            return true;
    return false;
}

static void *help(void *argument);

/* With helpers.lock held: ensure that a helper polls for ready parts. */
static void call_helper(void)
{
    helpers.called = cpu_now();
    if (helpers.watched)
        return;
    if (!helpers.idle && helpers.threads < MAX_HELPERS && cpu_thread_start(help, NULL))
        helpers.threads++;
    cpu_eventcount_notify(&helpers.posted, 1);
}

/* Take the next part to execute, or return UINT32_MAX. A helper takes none until PATIENCE_NS after the last part was
 * taken; *when is lowered to that time. */
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
        cpu_queue_stop_jobs(run->exec.queue); /* they may wait for the failed part */
    }
    for (uint32_t i = 0; i < branch->count; i++)
        if (--run->missing[branch->after[i]] == 0)
            run->ready[run->last++] = branch->after[i];
    run->left--;
    bool more = run->last - run->first > 1; /* one is for this thread */
    pthread_mutex_unlock(&run->lock);
    cpu_eventcount_notify_all(&run->changed);
    if (more) {
        pthread_mutex_lock(&helpers.lock);
        call_helper();
        pthread_mutex_unlock(&helpers.lock);
    }
}

static void run_part(struct cpu_branch_run *run, uint32_t part, struct cpu_worker *worker)
{
    struct cpu_fault_record fault;
    struct cpu_exec exec = run->exec;
    exec.worker = worker;
    exec.fault = &fault;
    exec.branches = run;
    bool fine = cpu_exec_stopped(exec) || cpu_sequence_run(run->branches->parts[part].sequence, exec);
    finish(run, part, fine ? NULL : &fault);
}

/* With helpers.lock held: find a ready part, and return its run. */
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

/* With helpers.lock held: return whether a part is ready. */
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

/* With helpers.lock held, which is released meanwhile: sleep until notified, or until a part is due for a helper. */
static void idle(uint32_t seen, int64_t due)
{
    int64_t now = cpu_now();
    bool watches = !helpers.watched && (due != CPU_FOREVER || now < helpers.called + LINGER_NS);
    if (watches && due > now + PATIENCE_NS)
        due = now + PATIENCE_NS;
    helpers.watched |= watches;
    helpers.idle++;
    pthread_mutex_unlock(&helpers.lock);
    cpu_eventcount_wait(&helpers.posted, seen, watches ? due : CPU_FOREVER);
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
        uint32_t part, seen = atomic_load(&helpers.posted.count);
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
            cpu_eventcount_notify_all(&helpers.left); /* under the lock: the owner then ends the run */
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
    struct cpu_branch_run **link = &helpers.runs;
    while (*link != run)
        link = &(*link)->next;
    *link = run->next;
    while (run->helpers) {
        uint32_t seen = atomic_load(&helpers.left.count);
        pthread_mutex_unlock(&helpers.lock);
        cpu_eventcount_wait(&helpers.left, seen, CPU_FOREVER);
        pthread_mutex_lock(&helpers.lock);
    }
    pthread_mutex_unlock(&helpers.lock);
}

static bool begin(struct cpu_branch_run *run, const struct cpu_branches *branches, struct cpu_exec exec)
{
    memset(run, 0, offsetof(struct cpu_branch_run, fault));
    run->missing = malloc(2 * branches->count * sizeof *run->missing);
    if (!run->missing)
        return false;
    run->ready = run->missing + branches->count;
    run->branches = branches;
    run->exec = exec;
    run->graph = exec.worker->graph;
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

bool cpu_branches_run(const struct cpu_branches *branches, struct cpu_exec exec)
{
    struct cpu_branch_run run;
    if (!begin(&run, branches, exec)) {
        memset(exec.fault, 0, sizeof *exec.fault);
        exec.fault->kind = CPU_FAULT_UNSUPPORTED;
        strcpy(exec.fault->message, "out of host memory for the branches of a graph");
        return false;
    }
    publish(&run);
    for (;;) {
        uint32_t seen = atomic_load(&run.changed.count);
        int64_t when;
        uint32_t part = take(&run, false, &when);
        if (part != UINT32_MAX) {
            run_part(&run, part, exec.worker);
            continue;
        }
        pthread_mutex_lock(&run.lock);
        bool over = !run.left;
        pthread_mutex_unlock(&run.lock);
        if (over)
            break;
        cpu_eventcount_wait(&run.changed, seen, cpu_now() + POLL_NS);
    }
    retract(&run);
    bool fine = !atomic_load(&run.failed);
    if (!fine)
        *exec.fault = run.fault;
    pthread_mutex_destroy(&run.lock);
    free(run.missing);
    return fine;
}

void cpu_branches_release(struct cpu_branches *branches)
{
    for (uint32_t i = 0; i < branches->count; i++) {
        cpu_sequence_release(branches->parts[i].sequence);
        free(branches->parts[i].after);
    }
    free(branches->parts);
}

void cpu_branches_stop(void)
{
    cpu_eventcount_notify_all(&helpers.posted);
}
