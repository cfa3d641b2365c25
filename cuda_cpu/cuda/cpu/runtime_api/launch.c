/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
   SPDX-License-Identifier: Apache-2.0

   Functions that `kernel<<<grid, block, shared, stream>>>(...)` is compiled to: the configuration is pushed, then the
   arguments are computed, and the host stub that nvcc generates for the kernel pops the configuration and launches.
   Declared in crt/device_functions.h and crt/host_runtime.h. Repeated launches take the fast path
   (../runtime/queue/fast_path.h), whose entries have the stub's address as the function. */
#include "cudart.h"

#include "../runtime/queue/fast_path.h"

enum { MISSING_CONFIGURATION = 52 }; /* cudaErrorMissingConfiguration */

/* A stack, since arguments may launch kernels themselves. Entries that exceptions leave behind are overwritten. */
#define MAX_PUSHED 64

struct dim3 {
    uint32_t x, y, z;
};

static __thread struct pushed {
    struct dim3 grid, block;
    size_t shared;
    void *stream;
} pushed[MAX_PUSHED];
static __thread unsigned top, count;

SHELL_EXPORT unsigned __cudaPushCallConfiguration(struct dim3 grid, struct dim3 block, size_t shared, void *stream) {
    pushed[top] = (struct pushed){grid, block, shared, stream};
    top = (top + 1) % MAX_PUSHED;
    count += count < MAX_PUSHED;
    return 0;
}

SHELL_EXPORT int __cudaPopCallConfiguration(struct dim3 *grid, struct dim3 *block, size_t *shared, void **stream) {
    if (!count) return cudart_remember(MISSING_CONFIGURATION);
    count--;
    top = (top + MAX_PUSHED - 1) % MAX_PUSHED;
    *grid = pushed[top].grid;
    *block = pushed[top].block;
    *shared = pushed[top].shared;
    *stream = pushed[top].stream;
    return SHELL_SUCCESS;
}

extern int cudaLaunchKernel(void *, struct dim3, struct dim3, void **, size_t, void *);
extern int cudaLaunchKernel_ptsz(void *, struct dim3, struct dim3, void **, size_t, void *);

/* The stub calls this once and stores the result. That is the stub's own address: it stays valid when cudaDeviceReset
   makes the code load again, and an error in loading the code is then returned by the launch. */
SHELL_EXPORT int __cudaGetKernel(void **kernel, void *stub) {
    *kernel = stub;
    return SHELL_SUCCESS;
}

SHELL_EXPORT int __cudaLaunchKernel(void *kernel, struct dim3 grid, struct dim3 block, void **params, size_t shared,
                                    void *stream) {
    return cudaLaunchKernel(kernel, grid, block, params, shared, stream);
}

SHELL_EXPORT int __cudaLaunchKernel_ptsz(void *kernel, struct dim3 grid, struct dim3 block, void **params, size_t shared,
                                         void *stream) {
    return cudaLaunchKernel_ptsz(kernel, grid, block, params, shared, stream);
}

int shell_fast_path_cudaLaunchKernel(uint64_t function, const void *grid, size_t grid_size, const void *block,
                                  size_t block_size, uint64_t params, uint64_t shared, uint64_t stream) {
    const struct dim3 *g = grid, *b = block;
    (void)grid_size, (void)block_size;
    if (shared > UINT32_MAX) return CPU_FALLBACK;
    return shell_fast_path_cuLaunchKernel(function, g->x, g->y, g->z, b->x, b->y, b->z, shared, stream, params, 0);
}

/* cudaLaunchConfig_t (driver_types.h), whose size the generated shell states. */
struct config {
    struct dim3 grid, block;
    size_t shared;
    uint64_t stream;
    void *attributes;
    uint32_t count;
};

int shell_fast_path_cudaLaunchKernelExC(uint64_t config, uint64_t function, uint64_t params) {
    const struct config *given = (const struct config *)config;
    if (!given || given->count) return CPU_FALLBACK;
    return shell_fast_path_cudaLaunchKernel(function, &given->grid, 12, &given->block, 12, params, given->shared,
                                         given->stream);
}

int shell_fast_path_cudaDeviceGetAttribute(void *value, uint64_t attribute, int64_t device) {
    return shell_fast_path_cuDeviceGetAttribute(value, attribute, device);
}

int shell_fast_path_cudaStreamSynchronize(uint64_t stream) { return shell_fast_path_cuStreamSynchronize(stream); }

int shell_fast_path_cudaStreamQuery(uint64_t stream) {
    int status = shell_fast_path_cuStreamQuery(stream);
    return status < 0 ? status : cudart_remember(status);
}
