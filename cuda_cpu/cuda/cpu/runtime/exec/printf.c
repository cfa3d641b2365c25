/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Device printf and assert. Each lane's text is formatted separately and then appended to one buffer, which is written
 * to stdout at synchronisation points, or earlier if it exceeds the size set by cuCtxSetLimit: no output is lost.
 */
#define _GNU_SOURCE
#include "printf.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "worker.h"

#define MAX_LINE (64u << 10) /* maximum output of one printf, in bytes */

static struct {
    pthread_mutex_t lock;
    char *text;
    size_t length, capacity, limit;
    uint64_t count; /* texts printed so far */
} fifo = {.lock = PTHREAD_MUTEX_INITIALIZER, .limit = 1 << 20};

static pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER; /* serialises flushes, to preserve the order */

static void write_all(int file, const char *text, size_t length)
{
    while (length) {
        ssize_t written = write(file, text, length);
        if (written < 0 && errno == EAGAIN) {
            struct pollfd output = {.fd = file, .events = POLLOUT};
            poll(&output, 1, -1);
        } else if (written < 0 && errno != EINTR) {
            return; /* stdout is closed: drop the output */
        }
        if (written > 0) {
            text += written;
            length -= (size_t)written;
        }
    }
}

void cpu_printf_set_size(size_t size)
{
    pthread_mutex_lock(&fifo.lock);
    fifo.limit = size;
    pthread_mutex_unlock(&fifo.lock);
}

uint64_t cpu_printf_count(void)
{
    pthread_mutex_lock(&fifo.lock);
    uint64_t count = fifo.count;
    pthread_mutex_unlock(&fifo.lock);
    return count;
}

size_t cpu_printf_pending(void)
{
    pthread_mutex_lock(&fifo.lock);
    size_t length = fifo.length;
    pthread_mutex_unlock(&fifo.lock);
    return length;
}

void cpu_printf_flush(void)
{
    pthread_mutex_lock(&writing);
    pthread_mutex_lock(&fifo.lock);
    char *text = fifo.text;
    size_t length = fifo.length;
    fifo.text = NULL;
    fifo.length = fifo.capacity = 0;
    pthread_mutex_unlock(&fifo.lock);
    if (length) {
        fflush(stdout);
        write_all(STDOUT_FILENO, text, length);
    }
    free(text);
    pthread_mutex_unlock(&writing);
}

static void append(const char *text, size_t length)
{
    pthread_mutex_lock(&fifo.lock);
    fifo.count++;
    if (fifo.length + length > fifo.capacity) {
        size_t capacity = 2 * fifo.capacity + length + 4096;
        char *larger = realloc(fifo.text, capacity);
        if (larger) {
            fifo.text = larger;
            fifo.capacity = capacity;
        }
    }
    if (fifo.length + length <= fifo.capacity) {
        memcpy(fifo.text + fifo.length, text, length);
        fifo.length += length;
    }
    bool full = fifo.length > fifo.limit;
    pthread_mutex_unlock(&fifo.lock);
    if (full)
        cpu_printf_flush();
}

/* Output of a printf being formatted, appended to the buffer whenever `text` is full. */
struct line {
    char text[1024];
    size_t length;
};

struct conversion {
    char format[32]; /* for the C library, with an explicit length modifier */
    char letter;
    bool wide; /* 8-byte integer */
    int stars, star[2];
};

struct arguments {
    uint64_t base, at;
};

/* Read the next argument from CUDA's vprintf buffer, where each is aligned to its size. */
static uint64_t next_argument(struct arguments *arguments, unsigned size)
{
    uint64_t value = 0;
    arguments->at = (arguments->at + size - 1) & ~(uint64_t)(size - 1);
    memcpy(&value, (const void *)(uintptr_t)(arguments->base + arguments->at), size);
    arguments->at += size;
    return value;
}

static void put(struct line *line, const char *text, size_t length)
{
    while (length) {
        size_t room = sizeof line->text - line->length, part = length < room ? length : room;
        memcpy(line->text + line->length, text, part);
        line->length += part;
        text += part;
        length -= part;
        if (line->length == sizeof line->text) {
            append(line->text, line->length);
            line->length = 0;
        }
    }
}

/* Parse a conversion specification behind '%'. Return its end, or NULL if it is invalid. */
static const char *parse(const char *format, struct conversion *conversion, struct arguments *arguments, int *count)
{
    char *out = conversion->format;
    int digits = 0;
    *conversion = (struct conversion){0};
    out = conversion->format;
    *out++ = '%';
    while (*format && strchr("-+ #0", *format) && digits++ < 8)
        *out++ = *format++;
    for (int part = 0; part < 2; part++) {
        if (part && *format != '.')
            break;
        if (part)
            *out++ = *format++;
        if (*format == '*') {
            conversion->star[conversion->stars++] = (int)next_argument(arguments, 4);
            ++*count;
            *out++ = *format++;
        }
        for (digits = 0; *format >= '0' && *format <= '9'; format++)
            if (digits++ < 4) /* at most 9999, to limit the output */
                *out++ = *format;
    }
    int longs = 0, halves = 0;
    for (; *format && strchr("hlLqjzt", *format); format++) {
        longs += *format != 'h' && *format != 'L';
        halves += *format == 'h';
    }
    conversion->letter = *format;
    conversion->wide = longs > 0 || *format == 'p';
    if (!*format || !strchr("diouxXpcsaAeEfFgG", *format))
        return NULL;
    bool integer = strchr("diouxX", *format) != NULL;
    if (integer && conversion->wide)
        out = stpcpy(out, "ll");
    else if (integer && halves)
        out = stpcpy(out, halves > 1 ? "hh" : "h");
    *out++ = *format;
    *out = 0;
    return format + 1;
}

