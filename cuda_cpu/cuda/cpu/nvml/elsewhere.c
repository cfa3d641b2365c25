/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
   SPDX-License-Identifier: Apache-2.0 */
#define ELSEWHERE_NAME "cuda_cpu_call_nvml"
#include "../entry/elsewhere.c"
