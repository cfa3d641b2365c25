/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
   SPDX-License-Identifier: Apache-2.0

   Host code as nvcc generates it, written by hand: it registers a fatbin (image.h: IMAGE, LINKED) and launches its
   kernels by their stubs. The first argument selects a test; the program prints the results. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "image.h"

/* dim3 of vector_types.h. */
struct dim3 {
    unsigned x, y, z;
};

/* crt/host_runtime.h */
extern void **__cudaRegisterFatBinary(void *);
extern void __cudaRegisterFatBinaryEnd(void **);
extern void __cudaUnregisterFatBinary(void **);
extern void __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *, void *, void *, int *);
extern void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int);
extern void __cudaRegisterManagedVar(void **, void **, char *, const char *, int, size_t, int, int);
extern char __cudaInitModule(void **);
extern unsigned __cudaPushCallConfiguration(struct dim3, struct dim3, size_t, void *);
extern int __cudaPopCallConfiguration(struct dim3 *, struct dim3 *, size_t *, void *);
extern int __cudaGetKernel(void **, const void *);
extern int __cudaLaunchKernel(void *, struct dim3, struct dim3, void **, size_t, void *);
/* cuda_runtime_api.h */
extern int cudaMemcpyFromSymbol(void *, const void *, size_t, size_t, int);
extern int cudaDeviceSynchronize(void);
extern int cudaGetLastError(void);
extern const char *cudaGetErrorName(int);

static struct {
    int magic, version;
    const void *data;
    void *linked;
} wrapper = {0x466243b1, 1, IMAGE, NULL};

static void **handle;
static int cell, missing_variable; /* host addresses that stand for device variables; never read */
static int *managed;

static void launch(void *stub, int value) {
    void *arguments[] = {&value}, *kernel, *stream;
    struct dim3 grid, block;
    size_t shared;
    if (__cudaGetKernel(&kernel, stub) || __cudaPopCallConfiguration(&grid, &block, &shared, &stream)) return;
    __cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}

/* The kernels' stubs. They differ, so that a linker cannot fold them. */
static void add(int value) { launch((void *)add, value); }
static void crash(int value) { launch((void *)crash, value + 0); }
static void lacking(int value) { launch((void *)lacking, value - 0); }

/* No kernel is registered for it. */
static void launch_nothing(int value) { launch((void *)launch_nothing, value ^ 0); }

#define LAUNCH(kernel, threads, value)                                                                               \
    (__cudaPushCallConfiguration((struct dim3){1, 1, 1}, (struct dim3){threads, 1, 1}, 0, NULL) ? (void)0 : kernel(value))

static void register_all(void) {
    handle = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(handle, (char *)add, "add", "add", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, (char *)crash, "crash", "crash", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, (char *)lacking, "lacking", "lacking", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterVar(handle, (char *)&cell, "cell", "cell", 0, 4, 0, 0);
    __cudaRegisterVar(handle, (char *)&missing_variable, "missing", "missing", 0, 4, 0, 0);
    __cudaRegisterManagedVar(handle, (void **)&managed, "managed", "managed", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
}

static void unregister_all(void) { __cudaUnregisterFatBinary(handle); }

static void say(const char *what, int status) { printf("%s: %s\n", what, cudaGetErrorName(status)); }

static void add_and_say(int value) {
    int got = -1;
    LAUNCH(add, 4, value);
    say("launch", cudaGetLastError());
    say("copy", cudaMemcpyFromSymbol(&got, &cell, 4, 0, 2));
    printf("cell %d\n", got);
}

static void run(void) {
    add_and_say(2);
    add_and_say(3);
    say("module", !__cudaInitModule(handle));
    printf("managed %d\n", managed ? *managed : -1);
}

static void fail(void) {
    int got;
    LAUNCH(add, 2000, 1);
    say("too many threads", cudaGetLastError());
    LAUNCH(lacking, 1, 1);
    say("no such kernel", cudaGetLastError());
    say("no such variable", cudaMemcpyFromSymbol(&got, &missing_variable, 4, 0, 2));
    launch((void *)add, 1);
    say("nothing pushed", cudaGetLastError());
    LAUNCH(launch_nothing, 1, 1);
    say("no kernel", cudaGetLastError());
    LAUNCH(crash, 1, 1);
    say("crash", cudaDeviceSynchronize());
    say("after it", cudaGetLastError());
}

/* Push more configurations than are stored, as exceptions leave them behind: the last ones are valid. */
static void push(void) {
    for (unsigned i = 0; i < 1000; i++)
        __cudaPushCallConfiguration((struct dim3){1, 1, 1}, (struct dim3){i + 1, 1, 1}, i, NULL);
    struct dim3 grid, block;
    size_t shared;
    void *stream;
    int first = __cudaPopCallConfiguration(&grid, &block, &shared, &stream), count = 1;
    printf("%d %u %zu\n", first, block.x, shared);
    while (!__cudaPopCallConfiguration(&grid, &block, &shared, &stream)) count++;
    printf("%d at most\n", count > 1 && count < 1000);
    say("then", cudaGetLastError());
}

/* A child that was forked before the device was used can use it; one that was forked after that cannot. */
static void fork_twice(void) {
    for (int round = 0; round < 2; round++) {
        fflush(stdout);
        pid_t child = fork();
        if (!child) {
            add_and_say(1);
            fflush(stdout);
            _exit(0);
        }
        waitpid(child, NULL, 0);
        add_and_say(2);
    }
}

static void again(void) {
    add_and_say(2);
    unregister_all();
    LAUNCH(add, 4, 1);
    say("unregistered", cudaGetLastError());
    register_all();
    add_and_say(4);
}

int main(int count, char **arguments) {
    static const struct {
        const char *name;
        void (*function)(void);
    } parts[] = {{"run", run}, {"fail", fail}, {"push", push}, {"fork", fork_twice}, {"again", again}};
    const char *part = count > 1 ? arguments[1] : "";
    if (!strcmp(part, "status")) return count;
#ifdef LINKED
    wrapper.version = 2;
    wrapper.linked = (void *)LINKED;
#endif
    if (count > 2) wrapper.magic = atoi(arguments[2]);
    register_all();
    atexit(unregister_all);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strcmp(part, parts[i].name)) parts[i].function();
    return 0;
}
