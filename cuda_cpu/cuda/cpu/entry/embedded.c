/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
   SPDX-License-Identifier: Apache-2.0

   Loads the library that embeds Python (programs/embed) into a process without Python. The path of libpython is in an
   environment variable that `python -m cuda.cpu run` sets (machine_code.py). */
#define _GNU_SOURCE
#include "interpreter.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef EMBEDDED_CALL
#define EMBEDDED_CALL "cuda_cpu_call_driver"
#endif

static const char STARTER_PATH[] = "/../programs/embed/libcuda_cpu_python.so"; /* from the folder of libcuda.so.1 and of libcudart */

static void *starter; /* that library */

/* Registered before the program's own atexit handlers and destructors, so that these can still use the device. */
static void end(void) {
    void (*end_python)(void) = starter ? (void (*)(void))dlsym(starter, "cuda_cpu_end_python") : NULL;
    if (end_python) end_python();
}

__attribute__((constructor)) static void begin(void) { atexit(end); }

static void *opened(const char *path, int flags) {
    void *library = dlopen(path, RTLD_NOW | flags);
    if (!library) fprintf(stderr, "cuda.cpu: Python cannot start in this program: %s\n", dlerror());
    return library;
}

static void *open_starter(void) {
    const char *python = getenv("CUDA_CPU_LIBPYTHON");
    char path[PATH_MAX + sizeof STARTER_PATH];
    Dl_info here;
    if (!python || !dladdr((void *)STARTER_PATH, &here) || !realpath(here.dli_fname, path)) return NULL;
    char *folder_end = strrchr(path, '/');
    if (!folder_end || !opened(python, RTLD_GLOBAL)) return NULL;
    strcpy(folder_end, STARTER_PATH);
    return opened(path, RTLD_LOCAL);
}

shell_embedded_call *shell_find_embedded(void) {
    static shell_embedded_call *found;
    static int failed;
    shell_embedded_call *known = __atomic_load_n(&found, __ATOMIC_ACQUIRE);
    if (known || __atomic_load_n(&failed, __ATOMIC_RELAXED)) return known;
    void *library = open_starter(); /* concurrent calls return the same handle */
    int (*start)(void) = library ? (int (*)(void))dlsym(library, "cuda_cpu_start_python") : NULL;
    if (start && start()) known = (shell_embedded_call *)dlsym(library, EMBEDDED_CALL);
    if (known) __atomic_store_n(&starter, library, __ATOMIC_RELEASE);
    __atomic_store_n(&failed, !known, __ATOMIC_RELAXED);
    __atomic_store_n(&found, known, __ATOMIC_RELEASE);
    return known;
}
