/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
   SPDX-License-Identifier: Apache-2.0

   cuFile for CPU devices: the compatibility mode only, which uses the system calls pread and pwrite. The memory of a
   CPU device is the process's own, so there are no bounce buffers. */
#ifndef CUDA_CPU_CUFILE_H
#define CUDA_CPU_CUFILE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#pragma GCC visibility push(hidden)
#define EXPORT __attribute__((visibility("default")))
#define MAX_DEVICES 16 /* in statistics */

/* CUfileOpError. */
enum {
    SUCCESS = 0,
    DRIVER_NOT_INITIALIZED = 5001,
    DRIVER_UNSUPPORTED_LIMIT = 5003,
    PLATFORM_NOT_SUPPORTED = 5007,
    CUDA_DRIVER_ERROR = 5011,
    CUDA_POINTER_INVALID = 5012,
    CUDA_MEMORY_TYPE_INVALID = 5013,
    CUDA_POINTER_RANGE_ERROR = 5014,
    INVALID_MAPPING_RANGE = 5017,
    INVALID_FILE_TYPE = 5018,
    INVALID_VALUE = 5022,
    MEMORY_ALREADY_REGISTERED = 5023,
    MEMORY_NOT_REGISTERED = 5024,
    DRIVER_ALREADY_OPEN = 5026,
    HANDLE_NOT_REGISTERED = 5027,
    HANDLE_ALREADY_REGISTERED = 5028,
    DEVICE_NOT_FOUND = 5029,
    INTERNAL_ERROR = 5030,
    GETNEWFD_FAILED = 5031,
    BATCH_FULL = 5037,
    ASYNC_NOT_SUPPORTED = 5038,
    NOMEM_ERROR = 5043,
};

/* CUfileError_t. */
struct error {
    int error;
    int cuda; /* CUresult */
};

static inline struct error status(int error)
{
    return (struct error){error, 0};
}

/* CUfileFSOps_t, CUfileDescr_t. */
struct file_system {
    const char *(*type)(const void *);
    int (*devices)(const void *, void **);
    int (*priority)(const void *, char *, size_t, off_t, const void *);
    ssize_t (*read)(const void *, char *, size_t, off_t, const void *);
    ssize_t (*write)(const void *, const char *, size_t, off_t, const void *);
};

struct description {
    int type;
    union {
        int fd;
        void *handle;
    } handle;
    const struct file_system *operations;
};

/* driver.c */
extern pthread_mutex_t lock; /* of everything registered; never held across CUDA calls, which may need the GIL */
bool is_open(void);
void open_once(void); /* called by every registration: it opens the driver, too */

/* CUDA's driver, see cuda.c. Each returns a CUresult. */
struct range {
    uint64_t start, size;
    int device; /* -1: the host's */
};
int find_range(uint64_t address, struct range *range); /* 1: not allocated by CUDA */
int call_in_stream(void *stream, void (*function)(void *), void *argument);
int is_capturing(void *stream, bool *capturing);
int count_devices(int *count);
int device_uuid(int device, char uuid[16]);

/* file.c */
struct file;
void close_files(void);
void forget_buffers(void);
/* Kind of memory at an address: a registered buffer, an allocation of CUDA's, or other host memory. */
enum owner { REGISTERED, ALLOCATED, SYSTEM };
struct memory {
    uint64_t base, start, end;
    enum owner owner;
    int device; /* -1: the host's */
};
int find_memory(uint64_t base, struct memory *memory); /* 0, or a CUfileOpError */
/* Return the number of bytes moved; -1 with errno set, or a negated CUfileOpError. move_found() makes no CUDA call. */
ssize_t move(void *handle, uint64_t base, size_t size, off_t at, off_t offset, bool write);
ssize_t move_found(void *handle, const struct memory *memory, size_t size, off_t at, off_t offset, bool write);

/* settings.c */
bool allows_system_memory(void);
size_t most_in_batch(void);

/* stats.c */
enum operation { READS, WRITES, HANDLES, HANDLES_GONE, BUFFERS, BUFFERS_GONE, VECTOR_READS, VECTOR_WRITES, OPERATIONS };
enum batch_operation { SET_UP, SUBMITTED, COMPLETED, CANCELLED, DESTROYED, ENQUEUED, PROCESSED, BATCH_OPERATIONS };
int64_t now_us(void);
void note(enum operation operation, bool fine);
void note_io(enum operation operation, ssize_t moved, int64_t began, int device);
void note_batch(enum batch_operation operation, bool fine, uint64_t count);
void note_batch_io(bool write, ssize_t moved);
void note_batch_time(int64_t began);

#pragma GCC visibility pop
#endif
