/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Forwarding libnvrtc.so.12, for packages of CUDA 12.
 */
#define REAL "CUDA_CPU_REAL_NVRTC_12"
#define OLDER(X) X(nvrtcGetNVVM) X(nvrtcGetNVVMSize)
#include "nvrtc.c"
