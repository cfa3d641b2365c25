/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
   SPDX-License-Identifier: Apache-2.0

   cuFile batch I/O. Requests are executed synchronously at submission, so nothing can be pending or cancelled. */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "cufile.h"

enum { BATCH_MODE = 1 };              /* CUfileBatchMode_t */
enum { COMPLETE = 0x10, FAILED = 0x40 }; /* CUfileStatus_t */

/* CUfileIOParams_t, CUfileIOEvents_t. */
struct request {
    int mode;
    void *base;
    off_t at, offset;
    size_t size;
    void *handle;
    int operation; /* CUfileOpcode_t */
    void *cookie;
};

struct event {
    void *cookie;
    int status;
    size_t result;
};

struct batch {
    struct batch *next;
    unsigned most, first, count; /* ring buffer of events not yet fetched */
    struct event events[];
};

static struct batch *batches;

EXPORT struct error cuFileBatchIOSetUp(void **handle, unsigned most)
{
    struct batch *batch = NULL;
    int error = INVALID_VALUE;
    if (handle && most && most <= most_in_batch()) {
        batch = calloc(1, sizeof *batch + most * sizeof *batch->events);
        error = batch ? SUCCESS : NOMEM_ERROR;
    }
    if (batch) {
        batch->most = most;
        pthread_mutex_lock(&lock);
        batch->next = batches;
        batches = batch;
        pthread_mutex_unlock(&lock);
        open_once();
        *handle = batch;
    }
    note_batch(SET_UP, error == SUCCESS, 1);
    return status(error);
}

/* With the lock held. */
static struct batch *find(void *handle)
{
    struct batch *each = batches;
    while (each && each != handle)
        each = each->next;
    return each;
}

static bool is_wrong(const struct request *request)
{
    return request->mode != BATCH_MODE || request->operation < 0 || request->operation > 1;
}

static struct event run(const struct request *request)
{
    bool write = request->operation == 1;
    ssize_t moved = move(request->handle, (uint64_t)(uintptr_t)request->base, request->size, request->at,
                         request->offset, write);
    note_batch_io(write, moved);
    if (moved == -1)
        moved = -errno;
    return (struct event){request->cookie, moved < 0 ? FAILED : COMPLETE, (size_t)moved};
}

/* Store an event; false if the batch has been destroyed meanwhile. */
static bool keep(void *handle, struct event event)
{
    pthread_mutex_lock(&lock);
    struct batch *batch = find(handle);
    if (batch)
        batch->events[(batch->first + batch->count++) % batch->most] = event;
    pthread_mutex_unlock(&lock);
    return batch;
}

static int submit(void *handle, unsigned count, const struct request *requests, unsigned flags)
{
    if (!count || !requests || flags)
        return INVALID_VALUE;
    for (unsigned i = 0; i < count; i++)
        if (is_wrong(&requests[i]))
            return INVALID_VALUE;
    pthread_mutex_lock(&lock);
    struct batch *batch = find(handle);
    int error = !batch ? INVALID_VALUE : count > batch->most - batch->count ? BATCH_FULL : SUCCESS;
    pthread_mutex_unlock(&lock);
    for (unsigned i = 0; i < count && error == SUCCESS; i++)
        if (!keep(handle, run(&requests[i])))
            error = INVALID_VALUE;
    return error;
}

EXPORT struct error cuFileBatchIOSubmit(void *handle, unsigned count, const struct request *requests, unsigned flags)
{
    int64_t began = now_us();
    int error = submit(handle, count, requests, flags);
    note_batch_time(began);
    note_batch(SUBMITTED, error == SUCCESS, 1);
    if (error == SUCCESS)
        note_batch(ENQUEUED, true, count);
    return status(error);
}

EXPORT struct error cuFileBatchIOGetStatus(void *handle, unsigned least, unsigned *count, struct event *events,
                                           const struct timespec *timeout)
{
    (void)timeout;
    if (!count || (!events && *count) || least > *count)
        return status(INVALID_VALUE);
    pthread_mutex_lock(&lock);
    struct batch *batch = find(handle);
    unsigned given = batch && batch->count < *count ? batch->count : *count;
    for (unsigned i = 0; batch && i < given; i++) {
        events[i] = batch->events[batch->first];
        batch->first = (batch->first + 1) % batch->most;
        batch->count--;
    }
    pthread_mutex_unlock(&lock);
    if (!batch)
        return status(INVALID_VALUE);
    *count = given;
    for (unsigned i = 0; i < given; i++)
        note_batch(COMPLETED, events[i].status == COMPLETE, 1);
    note_batch(PROCESSED, true, given);
    return status(SUCCESS);
}

EXPORT struct error cuFileBatchIOCancel(void *handle)
{
    pthread_mutex_lock(&lock);
    bool found = find(handle);
    pthread_mutex_unlock(&lock);
    note_batch(CANCELLED, found, 1);
    return status(found ? SUCCESS : INVALID_VALUE);
}

EXPORT void cuFileBatchIODestroy(void *handle)
{
    struct batch *found = NULL;
    pthread_mutex_lock(&lock);
    for (struct batch **each = &batches; *each && !found; each = found ? each : &(*each)->next) {
        if (*each == handle) {
            found = *each;
            *each = found->next;
        }
    }
    pthread_mutex_unlock(&lock);
    note_batch(DESTROYED, found, 1);
    free(found);
}
