/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
   SPDX-License-Identifier: Apache-2.0

   A second copy of ../entry/interpreter.c for a library that was loaded without Python, whose own copy has unresolved
   symbols of libpython. NAME is the function that embedded.c of that library calls instead. */
#define SHELL_EMBEDDED 1
#include "../../entry/interpreter.h"

#include "python.h"

static void (*ready)(uint64_t);
static int (*ended_idle)(void);
#define shell_ready ready
#define shell_ended_idle ended_idle
static int is_over(void) { return python_is_over(); }

#include "../../entry/interpreter.c"

EXPORT int NAME(struct shell_entry *entry, va_list *arguments, void (*its_ready)(uint64_t), int (*its_ended_idle)(void)) {
    python_keep_thread();
    ready = its_ready;
    ended_idle = its_ended_idle;
    return call_entry(entry, arguments);
}
