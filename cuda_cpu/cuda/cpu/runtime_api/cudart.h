/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
   SPDX-License-Identifier: Apache-2.0

   The shell of the runtime API: that of the driver, with an error remembered for each thread. */
#ifndef CUDA_CPU_RUNTIME_API_CUDART_H
#define CUDA_CPU_RUNTIME_API_CUDART_H

#include "../entry/interpreter.h"

/* Remember a failure for cudaGetLastError; return the status. */
__attribute__((visibility("hidden"))) int cudart_remember(int status);

#define shell_call(...) cudart_remember(shell_call(__VA_ARGS__))

#endif
