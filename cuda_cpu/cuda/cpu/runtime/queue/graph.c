/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Graph execution and device graph launch (CUDA Programming Guide, "Device Graph Launch"). Fire-and-forget and sibling
 * launches run once the kernel is done. Tail launches run in order once the whole graph is done; the tail launches that
 * these make in turn run before the remaining ones.
 */
#define _GNU_SOURCE
#include "graph.h"

#include "branches.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TAILS 255 /* pending at the same time */
#define MAX_NESTED 120 /* nesting depth of fire-and-forget launches */

/* cudaError_t that cudaGraphLaunch() returns to a kernel. */
enum { SUCCESS = 0, INVALID_VALUE = 1, MEMORY_ALLOCATION = 2, MAX_DEPTH = 65, PENDING_COUNT = 69, NOT_SUPPORTED = 801 };

/* Streams of the device side (cuda_device_runtime_api.h). */
#define TAIL ((uint64_t)1 << 56)
#define FIRE_AND_FORGET ((uint64_t)2 << 56)
#define SIBLING ((uint64_t)3 << 56)

struct cpu_sequence {
    _Atomic uint32_t references;
    struct cpu_command *first, *last;
};

struct cpu_sequence *cpu_sequence_make(void)
{
    struct cpu_sequence *sequence = calloc(1, sizeof *sequence);
    if (sequence)
        atomic_store(&sequence->references, 1);
    return sequence;
}

void cpu_sequence_retain(struct cpu_sequence *sequence)
{
    atomic_fetch_add(&sequence->references, 1);
}

void cpu_sequence_release(struct cpu_sequence *sequence)
{
    if (!sequence || atomic_fetch_sub(&sequence->references, 1) > 1)
        return;
    while (sequence->first) {
        struct cpu_command *command = sequence->first;
        sequence->first = command->next;
        cpu_command_discard(command);
    }
    free(sequence);
}

struct cpu_command *cpu_sequence_last(struct cpu_sequence *sequence)
{
    return sequence->last;
}

bool cpu_sequence_append(struct cpu_sequence *sequence, struct cpu_command *command)
{
    if (command->kind > CPU_LAST_AGAIN)
        return false;
    command->next = NULL;
    if (sequence->last)
        sequence->last->next = command;
    else
        sequence->first = command;
    sequence->last = command;
    return true;
}

struct launched {
    struct launched *next;
    uint64_t handle;
    struct cpu_sequence *sequence;
};

struct list {
    struct launched *first, **end;
    uint32_t count;
};

struct cpu_graph_run {
    _Atomic uint32_t references;
    uint64_t handle;
    uint32_t depth;
    pthread_mutex_t lock; /* guards the lists: blocks on several workers launch */
    struct list now, tails;
};

static void append(struct list *list, struct launched *launched)
{
    launched->next = NULL;
    if (!list->first)
        list->end = &list->first;
    *list->end = launched;
    list->end = &launched->next;
    list->count++;
}

static void forget(struct list *list)
{
    while (list->first) {
        struct launched *launched = list->first;
        list->first = launched->next;
        cpu_sequence_release(launched->sequence);
        free(launched);
    }
    list->count = 0;
}

static void begin(struct cpu_graph_run *run, uint64_t handle, uint32_t depth)
{
    memset(run, 0, sizeof *run);
    atomic_store(&run->references, 1);
    run->handle = handle;
    run->depth = depth;
    pthread_mutex_init(&run->lock, NULL);
}

static void end(struct cpu_graph_run *run)
{
    forget(&run->now);
    forget(&run->tails);
    pthread_mutex_destroy(&run->lock);
}

struct cpu_graph_run *cpu_graph_run_make(uint64_t handle)
{
    struct cpu_graph_run *run = malloc(sizeof *run);
    if (run)
        begin(run, handle, 0);
    return run;
}

void cpu_graph_run_retain(struct cpu_graph_run *run)
{
    atomic_fetch_add(&run->references, 1);
}

void cpu_graph_run_release(struct cpu_graph_run *run)
{
    if (!run || atomic_fetch_sub(&run->references, 1) > 1)
        return;
    end(run);
    free(run);
}

uint64_t cpu_graph_run_handle(const struct cpu_graph_run *run)
{
    return run ? run->handle : 0;
}

static struct list take(struct cpu_graph_run *run, struct list *list)
{
    pthread_mutex_lock(&run->lock);
    struct list taken = *list;
    memset(list, 0, sizeof *list);
    pthread_mutex_unlock(&run->lock);
    return taken;
}

static bool run_graph(struct cpu_sequence *sequence, uint64_t handle, uint32_t depth, struct cpu_exec exec);

/* Execute the fire-and-forget and sibling launches. */
static bool run_now(struct cpu_graph_run *run, struct cpu_exec exec)
{
    bool fine = true;
    for (;;) {
        struct list list = take(run, &run->now);
        if (!list.first)
            return fine;
        for (struct launched *each = list.first; each && fine; each = each->next)
            fine = run_graph(each->sequence, each->handle, run->depth + 1, exec);
        forget(&list);
        if (!fine)
            return false;
    }
}

bool cpu_sequence_run(struct cpu_sequence *sequence, struct cpu_exec exec)
{
    struct cpu_graph_run *run = exec.worker->graph;
    for (struct cpu_command *command = sequence->first; command; command = command->next) {
        if (cpu_exec_stopped(exec))
            return true;
        if (!cpu_command_run(command, exec) || (run && !run_now(run, exec)))
            return false;
    }
    return true;
}

