/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
   SPDX-License-Identifier: Apache-2.0 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define DRIVER_MODULE "cuda.cpu.runtime_api"
#define NAME cuda_cpu_call_runtime_api
#include "call.h"
