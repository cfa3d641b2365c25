/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Child launches of a grid (CUDA Dynamic Parallelism): queued while its blocks execute, executed when they are done.
 */
#include "device.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "queue/branches.h"
#include "check/check.h"

#define FIRST_ROOM 64
#define MAX_HANDLES ((uint32_t)1 << 24)
#define ERROR_BUCKETS 256

/* Streams or events that a grid created: whether each is alive. */
struct handles {
    bool *alive;
    uint32_t count, room;
};

/* A thread's last error; only threads with an error have an entry. */
struct error {
    struct error *next;
    uint64_t thread;
    uint32_t status;
};

struct list {
    struct cpu_command *first, *last;
};

struct cpu_children {
    struct cpu_children *outer; /* those of the nearest ancestor grid that has not ended */
    struct cpu_device_runtime *runtime;
    uint64_t serial; /* part of each handle: handles of other grids are invalid */
    pthread_mutex_t lock; /* guards everything below: blocks on several workers launch */
    struct cpu_command *prepared; /* launches whose parameter buffers were handed out */
    struct list now, tails;
    struct handles streams, events;
    struct error *errors[ERROR_BUCKETS];
};

static struct cpu_children *begin(struct cpu_children *outer, struct cpu_device_runtime *runtime)
{
    static _Atomic uint64_t last;
    struct cpu_children *children = calloc(1, sizeof *children);
    if (!children)
        return NULL;
    children->outer = outer;
    children->runtime = runtime;
    children->serial = (atomic_fetch_add(&last, 1) + 1) & 0xfffffff;
    pthread_mutex_init(&children->lock, NULL);
    return children;
}

static void discard(struct cpu_children *children, struct cpu_command *command)
{
    if (command->kind == CPU_LAUNCH) {
        atomic_fetch_sub(&children->runtime->pending, 1);
        if (command->number) /* the buffer is in the table of allocations, its address is the id */
            cpu_table_remove((uint64_t)(uintptr_t)command->params);
        if (!command->launch.compiled) { /* a parameter buffer that was never launched */
            free(command);
            return;
        }
    }
    cpu_command_discard(command);
}

static struct cpu_command *take(struct list *list)
{
    struct cpu_command *command = list->first;
    if (command)
        list->first = command->next;
    return command;
}

static void discard_all(struct cpu_children *children, struct list *list)
{
    for (struct cpu_command *command; (command = take(list));)
        discard(children, command);
}

/* Return the outer one. */
static struct cpu_children *end(struct cpu_children *children)
{
    struct cpu_children *outer = children->outer;
    struct list prepared = {children->prepared, NULL};
    discard_all(children, &prepared);
    discard_all(children, &children->now);
    discard_all(children, &children->tails);
    for (unsigned i = 0; i < ERROR_BUCKETS; i++)
        for (struct error *error = children->errors[i], *next; error; error = next) {
            next = error->next;
            free(error);
        }
    free(children->streams.alive);
    free(children->events.alive);
    pthread_mutex_destroy(&children->lock);
    free(children);
    return outer;
}

static bool is_empty(const struct cpu_children *children)
{
    return !children->now.first && !children->tails.first;
}

static struct cpu_command *next_of(struct cpu_children *children)
{
    struct cpu_command *command = take(&children->now);
    return command ? command : take(&children->tails);
}

static bool run_one(struct cpu_command *command, struct cpu_exec exec, struct cpu_children **top)
{
    struct cpu_children *children = *top, *inner = NULL;
    struct cpu_device_runtime *runtime = children->runtime;
    bool launches = command->kind == CPU_LAUNCH && command->launch.compiled->device_runtime;
    if (!launches) {
        bool fine = cpu_command_run(command, exec);
        discard(children, command);
        return fine;
    }
    inner = begin(children, runtime);
    bool fine = inner && cpu_launch_run(command, exec, inner);
    discard(children, command);
    if (!inner) {
        memset(exec.fault, 0, sizeof *exec.fault);
        exec.fault->kind = CPU_FAULT_UNSUPPORTED;
        strcpy(exec.fault->message, "out of host memory for what a kernel launches");
        return false;
    }
    if (is_empty(children)) /* so that a kernel that launches itself at its tail needs no more memory each time */
        inner->outer = end(children);
    *top = inner;
    return fine;
}

