/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
   SPDX-License-Identifier: Apache-2.0

   Replaces the stream in a struct that is passed to a per-thread variant (_ptsz): shell_copy_in, shell_copy_out. */
#include "interpreter.h"

#include <string.h>

void *shell_copy_in(void *copy, const void *given, size_t size, size_t offset) {
    if (!given) return NULL;
    memcpy(copy, given, size);
    uint64_t *stream = (uint64_t *)((char *)copy + offset);
    *stream = shell_per_thread(*stream);
    return copy;
}

void shell_copy_out(void *given, const void *copy, size_t size, size_t offset) {
    if (!given) return;
    size_t after = offset + sizeof(uint64_t);
    memcpy(given, copy, offset);
    memcpy((char *)given + after, (const char *)copy + after, size - after);
}
