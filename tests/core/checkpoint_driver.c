/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * A fake driver with only the checkpoint functions; it knows process 7 and its state transitions. */
#include <string.h>

static int state;
unsigned timeout;
unsigned char pairs[64];
unsigned pair_count;

struct lock { unsigned timeout; };
struct restore { const void *pairs; unsigned count; };

static int enter(int pid, int from, int to) {
    if (pid != 7)
        return 1;
    if (state != from)
        return 401;
    state = to;
    return 0;
}

int cuInit(unsigned flags) { return 0; }
int cuDriverGetVersion(int *version) { *version = 13050; return 0; }
int cuCheckpointProcessGetState(int pid, int *answer) { *answer = state; return pid == 7 ? 0 : 1; }
int cuCheckpointProcessGetRestoreThreadId(int pid, int *thread) { *thread = 70; return pid == 7 ? 0 : 1; }
int cuCheckpointProcessLock(int pid, const struct lock *a) { timeout = a->timeout; return enter(pid, 0, 1); }
int cuCheckpointProcessCheckpoint(int pid, const void *a) { return enter(pid, 1, 2); }
int cuCheckpointProcessRestore(int pid, const struct restore *a) {
    pair_count = a->count;
    if (a->count)
        memcpy(pairs, a->pairs, 32 * (a->count > 2 ? 2 : a->count));
    return enter(pid, 2, 1);
}
int cuCheckpointProcessUnlock(int pid, const void *a) { return enter(pid, 1, 0); }
int cuGetErrorName(int status, const char **name) { *name = "CUDA_ERROR_TEST"; return 0; }
int cuGetErrorString(int status, const char **text) { *text = "test"; return 0; }
