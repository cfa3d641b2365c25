/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
   SPDX-License-Identifier: Apache-2.0 */
#ifndef CUDA_CPU_EMBED_PYTHON_H
#define CUDA_CPU_EMBED_PYTHON_H

#define EXPORT __attribute__((visibility("default")))

#pragma GCC visibility push(hidden)

/* Start the interpreter if that was not tried before; return whether there is one. */
EXPORT int cuda_cpu_start_python(void);

/* Do what Python does when it exits; calls are refused from then on. */
EXPORT void cuda_cpu_end_python(void);

/* Whether that has happened. */
int python_is_over(void);

/* Let the calling thread be one that Python knows until it ends: to make it one anew takes longer than most calls. */
void python_keep_thread(void);

#pragma GCC visibility pop

#endif
