/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
   SPDX-License-Identifier: Apache-2.0

   Stream-ordered reads and writes, executed by the stream's own thread as host functions. Sizes and offsets are read at
   execution, except those that cuFileStreamRegister declared fixed. */
#include <errno.h>
#include <stdlib.h>

#include "cufile.h"

/* CU_FILE_STREAM_... */
#define FIXED_BUFFER_OFFSET 1u
#define FIXED_FILE_OFFSET 2u
#define FIXED_SIZE 4u
#define ALIGNED 8u
#define PAGE 4096

struct registered {
    struct registered *next;
    void *stream;
    unsigned flags;
};

static struct registered *streams;

struct work {
    void *handle;
    struct memory memory;
    const size_t *size;
    const off_t *at, *offset;
    ssize_t *result;
    unsigned flags; /* CU_FILE_STREAM_FIXED_*: the values below are used for those */
    size_t fixed_size;
    off_t fixed_at, fixed_offset;
    bool write;
};

EXPORT struct error cuFileStreamRegister(void *stream, unsigned flags)
{
    bool capturing;
    int result = is_capturing(stream, &capturing), error = SUCCESS;
    if (result)
        return (struct error){CUDA_DRIVER_ERROR, result};
    if (flags & ~(FIXED_BUFFER_OFFSET | FIXED_FILE_OFFSET | FIXED_SIZE | ALIGNED))
        return status(INVALID_VALUE);
    struct registered *made = malloc(sizeof *made);
    if (!made)
        return status(NOMEM_ERROR);
    *made = (struct registered){NULL, stream, flags};
    pthread_mutex_lock(&lock);
    for (struct registered *each = streams; each; each = each->next)
        if (each->stream == stream)
            error = INVALID_VALUE; /* registered already */
    if (error == SUCCESS) {
        made->next = streams;
        streams = made;
    }
    pthread_mutex_unlock(&lock);
    if (error)
        free(made);
    return status(error);
}

EXPORT struct error cuFileStreamDeregister(void *stream)
{
    struct registered *found = NULL;
    pthread_mutex_lock(&lock);
    for (struct registered **each = &streams; *each && !found; each = found ? each : &(*each)->next) {
        if ((*each)->stream == stream) {
            found = *each;
            *each = found->next;
        }
    }
    pthread_mutex_unlock(&lock);
    free(found);
    return status(found ? SUCCESS : INVALID_VALUE);
}

static unsigned flags_of(void *stream)
{
    unsigned flags = 0;
    pthread_mutex_lock(&lock);
    for (struct registered *each = streams; each; each = each->next)
        if (each->stream == stream)
            flags = each->flags;
    pthread_mutex_unlock(&lock);
    return flags;
}

/* The host function, called by the stream's thread. */
static void do_work(void *argument)
{
    struct work *work = argument;
    size_t size = work->flags & FIXED_SIZE ? work->fixed_size : *work->size;
    off_t at = work->flags & FIXED_FILE_OFFSET ? work->fixed_at : *work->at;
    off_t offset = work->flags & FIXED_BUFFER_OFFSET ? work->fixed_offset : *work->offset;
    bool apart = work->flags & ALIGNED && (size % PAGE || at % PAGE || offset % PAGE);
    ssize_t moved = apart ? -INVALID_VALUE : move_found(work->handle, &work->memory, size, at, offset, work->write);
    *work->result = moved == -1 ? -errno : moved;
    free(work);
}

static struct error submit(struct work given, uint64_t base, void *stream)
{
    bool capturing;
    int result;
    if (!given.handle || !base || !given.size || !given.at || !given.offset || !given.result)
        return status(INVALID_VALUE);
    if (!is_open())
        return status(DRIVER_NOT_INITIALIZED);
    if ((result = is_capturing(stream, &capturing)))
        return (struct error){CUDA_DRIVER_ERROR, result};
    if (capturing) /* not supported: a graph would run it repeatedly */
        return status(ASYNC_NOT_SUPPORTED);
    if ((result = find_memory(base, &given.memory))) /* at submission: the stream's thread has no context */
        return status(result);
    struct work *work = malloc(sizeof *work);
    if (!work)
        return status(NOMEM_ERROR);
    *work = given;
    work->flags = flags_of(stream);
    work->fixed_size = *given.size;
    work->fixed_at = *given.at;
    work->fixed_offset = *given.offset;
    if ((result = call_in_stream(stream, do_work, work))) {
        free(work);
        return (struct error){CUDA_DRIVER_ERROR, result};
    }
    return status(SUCCESS);
}

EXPORT struct error cuFileReadAsync(void *handle, void *base, size_t *size, off_t *at, off_t *offset, ssize_t *moved,
                                    void *stream)
{
    struct work work = {.handle = handle, .size = size, .at = at, .offset = offset, .result = moved, .write = false};
    return submit(work, (uint64_t)(uintptr_t)base, stream);
}

EXPORT struct error cuFileWriteAsync(void *handle, void *base, size_t *size, off_t *at, off_t *offset, ssize_t *moved,
                                     void *stream)
{
    struct work work = {.handle = handle, .size = size, .at = at, .offset = offset, .result = moved, .write = true};
    return submit(work, (uint64_t)(uintptr_t)base, stream);
}
