/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Forwarding libraries: they have the SONAME and the functions of a real library, and each function jumps to the real
 * one through a pointer. The real library's path is in an environment variable, since it has the same SONAME.
 */
#ifndef CUDA_CPU_FORWARD_H
#define CUDA_CPU_FORWARD_H

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../runtime/arch/arch.h"

struct forward {
    const char *name;
    void **real;
};

/* Define the pointer `real_name` and the function `name` that jumps through it. */
#define FORWARD(name) \
    __attribute__((visibility("hidden"), used)) void *real_##name; \
    __asm__(".text\n.globl " #name "\n.type " #name ", %function\n" #name ":\n" CPU_JUMP_THROUGH("real_" #name) \
            ".size " #name ", .-" #name "\n");

/* Define only the pointer; the function is defined by hand. */
#define KEEP(name) __attribute__((visibility("hidden"), used)) void *real_##name;

#define ROW(name) {#name, &real_##name},

/* Resolve the pointers; a function that the real library lacks gets `missing`. */
static inline void forward_open(const char *variable, const struct forward *table, void *missing)
{
    const char *path = getenv(variable);
    void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library)
        fprintf(stderr, "cuda.cpu: %s: %s\n", variable, path ? dlerror() : "is not set to the real library's path");
    for (; table->name; table++) {
        void *real = library ? dlsym(library, table->name) : NULL;
        *table->real = real ? real : missing;
    }
}

/* Return a copy of `options` with `-lineinfo` appended, or NULL if they contain one of `known`, or without memory. */
static inline const char **with_lineinfo(unsigned count, const char *const *options, const char *const *known)
{
    for (unsigned i = 0; i < count; i++)
        for (const char *const *each = known; *each; each++)
            if (options[i] && !__builtin_strcmp(options[i], *each))
                return NULL;
    const char **more = malloc((count + 1) * sizeof *more);
    if (more) {
        for (unsigned i = 0; i < count; i++)
            more[i] = options[i];
        more[count] = "-lineinfo";
    }
    return more;
}

#endif
