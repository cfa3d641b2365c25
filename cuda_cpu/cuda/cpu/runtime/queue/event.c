/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Events and their records. Records are reference-counted, since queues hold records of destroyed events.
 *
 * An interprocess event is a page of a file that all processes map. Each record has a number; the event is done once
 * the record with the highest number is. The records of a process that has ended count as complete.
 */
#define _GNU_SOURCE
#include "event.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/mman.h>

#define SPIN_NS 50000
#define POLL_NS 20000000 /* polling interval at which a waiter checks that the recording process still runs */

struct cpu_shared_page {
    _Atomic uint64_t submitted, completed;
    _Atomic uint32_t changes; /* incremented when `completed` changes */
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
    bool ended = poll(&asked, 1, 0) == 1; /* also true for a zombie */
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

/* Sleep once, at most until the deadline. */
static void shared_await(struct cpu_shared_page *page, uint64_t ticket, int64_t deadline)
{
    int64_t now = cpu_now(), end = now + POLL_NS < deadline ? now + POLL_NS : deadline;
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
    cpu_event_record_release(event->latest);
    shared_release(event->shared);
    pthread_mutex_destroy(&event->lock);
    free(event);
}

static struct cpu_event_record *record_make(struct cpu_event *event, uint32_t references)
{
    struct cpu_event_record *record = calloc(1, sizeof *record);
    if (!record)
        return NULL;
    atomic_store(&record->references, references);
    if (event->shared) {
        record->shared = event->shared;
        atomic_fetch_add(&event->shared->references, 1);
    }
    return record;
}

struct cpu_event_record *cpu_event_new_record(struct cpu_event *event)
{
    struct cpu_event_record *record = record_make(event, event->shared ? 1 : 2);
    if (!record)
        return NULL;
    if (event->shared) {
        atomic_store(&event->shared->page->recorder, getpid());
        record->ticket = atomic_fetch_add(&event->shared->page->submitted, 1) + 1;
        return record;
    }
    pthread_mutex_lock(&event->lock);
    struct cpu_event_record *before = event->latest;
    event->latest = record;
    pthread_mutex_unlock(&event->lock);
    cpu_event_record_release(before);
    return record;
}

struct cpu_event_record *cpu_event_latest(struct cpu_event *event)
{
    if (event->shared) {
        struct cpu_event_record *record = record_make(event, 1);
        if (record)
            record->ticket = atomic_load(&event->shared->page->submitted);
        return record;
    }
    pthread_mutex_lock(&event->lock);
    struct cpu_event_record *record = event->latest;
    if (record)
        atomic_fetch_add(&record->references, 1);
    pthread_mutex_unlock(&event->lock);
    return record;
}

bool cpu_event_record_done(struct cpu_event_record *record)
{
    if (record && record->shared)
        return atomic_load(&record->shared->page->completed) >= record->ticket;
    return !record || atomic_load(&record->done.count);
}

bool cpu_event_record_wait(struct cpu_event_record *record, int64_t deadline)
{
    int64_t end = cpu_now() + SPIN_NS;
    if (record && !record->shared)
        cpu_eventcount_spin(&record->done, 0, end < deadline ? end : deadline);
    while (!cpu_event_record_done(record)) {
        if (record->shared) {
            shared_await(record->shared->page, record->ticket, deadline);
            if (cpu_now() >= deadline)
                return cpu_event_record_done(record);
        } else if (!cpu_eventcount_wait(&record->done, 0, deadline)) {
            return cpu_event_record_done(record);
        }
    }
    return true;
}

void cpu_event_record_complete(struct cpu_event_record *record)
{
    record->time = cpu_now();
    if (record->shared)
        shared_complete(record->shared->page, record->ticket);
    else
        cpu_eventcount_notify_all(&record->done);
}

void cpu_event_record_release(struct cpu_event_record *record)
{
    if (record && atomic_fetch_sub(&record->references, 1) == 1) {
        shared_release(record->shared);
        free(record);
    }
}
