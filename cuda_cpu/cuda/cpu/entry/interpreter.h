/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
   SPDX-License-Identifier: Apache-2.0

   Calls from C into the Python part of the CPU driver. The generated _shell.c defines one function for each symbol of
   libcuda; each of them calls shell_call. */
#ifndef CUDA_CPU_ENTRY_INTERPRETER_H
#define CUDA_CPU_ENTRY_INTERPRETER_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)
#define SHELL_EXPORT __attribute__((visibility("default")))

/* Values of CUresult that the shell itself returns (cuda.h). */
enum {
    SHELL_SUCCESS = 0,
    SHELL_INVALID_VALUE = 1,
    SHELL_OUT_OF_MEMORY = 2,
    SHELL_NOT_INITIALIZED = 3,
    SHELL_DEINITIALIZED = 4,
    SHELL_INVALID_HANDLE = 400,
    SHELL_NOT_FOUND = 500,
    SHELL_NOT_READY = 600,
    SHELL_LAUNCH_TIMEOUT = 702,
    SHELL_NOT_SUPPORTED = 801,
    SHELL_SYSTEM_DRIVER_MISMATCH = 803,
    SHELL_UNKNOWN = 999,
};

#define SHELL_MAX_OUTPUTS 8
#define SHELL_MAX_INPUTS 24

/* One Python function of cuda.cpu.driver and how it is called.

   signature: a letter for each output, then '>', then a letter for each input:
     outputs  1 2 4 8   integer, enum, handle or address of that many bytes
              f d       float, double
              ?         before one of them: the caller may pass NULL
     inputs   i         int64_t
              u         uint64_t (addresses and handles too)
              d         double
              s         const char *: bytes, or None for NULL
              v         const void *, size_t: a struct by value, as bytes */
struct shell_entry {
    const char *name;
    const char *signature;
    void *function; /* the Python function, once it has been looked up */
};

/* Call the entry's function; the arguments are the addresses of the outputs, then the inputs. Return a CUresult. */
int shell_call(struct shell_entry *entry, ...);

/* embedded.c: in a program without Python that `python -m cuda.cpu run` started, all calls go to this function of
   programs/embed/libcuda_cpu_python.so, which starts an interpreter. NULL: not such a program. */
typedef int shell_embedded_call(struct shell_entry *entry, va_list *arguments, void (*ready)(uint64_t),
                            int (*ended_idle)(void));
shell_embedded_call *shell_find_embedded(void);

/* spans.c: the time if a timeline is recorded, else 0; and the record of a call that began then. */
int64_t shell_span_begin(void) __attribute__((weak));
void shell_span_end(uint32_t kind, const char *domain, const char *name, uint64_t thread, int64_t begin)
    __attribute__((weak));
uint64_t shell_thread(void) __attribute__((weak));

/* Called once with the address of the runtime's cpu_fast_path. */
void shell_ready(uint64_t table) __attribute__((weak));
/* Return whether Python has ended, with all queues idle. */
int shell_ended_idle(void) __attribute__((weak));
int shell_fast_path_cuLaunchKernel(uint64_t function, uint64_t gx, uint64_t gy, uint64_t gz, uint64_t bx, uint64_t by,
                                uint64_t bz, uint64_t shared, uint64_t stream, uint64_t params, uint64_t extra);
int shell_fast_path_cuLaunchKernelEx(uint64_t config, uint64_t function, uint64_t params, uint64_t extra);
int shell_fast_path_cuDeviceGetAttribute(void *value, uint64_t attribute, int64_t device);
int shell_fast_path_cuStreamSynchronize(uint64_t stream);
int shell_fast_path_cuStreamQuery(uint64_t stream);

/* A handle of the per-thread variants (_ptsz): stream 0 is CU_STREAM_PER_THREAD. */
static inline uint64_t shell_per_thread(uint64_t stream) { return stream ? stream : 2; }

/* Name and description of a CUresult. */
struct shell_status {
    int value;
    const char *name;
    const char *text;
};
extern const struct shell_status shell_statuses[];
extern const size_t shell_status_count;

/* One form of a driver function: the base name, the CUDA version that introduced it, and whether its stream 0 is the
   per-thread default stream. Sorted by name, then version. */
struct shell_symbol {
    const char *name;
    int version;
    int per_thread;
    void *address;
};
extern const struct shell_symbol shell_symbols[];
extern const size_t shell_symbol_count;
extern const int shell_driver_version;

int shell_error_name(int status, const char **out);
int shell_error_string(int status, const char **out);

/* cuGetProcAddress; `found` (the query result) may be NULL. _v1 lacks this parameter, and fails if nothing is found. */
int shell_proc_address(const char *name, void **out, int version, uint64_t flags, int *found);
int shell_proc_address_v1(const char *name, void **out, int version, uint64_t flags);

/* For per-thread variants that take a struct with a stream at `offset`: shell_copy_in returns a copy with the stream
   replaced by shell_per_thread (NULL for NULL), shell_copy_out writes changes of the copy back, except the stream. */
void *shell_copy_in(void *copy, const void *given, size_t size, size_t offset);
void shell_copy_out(void *given, const void *copy, size_t size, size_t offset);

#pragma GCC visibility pop

#endif
