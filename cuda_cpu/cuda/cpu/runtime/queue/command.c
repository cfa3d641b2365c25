/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Execution of each kind of command.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "branches.h"
#include "check/init.h"
#include "check/operation.h"
#include "decompress.h"
#include "device_runtime/device.h"
#include "graph.h"
#include "node.h"
#include "timeline.h"

/* Argument of the functions that are called with faults caught. */
struct run {
    struct cpu_command *command;
    struct cpu_exec exec;
};

static void copy_rows(void *argument)
{
    const struct cpu_rows *rows = &((struct run *)argument)->command->rows;
    for (uint64_t row = 0; row < rows->height; row++)
        memmove((void *)(uintptr_t)(rows->destination + row * rows->destination_pitch),
                (const void *)(uintptr_t)(rows->source + row * rows->source_pitch), rows->width);
}

static void fill_row(uint8_t *row, uint64_t width, uint32_t value, uint32_t value_width)
{
    if (value_width == 1)
        memset(row, (int)value, width);
    else
        for (uint64_t at = 0; at < width; at += value_width)
            memcpy(row + at, &value, value_width); /* little-endian: the low bytes come first */
}

static void fill_rows(void *argument)
{
    const struct cpu_rows *rows = &((struct run *)argument)->command->rows;
    for (uint64_t row = 0; row < rows->height; row++)
        fill_row((uint8_t *)(uintptr_t)(rows->destination + row * rows->destination_pitch), rows->width, rows->value,
                 rows->value_width);
}

/* A long copy or fill is split into chunks, and executes as a launch of a native kernel with a block for each chunk. */
#define MIN_SHARE ((uint64_t)1 << 20)

static uint64_t share_of(const struct cpu_warp *warp, const struct cpu_rows *rows, uint64_t *start)
{
    *start = warp->block_idx[0] * rows->share;
    return rows->width - *start < rows->share ? rows->width - *start : rows->share;
}

static void copy_share(struct cpu_warp *warp)
{
    const struct cpu_rows *rows = (const void *)warp->params;
    uint64_t start, size = share_of(warp, rows, &start);
    memcpy((void *)(uintptr_t)(rows->destination + start), (const void *)(uintptr_t)(rows->source + start), size);
}

static void fill_share(struct cpu_warp *warp)
{
    const struct cpu_rows *rows = (const void *)warp->params;
    uint64_t start, size = share_of(warp, rows, &start);
    fill_row((uint8_t *)(uintptr_t)(rows->destination + start), size, rows->value, rows->value_width);
}

static struct cpu_compiled_kernel copying = {.entry = copy_share, .name = ""}, filling = {.entry = fill_share, .name = ""};

static bool is_shared_out(const struct cpu_command *command)
{
    const struct cpu_rows *rows = &command->rows;
    bool apart = rows->destination - rows->source >= rows->width && rows->source - rows->destination >= rows->width;
    return rows->height == 1 && rows->width >= 4 * MIN_SHARE && cpu_pool_workers() > 1 &&
           (command->kind == CPU_FILL || apart);
}

static bool run_shares(struct cpu_command *command, struct cpu_exec exec, const char *message)
{
    struct cpu_rows *rows = &command->rows;
    struct cpu_job job;
    /* Two chunks for each worker: long ones, since for these memcpy uses non-temporal stores. */
    rows->share = (rows->width / (cpu_pool_workers() * 2) + 4095) & ~(uint64_t)4095;
    if (rows->share < MIN_SHARE)
        rows->share = MIN_SHARE;
    memset(&job, 0, offsetof(struct cpu_job, fault));
    job.compiled = command->kind == CPU_COPY ? &copying : &filling;
    job.params = (const uint8_t *)rows;
    for (int i = 0; i < 3; i++)
        job.grid_dim[i] = job.block_dim[i] = job.cluster_dim[i] = 1;
    job.grid_dim[0] = (uint32_t)((rows->width + rows->share - 1) / rows->share);
    cpu_fault_renew();
    cpu_job_run(&job, exec.worker);
    if (!atomic_load(&job.recorded))
        return true;
    *exec.fault = (struct cpu_fault_record){.kind = job.fault.kind, .address = job.fault.address};
    strcpy(exec.fault->message, message);
    return false;
}

