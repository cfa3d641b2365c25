/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Fault injection: a driver that wraps another one and makes the call after `fault_after` others fail. faults.py adds
 * a wrapper for each function, made with WRAP, and the table of them.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

long fault_after = -1; /* calls that still succeed; below 0 all do */
long fault_calls;      /* calls since it was set to 0 */
const char *fault_failed = ""; /* the function that failed last */

/* Functions that give something back do so and then report a failure, as drivers do with one of earlier work. A capture
 * that cannot be ended is gone with its graph, which cannot be had from a driver that works. */
enum { PLAIN, GIVES_BACK, NEVER_FAILS };

struct wrapper {
    const char *name;
    void *own, *real;
    int kind;
    long succeeded;
};

static int fails(void)
{
    __atomic_add_fetch(&fault_calls, 1, __ATOMIC_SEQ_CST);
    /* The first call that finds 0 fails; afterwards it is below 0. */
    if (__atomic_load_n(&fault_after, __ATOMIC_SEQ_CST) < 0)
        return 0;
    return __atomic_fetch_sub(&fault_after, 1, __ATOMIC_SEQ_CST) == 0;
}

#define OUT_OF_MEMORY 2
#define WRAP(index, parameters, arguments, function) \
    __attribute__((visibility("default"))) int function parameters \
    { \
        struct wrapper *const w = &wrappers[index]; \
        const int failing = w->kind != NEVER_FAILS && fails(); \
        int status; \
        if (failing) \
            fault_failed = w->name; \
        if (failing && w->kind != GIVES_BACK) \
            return OUT_OF_MEMORY; \
        status = ((int (*) parameters)w->real)arguments; \
        if (status == 0) \
            __atomic_add_fetch(&w->succeeded, 1, __ATOMIC_SEQ_CST); \
        return failing ? OUT_OF_MEMORY : status; \
    }

static void *real_driver(void)
{
    static void *library;
    if (!library)
        library = dlopen(getenv("FAULTS_DRIVER"), RTLD_NOW | RTLD_LOCAL);
    return library;
}

static struct wrapper wrappers[];

static void *own_of(void *real)
{
    for (struct wrapper *w = wrappers; w->name; w++)
        if (w->real == real)
            return w->own;
    return real;
}

__attribute__((constructor)) static void open_real(void)
{
    for (struct wrapper *w = wrappers; w->name; w++)
        w->real = dlsym(real_driver(), w->name);
}

int cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags, void *found)
{
    int (*const look_up)(const char *, void **, int, uint64_t, void *) = dlsym(real_driver(), "cuGetProcAddress_v2");
    const int status = look_up(name, function, version, flags, found);
    if (status == 0 && *function)
        *function = own_of(*function);
    return status;
}

int cuGetErrorName(int status, const char **text)
{
    return ((int (*)(int, const char **))dlsym(real_driver(), "cuGetErrorName"))(status, text);
}

int cuGetErrorString(int status, const char **text)
{
    return ((int (*)(int, const char **))dlsym(real_driver(), "cuGetErrorString"))(status, text);
}

/* How often the function succeeded so far, 0 if there is none of that name. */
long fault_successes(const char *name)
{
    for (struct wrapper *w = wrappers; w->name; w++)
        if (strcmp(w->name, name) == 0)
            return w->succeeded;
    return 0;
}
