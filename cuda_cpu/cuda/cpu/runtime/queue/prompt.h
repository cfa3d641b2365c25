/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Prompt waits: whether a thread waits for the queue at once when it has launched, so that it may execute the launch
 * itself, and no other thread wakes up. One that has done so after each of its last launches is expected to do so again.
 */
#ifndef CUDA_CPU_PROMPT_H
#define CUDA_CPU_PROMPT_H

#include <stdbool.h>

struct cpu_queue;

/* The calling thread submits another command to a queue. */
void cpu_prompt_submits(const struct cpu_queue *queue);
/* The calling thread has submitted a command: a launch that is not short, or another one. */
void cpu_prompt_submitted(const struct cpu_queue *queue, bool launch);
/* The calling thread waits for a queue, which may be idle already. */
void cpu_prompt_waits(const struct cpu_queue *queue, bool idle);
/* Return whether the calling thread is expected to wait for its next launch at once. */
bool cpu_prompt_is_expected(void);

#endif