static void write_value(void *argument)
{
    const struct cpu_value *value = &((struct run *)argument)->command->value;
    if (value->width == 4)
        __atomic_store_n((uint32_t *)(uintptr_t)value->address, (uint32_t)value->value, __ATOMIC_SEQ_CST);
    else
        __atomic_store_n((uint64_t *)(uintptr_t)value->address, value->value, __ATOMIC_SEQ_CST);
}

static bool holds(const struct cpu_value *value)
{
    uint64_t now, mask = value->width == 4 ? UINT32_MAX : UINT64_MAX;
    if (value->width == 4)
        now = __atomic_load_n((uint32_t *)(uintptr_t)value->address, __ATOMIC_SEQ_CST);
    else
        now = __atomic_load_n((uint64_t *)(uintptr_t)value->address, __ATOMIC_SEQ_CST);
    switch (value->condition) {
    case CPU_GREATER_EQUAL: /* modulo 2**n, as the driver API specifies */
        return value->width == 4 ? (int32_t)(now - value->value) >= 0 : (int64_t)(now - value->value) >= 0;
    case CPU_EQUAL:
        return now == (value->value & mask);
    case CPU_AND:
        return (now & value->value & mask) != 0;
    default:
        return (~(now | value->value) & mask) != 0;
    }
}

static void wait_value(void *argument)
{
    struct run *run = argument;
    for (uint32_t rounds = 0; !holds(&run->command->value); rounds++) {
        if (cpu_exec_stopped(run->exec))
            return;
        if (rounds < 1000) {
            cpu_relax();
        } else {
            struct timespec span = {0, 50000};
            nanosleep(&span, NULL);
        }
    }
}

static void prepare(struct cpu_job *job, const struct cpu_command *command, struct cpu_exec exec)
{
    const struct cpu_launch *launch = &command->launch;
    memset(job, 0, offsetof(struct cpu_job, fault));
    job->compiled = launch->compiled;
    job->params = launch->params;
    memcpy(job->grid_dim, launch->grid_dim, sizeof job->grid_dim);
    memcpy(job->block_dim, launch->block_dim, sizeof job->block_dim);
    memcpy(job->cluster_dim, launch->cluster_dim, sizeof job->cluster_dim);
    job->shared_size = launch->compiled->shared_static + launch->shared_dynamic;
    job->grid_id = launch->grid_id;
    job->cooperative = launch->cooperative;
    job->graph = exec.worker->graph;
    job->operation = exec.operation;
    job->node = command->operation != exec.operation ? command->operation : 0;
    job->round = exec.round;
    job->limit = cpu_queue_workers(exec.queue);
}

/* Execute a launch, or continue a suspended one. */
bool cpu_launch_run(struct cpu_command *command, struct cpu_exec exec, struct cpu_children *children)
{
    struct cpu_job *job = &exec.worker->own;
    if (command->launch.disabled && !exec.worker->suspended)
        return true;
    if (!exec.worker->suspended) {
        prepare(job, command, exec);
        job->children = children;
        cpu_fault_renew();
        cpu_queue_running(exec.queue, exec.number, job);
        if (exec.branches && cpu_exec_stopped(exec)) /* since the jobs of this queue were stopped */
            atomic_store(&job->stop, CPU_FAULT_CANCELLED);
    }
    if (!cpu_job_run(job, exec.worker))
        return true;
    cpu_queue_ran(exec.queue, job);
    if (!atomic_load(&job->recorded))
        return true;
    *exec.fault = job->fault;
    return false;
}

static bool allocate_params(struct cpu_command *command, uint32_t size)
{
    uint32_t wanted = command->launch.compiled->alignment;
    size_t alignment = wanted > CPU_ALIGNMENT ? wanted : CPU_ALIGNMENT;
    command->launch.params = command->params;
    if (size > sizeof command->params || alignment > CPU_ALIGNMENT)
        command->launch.params = aligned_alloc(alignment, (size + alignment - 1) & -alignment);
    return command->launch.params;
}

bool cpu_launch_params(struct cpu_command *command, const void *params, uint32_t size)
{
    if (!allocate_params(command, size))
        return false;
    if (size)
        memcpy(command->launch.params, params, size);
    return true;
}

