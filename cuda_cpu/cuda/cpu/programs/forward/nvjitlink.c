/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Forwarding libnvJitLink.so.13 (nvjitlink12.c: libnvJitLink.so.12). It adds -lineinfo to the options, so that cubins
 * contain the PTX that the CPU device needs.
 *
 * nvJitLink.h appends the minor version to the name of each function; dlsym callers use the plain name.
 */
#include "forward.h"

#define NVJITLINK_ERROR_INTERNAL 6

#define NAMES(X, ...) \
    X(nvJitLinkAddData, __VA_ARGS__) X(nvJitLinkAddFile, __VA_ARGS__) X(nvJitLinkComplete, __VA_ARGS__) \
    X(nvJitLinkDestroy, __VA_ARGS__) X(nvJitLinkGetErrorLog, __VA_ARGS__) \
    X(nvJitLinkGetErrorLogSize, __VA_ARGS__) X(nvJitLinkGetInfoLog, __VA_ARGS__) \
    X(nvJitLinkGetInfoLogSize, __VA_ARGS__) X(nvJitLinkGetLinkedCubin, __VA_ARGS__) \
    X(nvJitLinkGetLinkedCubinSize, __VA_ARGS__) X(nvJitLinkGetLinkedLTOIR, __VA_ARGS__) \
    X(nvJitLinkGetLinkedLTOIRSize, __VA_ARGS__) X(nvJitLinkGetLinkedPtx, __VA_ARGS__) \
    X(nvJitLinkGetLinkedPtxSize, __VA_ARGS__)

#ifndef REAL
#define REAL "CUDA_CPU_REAL_NVJITLINK"
/* Minor versions of CUDA 13 whose names the real library may have. */
#define VERSIONS(X) X(_13_0) X(_13_1) X(_13_2) X(_13_3) X(_13_4) X(_13_5) X(_13_6) X(_13_7) X(_13_8) X(_13_9)
#endif

#define PLAIN(name, with) with(name)
#define VERSIONED_(name, with, version) with(__##name##version)
#define VERSIONED(name, with, version) VERSIONED_(name, with, version)
#define FORWARD_VERSION(version) NAMES(VERSIONED, FORWARD, version)
#define ROW_VERSION(version) NAMES(VERSIONED, ROW, version)
#define KEEP_CREATE(version) KEEP(__nvJitLinkCreate##version)
#define ROW_CREATE(version) ROW(__nvJitLinkCreate##version)

NAMES(PLAIN, FORWARD)
FORWARD(nvJitLinkVersion)
VERSIONS(FORWARD_VERSION)
KEEP(nvJitLinkCreate)
VERSIONS(KEEP_CREATE)

static const struct forward table[] = {
    NAMES(PLAIN, ROW) ROW(nvJitLinkVersion) VERSIONS(ROW_VERSION) ROW(nvJitLinkCreate) VERSIONS(ROW_CREATE){NULL, NULL},
};

static int missing(void)
{
    return NVJITLINK_ERROR_INTERNAL;
}

__attribute__((constructor)) static void open_real(void)
{
    forward_open(REAL, table, (void *)missing);
}

static int create(void *real_create, void **handle, unsigned count, const char **options)
{
    static const char *const known[] = {"-lineinfo", "-g", NULL};
    int (*real)(void **, unsigned, const char **) = (int (*)(void **, unsigned, const char **))real_create;
    const char **more = options || !count ? with_lineinfo(count, options, known) : NULL;
    int result = more ? real(handle, count + 1, more) : real(handle, count, options);
    free(more);
    return result;
}

#define CREATE(name) \
    __attribute__((visibility("default"))) int name(void **handle, unsigned count, const char **options) \
    { \
        return create(real_##name, handle, count, options); \
    }
#define CREATE_VERSION(version) CREATE(__nvJitLinkCreate##version)

CREATE(nvJitLinkCreate)
VERSIONS(CREATE_VERSION)
