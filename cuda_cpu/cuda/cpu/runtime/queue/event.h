/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * A marker is one record of an event: done once its queue has come to it. An event is its latest marker.
 */
#ifndef CUDA_CPU_EVENT_H
#define CUDA_CPU_EVENT_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "wait.h"

struct cpu_shared;

struct cpu_marker {
    _Atomic uint32_t references;
    struct cpu_bell done;      /* rings once */
    int64_t time;              /* cpu_now() of that */
    struct cpu_shared *shared; /* where the record is of an event between processes */
    uint64_t ticket;           /* and its number there */
};

struct cpu_event {
    pthread_mutex_t lock;
    struct cpu_marker *latest; /* NULL: never recorded */
    struct cpu_shared *shared; /* NULL: of this process alone */
};

#define CPU_SHARED_BYTES 4096 /* of the file that an event between processes lies in */

/* `file`: that of an event between processes, which is mapped (-1: none). */
struct cpu_event *cpu_event_make(int file);
void cpu_event_free(struct cpu_event *event);
struct cpu_marker *cpu_event_mark(struct cpu_event *event);   /* a new latest one, with a reference for the caller */
struct cpu_marker *cpu_event_latest(struct cpu_event *event); /* with a reference for the caller, or NULL */

bool cpu_marker_done(struct cpu_marker *marker); /* true for NULL */
bool cpu_marker_wait(struct cpu_marker *marker, int64_t deadline);
void cpu_marker_finish(struct cpu_marker *marker);
void cpu_marker_release(struct cpu_marker *marker);

#endif