/* Execute all tail launches, including those that tail launches make. */
static bool run_tails(struct cpu_graph_run *run, struct cpu_exec exec)
{
    struct list left = take(run, &run->tails);
    bool fine = true;
    while (fine && left.first && !cpu_exec_stopped(exec)) {
        struct launched *each = left.first;
        left.first = each->next;
        run->handle = each->handle;
        fine = cpu_sequence_run(each->sequence, exec);
        cpu_sequence_release(each->sequence);
        free(each);
        struct list more = take(run, &run->tails);
        if (more.first) {
            *more.end = left.first;
            left.first = more.first;
        }
    }
    forget(&left);
    return fine;
}

static bool run_graph(struct cpu_sequence *sequence, uint64_t handle, uint32_t depth, struct cpu_exec exec)
{
    struct cpu_graph_run run, *before = exec.worker->graph;
    begin(&run, handle, depth);
    exec.worker->graph = &run;
    bool fine = cpu_sequence_run(sequence, exec) && run_tails(&run, exec);
    exec.worker->graph = before;
    end(&run);
    return fine;
}

bool cpu_part_run(const struct cpu_graph_part *part, struct cpu_exec exec)
{
    exec.worker->graph = part->run;
    bool fine = cpu_sequence_run(part->sequence, exec) && (!part->last || run_tails(part->run, exec));
    exec.worker->graph = NULL;
    return fine;
}

bool cpu_choice_run(const struct cpu_choice *choice, struct cpu_exec exec)
{
    static _Atomic uint64_t rounds;
    for (;;) {
        exec.round = atomic_fetch_add_explicit(&rounds, 1, memory_order_relaxed) + 1;
        uint32_t value = atomic_load(&choice->cell->value);
        /* if, while: body 0 if the value is not 0; if: else body 1, if there is one; switch: the value is the index */
        uint32_t body = choice->kind == CPU_SWITCH ? value : !value;
        if (body >= choice->count || cpu_exec_stopped(exec))
            return true;
        if (!cpu_sequence_run(choice->bodies[body], exec))
            return false;
        if (choice->kind != CPU_WHILE)
            return true;
    }
}

void cpu_choice_release(struct cpu_choice *choice)
{
    for (uint32_t i = 0; i < choice->count; i++)
        cpu_sequence_release(choice->bodies[i]);
    free(choice->bodies);
}

/* --- graphs that kernels can launch -------------------------------------------------------------------------------- */

static struct {
    pthread_mutex_t lock;
    struct launched *first;
} published = {.lock = PTHREAD_MUTEX_INITIALIZER};

bool cpu_graph_publish(uint64_t handle, struct cpu_sequence *sequence)
{
    struct launched *new = malloc(sizeof *new);
    if (!new)
        return false;
    cpu_graph_withdraw(handle);
    cpu_sequence_retain(sequence);
    pthread_mutex_lock(&published.lock);
    *new = (struct launched){published.first, handle, sequence};
    published.first = new;
    pthread_mutex_unlock(&published.lock);
    return true;
}

void cpu_graph_withdraw(uint64_t handle)
{
    struct launched *found = NULL;
    pthread_mutex_lock(&published.lock);
    for (struct launched **each = &published.first; *each; each = &(*each)->next) {
        if ((*each)->handle == handle) {
            found = *each;
            *each = found->next;
            break;
        }
    }
    pthread_mutex_unlock(&published.lock);
    if (found) {
        cpu_sequence_release(found->sequence);
        free(found);
    }
}

static struct cpu_sequence *find(uint64_t handle)
{
    struct cpu_sequence *sequence = NULL;
    pthread_mutex_lock(&published.lock);
    for (struct launched *each = published.first; each && !sequence; each = each->next)
        if (each->handle == handle)
            sequence = each->sequence;
    if (sequence)
        cpu_sequence_retain(sequence);
    pthread_mutex_unlock(&published.lock);
    return sequence;
}

static uint32_t launch_graph(struct cpu_graph_run *run, uint64_t handle, uint64_t stream)
{
    if (!run)
        return NOT_SUPPORTED; /* the kernel is not part of a graph */
    if (stream != TAIL && stream != FIRE_AND_FORGET && stream != SIBLING)
        return INVALID_VALUE;
    if (stream != TAIL && run->depth >= MAX_NESTED)
        return MAX_DEPTH;
    struct cpu_sequence *sequence = find(handle);
    if (!sequence)
        return INVALID_VALUE;
    struct launched *new = malloc(sizeof *new);
    uint32_t status = new ? SUCCESS : MEMORY_ALLOCATION;
    pthread_mutex_lock(&run->lock);
    if (new && stream == TAIL && run->tails.count >= MAX_TAILS)
        status = PENDING_COUNT;
    if (status == SUCCESS) {
        new->handle = handle;
        new->sequence = sequence;
        append(stream == TAIL ? &run->tails : &run->now, new);
    }
    pthread_mutex_unlock(&run->lock);
    if (status != SUCCESS) {
        cpu_sequence_release(sequence);
        free(new);
    }
    return status;
}

void cpu_graph_launch(struct cpu_warp *abi, cpu_lanes lanes, const uint64_t *handle, const uint64_t *stream,
                      uint32_t *result)
{
    struct cpu_job *job = ((struct cpu_running *)abi)->block->worker->job;
    for (uint32_t lane = 0; lane < CPU_WARP_SIZE; lane++)
        if (lanes >> lane & 1)
            result[lane] = launch_graph(job->graph, handle[lane], stream[lane]);
}

void cpu_graph_set_conditional(struct cpu_warp *abi, cpu_lanes lanes, const uint64_t *handle, const uint32_t *value)
{
    (void)abi;
    for (uint32_t lane = 0; lane < CPU_WARP_SIZE; lane++)
        if (lanes >> lane & 1)
            atomic_store(&((struct cpu_condition_cell *)(uintptr_t)handle[lane])->value, value[lane]);
}
