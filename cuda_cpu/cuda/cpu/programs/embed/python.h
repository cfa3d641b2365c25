/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
   SPDX-License-Identifier: Apache-2.0 */
#ifndef CUDA_CPU_EMBED_PYTHON_H
#define CUDA_CPU_EMBED_PYTHON_H

#define EXPORT __attribute__((visibility("default")))

#pragma GCC visibility push(hidden)

/* Start the interpreter at the first call; return whether it runs. */
EXPORT int cuda_cpu_start_python(void);

/* Run Python's exit handlers; calls are refused from then on. */
EXPORT void cuda_cpu_end_python(void);

/* Return whether cuda_cpu_end_python was called. */
int python_is_over(void);

/* Keep a Python thread state for the calling thread until it ends: creating one takes longer than most calls. */
void python_keep_thread(void);

#pragma GCC visibility pop

#endif
