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

struct records {
    char *data; /* see struct shell_span */
    size_t used, size;
};

static struct {
    pthread_mutex_t lock;
    struct records spans, names;
} recorded = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local uint64_t thread;

/* A child process records its own calls only. */
static void forget(void) {
    pthread_mutex_init(&recorded.lock, NULL);
    recorded.spans.used = 0;
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

/* Return room for more bytes; NULL without memory. Called with the lock. */
static char *room_for(struct records *records, size_t bytes) {
    if (records->used + bytes > records->size) {
        size_t size = 2 * records->size + bytes + 4096;
        char *data = realloc(records->data, size);
        if (!data) return NULL;
        records->data = data;
        records->size = size;
    }
    records->used += bytes;
    return records->data + records->used - bytes;
}

static void add(struct records *records, struct shell_span span, const char *domain, const char *name) {
    span.domain_size = (uint32_t)strlen(domain);
    span.name_size = (uint32_t)strlen(name);
    pthread_mutex_lock(&recorded.lock);
    char *room = room_for(records, sizeof span + span.domain_size + span.name_size);
    if (room) {
        memcpy(room, &span, sizeof span);
        memcpy(room + sizeof span, domain, span.domain_size);
        memcpy(room + sizeof span + span.domain_size, name, span.name_size);
    }
    pthread_mutex_unlock(&recorded.lock);
}

void shell_span_end_in(uint32_t kind, const char *domain, uint32_t category, const char *name, uint64_t thread,
                       int64_t begin) {
    int64_t end = begin ? shell_span_begin() : 0;
    if (!end) return; /* recording began or ended in between */
    struct shell_span span = {.begin = begin, .end = end, .thread = thread, .kind = kind, .category = category};
    add(&recorded.spans, span, domain, name);
}

void shell_span_end(uint32_t kind, const char *domain, const char *name, uint64_t thread, int64_t begin) {
    shell_span_end_in(kind, domain, 0, name, thread, begin);
}

void shell_span_name(uint32_t kind, uint64_t thread, const char *domain, uint32_t category, const char *name) {
    struct shell_span span = {.thread = thread, .kind = kind, .category = category};
    add(&recorded.names, span, domain, name);
}

SHELL_EXPORT void cuda_cpu_spans_switch(int on) { __atomic_store_n(&is_on, on, __ATOMIC_RELAXED); }

/* Move the spans, or copy the names, to `to`, and return their size; with NULL, return the size alone. */
SHELL_EXPORT size_t cuda_cpu_spans_take(int names, char *to, size_t size) {
    struct records *from = names ? &recorded.names : &recorded.spans;
    pthread_mutex_lock(&recorded.lock);
    size_t used = from->used;
    if (to) {
        used = used < size ? used : size;
        memcpy(to, from->data, used);
        if (!names) {
            memmove(from->data, from->data + used, from->used - used);
            from->used -= used;
        }
    }
    pthread_mutex_unlock(&recorded.lock);
    return used;
}
