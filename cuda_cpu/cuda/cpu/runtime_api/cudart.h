/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
   SPDX-License-Identifier: Apache-2.0

   Calls from C into the Python part of the runtime API: as in the driver, but each thread's last error is recorded, and
   fatbins that host code has registered are reported to Python before each call. */
#ifndef CUDA_CPU_RUNTIME_API_CUDART_H
#define CUDA_CPU_RUNTIME_API_CUDART_H

#include "../entry/interpreter.h"

/* Record a failure for cudaGetLastError; return the status. */
__attribute__((visibility("hidden"))) int cudart_remember(int status);

/* Report to Python the fatbins that nvcc's host code has registered since the last call (host_code.c). */
__attribute__((visibility("hidden"))) void cudart_report_binaries(void);

#define shell_call(...) (cudart_report_binaries(), cudart_remember(shell_call(__VA_ARGS__)))

#pragma GCC visibility push(hidden)
int shell_fast_path_cudaDeviceGetAttribute(void *value, uint64_t attribute, int64_t device);
int shell_fast_path_cudaLaunchKernel(uint64_t function, const void *grid, size_t, const void *block, size_t, uint64_t params,
                                  uint64_t shared, uint64_t stream);
int shell_fast_path_cudaLaunchKernelExC(uint64_t config, uint64_t function, uint64_t params);
int shell_fast_path_cudaStreamSynchronize(uint64_t stream);
int shell_fast_path_cudaStreamQuery(uint64_t stream);
#pragma GCC visibility pop

#endif
