/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
   SPDX-License-Identifier: Apache-2.0

   Driver functions that need no Python: cuGetErrorName, cuGetErrorString, cuGetProcAddress. */
#include "interpreter.h"

#include <string.h>

/* CUdriverProcAddressQueryResult and CUdriverProcAddress_flags (cuda.h). */
enum { FOUND = 0, SYMBOL_NOT_FOUND = 1, VERSION_NOT_SUFFICIENT = 2 };
enum { LEGACY_STREAM = 1, PER_THREAD_DEFAULT_STREAM = 2 };

static const struct shell_status *status_of(int value) {
    for (size_t i = 0; i < shell_status_count; i++)
        if (shell_statuses[i].value == value) return &shell_statuses[i];
    return NULL;
}

int shell_error_name(int value, const char **out) {
    if (!out) return SHELL_INVALID_VALUE;
    const struct shell_status *status = status_of(value);
    *out = status ? status->name : NULL;
    return status ? SHELL_SUCCESS : SHELL_INVALID_VALUE;
}

int shell_error_string(int value, const char **out) {
    if (!out) return SHELL_INVALID_VALUE;
    const struct shell_status *status = status_of(value);
    *out = status ? status->text : NULL;
    return status ? SHELL_SUCCESS : SHELL_INVALID_VALUE;
}

/* Return the first form of a function, NULL if there is none of that name. */
static const struct shell_symbol *first_form(const char *name) {
    size_t low = 0, high = shell_symbol_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (strcmp(shell_symbols[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < shell_symbol_count && !strcmp(shell_symbols[low].name, name) ? &shell_symbols[low] : NULL;
}

int shell_proc_address(const char *name, void **out, int version, uint64_t flags, int *found) {
    if (!name || !out || version > shell_driver_version || flags & ~(uint64_t)(LEGACY_STREAM | PER_THREAD_DEFAULT_STREAM))
        return SHELL_INVALID_VALUE;
    const struct shell_symbol *form = first_form(name), *end = shell_symbols + shell_symbol_count, *best = NULL;
    int per_thread = (flags & PER_THREAD_DEFAULT_STREAM) != 0;
    int status = form ? VERSION_NOT_SUFFICIENT : SYMBOL_NOT_FOUND;
    for (; form && form < end && !strcmp(form->name, name); form++) {
        if (form->version > version || form->per_thread > per_thread) continue;
        /* A per-thread variant is preferred to all other forms; among equals, the later version. */
        if (!best || form->per_thread >= best->per_thread) best = form;
    }
    *out = best ? best->address : NULL;
    if (found) *found = best ? FOUND : status;
    return SHELL_SUCCESS;
}

int shell_proc_address_v1(const char *name, void **out, int version, uint64_t flags) {
    int status = shell_proc_address(name, out, version, flags, NULL);
    return status ? status : *out ? SHELL_SUCCESS : SHELL_NOT_FOUND;
}
