/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
   SPDX-License-Identifier: Apache-2.0

   Registration of files and buffers, and synchronous reads and writes. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cufile.h"

enum { OPAQUE_FD = 1, OPAQUE_WIN32 = 2, USERSPACE_FS = 3 }; /* CUfileFileHandleType */
#define BUFFER_FLAGS 3                                       /* CU_FILE_RDMA_REGISTER, _RELAXED_ORDERING */

struct file {
    struct file *next;
    struct description given;
    int fd; /* our own, without O_DIRECT; -1: a userspace file system */
    unsigned uses; /* references: one per move in progress, one while registered */
};

struct buffer {
    struct buffer *next;
    uint64_t base, length;
    int device;
};

static struct file *files;
static struct buffer *buffers;

/* --- files ---------------------------------------------------------------------------------------------------- */

/* Open the file again without O_DIRECT, which requires aligned addresses and sizes; cuFile does not. */
static int reopen(int fd)
{
    char path[64];
    int flags = fcntl(fd, F_GETFL);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int made = open(path, (flags & (O_ACCMODE | O_SYNC | O_DSYNC)) | O_CLOEXEC);
    return made >= 0 || flags & O_DIRECT ? made : fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

static int open_file(struct file *file)
{
    struct stat about;
    file->fd = -1;
    if (file->given.type == USERSPACE_FS)
        return file->given.operations ? SUCCESS : INVALID_VALUE;
    if (file->given.type != OPAQUE_FD)
        return file->given.type == OPAQUE_WIN32 ? PLATFORM_NOT_SUPPORTED : INVALID_VALUE;
    if (file->given.handle.fd < 0 || fstat(file->given.handle.fd, &about))
        return INVALID_VALUE;
    if (!S_ISREG(about.st_mode) && !S_ISBLK(about.st_mode))
        return INVALID_FILE_TYPE;
    file->fd = reopen(file->given.handle.fd);
    return file->fd < 0 ? GETNEWFD_FAILED : SUCCESS;
}

static bool same(const struct description *a, const struct description *b)
{
    return a->type == b->type &&
           (a->type == OPAQUE_FD ? a->handle.fd == b->handle.fd : a->handle.handle == b->handle.handle);
}

/* With the lock held: false if the file is registered already. */
static bool add_file(struct file *file)
{
    for (struct file *each = files; each; each = each->next)
        if (same(&each->given, &file->given))
            return false;
    file->next = files;
    files = file;
    return true;
}

static void drop_file(struct file *file)
{
    pthread_mutex_lock(&lock);
    bool last = --file->uses == 0;
    pthread_mutex_unlock(&lock);
    if (!last)
        return;
    if (file->fd >= 0)
        close(file->fd);
    free(file);
}

static struct file *hold_file(void *handle)
{
    struct file *found;
    pthread_mutex_lock(&lock);
    for (found = files; found && found != handle; found = found->next)
        ;
    if (found)
        found->uses++;
    pthread_mutex_unlock(&lock);
    return found;
}

EXPORT struct error cuFileHandleRegister(void **handle, const struct description *given)
{
    struct file *file;
    int error = INVALID_VALUE;
    if (handle && given) {
        file = calloc(1, sizeof *file);
        error = NOMEM_ERROR;
        if (file) {
            file->given = *given;
            file->uses = 1;
            error = open_file(file);
            pthread_mutex_lock(&lock);
            if (error == SUCCESS && !add_file(file))
                error = HANDLE_ALREADY_REGISTERED;
            pthread_mutex_unlock(&lock);
            if (error == SUCCESS) {
                open_once();
                *handle = file;
            } else {
                drop_file(file);
            }
        }
    }
    note(HANDLES, error == SUCCESS);
    return status(error);
}

EXPORT void cuFileHandleDeregister(void *handle)
{
    struct file *found = NULL;
    pthread_mutex_lock(&lock);
    for (struct file **each = &files; *each && !found; each = found ? each : &(*each)->next) {
        if (*each == handle) {
            found = *each;
            *each = found->next;
        }
    }
    pthread_mutex_unlock(&lock);
    note(HANDLES_GONE, found);
    if (found)
        drop_file(found);
}

void close_files(void)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        struct file *file = files;
        pthread_mutex_unlock(&lock);
        if (!file)
            return;
        cuFileHandleDeregister(file);
    }
}

