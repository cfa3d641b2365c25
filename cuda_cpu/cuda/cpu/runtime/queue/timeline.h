/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Timeline: when each command of the queues began and ended.
 */
#ifndef CUDA_CPU_TIMELINE_H
#define CUDA_CPU_TIMELINE_H

#include "queue.h"

/* The execution of a command, or a part of it, if it was suspended. */
struct cpu_span {
    struct cpu_span *next;
    const struct cpu_queue *queue; /* identifies it; it may not exist any more */
    int kind; /* enum cpu_command_kind */
    int64_t begin, end; /* cpu_now() */
    uint64_t bytes;     /* of a copy or fill */
    uint32_t grid_dim[3], block_dim[3];
    char name[]; /* of a kernel */
};

extern _Atomic bool cpu_timeline_on;
void cpu_timeline_switch(bool on);
const char *cpu_timeline_name(int kind); /* of a kind of commands, for users */

/* Called at the end of a command that began at `begin`. Without memory, the span is lost. */
void cpu_timeline_note(const struct cpu_command *command, const struct cpu_queue *queue, int64_t begin);
/* Remove all spans, the last one first; the caller frees them. */
struct cpu_span *cpu_timeline_take(void);

#endif