#define SHOW(value)                                                                                                    \
    (conversion->stars == 0   ? snprintf(text, size, conversion->format, value)                                        \
     : conversion->stars == 1 ? snprintf(text, size, conversion->format, conversion->star[0], value)                   \
                              : snprintf(text, size, conversion->format, conversion->star[0], conversion->star[1], value))

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static int show(const struct conversion *conversion, struct arguments *arguments, char *text, size_t size)
{
    if (strchr("aAeEfFgG", conversion->letter)) {
        uint64_t bits = next_argument(arguments, 8);
        double value;
        memcpy(&value, &bits, sizeof value);
        return SHOW(value);
    }
    if (conversion->letter == 's') {
        const char *string = (const char *)(uintptr_t)next_argument(arguments, 8);
        return SHOW(string ? string : "(null)");
    }
    if (conversion->letter == 'p')
        return SHOW((void *)(uintptr_t)next_argument(arguments, 8));
    if (conversion->wide)
        return SHOW((long long)next_argument(arguments, 8));
    return SHOW((int)next_argument(arguments, 4));
}
#pragma GCC diagnostic pop

static void put_conversion(struct line *line, const struct conversion *conversion, struct arguments *arguments)
{
    char text[512];
    struct arguments again = *arguments;
    int length = show(conversion, arguments, text, sizeof text);
    if (length < 0)
        return;
    if ((size_t)length < sizeof text) {
        put(line, text, (size_t)length);
        return;
    }
    char *longer = length < (int)MAX_LINE ? malloc((size_t)length + 1) : NULL;
    if (!longer) {
        put(line, text, sizeof text - 1);
        return;
    }
    *arguments = again;
    show(conversion, arguments, longer, (size_t)length + 1);
    put(line, longer, (size_t)length);
    free(longer);
}

/* Print one lane's text; return the number of arguments, as CUDA's printf does. */
static int print_lane(const char *format, uint64_t base)
{
    struct line line = {.length = 0};
    struct arguments arguments = {base, 0};
    int count = 0;
    while (*format) {
        size_t plain = strcspn(format, "%");
        put(&line, format, plain);
        format += plain;
        if (!*format)
            break;
        struct conversion conversion;
        if (format[1] == '%') {
            put(&line, "%", 1);
            format += 2;
            continue;
        }
        const char *end = parse(format + 1, &conversion, &arguments, &count);
        if (end) {
            put_conversion(&line, &conversion, &arguments);
            count++;
            format = end;
        } else { /* not a conversion: printed literally */
            put(&line, "%", 1);
            format++;
        }
    }
    append(line.text, line.length);
    return count;
}

void cpu_vprintf(struct cpu_warp *warp, cpu_lanes lanes, const uint64_t *format, const uint64_t *arguments,
                 int32_t *result)
{
    cpu_need_stack(warp);
    cpu_suspend_inline((struct cpu_running *)warp); /* the launching thread may be the reader of a full pipe */
    for (; lanes; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctz(lanes);
        result[lane] = format[lane] ? print_lane((const char *)(uintptr_t)format[lane], arguments[lane]) : -1;
    }
}

/* Format the message that CUDA prints to stderr for a failed assert. */
static void assert_text(char *text, size_t size, const struct cpu_warp *warp, unsigned lane, const uint64_t *message,
                        const uint64_t *file, const uint32_t *line, const uint64_t *function)
{
    const char *strings[3];
    const uint64_t given[3] = {file[lane], function[lane], message[lane]};
    for (int i = 0; i < 3; i++)
        strings[i] = given[i] ? (const char *)(uintptr_t)given[i] : "?";
    snprintf(text, size, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.", strings[0],
             line[lane], strings[1], warp->block_idx[0], warp->block_idx[1], warp->block_idx[2],
             warp->thread_idx[0][lane], warp->thread_idx[1][lane], warp->thread_idx[2][lane], strings[2]);
}

void cpu_assert_fail(struct cpu_warp *warp, cpu_lanes lanes, const uint64_t *message, const uint64_t *file,
                     const uint32_t *line, const uint64_t *function)
{
    char first[512] = "", text[1024];
    if (!lanes)
        return;
    cpu_need_stack(warp);
    cpu_suspend_inline((struct cpu_running *)warp);
    for (; lanes; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctz(lanes);
        assert_text(text, sizeof text - 1, warp, lane, message, file, line, function);
        if (!*first)
            memcpy(first, text, sizeof first - 1);
        strcat(text, "\n");
        write_all(STDERR_FILENO, text, strlen(text));
    }
    cpu_fault_now((struct cpu_running *)warp, CPU_FAULT_ASSERT, 0, 0, first);
}
