/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Forwarding libnvrtc.so.13 (nvrtc12.c: libnvrtc.so.12). It adds -lineinfo to the options, so that cubins contain the
 * PTX that the CPU device needs.
 */
#include "forward.h"

#define NVRTC_ERROR_INTERNAL_ERROR 11

#ifndef REAL
#define REAL "CUDA_CPU_REAL_NVRTC"
#define OLDER(X)
#endif

/* The functions of nvrtc.h, except nvrtcCompileProgram. */
#define FUNCTIONS(X) \
    OLDER(X) \
    X(nvrtcAddNameExpression) X(nvrtcCreateProgram) X(nvrtcDestroyProgram) X(nvrtcGetBundledHeadersInfo) \
    X(nvrtcGetCUBIN) X(nvrtcGetCUBINSize) X(nvrtcGetErrorString) X(nvrtcGetLTOIR) X(nvrtcGetLTOIRSize) \
    X(nvrtcGetLoweredName) X(nvrtcGetNumSupportedArchs) X(nvrtcGetOptiXIR) X(nvrtcGetOptiXIRSize) \
    X(nvrtcGetPCHCreateStatus) X(nvrtcGetPCHHeapSize) X(nvrtcGetPCHHeapSizeRequired) X(nvrtcGetPTX) \
    X(nvrtcGetPTXSize) X(nvrtcGetProgramLog) X(nvrtcGetProgramLogSize) X(nvrtcGetSupportedArchs) \
    X(nvrtcGetTileIR) X(nvrtcGetTileIRSize) X(nvrtcInstallBundledHeaders) X(nvrtcRemoveBundledHeaders) \
    X(nvrtcSetFlowCallback) X(nvrtcSetPCHHeapSize) X(nvrtcVersion)

FUNCTIONS(FORWARD)
KEEP(nvrtcCompileProgram)

static const struct forward table[] = {FUNCTIONS(ROW) ROW(nvrtcCompileProgram){NULL, NULL}};

static int missing(void)
{
    return NVRTC_ERROR_INTERNAL_ERROR;
}

__attribute__((constructor)) static void open_real(void)
{
    forward_open(REAL, table, (void *)missing);
}

__attribute__((visibility("default"))) int nvrtcCompileProgram(void *program, int count, const char *const *options)
{
    static const char *const known[] = {"-lineinfo", "--generate-line-info", "-G", "--device-debug", NULL};
    int (*real)(void *, int, const char *const *) = (int (*)(void *, int, const char *const *))real_nvrtcCompileProgram;
    const char **more = count >= 0 && (options || !count) ? with_lineinfo(count, options, known) : NULL;
    int result = more ? real(program, count + 1, more) : real(program, count, options);
    free(more);
    return result;
}