bool cpu_launch_gather(struct cpu_command *command, void *const *pointers)
{
    const struct cpu_compiled_kernel *compiled = command->launch.compiled;
    if (!allocate_params(command, compiled->parameter_bytes))
        return false;
    for (uint32_t i = 0; i < compiled->parameters; i++)
        memcpy(command->launch.params + compiled->layout[i].offset, pointers[i], compiled->layout[i].size);
    return true;
}

/* Return whether a launch is expected to take at most `time` nanoseconds of all threads together. */
static bool is_within(const struct cpu_launch *launch, uint64_t time)
{
    uint32_t block_time = atomic_load_explicit(&launch->compiled->block_time, memory_order_relaxed);
    return block_time && (uint64_t)launch->grid_dim[0] * launch->grid_dim[1] * launch->grid_dim[2] <= time / block_time;
}

/* Return whether a launch is expected to take too long to wait for it by spinning, or its time is unknown. */
static bool is_long(const struct cpu_launch *launch)
{
    return !is_within(launch, (uint64_t)CPU_AWAITED_NS * cpu_pool_workers());
}

static uint32_t launch_limit(const struct cpu_launch *launch)
{
    const struct cpu_compiled_kernel *compiled = launch->compiled;
    if (launch->cooperative || compiled->device_runtime || compiled->path == CPU_PATH_FIBERS)
        return 0;
    if (is_within(launch, CPU_SHORT_NS))
        return CPU_SHORT_NS;
    return is_long(launch) ? 0 : CPU_AWAITED_NS;
}

/* Commands with a limit do not block, and a kernel that turns out to is suspended. */
uint32_t cpu_command_limit(const struct cpu_command *command)
{
    switch (command->kind) {
    case CPU_LAUNCH:
        return launch_limit(&command->launch);
    case CPU_COPY:
    case CPU_FILL:
        return command->rows.width * command->rows.height <= CPU_SHORT_BYTES ? CPU_SHORT_NS : 0;
    case CPU_WAIT_EVENT:
        return cpu_event_record_done(command->record) ? CPU_SHORT_NS : 0;
    case CPU_WRITE_VALUE:
    case CPU_RECORD:
    case CPU_FREE:
        return CPU_SHORT_NS;
    default:
        return 0;
    }
}

bool cpu_command_is_long(const struct cpu_command *command)
{
    const struct cpu_launch *launch = &command->launch;
    return command->kind == CPU_LAUNCH && atomic_load_explicit(&launch->compiled->block_time, memory_order_relaxed) &&
           is_long(launch);
}

/* Tell initcheck what a command has written. */
static void track(const struct cpu_command *command)
{
    const struct cpu_rows *rows = &command->rows;
    bool copies = command->kind == CPU_COPY;
    for (uint64_t row = 0; (copies || command->kind == CPU_FILL) && row < rows->height; row++) {
        uint64_t to = rows->destination + row * rows->destination_pitch;
        if (copies)
            cpu_init_copy(to, rows->source + row * rows->source_pitch, rows->width);
        else
            cpu_init_mark(to, rows->width, true);
    }
    if (command->kind == CPU_WRITE_VALUE)
        cpu_init_mark(command->value.address, command->value.width, true);
}

static bool run_guarded(struct cpu_command *command, struct cpu_exec exec, void (*function)(void *), const char *message)
{
    struct run run = {command, exec};
    struct cpu_fault_record *fault = exec.fault;
    if ((command->kind == CPU_COPY || command->kind == CPU_FILL) && is_shared_out(command))
        return run_shares(command, exec, message);
    memset(fault, 0, sizeof *fault);
    fault->kind = CPU_FAULT_UNSUPPORTED; /* out of memory for a stack, unless the fault handler overwrites it */
    exec.worker->record = fault;
    cpu_fault_renew();
    bool done = cpu_worker_call(exec.worker, function, &run);
    exec.worker->record = NULL;
    if (!done)
        strcpy(fault->message, message);
    return done;
}

