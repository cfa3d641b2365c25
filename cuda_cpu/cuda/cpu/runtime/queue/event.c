/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Events and their markers: reference-counted, since queues hold markers of events that are gone.
 *
 * An event between processes is a page of a file that all of them map. Each record has a number; the event is done once
 * the record with the highest number is. A process that ends takes its records with it: nobody waits for those.
 */
#define _GNU_SOURCE
#include "event.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/mman.h>

#define SPIN_NS 50000
#define LOOK_NS 20000000 /* how often who waits for another process looks whether that still runs */

struct cpu_shared_page {
    _Atomic uint64_t submitted, completed;
    _Atomic uint32_t changes; /* of completed */
    _Atomic int32_t recorder; /* the process of the latest record */
};

struct cpu_shared {
    _Atomic uint32_t references;
    struct cpu_shared_page *page;
};

static struct cpu_shared *shared_make(int file)
{
    struct cpu_shared *shared = calloc(1, sizeof *shared);
    if (!shared)
        return NULL;
    shared->page = mmap(NULL, CPU_SHARED_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (shared->page == MAP_FAILED) {
        free(shared);
        return NULL;
    }
    atomic_store(&shared->references, 1);
    return shared;
}

static void shared_release(struct cpu_shared *shared)
{
    if (shared && atomic_fetch_sub(&shared->references, 1) == 1) {
        munmap(shared->page, CPU_SHARED_BYTES);
        free(shared);
    }
}

static bool has_ended(int32_t process)
{
    int file = (int)syscall(SYS_pidfd_open, process, 0);
    if (file < 0)
        return errno == ESRCH;
    struct pollfd asked = {.fd = file, .events = POLLIN};
    bool ended = poll(&asked, 1, 0) == 1; /* true for one that nobody has waited for, too */
    close(file);
    return ended;
}

static void shared_complete(struct cpu_shared_page *page, uint64_t ticket)
{
    uint64_t seen = atomic_load(&page->completed);
    while (seen < ticket && !atomic_compare_exchange_weak(&page->completed, &seen, ticket))
        ;
    atomic_fetch_add(&page->changes, 1);
    syscall(SYS_futex, &page->changes, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* One sleep, at most until the deadline. */
static void shared_await(struct cpu_shared_page *page, uint64_t ticket, int64_t deadline)
{
    int64_t now = cpu_now(), end = now + LOOK_NS < deadline ? now + LOOK_NS : deadline;
    uint32_t seen = atomic_load(&page->changes);
    if (atomic_load(&page->completed) >= ticket || end <= now)
        return;
    struct timespec span = {(end - now) / 1000000000, (end - now) % 1000000000};
    if (syscall(SYS_futex, &page->changes, FUTEX_WAIT, seen, &span, NULL, 0) && errno == ETIMEDOUT) {
        int32_t recorder = atomic_load(&page->recorder);
        if (recorder != getpid() && has_ended(recorder))
            shared_complete(page, ticket);
    }
}

struct cpu_event *cpu_event_make(int file)
{
    struct cpu_event *event = calloc(1, sizeof *event);
    if (!event)
        return NULL;
    if (file >= 0 && !(event->shared = shared_make(file))) {
        free(event);
        return NULL;
    }
    pthread_mutex_init(&event->lock, NULL);
    return event;
}

void cpu_event_free(struct cpu_event *event)
{
    cpu_marker_release(event->latest);
    shared_release(event->shared);
    pthread_mutex_destroy(&event->lock);
    free(event);
}

static struct cpu_marker *marker_make(struct cpu_event *event, uint32_t references)
{
    struct cpu_marker *marker = calloc(1, sizeof *marker);
    if (!marker)
        return NULL;
    atomic_store(&marker->references, references);
    if (event->shared) {
        marker->shared = event->shared;
        atomic_fetch_add(&event->shared->references, 1);
    }
    return marker;
}

struct cpu_marker *cpu_event_mark(struct cpu_event *event)
{
    struct cpu_marker *marker = marker_make(event, event->shared ? 1 : 2);
    if (!marker)
        return NULL;
    if (event->shared) {
        atomic_store(&event->shared->page->recorder, getpid());
        marker->ticket = atomic_fetch_add(&event->shared->page->submitted, 1) + 1;
        return marker;
    }
    pthread_mutex_lock(&event->lock);
    struct cpu_marker *before = event->latest;
    event->latest = marker;
    pthread_mutex_unlock(&event->lock);
    cpu_marker_release(before);
    return marker;
}

struct cpu_marker *cpu_event_latest(struct cpu_event *event)
{
    if (event->shared) {
        struct cpu_marker *marker = marker_make(event, 1);
        if (marker)
            marker->ticket = atomic_load(&event->shared->page->submitted);
        return marker;
    }
    pthread_mutex_lock(&event->lock);
    struct cpu_marker *marker = event->latest;
    if (marker)
        atomic_fetch_add(&marker->references, 1);
    pthread_mutex_unlock(&event->lock);
    return marker;
}

bool cpu_marker_done(struct cpu_marker *marker)
{
    if (marker && marker->shared)
        return atomic_load(&marker->shared->page->completed) >= marker->ticket;
    return !marker || atomic_load(&marker->done.rings);
}

bool cpu_marker_wait(struct cpu_marker *marker, int64_t deadline)
{
    int64_t end = cpu_now() + SPIN_NS;
    if (marker && !marker->shared)
        cpu_spin(&marker->done, 0, end < deadline ? end : deadline);
    while (!cpu_marker_done(marker)) {
        if (marker->shared) {
            shared_await(marker->shared->page, marker->ticket, deadline);
            if (cpu_now() >= deadline)
                return cpu_marker_done(marker);
        } else if (!cpu_await(&marker->done, 0, deadline)) {
            return cpu_marker_done(marker);
        }
    }
    return true;
}

void cpu_marker_finish(struct cpu_marker *marker)
{
    marker->time = cpu_now();
    if (marker->shared)
        shared_complete(marker->shared->page, marker->ticket);
    else
        cpu_ring(&marker->done);
}

void cpu_marker_release(struct cpu_marker *marker)
{
    if (marker && atomic_fetch_sub(&marker->references, 1) == 1) {
        shared_release(marker->shared);
        free(marker);
    }
}
