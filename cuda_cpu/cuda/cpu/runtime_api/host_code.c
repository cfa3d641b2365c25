/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
   SPDX-License-Identifier: Apache-2.0

   Registration functions that host code compiled by nvcc calls before main, or when its library is opened: fatbins, and
   the host addresses that stand for their kernels and variables. Declared in crt/host_runtime.h. They only record the
   arguments, since a program may never use the device, or fork before it does; the first call that needs Python reports
   them to host_code.py. */
#include "cudart.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum kind { FUNCTION, VARIABLE, MANAGED, PLACED };

/* Layout shared with host_code.py: struct record, struct binary. */
struct record {
    uint64_t kind;
    const void *host; /* a function's stub; of a managed variable, where to store its address; of a placed one, itself */
    char *name;       /* on the device */
    uint64_t size;
};

struct binary {
    const void *wrapper; /* __fatBinC_Wrapper_t (fatbinary_section.h) */
    struct record *records;
    uint64_t count;
    uint64_t failed; /* out of memory: records are missing */
    struct binary *next;
    enum { NEW, COMPLETE, REPORTED, GONE } state;
    int reporters; /* threads that are in cudart_report_binaries */
};

static struct binary *binaries;
static int unreported; /* number of COMPLETE binaries */
/* Never held while Python is called: a thread that waits for the GIL here could deadlock with the one that has it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void set_state(struct binary *binary, int state) {
    __atomic_add_fetch(&unreported, (state == COMPLETE) - (binary->state == COMPLETE), __ATOMIC_RELEASE);
    binary->state = state;
}

static void release(struct binary *binary) {
    for (uint64_t i = 0; i < binary->count; i++) free(binary->records[i].name);
    free(binary->records);
    free(binary);
}

SHELL_EXPORT void **__cudaRegisterFatBinary(void *wrapper) {
    struct binary *binary = calloc(1, sizeof *binary);
    if (!binary) return NULL;
    binary->wrapper = wrapper;
    pthread_mutex_lock(&lock);
    binary->next = binaries;
    binaries = binary;
    pthread_mutex_unlock(&lock);
    return (void **)binary;
}

static void add(void **handle, enum kind kind, const void *host, const char *name, uint64_t size) {
    struct binary *binary = (struct binary *)handle;
    if (!binary) return;
    if (!(binary->count & (binary->count - 1))) { /* the capacity is the next power of two */
        struct record *more = realloc(binary->records, (binary->count ? 2 * binary->count : 1) * sizeof *more);
        if (!more) {
            binary->failed = 1;
            return;
        }
        binary->records = more;
    }
    char *copy = strdup(name);
    if (copy)
        binary->records[binary->count++] = (struct record){kind, host, copy, size};
    else
        binary->failed = 1;
}

SHELL_EXPORT void __cudaRegisterFunction(void **handle, const char *stub, char *function, const char *name, int threads,
                                         void *tid, void *bid, void *block, void *grid, int *warp) {
    (void)function, (void)threads, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
    add(handle, FUNCTION, stub, name, 0);
}

SHELL_EXPORT void __cudaRegisterVar(void **handle, char *host, char *address, const char *name, int external, size_t size,
                                    int constant, int global) {
    (void)address, (void)external, (void)constant, (void)global;
    add(handle, VARIABLE, host, name, size);
}

SHELL_EXPORT void __cudaRegisterManagedVar(void **handle, void **managed, char *address, const char *name, int external,
                                           size_t size, int constant, int global) {
    (void)address, (void)external, (void)constant, (void)global;
    add(handle, MANAGED, managed, name, size);
}

/* For programs compiled by `python -m cuda.cpu cc`: the variable in host code is the managed variable. */
SHELL_EXPORT void __cudaRegisterManagedVarAt(void **handle, char *host, char *address, const char *name, int external,
                                             size_t size, int constant, int global) {
    (void)address, (void)external, (void)constant, (void)global;
    add(handle, PLACED, host, name, size);
}

SHELL_EXPORT void __cudaRegisterFatBinaryEnd(void **handle) {
    if (!handle) return;
    pthread_mutex_lock(&lock);
    set_state((struct binary *)handle, COMPLETE);
    pthread_mutex_unlock(&lock);
}

static void take_out(struct binary *binary) {
    struct binary **link = &binaries;
    while (*link && *link != binary) link = &(*link)->next;
    if (*link) *link = binary->next;
}

static void report_removal(struct binary *binary) {
    static struct shell_entry entry = {"host_code_removed", ">u", 0};
    (shell_call)(&entry, (uint64_t)binary);
}

SHELL_EXPORT void __cudaUnregisterFatBinary(void **handle) {
    struct binary *binary = (struct binary *)handle;
    if (!binary) return;
    pthread_mutex_lock(&lock);
    take_out(binary);
    int reported = binary->state == REPORTED, reporters = binary->reporters;
    set_state(binary, GONE);
    pthread_mutex_unlock(&lock);
    if (reporters) return; /* the last of them continues */
    if (reported) report_removal(binary);
    release(binary);
}

static struct binary *next_to_report(void) {
    pthread_mutex_lock(&lock);
    struct binary *found = binaries;
    while (found && found->state != COMPLETE) found = found->next;
    if (found) found->reporters++;
    pthread_mutex_unlock(&lock);
    return found;
}

/* Concurrent threads all report: none may continue before Python has them, and a waiting one could hold the GIL. */
void cudart_report_binaries(void) {
    static struct shell_entry entry = {"host_code_added", ">u", 0};
    struct binary *binary;
    while (__atomic_load_n(&unreported, __ATOMIC_ACQUIRE) && (binary = next_to_report())) {
        int failed = (shell_call)(&entry, (uint64_t)binary);
        pthread_mutex_lock(&lock);
        int last = !--binary->reporters && binary->state == GONE;
        if (!failed && binary->state == COMPLETE) set_state(binary, REPORTED);
        pthread_mutex_unlock(&lock);
        if (last) {
            report_removal(binary);
            release(binary);
        }
        if (failed) return; /* Python is missing or has ended: the call itself returns the error */
    }
}

/* Called once by host code before it reads a managed variable through the pointer that its registration named. On
   failure the host code ends with a segmentation fault, so host_code_needed() is called here to report the error. */
SHELL_EXPORT char __cudaInitModule(void **handle) {
    static struct shell_entry entry = {"host_code_needed", ">u", 0};
    return !shell_call(&entry, (uint64_t)handle);
}