/* --- buffers -------------------------------------------------------------------------------------------------- */

/* Fill in the owner of an address, registered buffers not considered. */
static int find_owner(uint64_t base, struct memory *memory)
{
    struct range range;
    int result = find_range(base, &range);
    *memory = (struct memory){base, 0, UINT64_MAX, SYSTEM, -1};
    if (result == 1) /* host memory: pread() and pwrite() return EFAULT where none is mapped */
        return allows_system_memory() ? SUCCESS : CUDA_MEMORY_TYPE_INVALID;
    if (result)
        return CUDA_DRIVER_ERROR;
    *memory = (struct memory){base, range.start, range.start + range.size, ALLOCATED, range.device};
    return SUCCESS;
}

/* Return 0 if `size` bytes at `offset` lie in the memory, else a CUfileOpError. */
static int check_within(const struct memory *memory, size_t size, off_t offset)
{
    uint64_t first = memory->base + (uint64_t)offset;
    if (offset < 0 || first < memory->base)
        return INVALID_VALUE;
    if (first <= memory->end && size <= memory->end - first)
        return SUCCESS;
    return memory->owner == REGISTERED ? INVALID_MAPPING_RANGE : CUDA_POINTER_RANGE_ERROR;
}

static int register_buffer(uint64_t base, uint64_t length, int flags)
{
    struct memory memory;
    int error = SUCCESS;
    if (!base || !length || flags & ~BUFFER_FLAGS)
        return INVALID_VALUE;
    if ((error = find_owner(base, &memory)) != SUCCESS || (error = check_within(&memory, length, 0)) != SUCCESS)
        return error;
    struct buffer *buffer = malloc(sizeof *buffer);
    if (!buffer)
        return NOMEM_ERROR;
    *buffer = (struct buffer){NULL, base, length, memory.device};
    pthread_mutex_lock(&lock);
    for (struct buffer *each = buffers; each; each = each->next)
        if (each->base == base)
            error = MEMORY_ALREADY_REGISTERED;
    if (error == SUCCESS) {
        buffer->next = buffers;
        buffers = buffer;
    }
    pthread_mutex_unlock(&lock);
    if (error == SUCCESS)
        open_once();
    else
        free(buffer);
    return error;
}

EXPORT struct error cuFileBufRegister(const void *base, size_t length, int flags)
{
    int error = register_buffer((uint64_t)(uintptr_t)base, length, flags);
    note(BUFFERS, error == SUCCESS);
    return status(error);
}

EXPORT struct error cuFileBufDeregister(const void *base)
{
    struct buffer *found = NULL;
    pthread_mutex_lock(&lock);
    for (struct buffer **each = &buffers; *each && !found; each = found ? each : &(*each)->next) {
        if ((*each)->base == (uint64_t)(uintptr_t)base) {
            found = *each;
            *each = found->next;
        }
    }
    pthread_mutex_unlock(&lock);
    free(found);
    note(BUFFERS_GONE, found);
    return status(!base ? INVALID_VALUE : found ? SUCCESS : MEMORY_NOT_REGISTERED);
}

void forget_buffers(void)
{
    pthread_mutex_lock(&lock);
    while (buffers) {
        struct buffer *each = buffers;
        buffers = each->next;
        free(each);
    }
    pthread_mutex_unlock(&lock);
}

/* Copy the registered buffer at `base`; false if there is none. */
static bool find_buffer(uint64_t base, struct buffer *copy)
{
    struct buffer *each;
    pthread_mutex_lock(&lock);
    for (each = buffers; each && each->base != base; each = each->next)
        ;
    if (each)
        *copy = *each;
    pthread_mutex_unlock(&lock);
    return each;
}

int find_memory(uint64_t base, struct memory *memory)
{
    struct buffer buffer;
    if (!base)
        return INVALID_VALUE;
    if (!find_buffer(base, &buffer))
        return find_owner(base, memory);
    *memory = (struct memory){base, base, base + buffer.length, REGISTERED, buffer.device};
    return SUCCESS;
}

