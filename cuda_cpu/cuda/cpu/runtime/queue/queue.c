/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Command queues: submission, execution inline or by the queue's thread, waiting, cancellation.
 */
#define _GNU_SOURCE
#include "queue.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "process.h"
#include "prompt.h"

/* How long a thread spins for work, or for its completion, before it sleeps: a wake-up takes about 50 microseconds. If
 * the last idle time of a queue was short, the next one is expected to be short, too. */
#define LONG_SPIN_NS 100000
#define SHORT_SPIN_NS 10000
#define SHORT_PAUSE_NS 300000 /* measured including a wake-up */
#define WAIT_SPIN_NS 100000
#define MAX_UNUSED 64    /* commands cached for reuse */

struct cpu_queue {
    _Atomic uint32_t references;
    pthread_mutex_t lock;
    struct cpu_command *first, *last, *unused;
    _Atomic(struct cpu_command *) spare; /* one more free command, taken without the lock */
    uint32_t unused_count, workers;
    bool started, closed;
    bool running;                /* some thread executes a command, with `worker` */
    struct cpu_worker worker;
    struct cpu_command *suspended;  /* command suspended by the thread that submitted it */
    _Atomic bool faulted;
    _Atomic bool interrupted;   /* a command was cancelled, which was not reported yet */
    struct cpu_fault_record fault;
    int64_t spin;                    /* spin time of its thread, in nanoseconds */
    _Atomic bool is_long;            /* its last launch that is not short is expected to take long */
    struct cpu_job *jobs;            /* running jobs except worker.own */
    _Atomic uint64_t cancelled;      /* commands up to this number are cancelled */
    _Atomic uint64_t submitted, completed;
    struct cpu_eventcount posted, done;
    struct cpu_queue *previous, *next; /* list of all queues */
};

