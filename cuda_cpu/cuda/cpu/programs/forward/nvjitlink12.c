/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Forwarding libnvJitLink.so.12, for packages of CUDA 12.
 */
#define REAL "CUDA_CPU_REAL_NVJITLINK_12"
#define VERSIONS(X) X(_12_0) X(_12_1) X(_12_2) X(_12_3) X(_12_4) X(_12_5) X(_12_6) X(_12_7) X(_12_8) X(_12_9)
#include "nvjitlink.c"