/* --- moving --------------------------------------------------------------------------------------------------- */

static ssize_t move_some(const struct file *file, char *memory, size_t size, off_t at, bool write)
{
    const struct file_system *user = file->given.operations;
    if (file->fd >= 0)
        return write ? pwrite(file->fd, memory, size, at) : pread(file->fd, memory, size, at);
    if (write ? !user->write : !user->read)
        return -PLATFORM_NOT_SUPPORTED;
    return write ? user->write(file->given.handle.handle, memory, size, at, NULL)
                 : user->read(file->given.handle.handle, memory, size, at, NULL);
}

static ssize_t move_all(const struct file *file, char *memory, size_t size, off_t at, bool write)
{
    size_t done = 0;
    while (done < size) {
        ssize_t moved = move_some(file, memory + done, size - done, at + (off_t)done, write);
        if (moved < 0 && errno == EINTR && file->fd >= 0)
            continue;
        if (moved < 0)
            return done ? (ssize_t)done : moved;
        if (!moved)
            break; /* the end of the file */
        done += (size_t)moved;
    }
    return (ssize_t)done;
}

static ssize_t move_counted(void *handle, const struct memory *memory, int error, size_t size, off_t at, off_t offset,
                            bool write)
{
    int64_t began = now_us();
    int device = error ? -1 : memory->device;
    ssize_t moved;
    struct file *file = NULL;
    if (!is_open())
        error = DRIVER_NOT_INITIALIZED;
    else if (!(file = hold_file(handle)))
        error = HANDLE_NOT_REGISTERED;
    else if (!error)
        error = at < 0 || size > SSIZE_MAX ? INVALID_VALUE : check_within(memory, size, offset);
    char *start = error ? NULL : (char *)(uintptr_t)(memory->base + (uint64_t)offset);
    moved = error ? -error : move_all(file, start, size, at, write);
    int error_number = errno;
    if (file)
        drop_file(file);
    note_io(write ? WRITES : READS, moved, began, device);
    errno = error_number;
    return moved;
}

ssize_t move_found(void *handle, const struct memory *memory, size_t size, off_t at, off_t offset, bool write)
{
    return move_counted(handle, memory, SUCCESS, size, at, offset, write);
}

ssize_t move(void *handle, uint64_t base, size_t size, off_t at, off_t offset, bool write)
{
    struct memory memory;
    int error = find_memory(base, &memory);
    return move_counted(handle, &memory, error, size, at, offset, write);
}

EXPORT ssize_t cuFileRead(void *handle, void *base, size_t size, off_t at, off_t offset)
{
    return move(handle, (uint64_t)(uintptr_t)base, size, at, offset, false);
}

EXPORT ssize_t cuFileWrite(void *handle, const void *base, size_t size, off_t at, off_t offset)
{
    return move(handle, (uint64_t)(uintptr_t)base, size, at, offset, true);
}

/* CUfileIOVec_t. */
struct part {
    void *base;
    size_t length;
};

static ssize_t move_parts(void *handle, const struct part *parts, size_t count, off_t at, unsigned flags, bool write)
{
    ssize_t done = 0;
    if ((!parts && count) || flags)
        return -INVALID_VALUE;
    for (size_t i = 0; i < count; i++) {
        ssize_t moved = parts[i].length
                            ? move(handle, (uint64_t)(uintptr_t)parts[i].base, parts[i].length, at + done, 0, write)
                            : 0;
        if (moved < 0)
            return done ? done : moved;
        done += moved;
        if ((size_t)moved < parts[i].length)
            break;
    }
    return done;
}

EXPORT ssize_t cuFileReadv(void *handle, const struct part *parts, size_t count, off_t at, unsigned flags)
{
    int64_t began = now_us();
    ssize_t moved = move_parts(handle, parts, count, at, flags, false);
    note_io(VECTOR_READS, moved, began, -1);
    return moved;
}

EXPORT ssize_t cuFileWritev(void *handle, const struct part *parts, size_t count, off_t at, unsigned flags)
{
    int64_t began = now_us();
    ssize_t moved = move_parts(handle, parts, count, at, flags, true);
    note_io(VECTOR_WRITES, moved, began, -1);
    return moved;
}
