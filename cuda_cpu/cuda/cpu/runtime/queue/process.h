/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Process-wide state: the runtime's threads, shutdown, fork detection.
 */
#ifndef CUDA_CPU_PROCESS_H
#define CUDA_CPU_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

/* Start a detached thread that gets no asynchronous signals; it calls cpu_thread_ended() last. */
bool cpu_thread_start(void *(*function)(void *), void *argument);
void cpu_thread_ended(void);
bool cpu_threads_await(int64_t deadline); /* false if some still run then */

enum cpu_process_state { CPU_RUNNING, CPU_STOPPED, CPU_FORKED };
enum cpu_process_state cpu_process_state(void);
void cpu_process_begin(void); /* once, at import */
void cpu_process_stop(void);

#endif