static bool guarded(struct cpu_command *command, struct cpu_exec exec, void (*function)(void *), const char *message)
{
    bool done = run_guarded(command, exec, function, message);
    if (done && atomic_load_explicit(&cpu_init_on, memory_order_relaxed))
        track(command);
    if (done && atomic_load_explicit(&cpu_operations_on, memory_order_relaxed))
        cpu_operation_moved(command, exec);
    return done;
}

static void decompress(void *argument)
{
    const struct cpu_decompress *batch = &((struct run *)argument)->command->decompress;
    bool tracked = atomic_load_explicit(&cpu_init_on, memory_order_relaxed);
    for (uint64_t i = 0; i < batch->count; i++) {
        uint32_t written = cpu_decompress(&batch->all[i]);
        if (tracked)
            cpu_init_mark(batch->all[i].target, written, true);
        if (tracked && batch->all[i].written)
            cpu_init_mark(batch->all[i].written, sizeof written, true);
    }
}

static bool wait_event(struct cpu_command *command, struct cpu_exec exec)
{
    while (!cpu_event_record_wait(command->record, cpu_now() + 5000000))
        if (cpu_exec_stopped(exec))
            break;
    return true;
}

static bool execute(struct cpu_command *command, struct cpu_exec exec)
{
    switch (command->kind) {
    case CPU_LAUNCH:
        return command->launch.compiled->device_runtime ? cpu_children_run(command, exec) : cpu_launch_run(command, exec, NULL);
    case CPU_COPY:
        return guarded(command, exec, copy_rows, "a copy");
    case CPU_FILL:
        return guarded(command, exec, fill_rows, "a fill");
    case CPU_WRITE_VALUE:
        return guarded(command, exec, write_value, "a write of a value");
    case CPU_WAIT_VALUE:
        return guarded(command, exec, wait_value, "a wait for a value");
    case CPU_WAIT_EVENT:
        return wait_event(command, exec);
    case CPU_RECORD:
        cpu_event_record_complete(command->record);
        return true;
    case CPU_CALL:
        command->call.function(command->call.data);
        return true;
    case CPU_FREE:
        cpu_arena_free(command->deferred.arena, command->deferred.address);
        return true;
    case CPU_CHOICE:
        return cpu_choice_run(&command->choice, exec);
    case CPU_BRANCHES:
        return cpu_branches_run(&command->branches, exec);
    case CPU_GRAPH_PART:
        return cpu_part_run(&command->part, exec);
    case CPU_DECOMPRESS:
        return guarded(command, exec, decompress, "a decompression");
    case CPU_UNMAP:
        munmap((void *)(uintptr_t)command->unmap.address, command->unmap.size);
        return true;
    }
    return true;
}

bool cpu_command_run(struct cpu_command *command, struct cpu_exec exec)
{
    if (!atomic_load_explicit(&cpu_timeline_on, memory_order_relaxed))
        return execute(command, exec);
    int64_t begin = cpu_now();
    bool done = execute(command, exec);
    cpu_timeline_note(command, exec.queue, begin);
    return done;
}

bool cpu_command_always(const struct cpu_command *command)
{
    return command->kind == CPU_RECORD || command->kind == CPU_FREE || command->kind == CPU_UNMAP ||
           (command->kind == CPU_CALL && command->call.always);
}

void cpu_command_release(struct cpu_command *command)
{
    if (command->kind == CPU_LAUNCH) {
        cpu_node_detach(&command->launch);
        if (command->launch.params != command->params)
            free(command->launch.params);
        atomic_fetch_sub(&command->launch.compiled->in_flight, 1);
    } else if (command->kind == CPU_RECORD || command->kind == CPU_WAIT_EVENT) {
        cpu_event_record_release(command->record);
    } else if (command->kind == CPU_DECOMPRESS) {
        free(command->decompress.all);
    } else if (command->kind == CPU_FREE) {
        cpu_arena_release(command->deferred.arena);
    } else if (command->kind == CPU_CHOICE) {
        cpu_choice_release(&command->choice);
    } else if (command->kind == CPU_BRANCHES) {
        cpu_branches_release(&command->branches);
    } else if (command->kind == CPU_GRAPH_PART) {
        cpu_sequence_release(command->part.sequence);
        cpu_graph_run_release(command->part.run);
    }
}
