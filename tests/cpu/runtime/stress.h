/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the native runtime's stress test share.
 */
#ifndef STRESS_H
#define STRESS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "queue/arena.h"
#include "queue/event.h"
#include "queue/queue.h"

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s, line %d: %s\n", __FILE__, __LINE__, #condition);                                      \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

void number_threads(struct cpu_warp *warp); /* a kernel of kernels.c */

extern struct cpu_arena *arena;

/* Objects that all threads use. */
extern struct common {
    struct cpu_queue *queue;
    struct cpu_event *event;
    struct cpu_compiled_kernel *compiled;
} common;

void make_common(void);
void end_common(void);
void share(struct cpu_queue *own); /* use the common objects, and the thread's own queue */

void invite_helpers(void); /* with more workers than before */

#endif
