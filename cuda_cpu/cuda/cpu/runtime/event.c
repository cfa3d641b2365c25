/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Events and their markers: reference-counted, since queues hold markers of events that are gone.
 */
#include "event.h"

#include <stdlib.h>

#define SPIN_NS 50000

struct cpu_event *cpu_event_make(void)
{
    struct cpu_event *event = calloc(1, sizeof *event);
    if (event)
        pthread_mutex_init(&event->lock, NULL);
    return event;
}

void cpu_event_free(struct cpu_event *event)
{
    cpu_marker_release(event->latest);
    pthread_mutex_destroy(&event->lock);
    free(event);
}

struct cpu_marker *cpu_event_mark(struct cpu_event *event)
{
    struct cpu_marker *marker = calloc(1, sizeof *marker);
    if (!marker)
        return NULL;
    atomic_store(&marker->references, 2);
    pthread_mutex_lock(&event->lock);
    struct cpu_marker *before = event->latest;
    event->latest = marker;
    pthread_mutex_unlock(&event->lock);
    cpu_marker_release(before);
    return marker;
}

struct cpu_marker *cpu_event_latest(struct cpu_event *event)
{
    pthread_mutex_lock(&event->lock);
    struct cpu_marker *marker = event->latest;
    if (marker)
        atomic_fetch_add(&marker->references, 1);
    pthread_mutex_unlock(&event->lock);
    return marker;
}

bool cpu_marker_done(struct cpu_marker *marker)
{
    return !marker || atomic_load(&marker->done.rings);
}

bool cpu_marker_wait(struct cpu_marker *marker, int64_t deadline)
{
    int64_t end = cpu_now() + SPIN_NS;
    if (marker)
        cpu_spin(&marker->done, 0, end < deadline ? end : deadline);
    while (!cpu_marker_done(marker))
        if (!cpu_await(&marker->done, 0, deadline))
            return cpu_marker_done(marker);
    return true;
}

void cpu_marker_finish(struct cpu_marker *marker)
{
    marker->time = cpu_now();
    cpu_ring(&marker->done);
}

void cpu_marker_release(struct cpu_marker *marker)
{
    if (marker && atomic_fetch_sub(&marker->references, 1) == 1)
        free(marker);
}
