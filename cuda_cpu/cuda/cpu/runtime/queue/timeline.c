/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 */
#include "timeline.h"

#include <stdlib.h>
#include <string.h>

_Atomic bool cpu_timeline_on;

static _Atomic(struct cpu_span *) last;

static const char *const names[] = {
    [CPU_LAUNCH] = "kernel", [CPU_COPY] = "copy", [CPU_FILL] = "fill", [CPU_WRITE_VALUE] = "write value",
    [CPU_WAIT_VALUE] = "wait for value", [CPU_CALL] = "host callback", [CPU_CHOICE] = "conditional node",
    [CPU_BRANCHES] = "graph", [CPU_GRAPH_PART] = "part of a graph", [CPU_RECORD] = "record event",
    [CPU_WAIT_EVENT] = "wait for event", [CPU_FREE] = "free", [CPU_UNMAP] = "unmap", [CPU_DECOMPRESS] = "decompress",
};

const char *cpu_timeline_name(int kind)
{
    return names[kind];
}

void cpu_timeline_switch(bool on)
{
    atomic_store(&cpu_timeline_on, on);
}

void cpu_timeline_note(const struct cpu_command *command, const struct cpu_queue *queue, int64_t begin)
{
    const char *name = command->kind == CPU_LAUNCH ? command->launch.compiled->name : "";
    struct cpu_span *span = calloc(1, sizeof *span + strlen(name) + 1);
    if (!span)
        return;
    span->queue = queue;
    span->kind = command->kind;
    span->begin = begin;
    span->end = cpu_now();
    strcpy(span->name, name);
    if (command->kind == CPU_LAUNCH) {
        memcpy(span->grid_dim, command->launch.grid_dim, sizeof span->grid_dim);
        memcpy(span->block_dim, command->launch.block_dim, sizeof span->block_dim);
    } else if (command->kind == CPU_COPY || command->kind == CPU_FILL) {
        span->bytes = command->rows.width * command->rows.height;
    }
    span->next = atomic_load(&last);
    while (!atomic_compare_exchange_weak(&last, &span->next, span))
        ;
}

struct cpu_span *cpu_timeline_take(void)
{
    return atomic_exchange(&last, NULL);
}