static struct {
    pthread_mutex_t lock;
    struct cpu_queue *first;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct cpu_queue *cpu_queue_make(uint32_t workers)
{
    struct cpu_queue *queue = calloc(1, sizeof *queue);
    if (!queue)
        return NULL;
    atomic_store(&queue->references, 1);
    queue->workers = workers;
    cpu_worker_begin(&queue->worker, 0);
    pthread_mutex_init(&queue->lock, NULL);
    pthread_mutex_lock(&all.lock);
    queue->next = all.first;
    if (all.first)
        all.first->previous = queue;
    all.first = queue;
    pthread_mutex_unlock(&all.lock);
    return queue;
}

uint32_t cpu_queue_workers(const struct cpu_queue *queue)
{
    return queue->workers;
}

static void unlink_queue(struct cpu_queue *queue)
{
    pthread_mutex_lock(&all.lock);
    if (queue->previous)
        queue->previous->next = queue->next;
    else
        all.first = queue->next;
    if (queue->next)
        queue->next->previous = queue->previous;
    pthread_mutex_unlock(&all.lock);
}

void cpu_queue_retain(struct cpu_queue *queue)
{
    atomic_fetch_add(&queue->references, 1);
}

void cpu_queue_release(struct cpu_queue *queue)
{
    if (atomic_fetch_sub(&queue->references, 1) > 1)
        return;
    unlink_queue(queue);
    free(atomic_load(&queue->spare));
    while (queue->unused) {
        struct cpu_command *command = queue->unused;
        queue->unused = command->next;
        free(command);
    }
    cpu_worker_end(&queue->worker);
    pthread_mutex_destroy(&queue->lock);
    free(queue);
}

void cpu_queue_close(struct cpu_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->closed = true;
    pthread_mutex_unlock(&queue->lock);
    cpu_eventcount_notify_all(&queue->posted);
}

bool cpu_queue_closed(struct cpu_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    bool closed = queue->closed;
    pthread_mutex_unlock(&queue->lock);
    return closed;
}

void cpu_queue_destroy(struct cpu_queue *queue)
{
    if (cpu_process_state() == CPU_FORKED)
        return; /* the lock may be held by a thread of the parent */
    cpu_queue_close(queue);
    cpu_queue_release(queue);
}

struct cpu_command *cpu_command_make(struct cpu_queue *queue, enum cpu_command_kind kind)
{
    struct cpu_command *command = atomic_exchange(&queue->spare, NULL);
    if (!command) {
        pthread_mutex_lock(&queue->lock);
        command = queue->unused;
        if (command) {
            queue->unused = command->next;
            queue->unused_count--;
        }
        pthread_mutex_unlock(&queue->lock);
    }
    if (!command)
        command = aligned_alloc(64, (sizeof *command + 63) & ~(size_t)63);
    if (command)
        command->kind = kind, command->operation = 0;
    return command;
}

void cpu_command_discard(struct cpu_command *command)
{
    cpu_command_release(command);
    free(command);
}

bool cpu_queue_cancelled(struct cpu_queue *queue, uint64_t number)
{
    return number <= atomic_load(&queue->cancelled) || cpu_process_state() != CPU_RUNNING;
}

void cpu_queue_running(struct cpu_queue *queue, uint64_t number, struct cpu_job *job)
{
    if (job == &queue->worker.own) {
        atomic_store(&job->stop, CPU_FAULT_NONE); /* before `cancelled` is read: cpu_queue_cancel writes it before stop_jobs */
    } else {
        pthread_mutex_lock(&queue->lock);
        job->beside = queue->jobs;
        queue->jobs = job;
        pthread_mutex_unlock(&queue->lock);
    }
    if (cpu_queue_cancelled(queue, number))
        atomic_store(&job->stop, CPU_FAULT_CANCELLED);
}

void cpu_queue_ran(struct cpu_queue *queue, struct cpu_job *job)
{
    if (job == &queue->worker.own)
        return;
    pthread_mutex_lock(&queue->lock);
    struct cpu_job **link = &queue->jobs;
    while (*link != job)
        link = &(*link)->beside;
    *link = job->beside;
    pthread_mutex_unlock(&queue->lock);
}

/* With the lock held: stop the running launches at their next poll. */
static void stop_jobs(struct cpu_queue *queue)
{
    for (struct cpu_job *job = queue->jobs; job; job = job->beside)
        atomic_store(&job->stop, CPU_FAULT_CANCELLED);
    if (queue->running || queue->suspended) /* it may be a launch; the next one resets `stop` */
        atomic_store(&queue->worker.own.stop, CPU_FAULT_CANCELLED);
}

void cpu_queue_stop_jobs(struct cpu_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    stop_jobs(queue);
    pthread_mutex_unlock(&queue->lock);
}

/* With the lock held: cache or free a command. */
static void recycle(struct cpu_queue *queue, struct cpu_command *command)
{
    if (!atomic_load_explicit(&queue->spare, memory_order_relaxed)) {
        atomic_store_explicit(&queue->spare, command, memory_order_release);
        return;
    }
    if (queue->unused_count == MAX_UNUSED) {
        free(command);
        return;
    }
    command->next = queue->unused;
    queue->unused = command;
    queue->unused_count++;
}

/* With the lock held: take the next command to execute; NULL: none, or another thread executes one. */
static struct cpu_command *take_command(struct cpu_queue *queue)
{
    struct cpu_command *command = queue->suspended ? queue->suspended : queue->first;
    if (queue->running || !command)
        return NULL;
    if (!queue->suspended)
        queue->first = command->next;
    queue->suspended = NULL;
    queue->running = true;
    return command;
}

/* Wait for the next command; NULL once the queue is closed and empty. */
static struct cpu_command *next_command(struct cpu_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    for (;;) {
        uint32_t seen = atomic_load(&queue->posted.count);
        struct cpu_command *command = take_command(queue);
        bool over = (queue->closed || cpu_process_state() != CPU_RUNNING) && !queue->running;
        pthread_mutex_unlock(&queue->lock);
        if (command || over)
            return command;
        int64_t start = cpu_now();
        if (!cpu_eventcount_spin(&queue->posted, seen, start + queue->spin))
            cpu_eventcount_wait(&queue->posted, seen, CPU_FOREVER);
        queue->spin = cpu_now() - start < SHORT_PAUSE_NS ? LONG_SPIN_NS : SHORT_SPIN_NS;
        pthread_mutex_lock(&queue->lock);
    }
}

/* Complete the command that this thread executed, so that the next one can begin. */
static void finish(struct cpu_queue *queue, struct cpu_command *command)
{
    cpu_command_release(command);
    pthread_mutex_lock(&queue->lock);
    recycle(queue, command);
    queue->running = false;
    bool awaited = queue->first || queue->closed || cpu_process_state() != CPU_RUNNING;
    /* The notification below makes waiters read it again. */
    atomic_store_explicit(&queue->completed, atomic_load_explicit(&queue->completed, memory_order_relaxed) + 1,
                          memory_order_release);
    pthread_mutex_unlock(&queue->lock);
    cpu_eventcount_notify_all(&queue->done);
    if (awaited)
        cpu_eventcount_notify_all(&queue->posted);
}

/* Execute a command; called by the thread that set `running`. */
static void run_command(struct cpu_queue *queue, struct cpu_command *command)
{
    struct cpu_worker *worker = &queue->worker;
    struct cpu_fault_record fault;
    bool cancelled = cpu_queue_cancelled(queue, command->number);
    bool dropped = atomic_load(&queue->faulted) || cancelled;
    if (dropped && !worker->suspended && !cpu_command_always(command)) {
        if (cancelled)
            atomic_store(&queue->interrupted, true);
        return;
    }
    bool plain = command->kind == CPU_LAUNCH || cpu_command_always(command);
    if (cpu_command_run(command, (struct cpu_exec){command->number, queue, worker, &fault, NULL, command->operation, 0})) {
        if (!plain && cpu_queue_cancelled(queue, command->number)) /* loops and waits return without a fault */
            atomic_store(&queue->interrupted, true);
        return;
    }
    if (fault.kind == CPU_FAULT_CANCELLED)
        atomic_store(&queue->interrupted, true);
    pthread_mutex_lock(&queue->lock);
    if (!queue->faulted)
        queue->fault = fault;
    queue->faulted = true;
    pthread_mutex_unlock(&queue->lock);
}

static void *run_queue(void *argument)
{
    struct cpu_queue *queue = argument;
    struct cpu_command *command;
    cpu_fault_install();
    cpu_fault_thread(&queue->worker);
    cpu_worker_thread("cuda-queue");
    while ((command = next_command(queue))) {
        run_command(queue, command);
        finish(queue, command);
    }
    cpu_fault_thread(NULL);
    cpu_queue_release(queue);
    cpu_thread_ended();
    return NULL;
}

/* With the lock held: start the queue's thread if it does not run yet. */
static bool start_thread(struct cpu_queue *queue)
{
    if (queue->started)
        return true;
    atomic_fetch_add(&queue->references, 1);
    queue->started = cpu_thread_start(run_queue, queue);
    if (!queue->started)
        atomic_fetch_sub(&queue->references, 1);
    return queue->started;
}

/* Execute a command inline in the submitting thread; the queue's thread continues it if it takes long. */
static void run_inline(struct cpu_queue *queue, struct cpu_command *command, uint32_t limit)
{
    struct cpu_worker *worker = &queue->worker;
    cpu_fault_thread(worker);
    cpu_worker_begin_inline(worker, 2 * limit, limit == CPU_SHORT_NS ? CPU_SHORT_BUDGET : CPU_AWAITED_BUDGET);
    run_command(queue, command);
    cpu_worker_end_inline(worker);
    cpu_fault_thread(NULL);
    if (!worker->suspended) {
        finish(queue, command);
        return;
    }
    pthread_mutex_lock(&queue->lock);
    queue->suspended = command;
    queue->running = false;
    pthread_mutex_unlock(&queue->lock);
    cpu_eventcount_notify_all(&queue->posted);
}

/* With the lock held: return whether this thread may execute a command, expected to end within `limit`, inline. */
static bool can_run_inline(const struct cpu_queue *queue, uint32_t limit)
{
    bool unused = !queue->running && !queue->suspended && !queue->first;
    return unused && limit && (limit == CPU_SHORT_NS || cpu_prompt_is_expected()) && cpu_fault_free() && cpu_fault_stack();
}

enum cpu_submit_result cpu_queue_submit(struct cpu_queue *queue, struct cpu_command *command)
{
    enum cpu_submit_result result = CPU_SUBMITTED;
    uint32_t limit = cpu_command_limit(command);
    bool timed = command->kind == CPU_LAUNCH && limit != CPU_SHORT_NS, here = false;
    bool is_long = timed && cpu_command_is_long(command); /* the command may be gone once it is submitted */
    cpu_prompt_submits(queue);
    pthread_mutex_lock(&queue->lock);
    if (cpu_process_state() != CPU_RUNNING)
        result = CPU_QUEUE_STOPPED;
    else if (queue->closed)
        result = CPU_QUEUE_CLOSED;
    else if (!start_thread(queue))
        result = CPU_QUEUE_NO_THREAD;
    else {
        command->number = atomic_load(&queue->submitted) + 1;
        command->next = NULL;
        here = can_run_inline(queue, limit);
        if (here)
            queue->running = true;
        else if (queue->first)
            queue->last->next = command;
        else
            queue->first = command;
        queue->last = command;
        atomic_store_explicit(&queue->submitted, command->number, memory_order_release);
    }
    pthread_mutex_unlock(&queue->lock);
    if (here)
        run_inline(queue, command, limit);
    else if (result == CPU_SUBMITTED)
        cpu_eventcount_notify_all(&queue->posted);
    else
        cpu_command_discard(command);
    cpu_prompt_submitted(queue, timed);
    if (timed)
        atomic_store_explicit(&queue->is_long, is_long, memory_order_relaxed);
    return result;
}

bool cpu_queue_is_long(struct cpu_queue *queue)
{
    return atomic_load_explicit(&queue->is_long, memory_order_relaxed);
}

bool cpu_queue_faulted(struct cpu_queue *queue)
{
    return atomic_load(&queue->faulted);
}

bool cpu_queue_interrupted(struct cpu_queue *queue)
{
    return atomic_load(&queue->interrupted);
}

bool cpu_queue_take_interrupted(struct cpu_queue *queue)
{
    return atomic_exchange(&queue->interrupted, false);
}

bool cpu_queue_idle(struct cpu_queue *queue)
{
    return atomic_load(&queue->completed) == atomic_load(&queue->submitted);
}

bool cpu_queue_wait(struct cpu_queue *queue, int64_t deadline)
{
    uint64_t target = atomic_load(&queue->submitted);
    bool idle = atomic_load(&queue->completed) >= target;
    cpu_prompt_waits(queue, idle);
    if (idle)
        return true;
    int64_t end = cpu_queue_is_long(queue) ? 0 : cpu_now() + WAIT_SPIN_NS;
    for (;;) {
        uint32_t seen = atomic_load(&queue->done.count);
        if (atomic_load(&queue->completed) >= target)
            return true;
        if (cpu_eventcount_spin(&queue->done, seen, end < deadline ? end : deadline))
            continue;
        if (!cpu_eventcount_wait(&queue->done, seen, deadline))
            return atomic_load(&queue->completed) >= target;
    }
}

void cpu_queue_cancel(struct cpu_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    atomic_store(&queue->cancelled, atomic_load(&queue->submitted));
    stop_jobs(queue);
    pthread_mutex_unlock(&queue->lock);
}

bool cpu_queue_take_fault(struct cpu_queue *queue, struct cpu_fault_record *fault)
{
    pthread_mutex_lock(&queue->lock);
    bool faulted = queue->faulted;
    if (faulted)
        *fault = queue->fault;
    queue->faulted = false;
    pthread_mutex_unlock(&queue->lock);
    return faulted;
}

static _Atomic int ended_idle;

void cpu_queues_note_end(void)
{
    int idle = 1;
    pthread_mutex_lock(&all.lock);
    for (struct cpu_queue *queue = all.first; queue; queue = queue->next)
        idle &= cpu_queue_idle(queue) && !cpu_queue_faulted(queue);
    pthread_mutex_unlock(&all.lock);
    atomic_store(&ended_idle, idle);
}

int cpu_queues_ended_idle(void)
{
    return atomic_load(&ended_idle);
}

void cpu_queues_stop(void)
{
    pthread_mutex_lock(&all.lock);
    for (struct cpu_queue *queue = all.first; queue; queue = queue->next) {
        cpu_queue_cancel(queue);
        cpu_eventcount_notify_all(&queue->posted);
    }
    pthread_mutex_unlock(&all.lock);
}

bool cpu_queues_hold(void)
{
    bool idle = true;
    pthread_mutex_lock(&all.lock);
    for (struct cpu_queue *queue = all.first; queue; queue = queue->next)
        idle &= !pthread_mutex_lock(&queue->lock) && cpu_queue_idle(queue);
    return idle;
}

void cpu_queues_let_go(void)
{
    for (struct cpu_queue *queue = all.first; queue; queue = queue->next)
        pthread_mutex_unlock(&queue->lock);
    pthread_mutex_unlock(&all.lock);
}
