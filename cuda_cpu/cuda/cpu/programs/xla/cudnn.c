/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * What XLA needs of cuDNN to compile anything: a version, and handles. There is no other function. See jax.py.
 */
#include <stddef.h>

#define EXPORT __attribute__((visibility("default")))

static int handle_of_all;

EXPORT int cudnnCreate(void **handle) {
    *handle = &handle_of_all;
    return 0;
}
EXPORT int cudnnDestroy(void *handle) { return handle == NULL; }
EXPORT int cudnnSetStream(void *handle, void *stream) {
    (void)stream;
    return handle == NULL;
}
EXPORT size_t cudnnGetVersion(void) { return 91200; }
EXPORT size_t cudnnGetCudartVersion(void) { return 13000; }
EXPORT int cudnnGetProperty(int part, int *value) { /* libraryPropertyType: major, minor, patch */
    *value = part == 0 ? 9 : part == 1 ? 12 : 0;
    return 0;
}
EXPORT const char *cudnnGetErrorString(int status) {
    return status ? "cuDNN does not run on the CPU device" : "no error";
}
