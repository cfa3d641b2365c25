/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Events. Each cuEventRecord makes a cpu_event_record, which completes when the queue executes it; the state of an
 * event is that of its latest record.
 */
#ifndef CUDA_CPU_EVENT_H
#define CUDA_CPU_EVENT_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "wait.h"

struct cpu_shared;

struct cpu_event_record {
    _Atomic uint32_t references;
    struct cpu_eventcount done;      /* notified once, on completion */
    int64_t time;              /* cpu_now() at completion */
    struct cpu_shared *shared; /* state of an interprocess event, or NULL */
    uint64_t ticket;           /* number of the record in it */
};

struct cpu_event {
    pthread_mutex_t lock;
    struct cpu_event_record *latest; /* NULL: never recorded */
    struct cpu_shared *shared; /* NULL: not an interprocess event */
};

#define CPU_SHARED_BYTES 4096 /* size of the file that backs an interprocess event */

/* `file`: descriptor of the file that backs an interprocess event, which is mapped (-1: none). */
struct cpu_event *cpu_event_make(int file);
void cpu_event_free(struct cpu_event *event);
/* Make a record, which becomes the latest one; with a reference for the caller. */
struct cpu_event_record *cpu_event_new_record(struct cpu_event *event);
struct cpu_event_record *cpu_event_latest(struct cpu_event *event); /* with a reference for the caller, or NULL */

bool cpu_event_record_done(struct cpu_event_record *record); /* true for NULL */
bool cpu_event_record_wait(struct cpu_event_record *record, int64_t deadline);
void cpu_event_record_complete(struct cpu_event_record *record);
void cpu_event_record_release(struct cpu_event_record *record);

#endif
