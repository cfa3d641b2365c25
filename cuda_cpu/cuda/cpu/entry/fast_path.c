/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
   SPDX-License-Identifier: Apache-2.0

   libcuda's functions that have a fast path in the runtime, without Python (../runtime/queue/fast_path.h). Arguments
   are those of shell_call. */
#include "spans.h"

#include "../runtime/queue/fast_path.h"

static const struct cpu_fast_path *fast_path; /* NULL until Python has been called */

void shell_ready(uint64_t table) { __atomic_store_n(&fast_path, (const struct cpu_fast_path *)table, __ATOMIC_RELEASE); }

static const struct cpu_fast_path *table(void) { return __atomic_load_n(&fast_path, __ATOMIC_ACQUIRE); }

/* libcudart, which has these functions too, has no spans.c. */
static int64_t begun(void) { return shell_span_begin ? shell_span_begin() : 0; }

/* Record a call that did not need Python. */
static int recorded(const char *name, int64_t begin, int status) {
    if (begin && status >= 0) shell_span_end(SHELL_SPAN_CALL, "", name, shell_thread(), begin);
    return status;
}

int shell_fast_path_cuLaunchKernel(uint64_t function, uint64_t gx, uint64_t gy, uint64_t gz, uint64_t bx, uint64_t by,
                                uint64_t bz, uint64_t shared, uint64_t stream, uint64_t params, uint64_t extra) {
    const uint32_t shape[7] = {gx, gy, gz, bx, by, bz, shared};
    if (!table() || extra) return CPU_FALLBACK;
    int64_t begin = begun();
    return recorded("cuLaunchKernel", begin, table()->launch(function, shape, stream, (void *const *)params));
}

/* CUlaunchConfig (cuda.h), whose size the generated shell states. */
struct config {
    uint32_t shape[7];
    uint64_t stream;
    void *attributes;
    uint32_t count;
};

int shell_fast_path_cuLaunchKernelEx(uint64_t config, uint64_t function, uint64_t params, uint64_t extra) {
    const struct config *given = (const struct config *)config;
    if (!table() || extra || !given || given->count) return CPU_FALLBACK;
    int64_t begin = begun();
    int status = table()->launch(function, given->shape, given->stream, (void *const *)params);
    return recorded("cuLaunchKernelEx", begin, status);
}

int shell_fast_path_cuDeviceGetAttribute(void *value, uint64_t attribute, int64_t device) {
    return table() ? table()->attribute(value, attribute, device) : CPU_FALLBACK;
}

int shell_ended_idle(void) { return table() && table()->ended_idle(); }

int shell_fast_path_cuStreamSynchronize(uint64_t stream) {
    int64_t begin = begun();
    return table() ? recorded("cuStreamSynchronize", begin, table()->synchronize(stream)) : CPU_FALLBACK;
}

int shell_fast_path_cuStreamQuery(uint64_t stream) {
    int64_t begin = begun();
    return table() ? recorded("cuStreamQuery", begin, table()->query(stream)) : CPU_FALLBACK;
}
