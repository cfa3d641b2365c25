/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
   SPDX-License-Identifier: Apache-2.0 */
#ifndef CUDA_CPU_ENTRY_SPANS_H
#define CUDA_CPU_ENTRY_SPANS_H

#include "interpreter.h"

#pragma GCC visibility push(hidden)

enum { SHELL_SPAN_CALL, SHELL_SPAN_RANGE, SHELL_SPAN_MARK, SHELL_NAME_THREAD, SHELL_NAME_CATEGORY };

/* A record; the texts follow it, without zeros at their ends. */
struct shell_span {
    int64_t begin, end; /* nanoseconds of CLOCK_MONOTONIC */
    uint64_t thread;    /* number of the operating system */
    uint32_t kind, domain_size, name_size, category;
};

uint64_t shell_thread(void);
void shell_span_end(uint32_t kind, const char *domain, const char *name, uint64_t thread, int64_t begin);
/* As shell_span_end, for a range of NVTX with a category; 0: none. */
void shell_span_end_in(uint32_t kind, const char *domain, uint32_t category, const char *name, uint64_t thread,
                       int64_t begin);
/* Record the name of a thread, or of a category of a domain. Names count for all timelines of the process. */
void shell_span_name(uint32_t kind, uint64_t thread, const char *domain, uint32_t category, const char *name);

#pragma GCC visibility pop

#endif
