/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Part of stress.c: threads that share one queue, one event and one arena, launch by the fast path while its epoch
 * changes, and run graphs.
 */
#include "stress.h"

#include "queue/fast_path_cache.h"
#include "queue/graph.h"

#define BLOCKS 3
#define ELEMENTS (BLOCKS * 64)

struct common common;

void make_common(void)
{
    common.queue = cpu_queue_make(0);
    common.event = cpu_event_make(-1);
    common.compiled = calloc(1, sizeof *common.compiled + 1);
    common.compiled->layout = calloc(2, sizeof *common.compiled->layout);
    common.compiled->entry = number_threads;
    common.compiled->parameter_bytes = 16;
    common.compiled->parameters = 2;
    common.compiled->layout[0].size = common.compiled->layout[1].size = common.compiled->layout[1].offset = 8;
    atomic_store(&common.compiled->in_flight, 1);
}

void end_common(void)
{
    CHECK(cpu_queue_wait(common.queue, CPU_FOREVER));
    cpu_queue_destroy(common.queue);
    cpu_event_free(common.event);
}

/* Launch as Python does, and cache the fast path; `function` and `stream` are any numbers. */
static void launch_slowly(void *const *params, const uint32_t shape[7])
{
    struct cpu_fast_path_entry entry = {.function = 5, .stream = 6, .queue = common.queue, .compiled = common.compiled,
                                        .max_threads = 1024};
    uint64_t epoch = cpu_fast_path_epoch();
    struct cpu_command *command = cpu_command_make(common.queue, CPU_LAUNCH);
    command->launch = (struct cpu_launch){.compiled = common.compiled, .cluster_dim = {1, 1, 1}};
    memcpy(command->launch.grid_dim, shape, 12);
    memcpy(command->launch.block_dim, shape + 3, 12);
    atomic_fetch_add(&common.compiled->in_flight, 1);
    CHECK(cpu_launch_gather(command, params));
    CHECK(cpu_queue_submit(common.queue, command) == CPU_SUBMITTED);
    cpu_fast_path_add(&entry, epoch);
    entry.function = 0;
    entry.compiled = NULL;
    cpu_fast_path_add(&entry, epoch);
}

static void launch_in_common_queue(uint32_t *out, int turns)
{
    uint64_t address = (uint64_t)(uintptr_t)out, number = 0;
    void *const params[2] = {&address, &number};
    const uint32_t shape[7] = {BLOCKS, 1, 1, 64, 1, 1, 0};
    cpu_fast_path_set_context(7);
    for (int turn = 0; turn < turns; turn++) {
        memset(out, 0, ELEMENTS * sizeof *out);
        if (cpu_fast_path.launch(5, shape, 6, params) == CPU_FALLBACK)
            launch_slowly(params, shape);
        if (turn % 16 == 7)
            cpu_fast_path_invalidate();
        if (cpu_fast_path.synchronize(6) != 0)
            CHECK(cpu_queue_wait(common.queue, CPU_FOREVER));
        for (uint32_t i = 0; i < ELEMENTS; i++)
            CHECK(out[i] == i + 1);
    }
}

static struct cpu_command *fill(struct cpu_queue *queue, uint32_t *at, uint32_t value)
{
    struct cpu_command *command = cpu_command_make(queue, CPU_FILL);
    command->rows = (struct cpu_rows){.destination = (uint64_t)(uintptr_t)at, .width = 4 * ELEMENTS, .height = 1,
                                      .value = value, .value_width = 4};
    return command;
}

/* A graph of three parts, of which the second and third wait for the first. */
static void run_branches(struct cpu_queue *queue, uint32_t *out)
{
    static const uint32_t after[2] = {1, 2};
    struct cpu_command *command = cpu_command_make(queue, CPU_BRANCHES);
    struct cpu_branch *parts = calloc(3, sizeof *parts);
    for (uint32_t i = 0; i < 3; i++) {
        parts[i] = (struct cpu_branch){.sequence = cpu_sequence_make(), .before = i > 0, .count = i ? 0 : 2,
                                       .after = calloc(2, sizeof(uint32_t))};
        if (!i)
            memcpy(parts[i].after, after, sizeof after);
        for (uint32_t part = i ? i - 1 : 0; part < (i ? i : 2); part++)
            CHECK(cpu_sequence_append(parts[i].sequence, fill(queue, out + part * ELEMENTS, i + 1)));
    }
    command->branches = (struct cpu_branches){parts, 3};
    CHECK(cpu_queue_submit(queue, command) == CPU_SUBMITTED);
    CHECK(cpu_queue_wait(queue, CPU_FOREVER));
    for (uint32_t i = 0; i < 2 * ELEMENTS; i++)
        CHECK(out[i] == (i < ELEMENTS ? 2 : 3));
}

/* Record the common event in the common queue, and wait for the latest record, which may be another thread's. */
static void use_common_event(struct cpu_queue *own)
{
    struct cpu_command *command = cpu_command_make(common.queue, CPU_RECORD);
    command->record = cpu_event_new_record(common.event);
    CHECK(cpu_queue_submit(common.queue, command) == CPU_SUBMITTED);
    command = cpu_command_make(own, CPU_WAIT_EVENT);
    command->record = cpu_event_latest(common.event);
    CHECK(cpu_queue_submit(own, command) == CPU_SUBMITTED);
    struct cpu_event_record *record = cpu_event_latest(common.event);
    CHECK(cpu_event_record_wait(record, CPU_FOREVER) && cpu_event_record_done(record) && record->time > 0);
    cpu_event_record_release(record);
    CHECK(cpu_queue_wait(own, CPU_FOREVER));
}

static void use_common_arena(void)
{
    uint64_t address[8], start, size;
    for (int i = 0; i < 8; i++) {
        CHECK(cpu_arena_allocate(arena, 500 * (uint64_t)(i + 1), &address[i]) == CPU_ARENA_DONE);
        memset((void *)(uintptr_t)address[i], i, 500 * (size_t)(i + 1));
    }
    for (int i = 0; i < 8; i++) {
        CHECK(cpu_arena_find(arena, address[i] + 100, &start, &size) && start == address[i]);
        CHECK(cpu_arena_used(arena) >= 512 && cpu_arena_free(arena, address[i]));
    }
}

void share(struct cpu_queue *own)
{
    uint32_t *out = malloc(2 * ELEMENTS * sizeof *out);
    launch_in_common_queue(out, 40);
    run_branches(own, out);
    use_common_event(own);
    use_common_arena();
    free(out);
}