bool cpu_children_run(struct cpu_command *command, struct cpu_exec exec)
{
    struct cpu_children *top = begin(NULL, command->launch.compiled->device_runtime);
    if (!top) {
        memset(exec.fault, 0, sizeof *exec.fault);
        exec.fault->kind = CPU_FAULT_UNSUPPORTED;
        strcpy(exec.fault->message, "out of host memory for what a kernel launches");
        return false;
    }
    bool fine = cpu_launch_run(command, exec, top);
    while (top) {
        if (fine && !is_empty(top) && cpu_exec_stopped(exec)) { /* cancelled between two children */
            memset(exec.fault, 0, sizeof *exec.fault);
            exec.fault->kind = CPU_FAULT_CANCELLED;
            fine = false;
        }
        struct cpu_command *next = fine ? next_of(top) : NULL;
        if (next)
            fine = run_one(next, exec, &top);
        else
            top = end(top);
    }
    return fine;
}

const struct cpu_device_runtime *cpu_children_device_runtime(const struct cpu_children *children)
{
    return children->runtime;
}

/* --- called by kernels, on several workers at once ---------------------------------------------------------------- */

/* Count one more launch; false: the limit is reached. */
static bool count_pending(struct cpu_device_runtime *runtime)
{
    uint64_t most = atomic_load(&runtime->limits[CPU_LIMIT_PENDING]);
    if (atomic_fetch_add(&runtime->pending, 1) < most)
        return true;
    atomic_fetch_sub(&runtime->pending, 1);
    return false;
}

struct cpu_command *cpu_children_command(struct cpu_children *children, enum cpu_command_kind kind, size_t parameters,
                                         uint32_t *status)
{
    if (kind == CPU_LAUNCH && !count_pending(children->runtime)) {
        *status = CPU_PENDING_COUNT_EXCEEDED;
        return NULL;
    }
    size_t room = parameters > CPU_INLINE_PARAMS ? parameters : CPU_INLINE_PARAMS;
    struct cpu_command *command = aligned_alloc(64, (offsetof(struct cpu_command, params) + room + 63) & ~(size_t)63);
    if (!command) {
        if (kind == CPU_LAUNCH)
            atomic_fetch_sub(&children->runtime->pending, 1);
        *status = CPU_MEMORY_ALLOCATION;
        return NULL;
    }
    memset(command, 0, offsetof(struct cpu_command, params) + room);
    command->kind = kind;
    if (kind == CPU_LAUNCH)
        command->launch.params = command->params;
    return command;
}

void cpu_children_prepare(struct cpu_children *children, struct cpu_command *command, uint64_t checked)
{
    uint64_t start = (uint64_t)(uintptr_t)command->params;
    command->number = checked;
    if (checked)
        cpu_table_add(start, checked, start, false, "cudaGetParameterBuffer() in a kernel");
    pthread_mutex_lock(&children->lock);
    command->next = children->prepared;
    children->prepared = command;
    pthread_mutex_unlock(&children->lock);
}

struct cpu_command *cpu_children_prepared(struct cpu_children *children, uint64_t parameters)
{
    struct cpu_command *found = NULL;
    pthread_mutex_lock(&children->lock);
    for (struct cpu_command **each = &children->prepared; *each && !found; each = found ? each : &(*each)->next) {
        if ((uint64_t)(uintptr_t)(*each)->params == parameters) {
            found = *each;
            *each = found->next;
        }
    }
    pthread_mutex_unlock(&children->lock);
    return found;
}

