/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
   SPDX-License-Identifier: Apache-2.0

   Times of driver calls and of NVTX ranges, for timelines. cuda.cpu.counters.host_spans reads them. */
#include "spans.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int is_on;

static struct {
    pthread_mutex_t lock;
    char *data; /* records, see struct shell_span */
    size_t used, size;
} recorded = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local uint64_t thread;

/* A child process records its own calls only. */
static void forget(void) {
    pthread_mutex_init(&recorded.lock, NULL);
    recorded.used = 0;
    thread = 0;
}

__attribute__((constructor)) static void begin_with_program(void) {
    pthread_atfork(NULL, NULL, forget);
    const char *files = getenv("CUDA_CPU_TIMELINE"), *start = getenv("CUDA_CPU_FROM_START");
    is_on = files && *files && !(start && !strcmp(start, "0"));
}

int64_t shell_span_begin(void) {
    if (!__atomic_load_n(&is_on, __ATOMIC_RELAXED)) return 0;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

uint64_t shell_thread(void) {
    if (!thread) thread = (uint64_t)syscall(SYS_gettid);
    return thread;
}

/* Return room for a record; NULL without memory. Called with the lock. */
static char *room_for(size_t bytes) {
    if (recorded.used + bytes > recorded.size) {
        size_t size = 2 * recorded.size + bytes + 65536;
        char *data = realloc(recorded.data, size);
        if (!data) return NULL;
        recorded.data = data;
        recorded.size = size;
    }
    recorded.used += bytes;
    return recorded.data + recorded.used - bytes;
}

void shell_span_end(uint32_t kind, const char *domain, const char *name, uint64_t thread, int64_t begin) {
    int64_t end = begin ? shell_span_begin() : 0;
    if (!end) return; /* recording began or ended in between */
    size_t first = strlen(domain), second = strlen(name);
    struct shell_span span = {begin, end, thread, kind, (uint32_t)first, (uint32_t)second, 0};
    pthread_mutex_lock(&recorded.lock);
    char *room = room_for(sizeof span + first + second);
    if (room) {
        memcpy(room, &span, sizeof span);
        memcpy(room + sizeof span, domain, first);
        memcpy(room + sizeof span + first, name, second);
    }
    pthread_mutex_unlock(&recorded.lock);
}

SHELL_EXPORT void cuda_cpu_spans_switch(int on) { __atomic_store_n(&is_on, on, __ATOMIC_RELAXED); }

/* Move the records to `to` and return their size; with NULL, return the size alone. */
SHELL_EXPORT size_t cuda_cpu_spans_take(char *to, size_t size) {
    pthread_mutex_lock(&recorded.lock);
    size_t used = recorded.used;
    if (to) {
        used = used < size ? used : size;
        memcpy(to, recorded.data, used);
        memmove(recorded.data, recorded.data + used, recorded.used - used);
        recorded.used -= used;
    }
    pthread_mutex_unlock(&recorded.lock);
    return used;
}
