/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
   SPDX-License-Identifier: Apache-2.0

   Runtime API functions that need no Python: each thread's last error, error names, channel descriptions. */
#include "cudart.h"

static __thread int last_error;

enum { NOT_READY = 600 }; /* returned by queries; not an error, says the programming guide */

int cudart_remember(int status) {
    if (status && status != NOT_READY) last_error = status;
    return status;
}

SHELL_EXPORT int cudaPeekAtLastError(void) { return last_error; }

SHELL_EXPORT int cudaGetLastError(void) {
    int status = last_error;
    last_error = SHELL_SUCCESS;
    return status;
}

static const struct shell_status *status_of(int value) {
    static const struct shell_status unknown = {0, "unrecognized error code", "unrecognized error code"};
    for (size_t i = 0; i < shell_status_count; i++)
        if (shell_statuses[i].value == value) return &shell_statuses[i];
    return &unknown;
}

SHELL_EXPORT const char *cudaGetErrorName(int status) { return status_of(status)->name; }

SHELL_EXPORT const char *cudaGetErrorString(int status) { return status_of(status)->text; }

struct channel_description {
    int x, y, z, w;
    int kind;
};

SHELL_EXPORT struct channel_description cudaCreateChannelDesc(int x, int y, int z, int w, int kind) {
    return (struct channel_description){x, y, z, w, kind};
}