uint32_t cpu_children_add(struct cpu_children *children, struct cpu_command *command, uint64_t stream)
{
    struct list *list = stream == CPU_STREAM_TAIL ? &children->tails : &children->now;
    if (!(stream <= CPU_STREAM_FIRE_AND_FORGET || cpu_children_has(children, CPU_STREAM_HANDLE, stream))) {
        discard(children, command);
        return CPU_INVALID_RESOURCE_HANDLE;
    }
    command->next = NULL;
    pthread_mutex_lock(&children->lock);
    if (list->first)
        list->last->next = command;
    else
        list->first = command;
    list->last = command;
    pthread_mutex_unlock(&children->lock);
    return CPU_SUCCESS;
}

static struct handles *handles_of(struct cpu_children *children, enum cpu_handle_kind kind)
{
    return kind == CPU_STREAM_HANDLE ? &children->streams : &children->events;
}

uint64_t cpu_children_new_handle(struct cpu_children *children, enum cpu_handle_kind kind)
{
    struct handles *handles = handles_of(children, kind);
    uint64_t handle = 0;
    pthread_mutex_lock(&children->lock);
    if (handles->count == handles->room && handles->room < MAX_HANDLES) {
        uint32_t room = handles->room ? 2 * handles->room : FIRST_ROOM;
        bool *alive = realloc(handles->alive, room);
        handles->alive = alive ? alive : handles->alive;
        handles->room = alive ? room : handles->room;
    }
    if (handles->count < handles->room) {
        handles->alive[handles->count] = true;
        handle = (uint64_t)kind << 60 | children->serial << 24 | handles->count++;
    }
    pthread_mutex_unlock(&children->lock);
    return handle;
}

/* With the lock held: return a pointer to the `alive` flag of a handle; NULL: invalid. */
static bool *find(struct cpu_children *children, enum cpu_handle_kind kind, uint64_t handle)
{
    struct handles *handles = handles_of(children, kind);
    uint32_t index = handle & (MAX_HANDLES - 1);
    if (handle >> 24 != ((uint64_t)kind << 36 | children->serial) || index >= handles->count || !handles->alive[index])
        return NULL;
    return &handles->alive[index];
}

bool cpu_children_has(struct cpu_children *children, enum cpu_handle_kind kind, uint64_t handle)
{
    pthread_mutex_lock(&children->lock);
    bool has = find(children, kind, handle);
    pthread_mutex_unlock(&children->lock);
    return has;
}

bool cpu_children_forget(struct cpu_children *children, enum cpu_handle_kind kind, uint64_t handle)
{
    pthread_mutex_lock(&children->lock);
    bool *alive = find(children, kind, handle);
    if (alive)
        *alive = false; /* its pending work still executes */
    pthread_mutex_unlock(&children->lock);
    return alive;
}

/* With the lock held: return the link to a thread's entry, or to where it is to be inserted. */
static struct error **error_link(struct cpu_children *children, uint64_t thread)
{
    struct error **link = &children->errors[thread % ERROR_BUCKETS];
    while (*link && (*link)->thread != thread)
        link = &(*link)->next;
    return link;
}

uint32_t cpu_children_error(struct cpu_children *children, uint64_t thread, bool clear)
{
    pthread_mutex_lock(&children->lock);
    struct error **link = error_link(children, thread), *error = *link;
    uint32_t status = error ? error->status : CPU_SUCCESS;
    if (error && clear) {
        *link = error->next;
        free(error);
    }
    pthread_mutex_unlock(&children->lock);
    return status;
}

void cpu_children_set_error(struct cpu_children *children, uint64_t thread, uint32_t status)
{
    pthread_mutex_lock(&children->lock);
    struct error **link = error_link(children, thread);
    if (!*link)
        *link = calloc(1, sizeof **link); /* out of memory: the error is not recorded */
    if (*link) {
        (*link)->thread = thread;
        (*link)->status = status;
    }
    pthread_mutex_unlock(&children->lock);
}
