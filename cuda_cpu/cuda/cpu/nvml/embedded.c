/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
   SPDX-License-Identifier: Apache-2.0 */
#define EMBEDDED_CALL "cuda_cpu_call_nvml"
#include "../entry/embedded.c"
